"""Colours, fonts, icons, light and dark; all numbers come from the token file."""
