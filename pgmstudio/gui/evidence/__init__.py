"""Evidence, beliefs and scenarios."""
