"""The lists of the classification page: features, the rows of a cell, and the consensus."""

from __future__ import annotations

import math

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.core.analysis.classification import Classification
from pgmstudio.core.analysis.consensus import Consensus
from pgmstudio.core.analysis.feature_selection import Feature
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.evaluation.consensus_list import ConsensusList
from pgmstudio.gui.evaluation.row_choice import ChosenRows
from pgmstudio.gui.widgets.basic import Segments, named, row, tool_button
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.table import Column, Table

MAX_ROWS = 5000  # of one cell, the most confident first
_UNKNOWN = -1.0


def _bits(value: float) -> str:
    return "–" if value < 0 else f"{value:.4f}"


def percent_text(value: float) -> str:
    return "–" if math.isnan(value) else f"{100 * value:.1f} %"


_FEATURES = (
    Column("Variable", stretches=True),
    Column(
        "Bits",
        _bits,
        True,
        tip="I(target; variable) in the model, in bits.",
        explains="Mutual information",
    ),
    Column("Role", lambda role: role or "not used"),
)
_ROWS = (
    Column("Row", lambda number: grouped(number + 1), True, tip="Row number in the data, from 1."),
    Column("P(predicted)", percent_text, True, tip="Probability of the predicted state."),
    Column("P(true)", percent_text, True, tip="Probability of the true state."),
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
                ("rows", "Rows", "The rows of the selected cell of the matrix."),
                (
                    "consensus",
                    "Consensus",
                    "The typical states of every variable in each state of the target.",
                ),
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
        self.consensus = ConsensusList()
        self.consensus.selected.connect(self._on_consensus)
        self.note = named(ElidedLabel("", "secondary"), "classifyNote")
        self.select = tool_button(
            "crosshair",
            "Select the target and its features on the canvas",
            self.select_requested.emit,
            name="classifySelect",
        )
        self.exporter = tool_button(
            "export",
            "Features or consensus: export as CSV…",
            self.export_requested.emit,
            name="featuresExport",
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self.features)
        self._stack.addWidget(self.rows)
        self._stack.addWidget(self.consensus)
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

    def show_consensus(self, consensus: Consensus | None) -> None:
        self.consensus.show_consensus(consensus)
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
        pages = {"rows": self.rows, "consensus": self.consensus}
        self._stack.setCurrentWidget(pages.get(key, self.features))
        self._refresh_note()

    def _refresh_note(self) -> None:
        texts = {"rows": self._row_text, "consensus": self.consensus.facts}
        self.note.setText(texts.get(self.views.current, self._feature_text))
        self.note.setToolTip(self.note.text())

    def _on_feature(self, number: int) -> None:
        self.named.emit(self._names[number])

    def _on_consensus(self, number: int) -> None:
        self.named.emit(self.consensus.rows[number])

    def _on_row(self, number: int) -> None:
        self.row_requested.emit(self._numbers[number])
