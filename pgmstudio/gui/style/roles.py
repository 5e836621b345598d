"""What the style sheet knows a widget by, changed while it is shown."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QWidget


def set_role(widget: QWidget, role: str) -> None:
    """Give a widget another role of the style sheet and let it show."""
    mark(widget, "role", role)


def mark(widget: QWidget, name: str, value: str) -> None:
    """Give a property that the sheet asks for another value and let it show."""
    if widget.property(name) == value:
        return  # polishing costs more than painting
    widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    # A frame asks for the padding that it has in the sheet only now.
    QApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
