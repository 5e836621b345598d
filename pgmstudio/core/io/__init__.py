"""Data files, model files and the project file; nothing is computed here."""
