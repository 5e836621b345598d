"""One module for each format of models."""
