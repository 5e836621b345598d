"""The inspector of one variable: Belief, Table, Edges, Notes."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.core.number_format import counted
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.inspector.node_beliefs import BeliefTab
from pgmstudio.gui.inspector.node_edges import EdgesTab
from pgmstudio.gui.inspector.node_table import TableTab
from pgmstudio.gui.languages.registry import language_view
from pgmstudio.gui.model_page.node_notes import NotesTab
from pgmstudio.gui.widgets.basic import Segments, hairline, row, scrolled
from pgmstudio.gui.widgets.inspector_header import InspectorHead

TABS = (
    ("belief", "Belief", "Beliefs and evidence of this variable"),
    ("table", "Table", "Names, states and the size of its table"),
    ("edges", "Edges", "Parents and children"),
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
