"""The inspector: facts about what is selected."""
