"""Separation queries on the canvas."""
