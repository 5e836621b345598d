"""Probabilistic decision graphs in the window."""
