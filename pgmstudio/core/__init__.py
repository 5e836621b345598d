"""Everything worth computing; knows no Qt."""
