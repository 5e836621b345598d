"""File choice, export options and preferences, and forms made from parameters."""
