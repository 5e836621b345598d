"""The project of a window: document, undo, opening, recovery."""
