"""Detail tabs below the comparison table: differences, sizes, variables, pairs and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.core.experiments.comparison_rows import Line, bits_words
from pgmstudio.core.experiments.curve_chart import Behind, Chart, chart_of
from pgmstudio.core.experiments.language_comparison.per_variable import VariableBits
from pgmstudio.core.experiments.language_comparison.results import LanguageTable, Paired
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.number_format import counted
from pgmstudio.gui.comparison.difference_grid import DifferenceGrid, difference_text
from pgmstudio.gui.comparison.difference_plot import DifferenceDrawing, DifferencePlot
from pgmstudio.gui.plots.model_scatter.hover_card import CardFacts, card_of
from pgmstudio.gui.plots.model_scatter.sl_plot import SlPlot
from pgmstudio.gui.plots.plot_image import PlotDrawing
from pgmstudio.gui.widgets.basic import Segments, label, row
from pgmstudio.gui.widgets.image_file import Drawing
from pgmstudio.gui.widgets.table import Column, Table

MAX_ROWS = 200
_PLOT_TEXT = (
    "Filled markers: test rows; open markers: training rows; ring: best model. "
    "Click to open a model."
)
_LEFT_SIDE = (
    ("differences", "Differences", "Paired differences to the reference with 95 % intervals"),
    ("sizes", "Size and bits", "All models so far: bits per row against effective size"),
)
_RIGHT_SIDE = (
    ("variables", "By variable", "Differences by variable"),
    ("pairs", "All pairs", "Every language against every other"),
    ("rows", "Rows", "The test rows on which two languages differ most"),
)
_ROW_COLUMNS = (
    Column("Row", str, True, tip="Number of the test row, from 1."),
    Column("Reference", bits_words, True, tip="log2 P(row) of the reference."),
    Column("Language", bits_words, True, tip="log2 P(row) of the selected language."),
    Column(
        "Diff.", difference_text, True, tip="Difference in bits; negative: the language is worse."
    ),
)


def _stacked(choice: Segments, stack: QStackedWidget, note: QWidget) -> QWidget:
    made = QWidget()
    layout = QVBoxLayout(made)
    layout.setContentsMargins(12, 8, 12, 8)
    layout.setSpacing(6)
    layout.addWidget(row(choice, None))
    layout.addWidget(note)
    layout.addWidget(stack, 1)
    return made


class DetailTabs(QSplitter):
    """Two panes side by side, each with several views."""

    language_selected = Signal(str)  # the title of a language
    chosen = Signal(str)
    point_chosen = Signal(object)  # CurvePoint
    variables_requested = Signal()

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setChildrenCollapsible(False)
        self._table: LanguageTable | None = None
        self._lines: tuple[Line, ...] = ()
        self._selected = ""
        self._bits: Mapping[str, VariableBits] = {}
        self._chart = Chart()
        self._points: tuple[CurvePoint, ...] = ()
        self.differences = DifferencePlot()
        self.differences.language_selected.connect(self.language_selected)
        self.differences.chosen.connect(self.chosen)
        self.plot = SlPlot("compareSizes")
        self.plot.has_legend = False  # the table above shows the markers
        self.plot.make_card = self._card
        self.plot.chosen.connect(self.point_chosen)
        self.left = Segments(_LEFT_SIDE, "compareLeft")
        self.left.chosen.connect(self._on_left)
        self._left_stack = QStackedWidget()
        self._left_stack.addWidget(self.differences)
        self._left_stack.addWidget(self.plot)
        self._left_text = label("", "secondary", size="dense", wrap=True)
        self.by_variable = DifferenceGrid("compareVariables", "Differences by variable")
        self.by_pair = DifferenceGrid("comparePairs", "Every language against every other")
        self.by_row = Table("compareRows", "Test rows with the largest differences", _ROW_COLUMNS)
        self.right = Segments(_RIGHT_SIDE, "compareRight")
        self.right.chosen.connect(self._on_right)
        self._right_stack = QStackedWidget()
        for made in (self.by_variable, self.by_pair, self.by_row):
            self._right_stack.addWidget(made)
        self._right_text = label("", "secondary", size="dense", wrap=True)
        self._right_text.setObjectName("compareRightText")
        self.addWidget(_stacked(self.left, self._left_stack, self._left_text))
        self.addWidget(_stacked(self.right, self._right_stack, self._right_text))
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 1)
        self.setSizes([500, 500])
        self._refresh_text()

    # -- shown results

    def show_comparison(
        self,
        table: LanguageTable | None,
        points: Sequence[CurvePoint],
        lines: Sequence[Line],
        selected: str,
    ) -> None:
        """Show other results or another selected language."""
        self._table, self._lines, self._selected = table, tuple(lines), selected
        if tuple(points) != self._points:
            self._points = tuple(points)
            chart = chart_of(self._points)
            plain = tuple(replace(curve, labels={}) for curve in chart.curves)
            self._chart = replace(chart, curves=plain)
        self._refresh()

    def show_variables(self, bits: Mapping[str, VariableBits], is_busy: bool) -> None:
        """Show the bits by variable."""
        self._bits = dict(bits)
        self._is_busy = is_busy
        self._refresh()

    _is_busy = False

    def _on_left(self, key: str) -> None:
        self._left_stack.setCurrentIndex([one[0] for one in _LEFT_SIDE].index(key))
        self._refresh()

    def _on_right(self, key: str) -> None:
        self._right_stack.setCurrentIndex([one[0] for one in _RIGHT_SIDE].index(key))
        self._refresh()

    def _card(self, behind: Behind) -> CardFacts:
        return card_of(behind, self._chart, frozenset())

    def _refresh(self) -> None:
        if self.left.current == "sizes":
            if self.plot.chart is not self._chart:
                self.plot.show_chart(self._chart)
        else:
            self.differences.show_lines(self._lines, self._selected)
        {"variables": self._show_variables, "pairs": self._show_pairs, "rows": self._show_rows}[
            self.right.current
        ]()
        self._refresh_text()

    def drawing(self, title: str) -> Drawing | None:
        """The left plot as a picture for a file."""
        if self.left.current == "sizes":
            return None if self.plot.canvas is None else PlotDrawing(self.plot, title)
        return DifferenceDrawing(self.differences, title) if self.differences.lines else None

    @property
    def _reference(self) -> Line | None:
        return next((line for line in self._lines if line.is_reference), None)

    def _others(self) -> list[Line]:
        return [line for line in self._lines if line.pair is not None and not line.is_reference]

    def _show_variables(self) -> None:
        base = self._reference
        if base is None or base.title not in self._bits:
            self.by_variable.show_cells((), (), (), ())
            return
        own = self._bits[base.title].bits
        others = [line for line in self._others() if line.title in self._bits]
        cells = [[self._bits[line.title].bits[name] - own[name] for line in others] for name in own]
        tips = [
            [
                f"{name}: {line.title} {bits_words(self._bits[line.title].bits[name])}, "
                f"{base.title} {bits_words(own[name])} bits per row"
                for line in others
            ]
            for name in own
        ]
        names = [line.row.language.short for line in others]
        self.by_variable.show_cells(list(own), names, cells, tips)

    def _show_pairs(self) -> None:
        if self._table is None:
            self.by_pair.show_cells((), (), (), ())
            return
        pairs = self._table.pairwise()
        known = [line for line in self._lines if line.pair is not None]
        cells: list[list[float | None]] = []
        tips = []
        for one in known:
            row_pairs = [pairs.get((one.title, other.title)) for other in known]
            cells.append([None if pair is None else pair.value for pair in row_pairs])
            tips.append(
                [_pair_text(one, other, p) for other, p in zip(known, row_pairs, strict=True)]
            )
        names = [line.row.language.short for line in known]  # so that all columns fit
        self.by_pair.show_cells(names, names, cells, tips)

    def _show_rows(self) -> None:
        base, other = self._reference, self._selected_line
        logs = (
            {}
            if self._table is None or self._table.comparison is None
            else (self._table.comparison.row_log2)
        )
        if base is None or other is None or base.title not in logs or other.title not in logs:
            self.by_row.show_rows([])
            return
        one, two = logs[base.title], logs[other.title]
        with np.errstate(invalid="ignore"):
            change = np.nan_to_num(two - one, nan=0.0)
        order = np.argsort(-np.abs(change), kind="stable")[:MAX_ROWS]
        self.by_row.show_rows(
            [(int(i) + 1, float(one[i]), float(two[i]), float(change[i])) for i in order]
        )

    @property
    def _selected_line(self) -> Line | None:
        """The selected language, or the best of the others."""
        others = self._others()
        selected = next((line for line in others if line.title == self._selected), None)
        return selected or (others[0] if others else None)

    def _refresh_text(self) -> None:
        is_left = self.left.current == "differences"
        self._left_text.setText("" if is_left else _PLOT_TEXT)
        self._left_text.setVisible(not is_left)
        base, other = self._reference, self._selected_line
        key = self.right.current
        if base is None:
            text = "Shown when two languages are learned."
        elif key == "variables":
            text = self._variable_text(base)
        elif key == "pairs":
            text = "Bits per row of the row's language minus the column's; hover for intervals."
        elif other is None:
            text = "Shown when two languages are learned."
        else:
            text = (
                f"log2 P(row): {base.title} is the reference, {other.title} the selected language."
            )
        self._right_text.setText(text)

    def _variable_text(self, base: Line) -> str:
        if base.title not in self._bits:
            return "Computing…" if self._is_busy else "Computed when all languages are learned."
        rows = self._bits[base.title].rows
        return (
            f"Bits per row against {base.title}, each variable given those before it; "
            f"{counted(rows, 'test row')}."
        )


def _pair_text(one: Line, other: Line, pair: Paired | None) -> str:
    title = f"{one.title} against {other.title}"
    if pair is None or pair.interval is None:
        return title
    low, high = (difference_text(end) for end in pair.interval)
    return f"{title}: {difference_text(pair.value)}, 95 % interval {low} to {high}"
