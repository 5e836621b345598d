"""The published experiments, run again beside the published numbers."""
