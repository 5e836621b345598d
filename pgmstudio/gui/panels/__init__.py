"""What stands around the centre: project, variables, inspector, runs, history, log."""
