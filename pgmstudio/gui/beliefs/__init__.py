"""The beliefs of one model: evidence, answers in the background and diagnostics."""
