"""The junction-tree engine over factors."""
