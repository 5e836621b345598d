"""Common parts of the readers and writers of model files."""
