"""Mixtures of trees."""
