"""What each model language adds to the window, and the registry that joins it."""
