"""Questions to any model: sensitivity, value of information, classification, comparison."""
