"""Comparison of languages and models."""
