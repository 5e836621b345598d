"""Step-by-step learning."""
