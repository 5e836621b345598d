"""The graph canvas: scene, items, tools."""
