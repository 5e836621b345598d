"""Learners of probabilistic decision graphs."""
