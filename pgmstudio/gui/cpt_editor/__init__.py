"""The editor of conditional probability tables."""
