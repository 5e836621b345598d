"""Studies and generators."""
