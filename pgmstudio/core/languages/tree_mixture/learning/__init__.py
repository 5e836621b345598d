"""Learners of mixtures of trees."""
