"""Naive Bayes and tree-augmented naive Bayes."""
