"""Comparison table: one line for each language, filled as the learners finish."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView

from pgmstudio.core.experiments.comparison_rows import (
    DIFFERENCE,
    EFFECTIVE,
    FREE,
    LEARNED,
    NAME,
    QUERY,
    TEST,
    VERDICT,
    Line,
)
from pgmstudio.core.experiments.language_comparison.results import METHOD
from pgmstudio.core.inference.findings import Chip
from pgmstudio.core.number_format import ascii_numbers
from pgmstudio.gui.theme.language_symbols import language_icon
from pgmstudio.gui.theme.theme import Weight, theme
from pgmstudio.gui.widgets.grid_view import CellMarks, SortHead
from pgmstudio.gui.widgets.table import Column, Table

_WIDE = 900  # px from which on full headers are shown
_MIN_NAME = 132
_AIR = 4  # px more for each column
_MIN_ROWS = 3  # in sight
_GOOD = ("best", "better")


def _test_text(line: Line) -> str:
    return line.cell_text(TEST).partition(" ± ")[0]


def _test_marks(line: Line) -> CellMarks:
    """The standard error in grey; before there are numbers, how far the learner is."""
    if line.row.compared is not None:
        error = line.cell_text(TEST).partition(" ± ")[2]
        return CellMarks(note=f"± {error}" if error else "")
    is_busy = line.row.state == "learning"
    return CellMarks(spans=True, progress=(line.row.fraction or 0.0) if is_busy else None)


def _test_color(line: Line) -> str:
    if line.row.compared is not None:
        return "text"
    return "warning_ink" if line.row.state == "no model" else "text_secondary"


def _test_weight(line: Line) -> Weight:
    return "regular" if line.row.compared is None else "semibold"


def _verdict(line: Line) -> CellMarks | None:
    verdict = line.cell_text(VERDICT)
    if not verdict:
        return None
    text = f"✓ {verdict}" if verdict == "best" else verdict
    return CellMarks(chip=Chip(text, "", "success" if verdict in _GOOD else "neutral"))


def _number(title: str, short_title: str, tip: str, column: int) -> Column:
    return Column(
        title, is_number=True, tip=tip, short_title=short_title, value=partial(_cell, column=column)
    )


def _cell(line: Line, column: int) -> str:
    return line.cell_text(column)


_COLUMNS = (
    Column(
        "Language",
        tip="Marker and name of the language; double-click to open its model.",
        value=lambda line: line.title,
        icon=lambda line: language_icon(line.row.language),
        weight=lambda _: "medium",
    ),
    Column(
        "Test, bits per row ↑",
        _test_text,
        True,
        tip="Mean of log2 P(row) over the test rows ± standard error; higher is better.",
        short_title="Test bits ↑",
        value=lambda line: line,
        copied=lambda line: ascii_numbers(line.cell_text(TEST)),
        marks=_test_marks,
        color=_test_color,
        weight=_test_weight,
    ),
    Column(
        "Difference, 95 % CI",
        is_number=True,
        tip="Paired difference on the test rows with 95 % interval (Student's t, rows − 1 d.f.).",
        short_title="Diff., 95 % CI",
        value=partial(_cell, column=DIFFERENCE),
        color=lambda line: "text_secondary" if line.is_reference else None,
    ),
    Column(
        "Verdict",
        tip="Whether the interval of the difference is below, above or around 0; a language that "
        "was stopped early has no verdict. P = 0 on rows: the model rules out test rows.",
        marks=_verdict,
    ),
    _number(
        "Effective size ↓",
        "Size ↓",
        "Effective size: cost of inference; smaller is better.",
        EFFECTIVE,
    ),
    _number("Free par. ↓", "Free ↓", "Free parameters; fewer is better.", FREE),
    _number(
        "Learned in",
        "Learned",
        "Learning time over all seeds; * stopped early, best model so far.",
        LEARNED,
    ),
    _number(
        "One update ↓", "Update ↓", "Measured mean time to update all beliefs with evidence.", QUERY
    ),
)


class CompareTable(Table):
    """Table of the languages, as high as its lines; in a low page the lines are lower, and where
    not all have room it scrolls."""

    _most = math.inf  # px that it may be high

    def __init__(self) -> None:
        super().__init__(
            "compareTable",
            "Languages on the same test rows; double-click or Enter to open the model",
            _COLUMNS,
            key=lambda line: line.title,
            row_tip=lambda line: line.tip,
            is_sortable=False,
            gap=_AIR,
        )
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setMinimumSectionSize(20)

    def fit_into(self, height: float) -> None:
        """Be at most so high."""
        if height != self._most:
            self._most = height
            self._fit()

    def show_rows(self, rows: Sequence[Line]) -> None:
        """Show other results; the selected language stays selected."""
        super().show_rows(rows)
        self.clearSpans()
        for number, line in enumerate(rows):
            if line.row.compared is None:
                self.setSpan(number, TEST, 1, VERDICT - TEST + 1)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Fit the height to the lines and the columns to their contents."""
        head, area = self.horizontalHeader(), self.viewport().width()
        assert isinstance(head, SortHead)
        least = round(_MIN_NAME * theme().scale)
        looks = ((False, True), (False, False), (True, True), (True, False))
        for is_short, head.has_room_for_help in looks[2 * (area < _WIDE * theme().scale) :]:
            self.show_short_titles(is_short)
            widths = [
                max(head.sectionSizeHint(column), self.sizeHintForColumn(column))
                for column in range(len(_COLUMNS))
            ]
            rest = area - sum(widths[1:])
            if rest >= max(least, widths[NAME]):
                break
        widths[NAME] = max(least, rest)
        for column, width in enumerate(widths):
            if self.columnWidth(column) != width:
                self.setColumnWidth(column, width)
        around = max(head.sizeHint().height(), head.height()) + 2 * self.frameWidth() + 2
        if sum(widths) > area:
            around += self.horizontalScrollBar().sizeHint().height()
        count, free = max(1, len(self.rows)), self._most - around
        roomy, low = theme().px("row_roomy"), theme().px("row")
        each = roomy if count * roomy <= free else low
        if self.verticalHeader().defaultSectionSize() != each:
            self.verticalHeader().setDefaultSectionSize(each)
        seen = count if count * each <= free else max(_MIN_ROWS, int(free // each))
        high = around + min(count, seen) * each
        if self.maximumHeight() != high:
            self.setFixedHeight(high)

    def _restyle(self) -> None:
        super()._restyle()
        self._fit()


def legend_text(lines: Sequence[Line], method: str = METHOD) -> str:
    """Legend of the table: directions, method, and the star at a time."""
    star = ""
    if any(line.row.state == "stopped" for line in lines):
        star = " * stopped early by the time budget or by the user; no verdict."
    zero = ""
    if any(line.zero_rows for line in lines):
        zero = " −∞: the model gives some test rows probability 0; more smoothing avoids it."
    return f"↑ higher, ↓ lower is better. {method}{star}{zero}"
