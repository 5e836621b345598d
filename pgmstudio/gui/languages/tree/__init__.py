"""Trees in the window."""
