"""Markov networks, with contexts on their edges."""
