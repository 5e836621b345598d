"""Learners of possibilistic networks."""
