"""Learners of relational networks."""
