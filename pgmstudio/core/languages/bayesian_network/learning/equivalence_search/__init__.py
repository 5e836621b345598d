"""Greedy search over equivalence classes (KES)."""
