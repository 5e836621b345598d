"""The distribution of a node as bars that can be dragged and numbers that can be typed.

Nothing changes before it is accepted, so that the change in score can be shown first.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QSizePolicy, QWidget

from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar
from pgmstudio.gui.widgets.basic import empty
from pgmstudio.gui.widgets.elided_label import ElidedLabel

_DIGITS = 3
MAX_NAME = 92  # px of a state; the rest is for the bar


def with_fraction(fractions: Sequence[float], position: int, fraction: float) -> tuple[float, ...]:
    """The fractions with one replaced and the others scaled to sum to 1, or equal if all were 0."""
    fraction = min(1.0, max(0.0, fraction))
    rest = sum(fractions) - fractions[position]
    others = len(fractions) - 1
    result = [
        fraction
        if i == position
        else (1 - fraction) * (s / rest if rest > 0 else 1 / max(1, others))
        for i, s in enumerate(fractions)
    ]
    total = sum(result)
    return tuple(value / total for value in result)


class _Bar(QWidget):
    """The bar of one fraction: a press or a drag proposes it, the release accepts it."""

    dragged = Signal(float)
    let_go = Signal()
    taken_back = Signal()

    def __init__(self, state: int) -> None:
        super().__init__()
        self._state, self._fraction = state, 0.0
        self._is_held = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.SizeHorCursor)

    def show_fraction(self, fraction: float) -> None:
        if fraction != self._fraction:
            self._fraction = fraction
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(80, round(20 * theme().scale))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = 8 * theme().scale
        track = QRectF(0, (self.height() - height) / 2, self.width(), height)
        paint_bar(painter, track, Bar(self._fraction, theme().category(self._state, "line")))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)  # for Esc
        self._is_held = True
        self._drag(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._is_held:
            self._drag(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._is_held = False
        self.let_go.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._is_held = False
            self.taken_back.emit()
        else:
            super().keyPressEvent(event)

    def _drag(self, event: QMouseEvent) -> None:
        fraction = event.position().x() / max(1, self.width())
        self.dragged.emit(round(min(1.0, max(0.0, fraction)), _DIGITS))


class _Field(QDoubleSpinBox):
    """The field of one fraction: typing proposes it, Enter or leaving the field accepts it."""

    proposed = Signal(float)
    taken_back = Signal()

    def __init__(self, bars: ParameterBars) -> None:
        super().__init__()
        self._of = bars
        self.setRange(0.0, 1.0)
        self.setDecimals(_DIGITS)
        self.setSingleStep(0.01)
        self.setFixedWidth(self.fontMetrics().horizontalAdvance("0.000") + 46)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.valueChanged.connect(self.proposed)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            is_undo = event.matches(QKeySequence.StandardKey.Undo)
            is_undo = is_undo or event.matches(QKeySequence.StandardKey.Redo)
            if is_undo and self._of.proposal is None:  # the last step, not the last letter
                event.ignore()
                return False
        return super().event(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:  # the panel is being scrolled
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.taken_back.emit()
        else:
            super().keyPressEvent(event)


class ParameterBars(QWidget):
    """A distribution, which always sums to 1: first proposed, then accepted or taken back."""

    proposed = Signal(object)  # tuple of fractions; None: cancelled
    changed = Signal(object)  # tuple of fractions

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._states: tuple[str, ...] = ()
        self._fractions: tuple[float, ...] = ()
        self._proposal: tuple[float, ...] | None = None
        self._bars: list[_Bar] = []
        self._fields: list[_Field] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(1, 1)

    @property
    def fractions(self) -> tuple[float, ...]:
        """Those of the model."""
        return self._fractions

    @property
    def proposal(self) -> tuple[float, ...] | None:
        """The proposed fractions, until they are accepted or cancelled."""
        return self._proposal

    def show_shares(self, states: tuple[str, ...], fractions: Sequence[float]) -> None:
        if (
            states == self._states
            and tuple(fractions) == self._fractions
            and self._proposal is not None
        ):
            return  # the same values again, while others are being proposed
        if states != self._states:
            self._rebuild(states)
        self._fractions, self._proposal = tuple(fractions), None
        self._show(self._fractions)

    def take_back(self) -> None:
        """As it was before something was proposed."""
        if self._proposal is not None:
            self._propose(None)

    def _show(self, fractions: Sequence[float], but: _Field | None = None) -> None:
        for bar, field, fraction in zip(self._bars, self._fields, fractions, strict=True):
            bar.show_fraction(fraction)
            if field is not but:
                field.blockSignals(True)
                field.setValue(fraction)
                field.blockSignals(False)

    def _rebuild(self, states: tuple[str, ...]) -> None:
        empty(self._grid)
        self._states, self._bars, self._fields = states, [], []
        widths = (self.fontMetrics().horizontalAdvance(state) for state in states)
        self._grid.setColumnMinimumWidth(0, round(min(MAX_NAME * theme().scale, max(widths))) + 2)
        for row, state in enumerate(states):
            bar, field = _Bar(row), _Field(self)
            bar.setObjectName(f"parameterBar.{state}")
            bar.setAccessibleName(f"Probability of {state}")
            bar.setToolTip(
                f"Drag to change the probability of {state}; the others follow. Esc takes it back."
            )
            field.setObjectName(f"parameter.{state}")
            field.setAccessibleName(f"Probability of {state}")
            field.setToolTip(
                f"Probability of {state}; the others are scaled to sum to 1. "
                "Enter accepts, Esc takes back."
            )
            bar.dragged.connect(self._on_dragged)
            bar.let_go.connect(self._accept)
            field.proposed.connect(self._on_typed)
            field.editingFinished.connect(self._accept)
            for one in (bar, field):
                one.taken_back.connect(self.take_back)
            self._grid.addWidget(ElidedLabel(state), row, 0)
            self._grid.addWidget(bar, row, 1)
            self._grid.addWidget(field, row, 2)
            self._bars.append(bar)
            self._fields.append(field)

    def _on_dragged(self, fraction: float) -> None:
        bar = self.sender()
        if isinstance(bar, _Bar):
            self._propose(with_fraction(self._fractions, self._bars.index(bar), fraction))

    def _on_typed(self, fraction: float) -> None:
        field = self.sender()
        if isinstance(field, _Field):
            position = self._fields.index(field)
            # Enter emits the number of a field even if it is the one it had, rounded.
            is_same = abs(fraction - self._fractions[position]) <= 0.5001 * 10**-_DIGITS
            proposal = None if is_same else with_fraction(self._fractions, position, fraction)
            self._propose(proposal, but=field)

    def _propose(self, fractions: tuple[float, ...] | None, but: _Field | None = None) -> None:
        self._proposal = fractions
        self._show(self._fractions if fractions is None else fractions, but)
        self.proposed.emit(fractions)

    def _accept(self) -> None:
        if self._proposal is not None:
            proposal, self._proposal = self._proposal, None
            self.changed.emit(proposal)
            self._show(self._fractions)  # set again by then, or refused
            self.proposed.emit(None)
