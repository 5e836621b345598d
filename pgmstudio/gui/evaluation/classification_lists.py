"""Beside the confusion matrix: the variables a prediction rests on, and the rows of a cell."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.core.analysis.classification import Classification
from pgmstudio.core.analysis.feature_selection import Feature
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.evaluation.row_choice import ChosenRows
from pgmstudio.gui.widgets.basic import Segments, row, tool_button
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.table import Column, FactTable

MAX_ROWS = 5000  # of one cell, the surest first
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
    Column("Row", lambda number: grouped(number + 1), True, tip="Its number in the data, from 1."),
    Column("P(predicted)", _percent, True, tip="How sure the model is."),
    Column("P(true)", _percent, True, tip="The probability of the state it truly has."),
    Column("", str, stretches=True),
)


class ListsPane(QWidget):
    """`wanted` is a row of the data set to be used as evidence; `named` a variable pointed at."""

    wanted = Signal(int)  # the number of the row in its data set
    named = Signal(str)
    select_requested = Signal()
    export_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("classifyLists")
        self.views = Segments(
            [
                ("features", "Features", "What each variable tells about the target."),
                ("rows", "Rows of a cell", "The rows behind the cell of the matrix."),
            ],
            "classifyList",
        )
        self.views.chosen.connect(self._on_view)
        self.features = FactTable("classifyFeatures", "Variables by what they tell", _FEATURES)
        self.features.selected.connect(self._on_feature)
        self.rows = FactTable(
            "classifyRows",
            "Rows of the cell; Enter or a double-click makes one the evidence",
            _ROWS,
        )
        self.rows.chosen.connect(self._on_row)
        self.says = ElidedLabel()
        self.says.setProperty("role", "secondary")
        self.says.setObjectName("classifySays")
        self.select = tool_button(
            "crosshair",
            "Show the variables used on the canvas: they and the target are selected there",
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
        self._feature_words, self._row_words = "", "Click a cell of the matrix to see its rows."
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(row(self.views, None, self.select, self.exporter))
        layout.addWidget(self._stack, 1)
        layout.addWidget(self.says)
        self._tell()

    def show_features(self, features: tuple[Feature, ...], target: str) -> None:
        self._names = tuple(one.name for one in features)
        self.features.show_rows(
            [(one.name, _UNKNOWN if one.bits is None else one.bits, one.role) for one in features]
        )
        used = sum(one.is_used for one in features)
        self._feature_words = (
            f"{counted(used, 'variable')} of {grouped(len(features))} "
            f"{'is' if used == 1 else 'are'} used to predict {target}."
        )
        self._tell()

    def show_cell(
        self, found: Classification, chosen_rows: ChosenRows, true: int, chosen: int
    ) -> None:
        """The rows of one cell of the confusion matrix."""
        rows = found.rows_of_cell(true, chosen)
        shown = rows[:MAX_ROWS].tolist()
        shares = found.beliefs.shares
        self._numbers = tuple(chosen_rows.number(one) for one in shown)
        self.rows.show_rows(
            [
                (number, float(shares[one, chosen]), float(shares[one, true]), "")
                for number, one in zip(self._numbers, shown, strict=True)
            ]
        )
        more = f", the surest {grouped(MAX_ROWS)} listed" if rows.size > MAX_ROWS else ""
        self._row_words = (
            f"{counted(rows.size, 'row')}{more}: true {found.states[true]}, "
            f"predicted {found.states[chosen]}."
        )
        self.views.choose("rows")
        self._on_view("rows")

    def forget_cell(self) -> None:
        self._numbers = ()
        self.rows.show_rows([])
        self._row_words = "Click a cell of the matrix to see its rows."
        self._tell()

    @property
    def row_numbers(self) -> tuple[int, ...]:
        """The rows listed, by their number in the data set, from 0."""
        return self._numbers

    def _on_view(self, key: str) -> None:
        self._stack.setCurrentWidget(self.rows if key == "rows" else self.features)
        self._tell()

    def _tell(self) -> None:
        is_rows = self.views.current == "rows"
        self.says.setText(self._row_words if is_rows else self._feature_words)
        self.says.setToolTip(self.says.text())

    def _on_feature(self, number: int) -> None:
        self.named.emit(self._names[number])

    def _on_row(self, number: int) -> None:
        self.wanted.emit(self._numbers[number])
