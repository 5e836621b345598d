"""The page that starts a learner."""
