"""Approximate inference in models of factors whose junction tree does not fit: cutset sampling."""
