"""Plots of a classification: confusion matrix, features, ROC and calibration."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QGridLayout, QWidget

from pgmstudio.core.analysis.classification import (
    TOP_STATE,
    calibration_table,
    confusion_table,
    feature_table,
    roc_table,
)
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evaluation.classification_lists import ListsPane
from pgmstudio.gui.evaluation.classification_task import Answer
from pgmstudio.gui.evaluation.figure_card import (
    Cells,
    PictureCard,
    TableMaker,
    table_writer,
)
from pgmstudio.gui.plots.classification_plots import CalibrationPlot, ConfusionMap, RocPlot
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.combo_box import ChoiceBox

_MIN_HEIGHT = 200  # px of a plot at 100 %


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
        self,
        title: str,
        picture: QWidget,
        table: Callable[[Answer, bool], Cells],
        *extra: QWidget,
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
