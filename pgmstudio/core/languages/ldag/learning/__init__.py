"""Learners of labelled DAGs."""
