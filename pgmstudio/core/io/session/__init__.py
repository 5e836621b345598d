"""Sessions as Python: commands as text, scripts that rebuild a project, and their replay."""
