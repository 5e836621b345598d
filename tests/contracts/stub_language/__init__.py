"""A model language made only for tests: independent variables. It is installed as a plug-in."""
