"""The import page."""
