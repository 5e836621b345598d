"""Bayesian networks in the window."""
