"""Mixtures of trees and latent classes in the window."""
