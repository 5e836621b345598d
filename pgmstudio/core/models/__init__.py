"""One file per model family; evidence and learning live elsewhere."""
