"""Labelled DAGs in the window."""
