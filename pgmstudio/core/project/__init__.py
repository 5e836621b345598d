"""What a project is, and its edits as plain functions."""
