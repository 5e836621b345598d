"""Pictures, reports and files."""
