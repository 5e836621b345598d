"""Latent class models in the window."""
