"""What each model language adds to the window."""
