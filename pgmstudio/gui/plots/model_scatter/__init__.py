"""Scatter plots whose markers are models, with hover cards, labels and a legend."""
