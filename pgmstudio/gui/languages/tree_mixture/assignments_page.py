"""The page of component assignments: class or tree of each row and all responsibilities."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QComboBox, QHeaderView, QVBoxLayout

from pgmstudio.core.analysis.cluster_assignment import (
    RowComponents,
    component_table,
    row_components,
)
from pgmstudio.core.analysis.tables import table_text
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.tree_mixture.model import Mixture, TreeMixture
from pgmstudio.core.number_format import counted, grouped, percent
from pgmstudio.core.project.project import Project, rows_in_memory
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, button, label, named, row, widening
from pgmstudio.gui.widgets.combo_box import offer
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.file_dialog import ask_where
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.table import Column, SelectionMode, Table


def _columns(result: RowComponents, what: str) -> list[Column]:
    """Columns over the numbers of the rows: a million rows cost nothing until they are seen."""

    def column(
        title: str, values: NDArray[Any], text: Callable[[Any], str], tip: str, **more: Any
    ) -> Column:
        return Column(title, text, True, tip=tip, value=values.__getitem__, keys=values, **more)

    def fraction(value: float) -> str:
        return f"{percent(float(value))} %"

    return [
        column(
            "Row",
            np.arange(result.row_count),
            lambda number: grouped(int(number) + 1),
            "The number of the row in the data, from 1.",
        ),
        Column(
            what,
            lambda chosen: result.names[int(chosen)],
            tip="The likeliest class or tree of the row.",
            value=result.chosen.__getitem__,
            keys=result.chosen,
        ),
        column(
            "Responsibility",
            result.top_responsibilities,
            fraction,
            "How probable it is, given the cells of the row that are there.",
        ),
        column(
            "Entropy, bits",
            result.entropies,
            "{:.3f}".format,
            "0 when it is certain; log2 of their number when all are equally likely.",
        ),
        *(
            column(
                f"P({name})", result.responsibilities[:, k], fraction, "Responsibility for the row."
            )
            for k, name in enumerate(result.names)
        ),
    ]


class ComponentRowsPage(Page):
    """Every row of a data set that has columns of the model."""

    def __init__(self, app: AppContext, model_id: str) -> None:
        super().__init__(f"assignments:{model_id}")
        self._app, self._id = app, model_id
        self.result: RowComponents | None = None
        self._asked: tuple[object, ...] = ()
        self.choice = named(
            QComboBox(), "assignData", "Data set", "Data set whose rows are assigned."
        )
        self.choice.activated.connect(self._ask)
        self.facts = named(ElidedLabel("", "secondary"), "assignFacts")
        self.note = Note(name="assignNote")
        self.table = Table(
            "assignTable",
            "Rows with their classes",
            selection=SelectionMode.ExtendedSelection,
            gap=theme().space(3),
            rows_measured=24,
            tip="Click a heading to sort.",
        )
        self.exporter = button(
            "Export CSV…",
            self._on_export,
            icon_name="export",
            name="assignExport",
            tip="One line for each row: class, responsibility, entropy, all responsibilities.",
        )
        self._latest_task = LatestTask(self, self._on_result, self._on_failed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.setSpacing(8)
        head_row = row(label("Rows of", "secondary"), self.choice, self.facts, self.exporter)
        layout.addWidget(widening(head_row, 2))
        layout.addWidget(self.note)
        layout.addWidget(self.table, 1)
        app.document.changed.connect(self._on_document)
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

    def closed(self) -> None:
        self._latest_task.forget()

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
        shown = {
            k: e.name
            for k, e in rows_in_memory(project).items()
            if known & set(e.data.domain.names)
        }
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
        self._latest_task.ask(partial(row_components, model, entry.data))

    def _on_result(self, result: RowComponents) -> None:
        self.result = result
        model = self._model
        what = "class" if model is None else model.component_title
        self.table.show_columns(_columns(result, what[:1].upper() + what[1:]))
        self.table.show_rows(range(result.row_count))
        # The first rows do not tell how wide the last number is.
        self.table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        widest = self.table.fontMetrics().horizontalAdvance(grouped(result.row_count))
        self.table.setColumnWidth(0, max(self.table.columnWidth(0), widest + theme().space(6)))
        self.exporter.setEnabled(True)
        counts = [
            f"{name} {grouped(int(count))}"
            for name, count in zip(result.names, result.counts, strict=True)
        ]
        self.facts.setText(f"{counted(result.row_count, 'row')} · {' · '.join(counts)}")
        impossible = int(np.isneginf(result.log2_probabilities).sum())
        if impossible:
            self.note.show_text(
                f"{counted(impossible, 'row')} with probability 0 in every component; the prior "
                "weights are shown for them. Smoothed CPTs avoid it.",
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
        ask_where(self, "Export rows", "assignments.csv", "Table (*.csv)", self.export)

    def export(self, path: Path) -> None:
        """Write every row in its order."""
        result, model = self.result, self._model
        if result is None or model is None:
            return
        try:
            text = table_text(component_table(result, model.component_title))
            self._app.write_csv(path, text)
        except PgmStudioError as error:
            self._app.errors.report(error)
            return
        self._app.notify(f"{counted(result.row_count, 'row')} were written to {path.name}.")
