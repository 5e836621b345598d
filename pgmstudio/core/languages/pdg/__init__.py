"""Probabilistic decision graphs."""
