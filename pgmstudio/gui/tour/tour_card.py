"""What the guided tour shows: an outline around a part of the window and a card that explains."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import button, label, row

WIDTH = 320  # px at 100 %
GAP = 12
RING = 5


class TourRing(QWidget):
    """An outline that lets every click through."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("tourRing")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def surround(self, place: QRect | None) -> None:
        """Show the outline around a part of the window; None hides it."""
        self.setVisible(place is not None)
        if place is not None:
            around = place.adjusted(-RING, -RING, RING, RING)
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
    """Title, one sentence, where one is, and Back, Next, Leave; Enter, ← and → do the same."""

    next_requested = Signal()
    back_requested = Signal()
    leave_requested = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("tourCard")
        self.setProperty("role", "card")
        self.setAccessibleName("Guided tour")
        self._sign = QLabel()
        self._title = label("", "heading", size="title")
        self._title.setObjectName("tourTitle")
        self._place = label("", "tertiary", size="dense")
        self._place.setObjectName("tourPlace")
        self._text = label("", "secondary", wrap=True)
        self._text.setObjectName("tourText")
        self.leave = button(
            "Leave",
            self.leave_requested.emit,
            role="link",
            name="tourLeave",
            tip="End the tour and leave everything as it was (Esc)",
        )
        self.back = button(
            "Back", self.back_requested.emit, name="tourBack", tip="The step before (←)"
        )
        self.next = button(
            "Next",
            self.next_requested.emit,
            role="primary",
            name="tourNext",
            tip="Go on (Enter or →)",
        )
        for made in (self.leave, self.back, self.next):
            made.installEventFilter(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(8)
        layout.addWidget(row(self._sign, self._title, None, self._place))
        layout.addWidget(self._text)
        layout.addWidget(row(self.leave, None, self.back, self.next))
        theme().changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def show_step(self, number: int, count: int, title: str, text: str) -> None:
        """Step `number` of `count`, counted from 0."""
        self._title.setText(title)
        self._place.setText(f"{number + 1} of {count}")
        self._text.setText(text)
        self.setAccessibleDescription(f"{title}. {text}")
        self.back.setEnabled(number > 0)
        self.back.setToolTip("The step before (←)" if number else "Not now: this is the first.")
        is_last = number == count - 1
        self.next.setText("Done" if is_last else "Next")
        self.next.setToolTip("End the tour (Enter)" if is_last else "Go on (Enter or →)")
        self._fit()

    def stand_by(self, place: QRect | None) -> None:
        """Beside what is shown, on the side that has room; without anything in the middle."""
        window = self.parentWidget()
        if window is None:
            return
        self._fit()
        room = window.rect().adjusted(GAP, GAP, -GAP, -GAP)
        size = self.size()
        if place is None:
            self.move(room.center() - QPoint(size.width() // 2, size.height() // 2))
        else:
            away, tops = RING + GAP, min(place.top(), room.bottom() - size.height())
            lefts = min(max(room.left(), place.left()), room.right() - size.width())
            tops = max(room.top(), tops)
            choices = (
                QPoint(place.right() + away, tops),
                QPoint(place.left() - away - size.width(), tops),
                QPoint(lefts, place.bottom() + away),
                QPoint(lefts, place.top() - away - size.height()),
            )
            corner = room.bottomRight() - QPoint(size.width() - 1, size.height() - 1)
            self.move(next((c for c in choices if room.contains(QRect(c, size))), corner))
        self.raise_()

    def _fit(self) -> None:
        self.setFixedWidth(round(WIDTH * theme().scale))
        layout = self.layout()
        if layout is not None:
            self.setFixedHeight(layout.totalHeightForWidth(self.width()))

    def _restyle(self) -> None:
        size = theme().px("icon")
        self._sign.setPixmap(icon("graduation-cap", "accent").pixmap(size, size))
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows would walk along the buttons; here they walk along the tour."""
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
