"""A model as one web page that computes beliefs itself, for people who have nothing installed."""
