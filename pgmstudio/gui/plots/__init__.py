"""pyqtgraph plots; imported when the first plot opens."""
