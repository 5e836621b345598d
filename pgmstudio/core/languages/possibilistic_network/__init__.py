"""Possibilistic networks: degrees of possibility along a directed acyclic graph."""
