"""Learners of trees."""
