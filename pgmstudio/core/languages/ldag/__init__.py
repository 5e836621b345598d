"""Labelled DAGs."""
