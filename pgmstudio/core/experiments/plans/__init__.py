"""Experiments written down: a plan becomes runs, runs become points, anywhere and at any time."""
