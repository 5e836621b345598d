"""Diagrams of models: nodes, edges, layout and SVG."""
