"""Runs in the background and the queue of them."""
