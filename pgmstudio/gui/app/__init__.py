"""Main window, menus, actions, start-up, error reporter."""
