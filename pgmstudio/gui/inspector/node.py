"""The inspector of one variable: Belief, Table, Edges, Notes."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFormLayout, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.number_format import counted
from pgmstudio.core.project import model_edits
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.evidence.state_gestures import tip_in, use_in
from pgmstudio.gui.inspector.language_sections import LanguageSections
from pgmstudio.gui.inspector.node_beliefs import BeliefTab, bars_of, show_waiting
from pgmstudio.gui.inspector.node_edges import EdgesTab
from pgmstudio.gui.inspector.state_editor import StateManager
from pgmstudio.gui.languages.registry import SubjectKind, language_view
from pgmstudio.gui.model_page.node_notes import NotesTab
from pgmstudio.gui.widgets.basic import Section, Segments, button, hairline, label, row, scrolled
from pgmstudio.gui.widgets.belief_bars import BeliefBars
from pgmstudio.gui.widgets.fact_rows import FactRows
from pgmstudio.gui.widgets.inspector_header import InspectorHead


class TableTab(QWidget):
    """Edits names and states; the table itself is edited in the table panel."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self._app = app
        self._subject: ActiveModel | None = None
        self._name = ""
        names = Section("Name and states", line=False)
        self._title = _field("inspectorNodeTitle", "Title", "Label shown on the node.")
        self._title.editingFinished.connect(self._on_title)
        self._identifier = _field(
            "inspectorIdentifier", "Identifier", "The name in files and formulas."
        )
        self._identifier.editingFinished.connect(self._on_identifier)
        self._states = StateManager(app)
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(12)
        for text, field in (
            ("Title", self._title),
            ("Identifier", self._identifier),
            ("States", self._states),
        ):
            form.addRow(label(text, "secondary", size="dense"), field)
        names.add(form)
        table = Section("Table")
        self.facts = FactRows("inspectorTableFacts")
        self._show = button(
            "Show table",
            lambda: app.reveal("tablePanel"),
            icon_name="table",
            name="inspectorShowTable",
            tip="Show the table of this variable.",
        )
        table.add(self.facts)
        table.add(row(self._show, None))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 0, 8)
        layout.setSpacing(4)
        layout.addWidget(names)
        layout.addWidget(table)
        self._of_language = LanguageSections(app, SubjectKind.TABLE)
        layout.addWidget(self._of_language)
        self._belief = Section("Belief")
        self.bars = BeliefBars("inspectorTableBars")
        self.bars.state_used.connect(self._on_state_used)
        self.bars.tip_of = self._tip
        self._belief.add(self.bars)
        layout.addWidget(self._belief)
        layout.addStretch(1)

    def show_node(self, subject: ActiveModel, name: str) -> None:
        self._subject, self._name = subject, name
        can = isinstance(subject.model, model_edits.Renamable)
        why = f"Not now: names in {a_kind(subject.model.kind)} cannot be edited; convert it first."
        for field, text in ((self._title, subject.title(name)), (self._identifier, name)):
            if not field.hasFocus() or not field.isModified():
                field.setText(text)
        self._identifier.setReadOnly(not can)
        self._identifier.setToolTip("The name in files and formulas." if can else why)
        self._states.show_node(subject, name)
        description = language_view(subject.model.kind).description.load()
        self.facts.show_facts(
            [
                *description.table_facts(subject.model, name),
                ("Source", _source(subject), "Where the numbers come from."),
            ]
        )
        self._of_language.show_subject(subject, (name,))
        show_waiting(self._belief.fact, subject, name)
        self.bars.show_bars(bars_of(subject, name))

    def _tip(self, state: str) -> str:
        return tip_in(self._subject, self._name, state)

    def _on_state_used(self, state: str, held: Qt.KeyboardModifier, position: QPoint) -> None:
        use_in(self._subject, self._name, state, held, self.bars, position)

    def _on_title(self) -> None:
        subject, text = self._subject, self._title.text().strip()
        if subject is None or not self._title.isModified():
            return
        self._title.setModified(False)
        wanted = "" if text == self._name else text
        if wanted != subject.entry.node_titles.get(self._name, ""):
            edit = partial(
                model_edits.set_node_title,
                model_id=subject.model_id,
                node=self._name,
                title=wanted,
            )
            self._app.change(f"Rename {self._name} to {text or self._name}", edit)
        else:
            self._title.setText(subject.title(self._name))

    def _on_identifier(self) -> None:
        subject, old, new = self._subject, self._name, self._identifier.text().strip()
        if subject is None or not self._identifier.isModified():
            return
        self._identifier.setModified(False)
        edit = partial(model_edits.rename_variable, model_id=subject.model_id, old=old, new=new)
        if not new or new == old:
            self._identifier.setText(old)
        elif self._app.change(f"Rename {old} to {new}", edit):
            if self._app.workspace.target == old:
                self._app.workspace.set_target(new)
            self._app.workspace.select((new,))
        else:
            self._identifier.setText(old)


def _field(name: str, what: str, tip: str) -> QLineEdit:
    made = QLineEdit()
    made.setObjectName(name)
    made.setAccessibleName(what)
    made.setToolTip(tip)
    return made


def _source(subject: ActiveModel) -> str:
    entry = subject.entry
    text = "learned" if entry.run_id or "learner" in entry.provenance else "as opened"
    return f"{text}, then edited" if entry.is_edited else text


TABS = (
    ("belief", "Belief", "Beliefs and evidence of this variable"),
    ("table", "Table", "Names, states and the size of its table"),
    ("edges", "Edges", "Parents and children, or neighbours"),
    ("notes", "Notes", "Notes on this variable"),
)


class NodeInspector(QWidget):
    """The inspector of one variable; its tab stays when another is selected."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("nodeInspector")
        self._app = app
        self._subject: ActiveModel | None = None
        self._name = ""
        self._head = InspectorHead("inspectorNode")
        self.segments = Segments(TABS, "inspectorTabs")
        self.segments.chosen.connect(self._on_tab)
        tabs = row(self.segments, None)
        tabs.setContentsMargins(16, 0, 16, 10)
        self.belief = BeliefTab(app)
        self.table = TableTab(app)
        self.edges = EdgesTab(app)
        self.notes = NotesTab(app)
        self._pages = QStackedWidget()
        for key, content in zip(
            ("belief", "table", "edges", "notes"),
            (self.belief, self.table, self.edges, self.notes),
            strict=True,
        ):
            self._pages.addWidget(scrolled(content, f"inspectorScroll.{key}"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for widget in (self._head, tabs, hairline(), self._pages):
            layout.addWidget(widget)

    def show_tab(self, key: str) -> None:
        self.segments.choose(key)
        self._on_tab(key)

    def _on_tab(self, key: str) -> None:
        self._pages.setCurrentIndex([tab[0] for tab in TABS].index(key))
        if self._subject is not None:
            self.show_node(self._subject, self._name)

    def show_node(self, subject: ActiveModel, name: str) -> None:
        self._subject, self._name = subject, name
        variable = subject.variable(name)
        facts = [counted(variable.cardinality, "state")]
        if subject.title(name) != name:
            facts.insert(0, name)
        description = language_view(subject.model.kind).description.load()
        facts += description.variable_facts(subject.model, name)
        self._head.show_text(subject.title(name), " · ".join(facts), subject.chip(name))
        match self.segments.current:
            case "belief":
                self.belief.show_node(subject, name)
            case "table":
                self.table.show_node(subject, name)
            case "edges":
                self.edges.show_node(subject, name)
        self.notes.show_node(subject, name)

    def commit(self) -> None:
        """Save the typed notes before something else is inspected."""
        self.notes.editor.commit()
