"""Scores, classification, sensitivity."""
