"""A small dialog that asks for a name."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QLineEdit, QWidget

from pgmstudio.gui.theme.theme import theme


def ask_name(
    parent: QWidget, title: str, text: str, offered: str, then: Callable[[str], object]
) -> None:
    """Call `then` with the name that is entered; not when it is cancelled or empty."""
    dialog = QInputDialog(parent)
    dialog.setObjectName("nameDialog")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    dialog.setLabelText(text)
    dialog.setTextValue(offered)
    dialog.setOkButtonText("Save")
    dialog.resize(theme().px("left") * 2, dialog.sizeHint().height())

    def on_accepted(name: str) -> None:
        if name.strip():
            then(name.strip())

    dialog.textValueSelected.connect(on_accepted)
    dialog.open()
    if (field := dialog.findChild(QLineEdit)) is not None:
        field.selectAll()
