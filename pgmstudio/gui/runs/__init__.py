"""Learning runs: queue, records, live models."""
