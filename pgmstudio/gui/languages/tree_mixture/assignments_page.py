"""The page of component assignments: class or tree of each row and all responsibilities."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QComboBox, QFileDialog, QHeaderView, QTableView, QVBoxLayout

from pgmstudio.core.analysis.cluster_assignment import (
    RowComponents,
    component_table,
    row_components,
)
from pgmstudio.core.analysis.tables import table_text
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.drawing.svg.nodes import percent
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.tree_mixture.model import Mixture, TreeMixture
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, button, label, row
from pgmstudio.gui.widgets.column_table import LinedRows, dress_head
from pgmstudio.gui.widgets.combo_box import offer
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.table import SortHead, widening

Index = QModelIndex | QPersistentModelIndex
_HEADS = ("Row", "Class", "Responsibility", "Entropy, bits")
_TIPS = (
    "The number of the row in the data, from 1.",
    "The likeliest class or tree of the row.",
    "How probable it is, given the cells of the row that are there.",
    "0 when it is certain; log2 of their number when all are equally likely.",
)


class ComponentRows(QAbstractTableModel):
    """Reads the arrays as they are asked for, so that a million rows cost nothing."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._result: RowComponents | None = None
        self._order: NDArray[np.intp] = np.zeros(0, dtype=np.intp)
        self._columns: tuple[NDArray[Any], ...] = ()
        self.what = "Class"

    def show_result(self, result: RowComponents) -> None:
        self.beginResetModel()
        self._result = result
        rows = np.arange(result.row_count)
        fractions = tuple(result.responsibilities[:, k] for k in range(len(result.names)))
        self._columns = (
            rows,
            result.chosen,
            result.top_responsibilities,
            result.entropies,
            *fractions,
        )
        self._order = rows
        self.endResetModel()

    def row_number(self, position: int) -> int:
        """The number of the row in the data, from 0."""
        return int(self._order[position])

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else int(self._order.size)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation is not Qt.Orientation.Horizontal or self._result is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            if section == 1:
                return self.what
            return _HEADS[section] if section < 4 else f"P({self._result.names[section - 4]})"
        if role == Qt.ItemDataRole.ToolTipRole:
            return _TIPS[section] if section < 4 else "Responsibility for the row."
        return _side(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = 0) -> Any:
        if self._result is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            value = self._columns[index.column()][self._order[index.row()]]
            match index.column():
                case 0:
                    return grouped(int(value) + 1)
                case 1:
                    return f"\u2003{self._result.names[int(value)]}"
                case 3:
                    return f"{float(value):.3f}"
            return f"{percent(float(value))} %"
        return _side(index.column()) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if not 0 <= column < len(self._columns):
            return
        self.layoutAboutToBeChanged.emit()
        values = self._columns[column]
        down = order is Qt.SortOrder.DescendingOrder
        self._order = np.argsort(-values if down else values, kind="stable")
        self.layoutChanged.emit()


def _side(column: int) -> int:
    side = Qt.AlignmentFlag.AlignLeft if column == 1 else Qt.AlignmentFlag.AlignRight
    return int(side | Qt.AlignmentFlag.AlignVCenter)


class ComponentRowsPage(Page):
    """Every row of a data set that has columns of the model."""

    def __init__(self, app: AppContext, model_id: str) -> None:
        super().__init__(f"assignments:{model_id}")
        self._app, self._id = app, model_id
        self._result: RowComponents | None = None
        self._asked: tuple[object, ...] = ()
        self.choice = QComboBox()
        self.choice.setObjectName("assignData")
        self.choice.setAccessibleName("Data set")
        self.choice.setToolTip("Data set whose rows are assigned.")
        self.choice.activated.connect(self._ask)
        self.facts = ElidedLabel("", "secondary")
        self.facts.setObjectName("assignFacts")
        self.note = Note(name="assignNote")
        self.rows = ComponentRows(self)
        self.table = QTableView()
        self.table.setObjectName("assignTable")
        self.table.setAccessibleName("Rows with their classes")
        self.table.setToolTip("Click a heading to sort.")
        self.table.setModel(self.rows)
        self.table.setItemDelegate(LinedRows(self.table))
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head = SortHead(self.table)
        head.setHighlightSections(False)
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.table.setSortingEnabled(True)
        self.exporter = button(
            "Export CSV…",
            self._on_export,
            icon_name="export",
            name="assignExport",
            tip="One line for each row: class, responsibility, entropy, all responsibilities.",
        )
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_result)
        self._latest_task.failed.connect(self._on_failed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.setSpacing(8)
        head_row = row(label("Rows of", "secondary"), self.choice, self.facts, self.exporter)
        layout.addWidget(widening(head_row, 2))
        layout.addWidget(self.note)
        layout.addWidget(self.table, 1)
        app.document.changed.connect(self._on_document)
        theme().changed.connect(self._restyle)
        self._restyle()
        self._fill()
        self._ask()

    @property
    def title(self) -> str:
        entry = self._app.project.models.get(self._id)
        return "Rows" if entry is None else f"Rows of {entry.title}"

    def page_icon(self) -> QIcon:
        return icon("table")

    @property
    def model_id(self) -> str | None:
        return self._id if self._id in self._app.project.models else None

    @property
    def result(self) -> RowComponents | None:
        return self._result

    def closed(self) -> None:
        self._latest_task.forget()

    def _restyle(self) -> None:
        self.table.setProperty("textSize", "dense")
        self.table.verticalHeader().setDefaultSectionSize(theme().px("row"))
        dress_head(self.table.horizontalHeader())

    # -- which rows

    @property
    def _model(self) -> Mixture | None:
        entry = self._app.project.models.get(self._id)
        model = None if entry is None else entry.model
        return model if isinstance(model, TreeMixture | LatentClasses) else None

    def _fill(self) -> None:
        """The data sets that have a column of the model, its own first chosen."""
        project, model = self._app.project, self._model
        known = set() if model is None else set(model.domain.names)
        shown = {k: e.name for k, e in project.data.items() if known & set(e.data.domain.names)}
        own = project.models[self._id].data_id if model is not None else None
        offer(self.choice, shown, own if self.choice.currentData() is None else None)

    def _on_document(self, before: Project, after: Project) -> None:
        if before.data is not after.data:
            self._fill()
        if self._model is not None:
            self._ask()

    def _ask(self, *_: object) -> None:
        model = self._model
        entry = self._app.project.data.get(self.choice.currentData() or "")
        if model is None or entry is None:
            self.note.show_text("No data set has a column of this model. Import one first.")
            self.exporter.setEnabled(False)
            return
        if self._asked == (model, entry.data):
            return
        self._asked = (model, entry.data)
        self.note.show_text("")
        self.exporter.setEnabled(False)
        self.facts.setText(f"Assigning {counted(entry.data.row_count, 'row')}…")
        self._latest_task.ask(partial(_assigned, model, entry.data))

    def _on_result(self, result: RowComponents) -> None:
        self._result = result
        model = self._model
        if model is not None:
            what = model.component_title
            self.rows.what = what[:1].upper() + what[1:]
        self.rows.show_result(result)
        self.table.resizeColumnsToContents()
        for column in range(self.rows.columnCount()):  # space for the sort arrow
            self.table.setColumnWidth(column, self.table.columnWidth(column) + 20)
        self.exporter.setEnabled(True)
        counts = [
            f"{name} {grouped(int(count))}"
            for name, count in zip(result.names, result.counts, strict=True)
        ]
        self.facts.setText(f"{counted(result.row_count, 'row')} · {' · '.join(counts)}")
        impossible = int(np.isneginf(result.log2_probabilities).sum())
        if impossible:
            self.note.show_text(
                f"{counted(impossible, 'row')} cannot be under any component; the prior weights "
                "stand there. Smoothing the tables avoids it.",
                "warning",
            )

    def _on_failed(self, error: BaseException) -> None:
        if isinstance(error, PgmStudioError):
            self.note.show_text(str(error), "warning")
            self.facts.setText("")
        else:
            self._app.errors.report(error)

    # -- taking away

    def _on_export(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self, "Export rows", "assignments.csv", "Table (*.csv)"
        )
        if path:
            self.export(Path(path))

    def export(self, path: Path) -> None:
        """Write every row in its order."""
        result, model = self._result, self._model
        if result is None or model is None:
            return
        try:
            text = table_text(component_table(result, model.component_title))
            self._app.write_csv(path, text)
        except PgmStudioError as error:
            self._app.errors.report(error)
            return
        self._app.notify(f"{counted(result.row_count, 'row')} were written to {path.name}.")


def _assigned(model: Mixture, data: DataSet, cancel: CancelToken) -> RowComponents:
    return row_components(model, data, cancel)
