"""One package for each model language, and what is asked of all of them."""
