"""An example of a learner in its own package."""
