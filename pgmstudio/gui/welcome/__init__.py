"""The welcome page."""
