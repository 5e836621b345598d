"""The inspector of one edge: its ends, mutual information, reverse, delete, notes."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.inference.base import Scale
from pgmstudio.core.model import edge_text
from pgmstudio.core.project.model_edits import set_edge_note
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.evidence.state_gestures import tip_in, use_in
from pgmstudio.gui.inspector.edge_explanation import EdgeExplanationSection
from pgmstudio.gui.inspector.language_sections import LanguageSections
from pgmstudio.gui.inspector.node_beliefs import bars_of
from pgmstudio.gui.inspector.node_edges import (
    delete,
    information_around,
    not_editable_reason,
    reverse,
)
from pgmstudio.gui.languages.registry import SubjectKind, language_view
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.basic import Section, button, hairline, row, scrolled
from pgmstudio.gui.widgets.belief_bars import BeliefBars
from pgmstudio.gui.widgets.fact_rows import FactRows
from pgmstudio.gui.widgets.inspector_header import InspectorHead
from pgmstudio.gui.widgets.notes_editor import NotesEditor

TOPIC = "edge"
Edge = tuple[str, str]


class EdgeInspector(QWidget):
    """Shows one selected edge."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("edgeInspector")
        self._app = app
        self._subject: ActiveModel | None = None
        self._edge: Edge = ("", "")
        self._asked: tuple[object, ...] = ()
        self._bits: float | None = None
        self._head = InspectorHead("inspectorEdge")
        strength = Section("Strength", line=False)
        self.facts = FactRows("inspectorEdgeFacts")
        self._turn = button(
            "Reverse",
            self._on_turn,
            icon_name="arrows-left-right",
            name="inspectorEdgeReverse",
            tip="Reverse the edge (R).",
        )
        self._gone = button(
            "Delete",
            self._on_gone,
            icon_name="trash",
            name="inspectorEdgeDelete",
            tip="Delete the edge (Del).",
        )
        self._tips = {widget: widget.toolTip() for widget in (self._turn, self._gone)}
        strength.add(self.facts)
        strength.add(row(self._turn, self._gone, None))
        self._ends = [(Section(""), BeliefBars(f"inspectorEdgeBars{end}")) for end in (0, 1)]
        for index, (section, bars) in enumerate(self._ends):
            bars.state_used.connect(partial(self._on_state_used, index))
            bars.tip_of = partial(self._tip, index)
            section.add(bars)
        self._of_language = LanguageSections(app, SubjectKind.EDGE)
        self.why = EdgeExplanationSection(app, "inspectorEdgeWhy")
        notes = Section("Notes")
        self.editor = NotesEditor("inspectorEdgeNotes", "Notes on this edge")
        self.editor.edited.connect(self._on_edited)
        notes.add(self.editor)
        content = QWidget()
        inner = QVBoxLayout(content)
        inner.setContentsMargins(0, 8, 0, 8)
        inner.setSpacing(4)
        ends = (section for section, _ in self._ends)
        parts: list[QWidget] = [self._of_language, strength, self.why, *ends, notes]
        for part in parts:
            inner.addWidget(part)
        inner.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for widget in (self._head, hairline(), scrolled(content, "inspectorEdgeScroll")):
            layout.addWidget(widget)

    def show_edge(self, subject: ActiveModel, edge: Edge) -> None:
        if edge != self._edge or self._subject is None or subject.model is not self._subject.model:
            self._bits = None
        self._subject, self._edge = subject, edge
        source, target = (subject.title(end) for end in edge)
        self._of_language.show_subject(subject, edge)
        description = language_view(subject.model.kind).description.load()
        text, symbol = description.edge_facts(subject.model, edge)
        mark = icon(symbol, "label_ink") if symbol else None
        self._head.show_text(edge_text(subject.model, source, target), text, symbol=mark)
        self._turn.setVisible(not subject.is_undirected)
        why = not_editable_reason(subject)
        for widget, tip in self._tips.items():
            widget.setEnabled(why is None)
            widget.setToolTip(why or tip)
        for end, (section, bars) in zip(edge, self._ends, strict=True):
            section.title.setText(subject.title(end))
            bars.show_bars(bars_of(subject, end))
        note = subject.entry.edge_notes.get(edge, "")
        self.editor.show_notes("\n".join((subject.model_id, *edge)), note)
        live = subject.live
        asked = (subject.model, edge, dict(live.evidence))
        if asked != self._asked and live.error is None:
            self._asked = asked
            question = partial(information_around, subject.model.domain, live.evidence, edge[1])
            live.side.ask(TOPIC, question, self._on_bits)
        self.why.show_pair(subject, *edge)
        self._refresh()

    def _on_bits(self, answer: tuple[str, dict[str, float]]) -> None:
        if answer[0] == self._edge[1]:
            self._bits = answer[1].get(self._edge[0])
            self._refresh()

    def _refresh(self) -> None:
        if self._subject and self._subject.live.scale is not Scale.PROBABILITY:
            self.facts.show_facts([])
            return
        given = "given the evidence" if self._subject and self._subject.live.evidence else "prior"
        text = "…" if self._bits is None else f"{self._bits:.4f} bits"
        self.facts.show_facts(
            [("Mutual information", text, f"The mutual information of both ends, {given}.")]
        )

    def commit(self) -> None:
        self.editor.commit()

    def _tip(self, position: int, state: str) -> str:
        return tip_in(self._subject, self._edge[position], state)

    def _on_state_used(
        self, position: int, state: str, held: Qt.KeyboardModifier, at: QPoint
    ) -> None:
        use_in(self._subject, self._edge[position], state, held, self._ends[position][1], at)

    def _on_turn(self) -> None:
        source, target = self._edge
        if self._subject is not None and reverse(self._app, self._subject, self._edge):
            self._app.workspace.select((), ((target, source),))

    def _on_gone(self) -> None:
        if self._subject is not None and delete(self._app, self._subject, self._edge):
            self._app.workspace.select()

    def _on_edited(self, key: str, text: str) -> None:
        model_id, source, target = key.split("\n")
        if model_id in self._app.project.models:
            edit = partial(
                set_edge_note, model_id=model_id, source=source, target=target, note=text
            )
            ends = edge_text(self._app.project.models[model_id].model, source, target)
            self._app.change(f"Note on {ends}", edit, merge=f"note:{key}")
