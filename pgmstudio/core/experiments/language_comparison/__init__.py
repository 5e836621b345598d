"""All model languages learned and compared on the same rows."""
