"""The main window: tabs, docks, palette, status bar."""
