"""Where the nodes and edges of a diagram go."""
