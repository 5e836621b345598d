"""Background knowledge."""
