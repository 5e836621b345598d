"""Mixtures of trees in the window, with what latent class models have in common with them."""
