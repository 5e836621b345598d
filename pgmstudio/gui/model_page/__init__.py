"""The page of a model."""
