"""Reports, reproduction of runs and pictures of models."""
