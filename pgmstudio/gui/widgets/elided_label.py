"""Label that elides its text; the whole text is in the tooltip."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import named


def facts_label(name: str) -> ElidedLabel:
    """One line of facts in the secondary colour."""
    made = named(ElidedLabel(), name)
    made.setProperty("role", "secondary")
    return made


class ElidedLabel(QLabel):
    """Label that elides its text; with `is_link` a click or Enter emits a signal."""

    clicked = Signal()

    def __init__(
        self,
        text: str = "",
        role: str = "",
        *,
        size: str = "body",
        is_link: bool = False,
        is_snug: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """Roles and sizes as in `label`; `is_snug`: no wider than its text."""
        super().__init__(text, parent)
        self.setProperty("role", role)
        self.setProperty("textSize", size)
        self._is_link = is_link
        self.brief = (
            ""  # shown where the whole text does not fit; where it does not fit either, nothing
        )
        self.elide = Qt.TextElideMode.ElideMiddle
        across = QSizePolicy.Policy.Maximum if is_snug else QSizePolicy.Policy.Ignored
        self.setSizePolicy(across, QSizePolicy.Policy.Fixed)
        if is_link:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self.setCursor(Qt.CursorShape.PointingHandCursor)

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        space = self.contentsRect()
        metrics, label = QFontMetrics(self.font()), self.text()
        if self.brief and metrics.horizontalAdvance(label) > space.width():
            fits = metrics.horizontalAdvance(self.brief) <= space.width()
            label = self.brief if fits else ""
        shown = metrics.elidedText(label, self.elide, space.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(space, int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), shown)
        if self.hasFocus():
            painter.setPen(theme().color("focus"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        if not self.toolTip() and shown != self.text():
            self.setToolTip(self.text())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._is_link and self.rect().contains(event.position().toPoint()):
            self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._is_link and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.clicked.emit()
        else:
            super().keyPressEvent(event)
