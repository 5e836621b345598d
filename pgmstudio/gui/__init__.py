"""The window: draws and asks; the document changes."""
