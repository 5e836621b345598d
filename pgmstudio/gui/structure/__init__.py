"""Equivalence, next moves, unresolved edges."""
