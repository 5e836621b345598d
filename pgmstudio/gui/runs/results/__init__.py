"""Pages of what a run recorded."""
