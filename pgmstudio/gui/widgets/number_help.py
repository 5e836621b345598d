"""“?” beside a number: a card with its formula, inputs, unit, direction and reference."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QPoint, QRect, QSize, Qt
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
        heading = label(title, "heading")
        column = vbox(
            self,
            heading,
            self.text,
            margins=(space, space, space, space),
            spacing=theme().space(3),
        )
        for part in (self, heading, self.text):
            part.ensurePolished()  # the height depends on the fonts of the style sheet
        width = round(300 * theme().scale)
        self.setFixedSize(width, column.totalHeightForWidth(width))

    def show_at(self, widget: QWidget, area: QRect) -> None:
        """Below an area of a widget, inside its screen."""
        below = widget.mapToGlobal(QPoint(area.right() + 1, area.bottom() + 5))
        screen = widget.screen().availableGeometry()
        left = max(screen.left(), min(below.x(), screen.right()) - self.width())
        top = below.y()
        if top + self.height() > screen.bottom():
            top = widget.mapToGlobal(QPoint(0, area.top() - 4)).y() - self.height()
        self.move(left, max(screen.top(), top))
        self.show()


def show_number_card(title: str, key: str, widget: QWidget, area: QRect) -> None:
    """Explain the number `key` under its title beside an area of a widget."""
    number = explained(key)
    if number is not None:
        NumberCard(title.rstrip("↑↓ "), number, widget).show_at(widget, area)


class NumberHelp(QToolButton):
    """The “?”; as high as a line of text."""

    def __init__(self, key: str = "") -> None:
        super().__init__()
        self._key: str | None = None
        self.setProperty("role", "quiet")
        self.setIcon(icon("question", "text_tertiary"))
        self.show_number(key)
        self.clicked.connect(self._show)
        theme().changed.connect(self._restyle)
        self._restyle()

    def show_number(self, key: str) -> None:
        """Explain another number; hidden if there is nothing to explain."""
        if key == self._key:
            return
        self._key = key
        self._title = key.rstrip("↑↓ ")
        named(self, "numberHelp", f"What is {self._title}?", f"What is {self._title}?")
        if not self.has_number:
            self.hide()
        elif self.parentWidget() is not None:
            self.show()

    @property
    def has_number(self) -> bool:
        return explained(self._key or "") is not None

    def _restyle(self) -> None:
        side = round(16 * theme().scale)
        self.setFixedSize(side, side)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def _show(self) -> None:
        show_number_card(self._title, self._key or "", self, self.rect())


def number_help(key: str) -> NumberHelp | None:
    """The button for a number of this title; None where there is nothing to explain."""
    return None if explained(key) is None else NumberHelp(key)
