"""Detail tabs below the comparison table: differences, sizes, variables, pairs and rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSplitter,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from pgmstudio.core.experiments.comparison_rows import Line, bits_words
from pgmstudio.core.experiments.curve_chart import Behind, Chart, chart_of
from pgmstudio.core.experiments.language_comparison.per_variable import VariableBits
from pgmstudio.core.experiments.language_comparison.results import LanguageTable, Paired
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.number_format import counted, signed
from pgmstudio.gui.comparison.difference_plot import DifferencePlot
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.plots.matrix_plot import LIGHT_STEPS, step_of
from pgmstudio.gui.plots.model_scatter.hover_card import CardFacts, card_of
from pgmstudio.gui.plots.model_scatter.sl_plot import SlPlot
from pgmstudio.gui.plots.plot_image import PlotDrawing
from pgmstudio.gui.runs.size_choice import SizeChoice
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Segments, label, row, vbox
from pgmstudio.gui.widgets.grid_view import GridView, Index
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
Cells = Sequence[Sequence[float | None]]
_VALUE = Qt.ItemDataRole.UserRole


def difference_text(value: float | None) -> str:
    """A difference with three digits and a sign."""
    if value is None:
        return ""
    return "0" if abs(value) < 0.0005 else signed(value)


class _Cells(QAbstractTableModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: tuple[str, ...] = ()
        self.columns: tuple[str, ...] = ()
        self.cells: Cells = ()
        self.tips: Sequence[Sequence[str]] = ()

    def show(
        self,
        rows: Sequence[str],
        columns: Sequence[str],
        cells: Cells,
        tips: Sequence[Sequence[str]],
    ) -> None:
        self.beginResetModel()
        self.rows, self.columns, self.cells, self.tips = tuple(rows), tuple(columns), cells, tips
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        is_across = orientation is Qt.Orientation.Horizontal
        names = self.columns if is_across else self.rows
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return names[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignHCenter if is_across else Qt.AlignmentFlag.AlignRight
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        value = self.cells[index.row()][index.column()]
        if role == _VALUE:
            return value
        if role == Qt.ItemDataRole.DisplayRole:
            return difference_text(value)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.tips[index.row()][index.column()]
        return None


class _Painter(QStyledItemDelegate):
    worst = 1.0

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        value = index.data(_VALUE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(option.rect).adjusted(1, 1, -1, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        step = 0
        if value is None:
            painter.setBrush(theme().color("surface"))
        else:
            step = step_of(-value, self.worst) if value < 0 and math.isfinite(value) else 0
            step = 7 if value == -math.inf else step
            painter.setBrush(theme().sequential(step))
        painter.drawRoundedRect(box, 2, 2)
        is_better = value is not None and value >= 0.0005
        painter.setFont(theme().font("caption", "semibold" if is_better else "regular"))
        painter.setPen(theme().color("surface" if step >= LIGHT_STEPS else "text"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, difference_text(value))
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme().color("focus"), theme().line("focus")))
            painter.drawRoundedRect(box, 2, 2)
        painter.restore()


class DifferenceGrid(GridView):
    """Scrolling grid with row and column names."""

    def __init__(self, name: str, title: str) -> None:
        super().__init__(name, title, has_row_heads=True)
        self._cells = _Cells(self)
        self._painter = _Painter(self)
        self.setModel(self._cells)
        self.setItemDelegate(self._painter)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        for head in (self.horizontalHeader(), self.verticalHeader()):
            head.setSectionsClickable(False)
            head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setMaximumWidth(160)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._restyle()

    @property
    def values(self) -> dict[tuple[str, str], float | None]:
        """All cells by row and column."""
        shown = self._cells
        return {
            (row, column): shown.cells[i][j]
            for i, row in enumerate(shown.rows)
            for j, column in enumerate(shown.columns)
        }

    def show_cells(
        self,
        rows: Sequence[str],
        columns: Sequence[str],
        cells: Cells,
        tips: Sequence[Sequence[str]],
    ) -> None:
        """Show other differences; the largest loss has the darkest colour."""
        known = [-v for line in cells for v in line if v is not None and math.isfinite(v)]
        self._painter.worst = max([*known, 1e-9])
        self._cells.show(rows, columns, cells, tips)
        self._fit()

    def _fit(self) -> None:
        numbers = QFontMetricsF(theme().font("caption", "semibold"))
        texts = [difference_text(value) for line in self._cells.cells for value in line]
        number = max(map(numbers.horizontalAdvance, [*texts, "−0.000"])) + 2
        head = self.horizontalHeader()
        for column in range(len(self._cells.columns)):
            self.setColumnWidth(column, max(round(number + 6), head.sectionSizeHint(column)))

    def _restyle(self) -> None:
        super()._restyle()
        self.verticalHeader().setDefaultSectionSize(round(22 * theme().scale))
        self._fit()


_ROW_COLUMNS = (
    Column("Row", str, True, tip="Number of the test row, from 1."),
    Column(
        "Reference",
        bits_words,
        True,
        tip="log2 P(row) of the reference.",
        explains="log2 P(row)",
    ),
    Column(
        "Language",
        bits_words,
        True,
        tip="log2 P(row) of the selected language.",
        explains="log2 P(row)",
    ),
    Column(
        "Diff.",
        difference_text,
        True,
        tip="Difference in bits; negative: the language is worse.",
        explains="Difference of a row",
    ),
)


def _stacked(choice: Segments, stack: QStackedWidget, note: QWidget, *more: QWidget) -> QWidget:
    made = QWidget()
    vbox(made, row(choice, None, *more), note, (stack, 1), margins=(12, 8, 12, 8), spacing=6)
    return made


class DetailTabs(QSplitter):
    """Two panes side by side, each with several views."""

    language_selected = Signal(str)  # the title of a language
    chosen = Signal(str)
    point_chosen = Signal(object)  # CurvePoint

    def __init__(self, app: AppContext) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setChildrenCollapsible(False)
        self._table: LanguageTable | None = None
        self._lines: tuple[Line, ...] = ()
        self._selected = ""
        self._bits: Mapping[str, VariableBits] = {}
        self._chart = Chart()
        self._points: tuple[CurvePoint, ...] = ()
        self.differences = DifferencePlot()
        self.differences.row_selected.connect(self.language_selected)
        self.differences.chosen.connect(self.chosen)
        self.plot = SlPlot("compareSizes")
        self.plot.has_legend = False  # the table above shows the markers
        self.plot.make_card = self._card
        self.plot.chosen.connect(self.point_chosen)
        self.size_choice = SizeChoice(app, "compareSize")
        self.size_choice.combo.hide()
        self.size_choice.combo.currentIndexChanged.connect(self._on_size)
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
        self._right_text = label("", "secondary", size="dense", wrap=True, name="compareRightText")
        self.addWidget(
            _stacked(self.left, self._left_stack, self._left_text, self.size_choice.combo)
        )
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
            self._make_chart()
        self._refresh()

    def _make_chart(self) -> None:
        chart = chart_of(self._points, self.size_choice.size_name)
        plain = tuple(replace(curve, labels={}) for curve in chart.curves)
        self._chart = replace(chart, curves=plain)

    def _on_size(self) -> None:
        self._make_chart()
        self._refresh()

    def show_variables(self, bits: Mapping[str, VariableBits], is_busy: bool) -> None:
        """Show the bits by variable."""
        self._bits = dict(bits)
        self._is_busy = is_busy
        self._refresh()

    _is_busy = False

    def _on_left(self, key: str) -> None:
        self._left_stack.setCurrentIndex([one[0] for one in _LEFT_SIDE].index(key))
        self.size_choice.combo.setVisible(key == "sizes")
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
        return PlotDrawing(self.differences, title) if self.differences.lines else None

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
                f"{base.title} {bits_words(own[name])} bits per row{_infinite(cell)}"
                for line, cell in zip(others, cells_of_name, strict=True)
            ]
            for name, cells_of_name in zip(own, cells, strict=True)
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
        text = (
            f"Bits per row against {base.title}, each variable given those before it; "
            f"{counted(rows, 'test row')}."
        )
        values = self.by_variable.values.values()
        is_infinite = any(value is not None and math.isinf(value) for value in values)
        return text + (" −∞: probability 0 on some of them." if is_infinite else "")


def _infinite(value: float) -> str:
    return "; −∞: a test row has a state of probability 0" if math.isinf(value) else ""


def _pair_text(one: Line, other: Line, pair: Paired | None) -> str:
    title = f"{one.title} against {other.title}"
    if pair is not None and pair.value is None:
        return f"{title}: no difference, they give different rows probability 0"
    if pair is None or pair.interval is None:
        return title
    low, high = (difference_text(end) for end in pair.interval)
    return f"{title}: {difference_text(pair.value)}, 95 % interval {low} to {high}"
