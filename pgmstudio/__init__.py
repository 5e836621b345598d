"""PGM Studio: learn, look at, edit and question probabilistic graphical models."""

__version__ = "0.1.0"
