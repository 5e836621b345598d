"""Sessions that answer questions about a model under evidence."""
