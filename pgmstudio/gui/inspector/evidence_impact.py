"""The belief of an observed variable given only the other evidence."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent

from pgmstudio.core.drawing.svg.nodes import percent
from pgmstudio.gui.beliefs.evidence_diagnostics import (
    EvidenceDiagnostics,
    stop_listening,
    trace_text,
)
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar
from pgmstudio.gui.widgets.bar_rows import RIGHT, PlainRows
from pgmstudio.gui.widgets.basic import Section, label

MAX_ROWS = 8


class EvidenceImpactSection(Section):
    """Hidden while the variable has no evidence of its own."""

    def __init__(self) -> None:
        super().__init__("Without its own evidence")
        self.setObjectName("inspectorCautious")
        self.bars = PlainBars("inspectorCautiousBars")
        self._text = label("", "secondary", size="dense", wrap=True)
        self._text.setObjectName("inspectorEvidenceImpact")
        self.add(self.bars)
        self.add(self._text)
        self._keeper: EvidenceDiagnostics | None = None
        self._subject: ActiveModel | None = None
        self._name = ""

    def show_node(self, subject: ActiveModel, name: str) -> None:
        self._subject, self._name = subject, name
        keeper = subject.live.diagnostics
        if keeper is not self._keeper:
            stop_listening(self._keeper, self._refresh)
            self._keeper = keeper
            keeper.changed.connect(self._refresh)
        if name in subject.live.evidence:
            keeper.follow()
        self._refresh()

    def _refresh(self) -> None:
        subject, keeper = self._subject, self._keeper
        trace = None if keeper is None else keeper.traced.traces.get(self._name)
        self.setVisible(trace is not None)
        if subject is None or trace is None or self._name not in subject.model.domain:
            return
        states = subject.variable(self._name).states
        prior = subject.live.priors.get(self._name, ())
        self.bars.show_bars(states, [float(v) for v in trace.own_belief], [float(v) for v in prior])
        self._text.setText(trace_text(trace))


class PlainBars(PlainRows):
    """States with bars and numbers; the prior as an outline."""

    air = 5

    def __init__(self, name: str) -> None:
        tip = "The belief given only the other evidence; the outline is the prior."
        super().__init__(name, "Belief without its own evidence", tip)
        self._rows: list[tuple[str, float, float | None]] = []

    @property
    def beliefs(self) -> dict[str, float]:
        return {state: value for state, value, _ in self._rows}

    def show_bars(self, states: tuple[str, ...], values: list[float], priors: list[float]) -> None:
        """The most probable states first where there are many."""
        pairs = priors if len(priors) == len(values) else [None] * len(values)
        rows = list(zip(states, values, pairs, strict=True))
        if len(rows) > MAX_ROWS:
            rows = sorted(rows, key=lambda one: -one[1])[:MAX_ROWS]
        self._rows = rows
        text = ", ".join(f"{state} {percent(value)} percent" for state, value, _ in rows)
        self.setAccessibleName(f"Without its own evidence: {text}")
        self.updateGeometry()
        self.update()

    def _row_count(self) -> int:
        return len(self._rows)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = theme().font("dense")
        painter.setFont(font)
        metrics = QFontMetrics(font)
        number = metrics.horizontalAdvance("100.0") + 8
        left, right = self.width() * 0.34, self.width() - number
        height = self._row_height()
        for row, (state, value, prior) in enumerate(self._rows):
            rect = QRectF(0, row * height, self.width(), height)
            painter.setPen(theme().color("text"))
            self._paint_name(painter, rect, state, left)
            painter.drawText(rect, RIGHT, percent(value))
            bar = QRectF(left, rect.center().y() - 4.5, right - left, 9)
            paint_bar(painter, bar, Bar(value, prior=prior))
