"""Latent class models."""
