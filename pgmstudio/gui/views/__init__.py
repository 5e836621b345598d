"""The graph scene, its items and mouse tools; one view per picture, not per family."""
