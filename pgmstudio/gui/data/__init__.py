"""Pages of a data set."""
