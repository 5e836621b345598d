"""Runs made of runs: sweeps, comparisons, cross-validation."""
