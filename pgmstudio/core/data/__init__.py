"""Variables, domains and data sets, and what is counted in them; no models."""
