"""The window driven by a script."""
