"""The page of Markov equivalent graphs, one of which can replace that of the model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QSplitter, QWidget

from pgmstudio.core.drawing.diagram import EdgeStyle, GraphPicture, PictureEdge, PictureNode, Point
from pgmstudio.core.drawing.layout.boxes import box_sizes
from pgmstudio.core.drawing.layout.placement import place
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import cpdag_of, members_of
from pgmstudio.core.languages.bayesian_network.arc_reversal import (
    largest_difference,
    with_equivalent_graph,
)
from pgmstudio.core.languages.bayesian_network.conversions import plain_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.diagrams import structure_diagram
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.edits import Computed, direct_edges, same_distribution
from pgmstudio.core.project.project import Project
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.node_view import NodeView
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.basic import Note, allow, button, hairline, hbox, label, named, vbox
from pgmstudio.gui.widgets.page import Page

MAX_MEMBERS = 200
# A larger difference would be another distribution; it cannot happen, but is checked.
MAX_DIFFERENCE = 1e-9


@dataclass(frozen=True, eq=False)
class Listing:
    """The graphs of the class, the model's own first, then by their difference from it."""

    own: Dag
    members: tuple[Dag, ...]
    has_more: bool
    compelled: frozenset[tuple[str, str]]
    positions: dict[str, Point]


def listing_of(dag: Dag, known: dict[str, Point], _cancel: CancelToken) -> Listing:
    """List up to 200 graphs of the class; runs in the background."""
    cpdag = cpdag_of(dag)
    result = list(islice(members_of(cpdag), MAX_MEMBERS + 1))
    others = [member for member in result if member != dag][: MAX_MEMBERS - 1]
    others.sort(key=lambda member: len(turned(dag, member)))
    picture = picture_of_member(dag, frozenset(cpdag.directed))
    positions = place(picture, known, sizes=box_sizes(picture, {}))
    has_more = len(result) > MAX_MEMBERS
    return Listing(dag, (dag, *others), has_more, frozenset(cpdag.directed), positions)


def turned(own: Dag, member: Dag) -> tuple[tuple[str, str], ...]:
    """The edges of `member` that are reversed in `own`."""
    return tuple(edge for edge in member.edges if not own.has_edge(*edge))


def picture_of_member(dag: Dag, compelled: frozenset[tuple[str, str]]) -> GraphPicture:
    nodes = tuple(PictureNode(name, name, variable=name) for name in dag.names)
    edges = tuple(
        PictureEdge(*edge, style=EdgeStyle.COMPELLED if edge in compelled else EdgeStyle.DIRECTED)
        for edge in dag.edges
    )
    return GraphPicture(nodes, edges)


@dataclass(frozen=True, eq=False)
class Carried:
    """The model with another graph of its class, and the largest difference in probability."""

    before: BayesianNetwork
    after: BayesianNetwork
    difference: float


def carried(network: BayesianNetwork, dag: Dag, _cancel: CancelToken) -> Carried:
    """Compute the CPTs of another graph and check that the distribution is the same."""
    after = with_equivalent_graph(network, dag)
    return Carried(network, after, largest_difference(network, after))


class EquivalencePage(Page):
    """A page with the list of graphs, the selected graph, and a button to use it."""

    def __init__(self, app: AppContext, model_id: str) -> None:
        super().__init__(f"equivalent:{model_id}")
        self._app, self._id = app, model_id
        self._model = self._network()
        self.listing: Listing | None = None
        self._carried: Carried | None = None
        self._lists = LatestTask(self, self._on_listing, app.errors.report)
        self._checks = LatestTask(self, self._on_carried, app.errors.report)
        self.head = label("", "heading", size="title")
        self.summary = label("", "secondary", wrap=True, name="equivalentSummary")
        self.list = named(
            QListWidget(),
            "equivalentList",
            "Equivalent graphs",
            "Select a graph to show it; Enter uses it.",
        )
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(self._on_row)
        self.list.itemActivated.connect(self._on_activated)
        self.canvas = Canvas()
        self.canvas.view.is_editable = False
        self.check = Note("", "info", "equivalentCheck")
        self.use = button(
            "Use this graph",
            self.use_chosen,
            role="primary",
            icon_name="check",
            name="equivalentUse",
            tip="Use this graph in the model; the distribution stays the same.",
        )
        self._lay_out()
        app.document.changed.connect(self._on_document_changed)
        self._ask()

    def _lay_out(self) -> None:
        top = QWidget()
        vbox(top, self.head, self.summary, margins=(16, 12, 16, 10), spacing=4)
        side = QSplitter(Qt.Orientation.Horizontal)
        side.setChildrenCollapsible(False)
        self.list.setMinimumWidth(180)
        side.addWidget(self.list)
        side.addWidget(self.canvas)
        self.canvas.setMinimumWidth(320)
        side.setStretchFactor(0, 0)
        side.setStretchFactor(1, 1)
        side.setSizes([300, 700])
        foot = hbox(None, (self.check, 1), self.use, margins=(16, 8, 16, 8), spacing=16)
        vbox(self, top, hairline(), (side, 1), hairline(), foot, spacing=0)
        self.setFocusProxy(self.list)

    @property
    def title(self) -> str:
        return f"Equivalent to {self._title}"

    def page_icon(self) -> QIcon:
        return icon("copy-simple")

    @property
    def model_id(self) -> str | None:
        return self._id if self._id in self._app.project.models else None

    @property
    def _title(self) -> str:
        entry = self._app.project.models.get(self._id)
        return "a model" if entry is None else entry.title

    def _network(self) -> BayesianNetwork | None:
        entry = self._app.project.models.get(self._id)
        return None if entry is None else plain_network(entry.model)

    # -- the list

    def _ask(self) -> None:
        self._carried = None
        self.use.setEnabled(False)
        if self._model is None:
            self.list.clear()
            self.summary.setText("The model was removed.")
            return
        self.head.setText(f"Graphs equivalent to {self._title}")
        self.summary.setText("Listing…")
        entry = self._app.project.models[self._id]
        known = dict(entry.layouts.get(structure_diagram(entry.model), {}))
        self._lists.ask(partial(listing_of, self._model.dag, known))

    def _on_listing(self, result: Listing) -> None:
        self.listing = result
        count = counted(len(result.members), "graph")
        if result.has_more:
            message = f"The first {count} of the equivalence class; there are more."
        elif len(result.members) == 1:
            message = "No other graph is equivalent: every edge is compelled."
        else:
            message = f"All {count} of the equivalence class."
        self.summary.setText(f"{message} Thick arrows are the same in all of them.")
        self.list.clear()
        for member in result.members:
            edges = turned(result.own, member)
            shown = ", ".join(" → ".join(edge) for edge in edges)
            other = f"{counted(len(edges), 'edge')} reversed: {shown}"
            item = QListWidgetItem(other if edges else "The current graph", self.list)
            item.setToolTip(item.text())
        self.list.setCurrentRow(0)

    @property
    def chosen(self) -> Dag | None:
        at = self.list.currentRow()
        if self.listing is None or not 0 <= at < len(self.listing.members):
            return None
        return self.listing.members[at]

    def _on_row(self, _row: int) -> None:
        member, result = self.chosen, self.listing
        self._carried = None
        if member is None or result is None or self._model is None:
            return
        picture = picture_of_member(member, result.compelled)
        entry = self._app.project.models[self._id]
        faces = {n.id: NodeView(entry.node_titles.get(n.id, n.label)) for n in picture.nodes}
        self.canvas.view.keep_fitted()
        self.canvas.scene.show_picture(picture, faces, result.positions)
        self.canvas.scene.show_selection((), turned(result.own, member))
        self.canvas.view.fit()
        self._allow()
        if member != result.own:
            self._checks.ask(partial(carried, self._model, member))

    def _on_carried(self, carried: Carried) -> None:
        if carried.before is self._model and carried.after.dag == self.chosen:
            self._carried = carried
        self._allow()

    def _allow(self) -> None:
        carried, result = self._carried, self.listing
        reason = ""
        if result is None or self.chosen == result.own:
            reason = "this is the current graph."
            self.check.show_text("This is the current graph; select another one.", "info")
        elif carried is None:
            reason = "its CPTs are being computed."
            self.check.show_text("Computing its CPTs…", "info")
        elif carried.difference > MAX_DIFFERENCE:
            reason = "its CPTs do not have the same distribution."
            text = f"Probabilities would differ by {carried.difference:.2g}; it cannot be used."
            self.check.show_text(text, "warning")
        else:
            off = f"{carried.difference:.1g}" if carried.difference else "0"
            self.check.show_text(
                f"Same distribution: the largest relative difference of a probability is {off}.",
                "success",
            )
        allow(self.use, reason)

    # -- use

    def _on_activated(self, *_: object) -> None:
        self.use_chosen()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._app.center.close_page(self)
        else:
            super().keyPressEvent(event)

    def use_chosen(self) -> None:
        """Use the selected graph in the model as one undoable change."""
        carried = self._carried
        if carried is None or carried.before is not self._model or not self.use.isEnabled():
            return
        edges = turned(carried.before.dag, carried.after.dag)
        count = counted(len(edges), "edge")
        how = partial(direct_edges, model_id=self._id, edges=edges)
        edit = Computed(how, partial(same_distribution, model_id=self._id, model=carried.after))
        if self._app.change(f"Reverse {count}, same distribution", edit):
            self._app.notify(f"{self._title}: {count} reversed, same distribution.", undo=True)

    def _on_document_changed(self, _before: Project, _after: Project) -> None:
        model = self._network()
        if model is not self._model:
            self._model = model
            self._ask()

    def closed(self) -> None:
        for latest_task in (self._lists, self._checks):
            latest_task.forget()
        self.canvas.stop()
