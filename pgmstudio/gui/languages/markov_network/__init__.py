"""Markov networks in the window."""
