"""Relational networks in the window."""
