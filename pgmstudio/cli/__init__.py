"""The command line: words to core calls; no Qt."""
