"""Options, progress and printed results of the commands."""
