"""Version, licence and what the program stands on."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

import pgmstudio
from pgmstudio.gui.widgets.basic import label


def show_about(parent: QWidget) -> QDialog:
    """Opens and returns the dialog; it closes itself."""
    dialog = QDialog(parent)
    dialog.setObjectName("aboutDialog")
    dialog.setWindowTitle("About PGM Studio")
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(24, 24, 24, 16)
    layout.addWidget(label("PGM Studio", "heading", size="heading"))
    layout.addWidget(label(f"Version {pgmstudio.__version__}", "secondary"))
    text = label(
        "Learn probabilistic graphical models from data, question them, compare them. "
        "Free software under the MIT licence; it stands on Qt for Python, NumPy, SciPy, Numba, "
        "NetworkX, Graphviz, Polars and pyqtgraph.",
        wrap=True,
    )
    text.setMinimumWidth(360)
    layout.addWidget(text)
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    layout.addWidget(buttons)
    dialog.open()
    return dialog
