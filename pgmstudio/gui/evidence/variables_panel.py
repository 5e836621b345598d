"""The variables panel: the variables of the active model with mini bars to set evidence."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QLineEdit, QMenu, QToolButton, QVBoxLayout, QWidget

from pgmstudio.core.data.summary import ColumnSummary, summarise
from pgmstudio.core.inference.base import Done, Observed
from pgmstudio.core.inference.information_measures import entropies_bits, shifts_bits
from pgmstudio.core.number_format import grouped
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel, data_around, subject_around
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.evidence.variable_list import VariableList
from pgmstudio.gui.evidence.variable_model import VariableRow, VariableRows
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, label, row, tool_button
from pgmstudio.gui.widgets.debounce import BeforePaint

SORTS = (
    ("data", "Order of the data", "The order of the variables in the model or the data."),
    ("name", "Name", "By title, A to Z."),
    ("shift", "Shift from prior", "Largest change by the evidence first."),
    ("entropy", "Entropy", "Most uncertain first."),
)


class VariablesPanel(QWidget):
    """The list of variables; without an active model the columns of the data."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("variables")
        self._app = app
        self._sort = "data"
        self._cached_rows: dict[str, tuple[object, tuple[object, ...], VariableRow]] = {}
        self._rows = VariableRows(self)
        self.list = VariableList(app, self._rows)
        self._head = label("Variables", "heading", size="dense")
        self._count = label("", "tertiary", size="dense")
        self._count.setObjectName("variablesCount")
        self._filter_button = tool_button(
            "funnel", "Filter the variables", checkable=True, name="variablesFilterButton"
        )
        self._filter_button.toggled.connect(self._on_filter_toggled)
        self._filter = QLineEdit()
        self._filter.setObjectName("variablesFilter")
        self._filter.setPlaceholderText("Part of a name")
        self._filter.setAccessibleName("Filter the variables")
        self._filter.setToolTip("List only variables whose name contains this text.")
        self._filter.setClearButtonEnabled(True)
        self._filter.textChanged.connect(self._refresh)
        self._filter.hide()
        self._none = Note(name="variablesNone")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 0)
        layout.setSpacing(2)
        head = row(self._head, self._count, None, self._filter_button, self._sort_button())
        head.setContentsMargins(8, 0, 4, 0)
        layout.addWidget(head)
        layout.addWidget(self._filter)
        layout.addWidget(self._none)
        layout.addWidget(self.list, 1)
        self._air = QWidget()  # fills the panel below the message while there is no list
        layout.addWidget(self._air, 1)
        self.setFocusProxy(self.list)
        self._data_fractions: dict[str, tuple[float, ...]] = {}
        self._summed: object = None
        self._summaries = LatestTask(self)
        self._summaries.answered.connect(self._on_summaries)
        self._summaries.failed.connect(app.errors.at("variablesPanel").report)
        self._soon = BeforePaint(self, self._refresh)
        self.list.cursor_moved.connect(self._refresh)
        app.document.changed.connect(self._later)
        app.workspace.active_model_changed.connect(self._later)
        app.workspace.beliefs_changed.connect(self._later)
        app.workspace.target_changed.connect(self._later)
        context_views(app).changed.connect(self._later)
        app.workspace.selection_changed.connect(self._follow_selection)
        app.center.page_changed.connect(self._later)
        self._refresh()

    def _sort_button(self) -> QToolButton:
        made = tool_button("sort-ascending", "Order of the variables", name="variablesSort")
        menu = QMenu(made)
        menu.setToolTipsVisible(True)
        group = QActionGroup(menu)
        for key, text, tip in SORTS:
            action = QAction(text, menu)
            action.setObjectName(f"variablesSort.{key}")
            action.setToolTip(tip)
            action.setCheckable(True)
            action.setChecked(key == self._sort)
            action.triggered.connect(partial(self.sort_by, key))
            group.addAction(action)
            menu.addAction(action)
        made.setMenu(menu)
        made.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return made

    def sizeHint(self) -> QSize:
        # The list takes most of the height; the project tree above it is short.
        return QSize(theme().px("left"), 2 * theme().px("left"))

    def sort_by(self, key: str, *_: object) -> None:
        """data, name, shift or entropy."""
        self._sort = key
        self._refresh()

    def _on_filter_toggled(self, on: bool) -> None:
        self._filter.setVisible(on)
        if on:
            self._filter.setFocus()
        else:
            self._filter.clear()

    # -- rows

    def _later(self, *_: object) -> None:
        self._soon.start()

    def _refresh(self, *_: object) -> None:
        self._soon.stop()
        subject = subject_around(self._app)
        around = data_around(self._app) if subject is None else None
        data = self._app.project.data.get(around or "")
        self.list.live = None if subject is None else subject.live
        self.list.titles = {} if subject is None else subject.entry.node_titles
        rows: list[VariableRow] = []
        if subject is not None:
            rows = self._model_rows(subject)
        elif data is not None:
            rows = self._data_rows(data)
        wanted = self._filter.text().strip().casefold()
        listed = [r for r in rows if wanted in r.title.casefold() or wanted in r.name.casefold()]
        self._count.setText(
            grouped(len(rows)) if len(listed) == len(rows) else f"{len(listed)} of {len(rows)}"
        )
        message = (
            "" if listed else "The variables of the active model or of the data are listed here."
        )
        if rows and not listed:
            message = f"No variable matches “{self._filter.text().strip()}”."
        self._none.show_text(message)
        self.list.setVisible(bool(listed))
        self._air.setVisible(not listed)
        if self._rows.show(self._sorted(listed, subject)):
            self._follow_selection()

    def _sorted(self, rows: list[VariableRow], subject: ActiveModel | None) -> list[VariableRow]:
        if self._sort == "name":
            return sorted(rows, key=lambda r: (r.title.casefold(), r.title))
        if subject is not None and self._sort in ("shift", "entropy"):
            live = subject.live
            bits = (
                shifts_bits(live.beliefs, live.priors)
                if self._sort == "shift"
                else entropies_bits(live.beliefs)
            )
            # Rounded, so that rows that are equal up to rounding keep their order.
            return sorted(rows, key=lambda r: -round(bits.get(r.name, 0.0), 9))
        return rows

    def _model_rows(self, subject: ActiveModel) -> list[VariableRow]:
        """The rows of the model; rows of unchanged variables are reused."""
        live, is_stale, listed = subject.live, subject.live.is_stale, self._cached_rows
        beliefs, evidence, cursor = live.beliefs, live.evidence, self.list.state_cursor
        self._cached_rows = {}
        rows = []
        for variable in subject.model.domain:
            name = variable.name
            values, finding = beliefs.get(name), evidence.get(name)
            title, is_target = subject.title(name), name == subject.target
            at = cursor[1] if cursor is not None and cursor[0] == name else None
            key = (variable, title, finding, is_target, subject.context.get(name), is_stale, at)
            before = listed.get(name)
            if before is not None and before[0] is values and before[1] == key:
                row = before[2]
            else:
                is_marked = finding is not None or is_target or name in subject.context
                is_known = values is not None and len(values) == variable.cardinality
                row = VariableRow(
                    name,
                    title,
                    variable.states,
                    tuple(values.tolist()) if values is not None and is_known else (),
                    subject.chip(name) if is_marked else None,
                    finding.state if isinstance(finding, Observed | Done) else None,
                    is_stale,
                    at,
                )
            self._cached_rows[name] = values, key, row
            rows.append(row)
        return rows

    # -- without a model

    def _data_rows(self, entry: DataEntry) -> list[VariableRow]:
        if self._summed is not entry.data:
            self._summed, self._data_fractions = entry.data, {}
            data = entry.data
            self._summaries.ask(lambda _cancel: (data, summarise(data)))
        return [
            VariableRow(v.name, v.name, v.states, self._data_fractions.get(v.name, ()))
            for v in entry.data.domain
        ]

    def _on_summaries(self, key: tuple[object, tuple[ColumnSummary, ...]]) -> None:
        data, summaries = key
        if data is self._summed:
            self._data_fractions = {s.name: _fractions(s) for s in summaries}
            self._refresh()

    # -- selection

    def _follow_selection(self, *_: object) -> None:
        nodes = self._app.workspace.selection.nodes
        self.list.show_selection(nodes)


def _fractions(summary: ColumnSummary) -> tuple[float, ...]:
    total = float(summary.counts.sum())
    return tuple((summary.counts / total).tolist()) if total else ()
