"""Synthetic data sets of the specifications and our own; the table of them is registry.py."""
