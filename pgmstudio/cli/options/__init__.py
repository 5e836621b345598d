"""Options shared by several commands, and how they are read."""
