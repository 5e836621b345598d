"""Learners of Bayesian networks."""
