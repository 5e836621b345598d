"""Curves of size against likelihood."""
