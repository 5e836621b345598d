"""Opening, saving, closing and recovering projects, and the panels about the project."""
