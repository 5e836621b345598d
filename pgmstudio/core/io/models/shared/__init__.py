"""What the readers and writers of models share."""
