"""The open project with its undo history, and the live beliefs of open models."""
