"""The command line of PGM Studio; no Qt."""
