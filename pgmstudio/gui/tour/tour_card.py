"""The widgets of the guided tour: an outline around a part of the window, and a card."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import IconLabel, button, label, row

WIDTH = 320  # px at 100 %
GAP = 12
RING = 5


class TourRing(QWidget):
    """An outline that is transparent for the mouse."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("tourRing")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def surround(self, target: QRect | None) -> None:
        """Show the outline around a part of the window; None hides it."""
        self.setVisible(target is not None)
        if target is not None:
            around = target.adjusted(-RING, -RING, RING, RING)
            window = self.parentWidget()
            self.setGeometry(around & window.rect() if window is not None else around)
            self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme().color("accent"), 3))
        inside = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        painter.drawRoundedRect(inside, theme().radius("card"), theme().radius("card"))


class TourCard(QFrame):
    """Title, text and number of a step, with Back, Next and Leave; also Enter, ← and →."""

    next_requested = Signal()
    back_requested = Signal()
    leave_requested = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("tourCard")
        self.setProperty("role", "card")
        self.setAccessibleName("Guided tour")
        self._icon = IconLabel(icon("graduation-cap", "accent"))
        self._title = label("", "heading", size="title")
        self._title.setObjectName("tourTitle")
        self._number = label("", "tertiary", size="dense")
        self._number.setObjectName("tourNumber")
        self._text = label("", "secondary", wrap=True)
        self._text.setObjectName("tourText")
        self.leave = button(
            "Leave",
            self.leave_requested.emit,
            role="link",
            name="tourLeave",
            tip="End the tour and restore the window (Esc)",
        )
        self.back = button(
            "Back", self.back_requested.emit, name="tourBack", tip="Previous step (←)"
        )
        self.next = button(
            "Next",
            self.next_requested.emit,
            role="primary",
            name="tourNext",
            tip="Next step (Enter or →)",
        )
        for made in (self.leave, self.back, self.next):
            made.installEventFilter(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(8)
        layout.addWidget(row(self._icon, self._title, None, self._number))
        layout.addWidget(self._text)
        layout.addWidget(row(self.leave, None, self.back, self.next))
        theme().changed.connect(self._fit)
        self.hide()

    def show_step(self, number: int, count: int, title: str, text: str) -> None:
        """Show step `number` of `count`, counted from 0."""
        self._title.setText(title)
        self._number.setText(f"{number + 1} of {count}")
        self._text.setText(text)
        self.setAccessibleDescription(f"{title}. {text}")
        self.back.setEnabled(number > 0)
        self.back.setToolTip("Previous step (←)" if number else "This is the first step.")
        is_last = number == count - 1
        self.next.setText("Done" if is_last else "Next")
        self.next.setToolTip("End the tour (Enter)" if is_last else "Next step (Enter or →)")
        self._fit()

    def move_next_to(self, target: QRect | None) -> None:
        """Move to a free side of the target; without a target to the middle of the window."""
        window = self.parentWidget()
        if window is None:
            return
        self._fit()
        bounds = window.rect().adjusted(GAP, GAP, -GAP, -GAP)
        size = self.size()
        if target is None:
            self.move(bounds.center() - QPoint(size.width() // 2, size.height() // 2))
        else:
            distance = RING + GAP
            top = min(target.top(), bounds.bottom() - size.height())
            left = min(max(bounds.left(), target.left()), bounds.right() - size.width())
            top = max(bounds.top(), top)
            choices = (
                QPoint(target.right() + distance, top),
                QPoint(target.left() - distance - size.width(), top),
                QPoint(left, target.bottom() + distance),
                QPoint(left, target.top() - distance - size.height()),
            )
            corner = bounds.bottomRight() - QPoint(size.width() - 1, size.height() - 1)
            self.move(next((c for c in choices if bounds.contains(QRect(c, size))), corner))
        self.raise_()

    def _fit(self) -> None:
        self.setFixedWidth(round(WIDTH * theme().scale))
        layout = self.layout()
        if layout is not None:
            self.setFixedHeight(layout.totalHeightForWidth(self.width()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrow keys change the step instead of the focused button."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            pressed = event.key()
            if pressed in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(
                watched, QPushButton
            ):
                watched.click()
                return True
            if pressed == Qt.Key.Key_Right:
                self.next_requested.emit()
                return True
            if pressed == Qt.Key.Key_Left:
                if self.back.isEnabled():
                    self.back_requested.emit()
                return True
            if pressed == Qt.Key.Key_Escape:
                self.leave_requested.emit()
                return True
        return super().eventFilter(watched, event)
