"""The table of the selected variable: edit, normalise, complement, fill from data, copy and paste.

Typed numbers stay in the panel until every column sums to 1 and then become one undoable change.
Until then the model and its beliefs do not change, and the panel shows a warning.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QVBoxLayout, QWidget

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.inference.findings import Chip
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.learning.smoothing import smoothed
from pgmstudio.core.model import Model
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.context import AppContext, Selection
from pgmstudio.gui.cpt_editor.grid import TableGrid, TableView, family_counts, pasted, table_text
from pgmstudio.gui.evidence.cpt_edit_session import Waiting, cpt_edit_session
from pgmstudio.gui.languages.registry import TableEditor, language_view
from pgmstudio.gui.languages.tables import TableSource
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, button, label, row
from pgmstudio.gui.widgets.chip import ChipLabel


class TablePanel(QWidget):
    """The table editor of the variable that is selected in the active model."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("table")
        self._app = app
        self._shown: tuple[str, str] | None = None  # model id, variable
        self._table: object = None  # the numbers of the model that are shown
        self._rows: NDArray[np.float64] | None = None  # how often they occur in the data
        self._work = cpt_edit_session(app)
        self._grid = TableGrid(self)
        self._grid.edited.connect(self._on_edited)
        self._view = TableView()
        self._view.copy_requested.connect(self.copy)
        self._view.paste_requested.connect(self.paste)
        self._view.setModel(self._grid)
        self._title = label("", "heading", size="dense", name="tableTitle")
        self._chip = ChipLabel("tableChip")
        self._fix = button(
            "Fix it",
            self._on_fix,
            role="link",
            name="tableFix",
            tip="Give the missing probability to the last edited cell.",
        )
        self._normalise = button(
            "Normalise",
            self._on_normalise,
            icon_name="scales",
            name="tableNormalise",
            tip="Scale the selected columns (all when none is selected) so that they sum to 1.",
        )
        self._complement = button(
            "Complement",
            self._on_complement,
            icon_name="circle-half",
            name="tableComplement",
            tip="Set the selected cells so that their columns sum to 1.",
        )
        self._fill = button(
            "Fill from data",
            self._on_fill,
            icon_name="database",
            name="tableFill",
            tip="Estimate this table from the rows of the model's data set.",
        )
        self._random = button(
            "Randomise",
            self._on_randomise,
            icon_name="dice-five",
            name="tableRandomise",
            tip="Random columns, uniform over all distributions.",
        )
        folding = (self._normalise, self._complement, self._fill, self._random)
        self._button_texts = {made: made.text() for made in folding}
        self._similar = QCheckBox("Similar columns")
        self._similar.setObjectName("tableSimilar")
        self._similar.setToolTip("Columns that differ by at most ε get the same letter.")
        self._similar.clicked.connect(self._on_similar_clicked)
        self._empty = Note(TableSource.no_table_text, name="tableEmpty")
        self._last_edit: tuple[int, int] | None = None
        self._stood = self._grid.values.copy()
        self._typed: list[NDArray[np.float64]] = []  # what stood here before each that waits
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 2, 12, 2)
        layout.setSpacing(4)
        self._bar = row(
            self._title,
            self._normalise,
            self._complement,
            self._fill,
            self._random,
            None,
            self._chip,
            self._fix,
            self._similar,
        )
        self._bar.setMinimumWidth(1)  # it folds instead of widening the whole side
        self._sources: dict[str, TableSource] = {}  # by the kind of the language
        self._editors: dict[str, TableEditor] = {}
        layout.addWidget(self._bar)
        layout.addWidget(self._empty)
        layout.addWidget(self._view, 1)
        layout.addStretch(0)
        app.workspace.selection_changed.connect(self._refresh)
        app.workspace.active_model_changed.connect(self._refresh)
        app.document.changed.connect(self._on_document_changed)
        theme().follow(self._refresh)
        self._work.similarity_changed.connect(self._show_similar)
        self._work.taking_back.connect(self._on_taking_back)
        self._refresh()

    # -- width

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def _fold(self) -> None:
        """In a narrow panel hide the title, then the texts of buttons with icons."""
        for made, text in self._button_texts.items():
            made.setText(text)
        self._title.show()
        # Reserve space for a wrong sum, so that no button moves when there is one.
        ends = [part for part in (self._chip, self._fix, self._similar) if not part.isHidden()]
        taken = sum(part.sizeHint().width() + 8 for part in ends)
        wrong = self.fontMetrics().horizontalAdvance(f"{sum_text(0.95)}{fix_text(0.75, 0.65)}")
        available = self._bar.width() - max(0, wrong + 4 * theme().space(4) - taken)
        if self._bar.sizeHint().width() > available:
            self._title.hide()
        for made in reversed(self._button_texts):  # the most used button keeps its text longest
            if self._bar.sizeHint().width() <= available:
                break
            made.setText("")

    # -- content

    def _on_document_changed(self, before: Project, after: Project) -> None:
        model_id = self._app.workspace.model_id or ""
        if before.models.get(model_id) is not after.models.get(model_id):
            self._refresh()

    def _refresh(self, *_: object) -> None:
        workspace = self._app.workspace
        entry = workspace.project.models.get(workspace.model_id or "")
        model_id = workspace.model_id or ""
        source = None if entry is None else self._source(entry.model.kind)
        network = None
        if entry is not None and source is not None:
            network = source.network(model_id, entry.model)
        no_table = TableSource if source is None or network is not None else source
        self._empty.show_text(no_table.no_table_text)
        name = None
        if network is not None:
            name = _variable_of(workspace.selection, network)
        elif entry is not None and language_view(entry.model.kind).table_editor is not None:
            name = _first_variable(workspace.selection, entry.model)
        editor = None if entry is None or name is None else self._editor(entry.model.kind)
        for other in self._editors.values():
            if other is not editor:
                other.hide()
        if editor is not None and entry is not None and name is not None:
            self._show_editor(editor, model_id, entry, name)
            return
        has_table = name is not None
        self._empty.setVisible(not has_table)
        self._view.setVisible(has_table)
        self._bar.setVisible(has_table)
        if network is None or entry is None or source is None or name is None:
            self._shown = self._last_edit = None
            self._grid.clear()
            self._show_sums()
            return
        shown, table = (model_id, name), network.table(name)
        if shown == self._shown and table is self._table and self.waits:
            self._show_sums()  # keep typed numbers while something else changes
            return
        self._shown, self._table = shown, table
        self._last_edit = None
        suffix = source.title_suffix(model_id, entry.model)
        self._title.setText(f"Table of {entry.node_titles.get(name, name)}{suffix}")
        self._fold()
        index = network.domain.index(name)
        parents = [network.domain.variables[p] for p in network.dag.parent_indices[index]]
        self._grid.editable = source.is_editable(entry.model)
        one = a_kind(entry.model.kind, "A")
        self._grid.why_locked = f"{one} has no editable tables; convert it to a Bayesian network."
        self._rows = (
            None
            if source.is_of_components
            else family_counts(self._app.project, entry, network, index)
        )
        counts = None if self._rows is None else self._rows.sum(axis=-1).ravel()
        self._grid.show(network.domain.variables[index], parents, network.tables[index], counts)
        self._stood, self._typed = self._grid.values.copy(), []
        self._show_similar()
        self._view.span_heads(self._grid)
        for widget in (self._normalise, self._complement, self._random):
            widget.setEnabled(self._grid.editable)
        self._fill.setEnabled(self._grid.editable and counts is not None)
        self._fill.setToolTip(
            "Estimate this table from the rows of the model's data set."
            if counts is not None
            else "Not now: the data do not assign rows to a component."
            if source.is_of_components
            else "Not now: no data set of this project has these columns."
        )
        self._show_sums()

    def _source(self, kind: str) -> TableSource:
        """The tables of a language's models."""
        if kind not in self._sources:
            source = self._sources[kind] = language_view(kind).tables.load()(self._app, self)
            source.changed.connect(self._refresh)
        return self._sources[kind]

    def _editor(self, kind: str) -> TableEditor | None:
        """The table editor of the model's language; None: the standard one."""
        factory = language_view(kind).table_editor
        if factory is not None and kind not in self._editors:
            editor = self._editors[kind] = factory.load()(self._app)
            assert isinstance(editor, QWidget)
            column = self.layout()
            assert isinstance(column, QVBoxLayout)
            column.insertWidget(column.indexOf(self._view), editor, 1)
        return self._editors.get(kind)

    def _show_editor(
        self, editor: TableEditor, model_id: str, entry: ModelEntry, name: str
    ) -> None:
        for widget in (self._empty, self._view, self._bar):
            widget.hide()
        self._shown = self._last_edit = None
        self._grid.clear()
        self._show_waiting(False)
        editor.show_variable(model_id, entry, name)
        assert isinstance(editor, QWidget)
        editor.show()

    def _show_sums(self) -> None:
        wrong = [] if self._shown is None else self._grid.wrong_columns()
        self._show_waiting(bool(wrong))
        self._fix.setVisible(bool(wrong) and self._last_edit is not None)
        self._similar.setVisible(not wrong)  # what does not sum to 1 is like nothing
        if not wrong:
            self._chip.show_chip(None)
            self._fold()
            return
        total = self._grid.values[wrong[0]].sum()
        text = sum_text(total) if len(wrong) == 1 else f"{len(wrong)} sums are not 1"
        self._chip.show_chip(Chip(text, "warning-circle", "danger"))
        if self._last_edit is not None:
            combination, state = self._last_edit
            old = float(self._grid.values[combination, state])
            new = old + 1 - float(self._grid.values[combination].sum())
            possible = combination in wrong and 0 <= new <= 1
            self._fix.setVisible(possible)
            self._fix.setText(fix_text(old, new))
        self._fold()

    def _show_waiting(self, waits: bool) -> None:
        if self._shown is None or not waits:
            self._work.wait_for(None)
            return
        model_id, name = self._shown
        title = self._app.project.models[model_id].node_titles.get(name, name)
        self._work.wait_for(Waiting(model_id, name, title))

    def _show_similar(self) -> None:
        marks, epsilon = self._work.marks_similar, self._work.epsilon
        self._similar.setChecked(marks)
        had_row = self._grid.classes is not None
        self._grid.mark_similar(epsilon if marks and self._shown is not None else None)
        if had_row != (self._grid.classes is not None):
            self._view.span_heads(self._grid)

    def _on_similar_clicked(self, on: bool) -> None:
        self._work.set_similarity(marks=on)

    @property
    def waits(self) -> bool:
        """Whether typed numbers are not in the model yet because a column does not sum to 1."""
        return self._shown is not None and bool(self._grid.wrong_columns())

    # -- edits

    def _on_edited(self, combination: int, state: int) -> None:
        self._last_edit = (combination, state)
        variable = self._grid.variable
        assert variable is not None
        given = ", ".join(self._grid.combinations[combination])
        what = f"{variable.name} = {variable.states[state]}" + (f" | {given}" if given else "")
        self._commit(f"Edit P({what})")

    def _commit(self, text: str) -> None:
        """One undoable change, once every column sums to 1."""
        self._typed.append(self._stood)
        self._stood = self._grid.values.copy()
        self._show_sums()
        if self._work.marks_similar:
            self._show_similar()
        if self._shown is None or self._grid.wrong_columns():
            if self._shown is not None:
                self._work.typed.emit()
                self._app.log(
                    "warning", f"Beliefs wait: a column of {self._shown[1]} does not sum to 1."
                )
            return
        self._typed = []
        model_id, variable = self._shown
        model = self._app.project.models[model_id].model
        source = self._source(model.kind)
        network = source.network(model_id, model)
        assert network is not None
        table = self._grid.values.reshape(network.table(variable).shape)
        if not np.array_equal(table, network.table(variable)):
            self._app.change(text, source.edit(model_id, variable, table.copy()))

    def _on_taking_back(self) -> None:
        """Undo while numbers wait: restore the table before the last typed number."""
        if self._typed:
            self._stood, self._last_edit = self._typed.pop(), None
            self._grid.set_values(self._stood)
            self._show_sums()
            self._show_similar()

    def _chosen_columns(self) -> list[int]:
        chosen = {i.column() - 1 for i in self._view.selectedIndexes() if i.column() > 0}
        return sorted(chosen) or list(range(len(self._grid.combinations)))

    def _on_normalise(self) -> None:
        values = self._grid.values.copy()
        for column in self._chosen_columns() if not self.waits else self._grid.wrong_columns():
            total = values[column].sum()
            values[column] = values[column] / total if total > 0 else 1 / values.shape[1]
        self._grid.set_values(values)
        self._commit(f"Normalise the table of {self._name}")

    def _on_complement(self) -> None:
        values = self._grid.values.copy()
        cells = [self._grid.cell_of(index) for index in self._view.selectedIndexes()]
        for cell in cells:
            if cell is not None:
                rest = values[cell[0]].sum() - values[cell]
                values[cell] = min(1.0, max(0.0, 1 - rest))
        if not any(cell is not None for cell in cells):
            self._app.notify("Select the cells that complete their columns to 1.")
            return
        self._grid.set_values(values)
        self._commit(f"Complement in the table of {self._name}")

    def _on_fill(self) -> None:
        states = self._grid.state_count
        assert self._rows is not None  # otherwise the button is disabled
        self._grid.set_values(smoothed(self._rows, 1.0).reshape(-1, states))
        self._commit(f"Fill the table of {self._name} from data")

    def _on_randomise(self) -> None:
        rng = np.random.default_rng()
        shape = self._grid.values.shape
        self._grid.set_values(rng.dirichlet(np.ones(shape[1]), size=shape[0]))
        self._commit(f"Randomise the table of {self._name}")

    def _on_fix(self) -> None:
        if self._last_edit is not None:
            values = self._grid.values.copy()
            values[self._last_edit] += 1 - values[self._last_edit[0]].sum()
            self._grid.set_values(values)
            self._commit(f"Edit the table of {self._name}")

    @property
    def _name(self) -> str:
        return "" if self._shown is None else self._shown[1]

    # -- clipboard

    def copy(self) -> None:
        """The whole table with its heads, or the selected numbers, as tab-separated text."""
        cells = [self._grid.cell_of(index) for index in self._view.selectedIndexes()]
        QApplication.clipboard().setText(table_text(self._grid, [c for c in cells if c]))

    def paste(self) -> None:
        """Numbers from the clipboard, from the current cell on; copied heads are skipped."""
        start = self._grid.cell_of(self._view.currentIndex()) or (0, 0)
        try:
            values = pasted(self._grid, QApplication.clipboard().text(), start)
        except PgmStudioError as error:
            self._app.errors.at("tablePanel").report(error)
            return
        self._grid.set_values(values)
        self._commit(f"Paste into the table of {self._name}")


def sum_text(total: float) -> str:
    """The message for a single column that does not sum to 1."""
    return f"sums to {total:.4g}"


def fix_text(old: float, new: float) -> str:
    """The text of the button that corrects the sum."""
    return f"Fix it: {old:.4g} → {new:.4g}"


def _first_variable(selection: Selection, model: Model) -> str | None:
    """The one selected node, or the first end of the one selected edge."""
    names = selection.nodes or tuple(edge[0] for edge in selection.edges)
    return names[0] if len(names) == 1 and names[0] in model.domain else None


def _variable_of(selection: Selection, network: BayesianNetwork) -> str | None:
    """Whose table is shown: the one selected node, or the child of the one selected edge."""
    if len(selection.nodes) == 1:
        return selection.nodes[0] if selection.nodes[0] in network.domain else None
    if selection.nodes or len(selection.edges) != 1:
        return None
    one, other = selection.edges[0]
    for parent, child in ((one, other), (other, one)):
        if child in network.domain and parent in network.dag.parents(child):
            return child
    return None
