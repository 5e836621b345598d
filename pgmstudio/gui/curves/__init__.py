"""SL-curves."""
