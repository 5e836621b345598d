"""Relational networks: which tuples are possible, by an undirected graph and its projections."""
