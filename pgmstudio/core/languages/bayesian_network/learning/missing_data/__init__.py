"""Parameters by EM."""
