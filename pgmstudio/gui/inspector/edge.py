"""The inspector of one edge, and the tab Edges of a variable: neighbours, reverse, delete."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.inference.base import Scale
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import edge_text
from pgmstudio.core.project import model_edits
from pgmstudio.core.project.model_edits import set_edge_note
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import no_probabilities_reason
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.evidence.state_gestures import tip_in, use_in
from pgmstudio.gui.inspector.edge_explanation import EdgeExplanationSection
from pgmstudio.gui.inspector.language_sections import LanguageSections
from pgmstudio.gui.inspector.node_beliefs import bars_of, information_around
from pgmstudio.gui.languages.registry import SubjectKind, language_view
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.basic import Section, button, hbox, label, named, row, tool_button
from pgmstudio.gui.widgets.belief_bars import BeliefBars
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.fact_rows import FactRows
from pgmstudio.gui.widgets.inspector_header import InspectorHead, lay_under
from pgmstudio.gui.widgets.notes_editor import NotesEditor

_NEIGHBOURS = "edges-of-node"
Edge = tuple[str, str]


def not_editable_reason(subject: ActiveModel) -> str | None:
    """Why the edges of this model cannot be edited; None if they can."""
    if isinstance(subject.model, model_edits.EditableStructure):
        return None
    return f"Not now: the edges of {a_kind(subject.model.kind)} cannot be edited; convert it first."


def reverse(app: AppContext, subject: ActiveModel, edge: Edge) -> bool:
    source, target = edge
    edit = partial(
        model_edits.reverse_edge, model_id=subject.model_id, source=source, target=target
    )
    return app.change(f"Reverse {edge_text(subject.model, *edge)}", edit)


def delete(app: AppContext, subject: ActiveModel, edge: Edge) -> bool:
    source, target = edge
    edit = partial(model_edits.remove_edge, model_id=subject.model_id, source=source, target=target)
    return app.change(f"Delete {edge_text(subject.model, *edge)}", edit)


class EdgesTab(QWidget):
    """A row for every neighbour."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self._app = app
        self._subject: ActiveModel | None = None
        self._name = ""
        self._asked: tuple[object, ...] = ()
        self._built: tuple[object, ...] = ()
        self._bits: dict[str, float] = {}
        self._rows: dict[Edge, _EdgeRow] = {}
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 8, 0, 8)
        self._layout.setSpacing(4)
        self._holder = QWidget()
        self._layout.addWidget(self._holder)
        self._layout.addStretch(1)

    def show_node(self, subject: ActiveModel, name: str) -> None:
        if name != self._name or self._subject is None or subject.model is not self._subject.model:
            self._bits = {}
        self._subject, self._name = subject, name
        edges = tuple(e for e in subject.edges if name in e)
        built = (subject.model_id, subject.model, name, subject.entry.node_titles)
        if built != self._built:
            self._built = built
            self._rebuild(subject, name, edges)
        asked = (subject.model, name, dict(subject.live.evidence))
        can_ask = subject.live.error is None and no_probabilities_reason(subject.model) is None
        if self.isVisible() and edges and asked != self._asked and can_ask:
            self._asked = asked
            live = subject.live
            question = partial(information_around, subject.model.domain, live.evidence, name)
            live.side.ask(_NEIGHBOURS, question, self._on_bits)
        self._show_bits()

    def _on_bits(self, answer: tuple[str, dict[str, float]]) -> None:
        if answer[0] == self._name:
            self._bits = answer[1]
            self._show_bits()

    def _show_bits(self) -> None:
        for edge, made in self._rows.items():
            other = edge[0] if edge[1] == self._name else edge[1]
            bits = self._bits.get(other)
            made.bits.setText("" if bits is None else f"{bits:.3f}")

    def _rebuild(self, subject: ActiveModel, name: str, edges: tuple[Edge, ...]) -> None:
        old, self._holder = self._holder, QWidget()
        self._layout.replaceWidget(old, self._holder)
        old.hide()
        old.deleteLater()
        self._rows = {}
        column = QVBoxLayout(self._holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        groups: tuple[tuple[str, list[Edge], str], ...] = (
            ("Parents", [e for e in edges if e[1] == name], "No parents."),
            ("Children", [e for e in edges if e[0] == name], "No children."),
        )
        if subject.is_undirected:
            groups = (("Neighbours", list(edges), "No neighbours."),)
        for title, some, none in groups:
            has_bits = bool(some) and no_probabilities_reason(subject.model) is None
            fact = "mutual information, bits" if has_bits else ""
            section = Section(title, fact, line=title == "Children")
            for edge in some:
                other = edge[0] if edge[1] == name else edge[1]
                made = self._rows[edge] = _EdgeRow(
                    subject.title(other), edge_text(subject.model, *edge)
                )
                made.turn.setVisible(not subject.is_undirected)
                made.name.clicked.connect(partial(self._app.workspace.select, (other,)))
                made.turn.clicked.connect(partial(self._on_turn, edge))
                made.gone.clicked.connect(partial(self._on_gone, edge))
                why = not_editable_reason(subject)
                made.allow(why)
                section.add(made)
            if not some:
                section.add(label(none, "tertiary", size="dense"))
            column.addWidget(section)

    def _on_turn(self, edge: Edge, *_: object) -> None:
        if self._subject is not None:
            reverse(self._app, self._subject, edge)

    def _on_gone(self, edge: Edge, *_: object) -> None:
        if self._subject is not None:
            delete(self._app, self._subject, edge)


class _EdgeRow(QWidget):
    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self.name = named(
            ElidedLabel(title, is_link=True),
            f"edgeOther.{text}",
            f"Select {title}",
            f"Select {title}",
        )
        self.bits = label("", "secondary", size="dense")
        self.turn = tool_button("arrows-left-right", f"Reverse {text}", name=f"turn.{text}")
        self.gone = tool_button("trash", f"Delete {text}", name=f"delete.{text}")
        self._tips = {self.turn: f"Reverse {text}", self.gone: f"Delete {text}"}
        hbox(self, (self.name, 1), self.bits, self.turn, self.gone, spacing=6)

    def allow(self, disabled_reason: str | None) -> None:
        for widget, tip in self._tips.items():
            widget.setEnabled(disabled_reason is None)
            widget.setToolTip(disabled_reason or tip)


TOPIC = "edge"


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
        strength = self._strength = Section("Strength", line=False)
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
        strength.add(self.facts, row(self._turn, self._gone, None))
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
        ends = (section for section, _ in self._ends)
        parts: list[QWidget] = [self._of_language, strength, self.why, *ends, notes]
        lay_under(self._head, parts, self, "inspectorEdgeScroll")

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
        can_ask = live.error is None and live.scale is Scale.PROBABILITY
        if asked != self._asked and can_ask:
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
        has_bits = not self._subject or self._subject.live.scale is Scale.PROBABILITY
        for part in (self._strength.title, self._strength.fact, self.facts):
            part.setVisible(has_bits)
        if not has_bits:
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
