"""The distribution of a node as bars that can be dragged and numbers that can be typed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QSizePolicy, QWidget

from pgmstudio.gui.panels.elided_label import ElidedLabel
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import empty

_DIGITS = 3


def with_share(shares: Sequence[float], place: int, share: float) -> tuple[float, ...]:
    """One share set, the others scaled so that all sum to 1; equal ones where none was left."""
    share = min(1.0, max(0.0, share))
    rest = sum(shares) - shares[place]
    others = len(shares) - 1
    found = [
        share if i == place else (1 - share) * (s / rest if rest > 0 else 1 / max(1, others))
        for i, s in enumerate(shares)
    ]
    total = sum(found)
    return tuple(value / total for value in found)


class _Bar(QWidget):
    """One share; a press or a drag sets it."""

    dragged = Signal(float)

    def __init__(self, state: int) -> None:
        super().__init__()
        self._state, self._share = state, 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.SizeHorCursor)

    def show_share(self, share: float) -> None:
        if share != self._share:
            self._share = share
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(80, round(20 * theme().scale))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = 8 * theme().scale
        track = QRectF(0, (self.height() - height) / 2, self.width(), height)
        radius = theme().radius("bar")
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("belief_track"))
        painter.drawRoundedRect(track, radius, radius)
        painter.setBrush(theme().category(self._state, "line"))
        track.setWidth(max(1.0, track.width() * self._share))
        painter.drawRoundedRect(track, radius, radius)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._drag(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._drag(event)

    def _drag(self, event: QMouseEvent) -> None:
        share = event.position().x() / max(1, self.width())
        self.dragged.emit(round(min(1.0, max(0.0, share)), _DIGITS))


class ParameterBars(QWidget):
    """`changed` tells the whole distribution, which sums to 1."""

    changed = Signal(object)  # tuple of shares

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._states: tuple[str, ...] = ()
        self._shares: tuple[float, ...] = ()
        self._bars: list[_Bar] = []
        self._fields: list[QDoubleSpinBox] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(0, 2)
        self._grid.setColumnStretch(1, 5)

    @property
    def shares(self) -> tuple[float, ...]:
        return self._shares

    def show_shares(self, states: tuple[str, ...], shares: Sequence[float]) -> None:
        if states != self._states:
            self._rebuild(states)
        self._shares = tuple(shares)
        for bar, field, share in zip(self._bars, self._fields, self._shares, strict=True):
            bar.show_share(share)
            if not field.hasFocus() or abs(field.value() - share) > 0.5 * 10**-_DIGITS:
                field.blockSignals(True)
                field.setValue(share)
                field.blockSignals(False)

    def _rebuild(self, states: tuple[str, ...]) -> None:
        empty(self._grid)
        self._states, self._bars, self._fields = states, [], []
        for row, state in enumerate(states):
            bar, field = _Bar(row), QDoubleSpinBox()
            bar.setObjectName(f"parameterBar.{state}")
            bar.setAccessibleName(f"Probability of {state}")
            bar.setToolTip(f"Drag to change the probability of {state}; the others follow.")
            field.setObjectName(f"parameter.{state}")
            field.setAccessibleName(f"Probability of {state}")
            field.setToolTip(f"Probability of {state}; the others are scaled to sum to 1.")
            field.setRange(0.0, 1.0)
            field.setDecimals(_DIGITS)
            field.setSingleStep(0.01)
            field.setKeyboardTracking(False)
            field.setFixedWidth(field.fontMetrics().horizontalAdvance("0.000") + 46)
            bar.dragged.connect(self._on_dragged)
            field.valueChanged.connect(self._on_typed)
            self._grid.addWidget(ElidedLabel(state), row, 0)
            self._grid.addWidget(bar, row, 1)
            self._grid.addWidget(field, row, 2)
            self._bars.append(bar)
            self._fields.append(field)

    def _on_dragged(self, share: float) -> None:
        bar = self.sender()
        if isinstance(bar, _Bar):
            self.changed.emit(with_share(self._shares, self._bars.index(bar), share))

    def _on_typed(self, share: float) -> None:
        field = self.sender()
        if isinstance(field, QDoubleSpinBox):
            self.changed.emit(with_share(self._shares, self._fields.index(field), share))
