"""The project of a window: document, model state and preferences."""
