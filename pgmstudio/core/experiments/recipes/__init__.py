"""The experiments of the sources, each with its table beside the published one; see registry.py."""
