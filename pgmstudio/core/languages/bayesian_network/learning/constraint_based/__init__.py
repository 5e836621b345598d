"""Learners by tests of independence."""
