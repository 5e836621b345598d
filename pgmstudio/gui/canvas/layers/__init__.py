"""Layers drawn over a graph."""
