"""Events, cancelling, child processes and pools."""
