"""Learners of Markov networks."""
