"""Models as nodes and edges on a plane; drawing them is the window's affair."""
