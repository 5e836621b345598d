"""One module for each format of tables."""
