"""The manual and the guided tour."""
