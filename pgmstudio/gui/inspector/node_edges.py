"""The tab Edges of a variable: its neighbours with edge strengths, reverse and delete."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from pgmstudio.core.analysis.belief_query import become
from pgmstudio.core.analysis.value_of_information import information_about
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.base import Finding, InferenceSession
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import edge_text
from pgmstudio.core.project import model_edits
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.widgets.basic import Section, label, tool_button
from pgmstudio.gui.widgets.elided_label import ElidedLabel

TOPIC = "edges-of-node"
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


def information_around(
    domain: Domain,
    evidence: Mapping[str, Finding],
    name: str,
    session: InferenceSession,
    cancel: CancelToken,
) -> tuple[str, dict[str, float]]:
    """The name, and the mutual information of every other variable with it given the evidence."""
    become(session, evidence)
    return name, information_about(session, domain, name, cancel)


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
        if self.isVisible() and edges and asked != self._asked and subject.live.error is None:
            self._asked = asked
            live = subject.live
            question = partial(information_around, subject.model.domain, live.evidence, name)
            live.side.ask(TOPIC, question, self._on_bits)
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
            fact = "mutual information, bits" if some else ""
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
        self.name = ElidedLabel(title, is_link=True)
        self.name.setObjectName(f"edgeOther.{text}")
        self.name.setAccessibleName(f"Select {title}")
        self.name.setToolTip(f"Select {title}")
        self.bits = label("", "secondary", size="dense")
        self.turn = tool_button("arrows-left-right", f"Reverse {text}", name=f"turn.{text}")
        self.gone = tool_button("trash", f"Delete {text}", name=f"delete.{text}")
        self._tips = {self.turn: f"Reverse {text}", self.gone: f"Delete {text}"}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.name, 1)
        for widget in (self.bits, self.turn, self.gone):
            layout.addWidget(widget)

    def allow(self, disabled_reason: str | None) -> None:
        for widget, tip in self._tips.items():
            widget.setEnabled(disabled_reason is None)
            widget.setToolTip(disabled_reason or tip)
