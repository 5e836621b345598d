"""Diagrams and plots as SVG."""
