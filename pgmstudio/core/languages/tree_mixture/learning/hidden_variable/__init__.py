"""Discovery of a hidden variable."""
