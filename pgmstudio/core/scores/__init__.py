"""Scores that structure searches maximize; counting is in `core.data`."""
