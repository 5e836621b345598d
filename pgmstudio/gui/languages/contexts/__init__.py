"""Pages of languages whose edges vanish in contexts: the bar, the multinet, the actions."""
