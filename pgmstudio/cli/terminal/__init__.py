"""Parsing, progress and tables of the command line."""
