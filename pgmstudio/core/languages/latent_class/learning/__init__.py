"""Learners of latent class models."""
