"""Possibilistic networks in the window."""
