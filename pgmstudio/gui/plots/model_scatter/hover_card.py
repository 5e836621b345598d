"""Hover card of a model of an SL-curve: its measures in text, and the widget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtWidgets import QFrame, QGraphicsDropShadowEffect, QGridLayout, QVBoxLayout, QWidget

from pgmstudio.core.experiments.curve_chart import (
    Behind,
    Chart,
    best_of,
    marker_family_of,
    point_title,
)
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.number_format import duration, grouped
from pgmstudio.gui.theme.language_symbols import mark_icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import IconLabel, label, row, text_width
from pgmstudio.gui.widgets.elided_label import ElidedLabel

WIDTH, MAX_WIDTH_COLUMNS = 280, 360  # wider only for a long title
APART = 16  # px between the mark and the card


@dataclass(frozen=True, slots=True)
class CardFacts:
    """Content of a hover card: symbol, title, chip, and lines of a name and a value."""

    family: str
    title: str
    chip: str
    lines: tuple[tuple[str, str], ...]
    hint: str = "Click opens · right-click pins"


class MarkCard(QFrame):
    """Card of the hovered marker."""

    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("markCard")
        self.setProperty("role", "card")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._icon = IconLabel(size="icon_small")
        self._title = ElidedLabel("", "heading", size="dense")
        self._chip = label("", "chip-accent", size="caption")
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(0, 1)
        self._lines = []
        for index in range(9):
            name = label("", "secondary", size="dense")
            value = label("", size="dense")
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
            self._grid.addWidget(name, index, 0)
            self._grid.addWidget(value, index, 1)
            self._lines.append((name, value))
        self._hint = label("", "tertiary", size="caption")
        head = row(self._icon, self._title, self._chip, spacing=6)
        head.layout().setStretch(1, 1)  # type: ignore[union-attr]
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(6)
        layout.addWidget(head)
        layout.addLayout(self._grid)
        layout.addWidget(self._hint)
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(18)
        shadow.setOffset(0, 3)
        shadow.setColor(theme().color("text", 0.25))
        self.setGraphicsEffect(shadow)
        self.hide()

    @property
    def shown_lines(self) -> dict[str, str]:
        """The lines as they stand, for those who cannot see them."""
        return {n.text(): v.text() for n, v in self._lines if not n.isHidden()}

    @property
    def title(self) -> str:
        return self._title.text()

    def show_facts(
        self, facts: CardFacts, mark: QPoint, area: QRect, crowd: Callable[[QRect], int]
    ) -> None:
        """Show the card next to the mark or in a corner, where it covers the fewest marks."""
        self._title.setText(facts.title)
        self._chip.setText(facts.chip)
        self._chip.setVisible(bool(facts.chip))
        self._icon.show_icon(mark_icon(facts.family))
        for index, (name, value) in enumerate(self._lines):
            known = index < len(facts.lines)
            name.setVisible(known)
            value.setVisible(known)
            if known:
                name.setText(facts.lines[index][0])
                value.setText(facts.lines[index][1])
        self.setAccessibleName(", ".join([facts.title, *(f"{n} {v}" for n, v in facts.lines)]))
        self._hint.setText(facts.hint)
        self.setFixedWidth(self._wide())
        self.layout().activate()  # type: ignore[union-attr]
        self.resize(self.width(), self.sizeHint().height())
        self.move(min(self._candidates(mark, area), key=lambda at: crowd(QRect(at, self.size()))))
        self.show()
        self.raise_()

    def _wide(self) -> int:
        """Width of the card: the usual one, or wider so that the title fits next to its chip."""
        least, most = (round(each * theme().scale) for each in (WIDTH, MAX_WIDTH_COLUMNS))
        title = text_width(self._title, self._title.text())
        chip = 0 if self._chip.isHidden() else self._chip.sizeHint().width() + 6
        others = self._icon.sizeHint().width() + 6 + chip + 24  # and the margins
        return max(least, min(title + others + 4, most))

    @property
    def hint(self) -> str:
        return self._hint.text()

    def _candidates(self, mark: QPoint, area: QRect) -> list[QPoint]:
        """Right and left of the mark, below and above it, then the corners; none over the mark."""
        candidates = []
        across = (mark.x() - self.width() // 2, area.right() - self.width())
        for top in (mark.y() + APART, mark.y() - APART - self.height()):
            if area.top() <= top and top + self.height() <= area.bottom():
                lefts = (max(area.left(), min(x, area.right() - self.width())) for x in across)
                candidates += [QPoint(left, top) for left in lefts]
        for left in (mark.x() + APART, mark.x() - APART - self.width()):
            if left < area.left() or left + self.width() > area.right():
                continue
            for top in (mark.y() + APART, mark.y() - self.height() // 2, mark.y() - self.height()):
                high = max(area.top(), min(top, area.bottom() - self.height()))
                candidates.append(QPoint(left, high))
        right = area.right() - self.width()
        bottom = max(area.top(), area.bottom() - self.height())  # of a high card its title is seen
        corners = [QPoint(x, y) for y in (bottom, area.top()) for x in (right, area.left())]
        near = QRect(mark, mark).adjusted(-APART, -APART, APART, APART)
        candidates += [at for at in corners if not QRect(at, self.size()).intersects(near)]
        return candidates or [area.topLeft()]

    def leads_from(self, mark: QPoint) -> QPoint | None:
        """End of a line from the mark to the card; None when the card is next to the mark."""
        box = self.geometry()
        x = max(box.left(), min(mark.x(), box.right()))
        y = max(box.top(), min(mark.y(), box.bottom()))
        is_near = max(abs(x - mark.x()), abs(y - mark.y())) <= APART
        return None if is_near else QPoint(x, y)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.left.emit()


def card_of(behind: Behind, chart: Chart, pinned: frozenset[str]) -> CardFacts:
    """The numbers of a mark; of several seeds their means with a standard deviation."""
    point = best_of(behind)
    mean = _mean_text(behind)
    spread = point.test_standard_error
    test = bits(point.test_log2_likelihood_per_row)
    error = "" if spread is None else f" ± {bits(spread)}"
    lines = lines_of(
        ("Effective size", grouped(point.effective_size)),
        (_OTHER_SIZES.get(chart.size, ""), _other_size(point, chart)),
        ("Free parameters", grouped(point.representation_size)),
        ("Test", f"{test}{error}" if mean is None else mean),
        ("Training", bits(point.train_log2_likelihood_per_row)),
        ("Queries", bits(point.query_log2)),
        ("Mean ± deviation of", f"{len(behind)} seeds" if len(behind) > 1 else None),
        ("Learned in", duration(point.seconds)),
        ("All beliefs in", _update_text(point)),
    )
    chip, hint = _chip(point, behind, chart, pinned), _hint(point, pinned)
    return CardFacts(marker_family_of(point), point_title(point), chip, lines, hint)


_OTHER_SIZES = {"size_as_printed": "Size as printed", "size_by_definition": "Size by eq. 3.59"}


def _other_size(point: CurvePoint, chart: Chart) -> str | None:
    """The size in the measure of the plot, where it is another effective size."""
    size = int(getattr(point, chart.size))
    is_other = chart.size in _OTHER_SIZES and size != point.effective_size
    return grouped(size) if is_other else None


def _hint(point: CurvePoint, pinned: frozenset[str]) -> str:
    if point.model is not None:
        return "Click opens · pins when its run is done"
    return f"Click opens · right-click {'unpins' if point.key in pinned else 'pins'}"


def _mean_text(behind: Behind) -> str | None:
    if len(behind) < 2:
        return None
    values = np.array([point.test_log2_likelihood_per_row for point in behind])
    return f"{bits(float(values.mean()))} ± {bits(float(values.std(ddof=1)))}"


def _update_text(point: CurvePoint) -> str | None:
    seconds = point.inference_seconds
    return None if seconds is None else f"{1000 * seconds:.2f} ms"


def _chip(point: CurvePoint, behind: Behind, chart: Chart, pinned: frozenset[str]) -> str:
    if any(one.model is not None for one in behind):
        return "so far"  # its run continues and may replace it
    if any(one is chart.best for one in behind):
        return "best test"
    if any(one.key in pinned for one in behind):
        return "pinned"
    position = chart.index_by_key.get(point.key)
    if position is not None and (criteria := chart.curves[position[0]].labels.get(position[1])):
        return criteria
    return "front" if any(one is point for one in chart.front) else ""


def lines_of(*lines: tuple[str, str | None]) -> tuple[tuple[str, str], ...]:
    """The lines that have a value."""
    return tuple((name, value) for name, value in lines if value is not None)


def bits(value: float | None, digits: int = 3) -> str | None:
    """Three digits and a true minus; None when it is not known."""
    if value is None or value != value:
        return None
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "−∞"
    return f"{value:.{digits}f}".replace("-", "−")
