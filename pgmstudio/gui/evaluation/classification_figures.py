"""Plots of a classification: confusion matrix, features, ROC and calibration."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QGridLayout, QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.core.analysis.classification import (
    TOP_STATE,
    Classification,
    calibration_table,
    confusion_table,
    feature_table,
    roc_table,
)
from pgmstudio.core.analysis.feature_selection import Feature
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evaluation.classification_task import Answer
from pgmstudio.gui.evaluation.figure_card import Cells, PictureCard, TableMaker, table_writer
from pgmstudio.gui.evaluation.row_choice import ChosenRows
from pgmstudio.gui.plots.classification_plots import CalibrationPlot, ConfusionMap, RocPlot
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Segments, named, row, tool_button
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.table import Column, Table

_MIN_HEIGHT = 200  # px of a plot at 100 %


MAX_ROWS = 5000  # of one cell, the most confident first
_UNKNOWN = -1.0


def _bits(value: float) -> str:
    return "–" if value < 0 else f"{value:.4f}"


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


_FEATURES = (
    Column("Variable", stretches=True),
    Column("Bits", _bits, True, tip="I(target; variable) in the model, in bits."),
    Column("Role", lambda role: role or "not used", stretches=True),
)
_ROWS = (
    Column("Row", lambda number: grouped(number + 1), True, tip="Row number in the data, from 1."),
    Column("P(predicted)", _percent, True, tip="Probability of the predicted state."),
    Column("P(true)", _percent, True, tip="Probability of the true state."),
    Column("", str, stretches=True),
)


class ListsPane(QWidget):
    """Features and rows; `row_requested` sends a row to use as evidence, `named` a variable."""

    row_requested = Signal(int)  # index of the row in its data set
    named = Signal(str)
    select_requested = Signal()
    export_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("classifyLists")
        self.views = Segments(
            [
                ("features", "Features", "Mutual information of each variable with the target."),
                ("rows", "Rows of a cell", "The rows of the selected cell of the matrix."),
            ],
            "classifyList",
        )
        self.views.chosen.connect(self._on_view)
        self.features = Table(
            "classifyFeatures", "Variables by mutual information with the target", _FEATURES
        )
        self.features.selected.connect(self._on_feature)
        self.rows = Table(
            "classifyRows", "Rows of the cell; Enter or double-click to set one as evidence", _ROWS
        )
        self.rows.chosen.connect(self._on_row)
        self.note = named(ElidedLabel("", "secondary"), "classifyNote")
        self.select = tool_button(
            "crosshair",
            "Select the target and its features on the canvas",
            self.select_requested.emit,
            name="classifySelect",
        )
        self.exporter = tool_button(
            "export", "Features: export as CSV…", self.export_requested.emit, name="featuresExport"
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self.features)
        self._stack.addWidget(self.rows)
        self._names: tuple[str, ...] = ()
        self._numbers: tuple[int, ...] = ()
        self._feature_text, self._row_text = "", "Click a cell of the matrix to list its rows."
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(row(self.views, None, self.select, self.exporter))
        layout.addWidget(self._stack, 1)
        layout.addWidget(self.note)
        self._refresh_note()

    def show_features(self, features: tuple[Feature, ...], target: str) -> None:
        self._names = tuple(one.name for one in features)
        self.features.show_rows(
            [(one.name, _UNKNOWN if one.bits is None else one.bits, one.role) for one in features]
        )
        used = sum(one.is_used for one in features)
        self._feature_text = (
            f"{counted(used, 'variable')} of {grouped(len(features))} "
            f"{'is' if used == 1 else 'are'} used to predict {target}."
        )
        self._refresh_note()

    def show_cell(
        self, classification: Classification, chosen_rows: ChosenRows, true: int, chosen: int
    ) -> None:
        """List the rows of one cell of the confusion matrix."""
        rows = classification.rows_of_cell(true, chosen)
        shown = rows[:MAX_ROWS].tolist()
        posteriors = classification.beliefs.probabilities
        self._numbers = tuple(chosen_rows.number(one) for one in shown)
        self.rows.show_rows(
            [
                (number, float(posteriors[one, chosen]), float(posteriors[one, true]), "")
                for number, one in zip(self._numbers, shown, strict=True)
            ]
        )
        more = f", the {grouped(MAX_ROWS)} most confident listed" if rows.size > MAX_ROWS else ""
        self._row_text = (
            f"{counted(rows.size, 'row')}{more}: true {classification.states[true]}, "
            f"predicted {classification.states[chosen]}."
        )
        self.views.choose("rows")
        self._on_view("rows")

    def forget_cell(self) -> None:
        self._numbers = ()
        self.rows.show_rows([])
        self._row_text = "Click a cell of the matrix to list its rows."
        self._refresh_note()

    @property
    def row_numbers(self) -> tuple[int, ...]:
        """Indices of the listed rows in the data set."""
        return self._numbers

    def _on_view(self, key: str) -> None:
        self._stack.setCurrentWidget(self.rows if key == "rows" else self.features)
        self._refresh_note()

    def _refresh_note(self) -> None:
        is_rows = self.views.current == "rows"
        self.note.setText(self._row_text if is_rows else self._feature_text)
        self.note.setToolTip(self.note.text())

    def _on_feature(self, number: int) -> None:
        self.named.emit(self._names[number])

    def _on_row(self, number: int) -> None:
        self.row_requested.emit(self._numbers[number])


class ClassificationPictures(QWidget):
    """Grid of four plots, each also available as a table and a CSV file."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self._app = app
        self._answer: Answer | None = None
        self.confusion = ConfusionMap("confusionMap")
        self.lists = ListsPane()
        self.lists.export_requested.connect(self._on_export_features)
        self.roc = RocPlot()
        self.calibration = CalibrationPlot()
        self.of_state = ChoiceBox("calibrationOf", "State of the calibration curve")
        self.of_state.setMinimumContentsLength(9)
        policy = ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.of_state.setSizeAdjustPolicy(policy)
        self.of_state.picked.connect(self._show_calibration)
        self.cards = {
            "confusion": self._card("Confusion matrix", self.confusion, _confusion),
            "roc": self._card("ROC", self.roc, _roc),
            "calibration": self._card("Calibration", self.calibration, _bins, self.of_state),
        }
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 4, 0, 0)
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(16)
        self._grid.addWidget(self.cards["confusion"], 0, 0)
        self._grid.addWidget(self.lists, 0, 1)
        self._grid.addWidget(self.cards["roc"], 1, 0)
        self._grid.addWidget(self.cards["calibration"], 1, 1)
        for index in (0, 1):
            self._grid.setColumnStretch(index, 1)
            self._grid.setRowStretch(index, 1)
        theme().changed.connect(self._restyle)
        self._restyle()

    def _card(
        self, title: str, picture: QWidget, table: Callable[[Answer, bool], Cells], *extra: QWidget
    ) -> PictureCard:
        name = title.split()[0].lower()
        return PictureCard(self._app, name, title, picture, partial(self._table, table), *extra)

    def _restyle(self) -> None:
        for index in (0, 1):
            self._grid.setRowMinimumHeight(index, round(_MIN_HEIGHT * theme().scale))

    def show_answer(self, answer: Answer) -> None:
        self._answer = answer
        result = answer.result
        self.confusion.show_counts(result.states, result.confusion)
        self.cards["confusion"].fact.setText("rows and row %")
        self.lists.show_features(answer.features, result.target)
        self.lists.forget_cell()
        self.roc.show_curves(result.states, answer.curves)
        against = "each state against the rest" if len(result.states) > 2 else ""
        self.cards["roc"].fact.setText(self.roc.note or against)
        titles = {TOP_STATE: "most probable", **{f"state {s}": f"P({s})" for s in result.states}}
        shown = self.of_state.currentData()
        self.of_state.show_choices(titles, shown if shown in titles else TOP_STATE)
        self._show_calibration()
        for card in self.cards.values():
            card.refresh()

    def _show_calibration(self, *_: object) -> None:
        if self._answer is not None:
            curve = self._answer.calibrations[max(0, self.of_state.currentIndex())]
            self.calibration.show_calibration(curve, self.of_state.currentText())

    def _table(self, make: Callable[[Answer, bool], Cells], is_whole: bool) -> TableMaker | None:
        return None if self._answer is None else partial(make, self._answer, is_whole)

    def _on_export_features(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self, "Export features", "features.csv", "Table (*.csv)"
        )
        if path and self._answer is not None:
            table = partial(feature_table, self._answer.features)
            table_writer(self._app).write(Path(path), table)


# Thinned for the plot, complete for a file.


def _confusion(answer: Answer, _is_whole: bool) -> Cells:
    return confusion_table(answer.result)


def _roc(answer: Answer, is_whole: bool) -> Cells:
    return roc_table(answer.result.states, answer.result.roc if is_whole else answer.curves)


def _bins(answer: Answer, _is_whole: bool) -> Cells:
    return calibration_table(answer.result)
