"""One file per learner, and the table of them."""
