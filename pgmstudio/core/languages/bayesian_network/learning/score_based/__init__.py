"""Searches over graphs by score."""
