"""The row of steps on top of a page; every step can be gone to at any time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QBoxLayout, QHBoxLayout, QSizePolicy, QWidget

from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import named, text_width
from pgmstudio.gui.widgets.elided_label import ElidedLabel

STEPS = ("File", "Columns and missing", "Discretise", "Split")
_CIRCLE = 20


class _Step(QAbstractButton):
    """A number in a circle and a word; a tick instead of the number when it lies behind."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__()
        self._number = number
        self.state = "later"
        self.unneeded = ""
        self.setText(text)
        named(self, f"step{number}", f"Step {number}: {text}", f"Go to step {number}: {text}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._text_font())
        circle = round(_CIRCLE * theme().scale)
        return QSize(circle + 8 + metrics.horizontalAdvance(self.text()) + 10, circle + 10)

    def _text_font(self) -> QFont:
        return theme().font("body", "semibold" if self.state == "now" else "regular")

    def minimumSizeHint(self) -> QSize:
        return QSize(round(_CIRCLE * theme().scale) + 8, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        size = _CIRCLE * theme().scale
        circle = QRectF(3, (self.height() - size) / 2, size, size)
        colors = {"now": "accent", "done": "do_soft", "later": "surface"}
        painter.setBrush(theme().color(colors[self.state]))
        outline = "border_control" if self.state == "later" else colors[self.state]
        painter.setPen(QPen(theme().color(outline), 1))
        painter.drawEllipse(circle)
        if self.state == "done":
            side = round(12 * theme().scale)
            pixmap = icon("check", "success_ink").pixmap(side, side)
            at = circle.center()
            painter.drawPixmap(round(at.x() - side / 2), round(at.y() - side / 2), pixmap)
        else:
            painter.setFont(theme().font("dense", "semibold"))
            ink = "on_accent" if self.state == "now" else "text_secondary"
            painter.setPen(theme().color(ink))
            painter.drawText(circle, Qt.AlignmentFlag.AlignCenter, str(self._number))
        painter.setFont(self._text_font())
        quiet = "text_disabled" if self.unneeded else "text_secondary"
        painter.setPen(theme().color("text" if self.state == "now" else quiet))
        text_rect = QRectF(circle.right() + 8, 0, self.width() - circle.right() - 8, self.height())
        text = painter.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, int(text_rect.width())
        )
        painter.drawText(text_rect, Qt.AlignmentFlag.AlignVCenter, text)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme().color("focus"), theme().line("focus")))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)


class _Dash(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(28)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QPen(theme().color("border_control"), 1))
        painter.drawLine(2, self.height() // 2, self.width() - 2, self.height() // 2)


class PlainLine(ElidedLabel):
    """Facts at the right end of a bar; the first to be elided."""

    def __init__(self, name: str) -> None:
        super().__init__("", "secondary", size="dense")
        self.setObjectName(name)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        policy = self.sizePolicy()
        policy.setHorizontalStretch(1)  # the width its neighbours leave, and no more
        self.setSizePolicy(policy)


class StepBar(QWidget):
    """`chosen` carries the number of the step, from 0."""

    chosen = Signal(int)

    def __init__(self, titles: Sequence[str] = STEPS, name: str = "importSteps") -> None:
        super().__init__()
        self.setObjectName(name)
        self._row = QWidget()
        self._row.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        layout = QHBoxLayout(self._row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        self._steps = []
        for number, text in enumerate(titles):
            step = _Step(number + 1, text)
            step.clicked.connect(partial(self._on_clicked, number))
            if number:
                layout.addWidget(_Dash())
            layout.addWidget(step)
            self._steps.append(step)
        self.summary = PlainLine("foundAutomatically")
        self._both = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._both.setContentsMargins(12, 6, 16, 6)
        self._both.setSpacing(6)
        self._both.addWidget(self._row)
        self._both.addWidget(self.summary, 1)
        theme().changed.connect(self._arrange)

    def _arrange(self) -> None:
        """Move the facts below the steps where both do not fit in one line."""
        wanted = text_width(self.summary, self.summary.text())
        margins = self._both.contentsMargins()
        space = self.width() - margins.left() - margins.right() - self._both.spacing()
        is_narrow = bool(wanted) and self._row.sizeHint().width() + wanted + 2 > space
        ways, sides = QBoxLayout.Direction, Qt.AlignmentFlag
        self._both.setDirection(ways.TopToBottom if is_narrow else ways.LeftToRight)
        side = sides.AlignLeft if is_narrow else sides.AlignRight
        self.summary.setAlignment(side | sides.AlignVCenter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        margins = self._both.contentsMargins()
        least = self._row.minimumSizeHint().width() + margins.left() + margins.right()
        return QSize(least, super().minimumSizeHint().height())

    def show_step(self, current: int) -> None:
        for number, step in enumerate(self._steps):
            step.state = "now" if number == current else "done" if number < current else "later"
            step.updateGeometry()  # the text of the current step is wider
            step.update()

    def show_unneeded(self, number: int, reason: str) -> None:
        """Make a step pale that is skipped, with the reason; it can still be chosen."""
        step = self._steps[number]
        step.unneeded = reason
        tip = f"Go to step {number + 1}: {step.text()}"
        step.setToolTip(f"Skipped: {reason} Click to see it." if reason else tip)
        step.update()

    def show_summary(self, text: str) -> None:
        """Show a summary of the file at the right."""
        self.summary.setText(text)
        self.summary.setToolTip(text)
        self._arrange()

    def _on_clicked(self, number: int, _checked: bool = False) -> None:
        self.chosen.emit(number)
