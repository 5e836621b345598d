"""“?” beside a number: a card with its formula, inputs, unit, direction and reference."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QLabel, QToolButton, QWidget

from pgmstudio.core.explained_numbers import ExplainedNumber, explained
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label, named, vbox


class NumberCard(QFrame):
    """Closes when anything else is clicked, or by Escape."""

    def __init__(self, title: str, number: ExplainedNumber, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("numberCard")
        self.setProperty("role", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        lines = "".join(
            f"<p style='margin:2px 0'><b>{name}</b><br>{escape(text)}</p>"
            for name, text in number.lines()
        )
        self.text = QLabel(lines)
        self.text.setProperty("rich", "true")
        self.text.setWordWrap(True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        space = theme().space(5)
        vbox(
            self,
            label(title, "heading"),
            self.text,
            margins=(space, space, space, space),
            spacing=theme().space(3),
        )
        self.setFixedWidth(round(300 * theme().scale))
        self.adjustSize()

    def show_at(self, widget: QWidget) -> None:
        """Below a widget, inside its screen."""
        corner = widget.mapToGlobal(QPoint(widget.width(), widget.height() + 4))
        screen = widget.screen().availableGeometry()
        left = max(screen.left(), min(corner.x(), screen.right()) - self.width())
        top = corner.y()
        if top + self.height() > screen.bottom():
            top = widget.mapToGlobal(QPoint(0, -4)).y() - self.height()
        self.move(left, max(screen.top(), top))
        self.show()


class NumberHelp(QToolButton):
    """The “?”; as high as a line of text."""

    def __init__(self, title: str, number: ExplainedNumber) -> None:
        super().__init__()
        self._title, self._number = title, number
        named(self, "numberHelp", f"What is {title}?", f"What is {title}?")
        self.setProperty("role", "quiet")
        self.setIcon(icon("question", "text_tertiary"))
        self.clicked.connect(self._show)
        theme().changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        side = round(16 * theme().scale)
        self.setFixedSize(side, side)

    def _show(self) -> None:
        NumberCard(self._title, self._number, self).show_at(self)


def number_help(title: str) -> NumberHelp | None:
    """The button for a number of this title; None where there is nothing to explain."""
    number = explained(title)
    return None if number is None else NumberHelp(title.rstrip("↑↓ "), number)
