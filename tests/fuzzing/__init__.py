"""Thousands of damaged files for every reader, read by child processes with a memory limit."""
