"""The page of a decision graph: the diagram “Nodes and flow”, and moves in its forest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.languages.pdg.candidate_operations import ScoreWeight
from pgmstudio.core.languages.pdg.diagrams import NODES, forest_picture, node_name
from pgmstudio.core.languages.pdg.measures import node_counts
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.node_facts import reach_rules
from pgmstudio.core.languages.pdg.session import NodeFlows
from pgmstudio.core.number_format import percent
from pgmstudio.core.project.model_edits import set_display_mode
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.signals import EdgeAdvice, Hit
from pgmstudio.gui.context import Selection
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.pdg.canvas import BandCanvas
from pgmstudio.gui.languages.pdg.context_menu import (
    add_merges,
    add_split,
    band_menu,
    graph_node_menu,
)
from pgmstudio.gui.languages.pdg.edit_controller import BandChanges
from pgmstudio.gui.languages.pdg.flows import ask_flows
from pgmstudio.gui.languages.pdg.improve_controller import ImproveController
from pgmstudio.gui.languages.pdg.node_rows import move, rows_of, weight_of
from pgmstudio.gui.languages.pdg.node_selection import NodeKey, graph_nodes
from pgmstudio.gui.languages.pdg.size_history import graph_trail
from pgmstudio.gui.languages.pdg.toolbar import MERGE, SPLIT, graph_tools
from pgmstudio.gui.model_page.extension import PageExtension

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage

Floats = NDArray[np.float64]
COLLAPSED = "collapsed"  # among the display modes of a model
_TOPIC = "band-flows"
_NOT_DELETED = (
    "Variables and edges of a decision graph are moved, not deleted: the context menu of a "
    "variable has Move in the forest, with the change in score of each position."
)
FOREST = "forest"
# Requests on the bands are forwarded to the hidden canvas, to which the controllers listen.
_FORWARDED = (
    "select",
    "click_state",
    "exclude_state",
    "toggle_state",
    "likelihood",
    "clear_evidence",
    "target",
    "open_node",
)


class PdgExtension(PageExtension):
    """Bands of nodes with flows, shown instead of the canvas while that diagram is selected."""

    def __init__(self, page: ModelPage) -> None:
        super().__init__(page)
        app, model_id = page.app, page.model_id
        self.canvas = BandCanvas()
        self.canvas.hide()
        view, signals = self.canvas.band_view, self.canvas.signals
        for request in _FORWARDED:
            getattr(signals, request).connect(getattr(page.canvas.signals, request))
        signals.menu.connect(self._on_menu)
        signals.do.connect(self._refuse_do)
        signals.do_menu.connect(self._refuse_do)
        view.node_chosen.connect(self._on_node_chosen)
        view.node_menu.connect(self._on_node_menu)
        view.collapse_requested.connect(self.toggle)
        view.describe_node = self.describe
        view.explain_impossible = page.asking.why_impossible
        page.asking.live.refused.connect(self._on_refused)
        self._trail = graph_trail(app)
        self._nodes = graph_nodes(app)
        self._nodes.changed.connect(self._on_choice)
        app.workspace.selection_changed.connect(self._on_selection)
        self._counter = LatestTask(self)
        self._counter.answered.connect(self._on_counts)
        self._counter.failed.connect(app.errors.report)
        self._counted: tuple[object, ...] = ()
        self.changes = BandChanges(app, model_id, page, self)
        self.improving = ImproveController(app, model_id, self)
        page.bar.add_own(graph_tools(app.actions, page.bar))

    @property
    def is_open(self) -> bool:
        return not self.canvas.isHidden()

    @property
    def graph(self) -> DecisionGraph | None:
        model = self._page.entry.model
        return model if isinstance(model, DecisionGraph) else None

    @property
    def below(self) -> Sequence[QWidget]:
        return self.improving.bar, self.canvas

    @property
    def active_canvas(self) -> Canvas:
        return self.canvas if self.is_open else self._page.canvas

    # -- edits

    def can_draw_edges(self, diagram: str) -> bool:
        """In the forest an edge is drawn to move a variable."""
        return diagram == FOREST

    def advise(self, source: str, target: str) -> EdgeAdvice:
        return self.changes.advise(source, target)

    def add_edge(self, source: str, target: str) -> bool:
        return self.changes.join(source, target)

    def delete(self) -> bool:
        self._page.canvas.refuse(_NOT_DELETED)
        return True

    # -- diagrams

    def open_diagram(self, diagram: str) -> str:
        self._page.bar.set_plain(diagram == NODES)
        if diagram != NODES:
            if self.is_open:
                self.improving.close()
                self.canvas.hide()
                self._page.canvas.show()
                self._page.setFocusProxy(self._page.canvas)
            return diagram
        if not self.is_open:
            self._page.canvas.hide()
            self.canvas.show()
            self._page.setFocusProxy(self.canvas)
        self.update_beliefs()
        return FOREST  # hidden; it holds the beliefs and positions of the variables

    def update_beliefs(self) -> None:
        """Show the graph, its beliefs and which bands are collapsed."""
        graph = self.graph
        if graph is None or not self.is_open:
            return
        modes = self._page.entry.display_modes
        collapsed = [name for name in graph.domain.names if modes.get(name) == COLLAPSED]
        faces = self._page.faces_of(forest_picture(graph))
        is_other = self.canvas.bands.graph is not graph
        self.canvas.bands.show_bands(graph, faces, collapsed)
        if is_other:
            self.improving.forget_last()
            rows = rows_of(self._app.project, self._page.entry)
            self._trail.see(self._model_id, graph, rows)
            self.canvas.bands.choose(self._nodes.chosen(self._model_id))
            self._on_selection(self._app.workspace.selection)
        self._ask_flows(graph)
        self._ask_counts(graph)
        self.canvas.refresh_soon()

    def stop(self) -> None:
        self._counter.forget()
        self.changes.stop()
        self.improving.stop()
        if self._model_id in self._app.project.models:
            self._page.asking.live.side.forget(_TOPIC)
        self.canvas.stop()

    # -- flows and counts

    def _ask_flows(self, graph: DecisionGraph) -> None:
        live = self._page.asking.live
        if live.model is graph:
            ask_flows(live, _TOPIC, partial(self._on_flows, graph))

    def _on_flows(self, graph: DecisionGraph, flows: NodeFlows) -> None:
        if self.canvas.bands.graph is graph:
            self.canvas.bands.show_flows(flows)
            self.canvas.refresh_soon()

    def _ask_counts(self, graph: DecisionGraph) -> None:
        project, entry = self._app.project, self._page.entry
        asked = (graph, project.data.get(entry.data_id or ""), self.canvas.bands.collapsed)
        if asked == self._counted:
            return
        self._counted = asked
        rows = rows_of(project, entry)
        if rows is None:
            self.canvas.bands.show_rows(None)
            return
        self._counter.ask(lambda _cancel: (graph, node_counts(graph, rows)))

    def _on_counts(self, result: tuple[DecisionGraph, tuple[Floats, ...]]) -> None:
        if self.canvas.bands.graph is result[0]:
            self.canvas.bands.show_rows(result[1])

    # -- nodes

    def _on_node_chosen(self, key: NodeKey | None) -> None:
        self._nodes.choose(self._model_id, key)  # before panels make way for what is selected
        if key is not None:
            self._page.canvas.signals.select.emit((key[0],), ())

    def _on_choice(self, model_id: str) -> None:
        if model_id == self._model_id and model_id in self._app.project.models:
            self.canvas.bands.choose(self._nodes.chosen(model_id))
            self.canvas.band_view.show_selected_soon()
            for action in (MERGE, SPLIT):
                self._app.actions.refresh(action)

    def _on_selection(self, selection: Selection) -> None:
        if self._app.workspace.model_id != self._model_id:
            return
        self.canvas.bands.show_selection(selection.nodes, ())
        chosen = self._nodes.chosen(self._model_id)
        if chosen is not None and selection.nodes != (chosen[0],):
            self._nodes.choose(self._model_id, None)

    def describe(self, key: NodeKey) -> str:
        """The tooltip of a node: its flow, and when it is reached."""
        graph, flows = self.canvas.bands.graph, self.canvas.bands.flows
        if graph is None:
            return ""
        i, node = graph.domain.index(key[0]), key[1]
        parts = [f"{node_name(graph, *key)} of {key[0]}"]
        if flows is not None:
            parts.append(f"P(reached | e) {percent(float(flows.visits[i][node]))} %")
            parts.append(
                f"in-flow {flows.in_flow[i][node]:.4g}, out-flow {flows.out_flow[i][node]:.4g}"
            )
        result = reach_rules(graph, *key, most=3)
        parts += [f"{'or ' if n else 'when '}{rule.text}" for n, rule in enumerate(result.rules)]
        if result.count > len(result.rules):
            parts.append(f"{result.count - len(result.rules)} more")
        item = self.canvas.bands.items_by_variable.get(key[0])
        if item is not None and item.nodes.rows is not None:
            parts.append(f"{int(item.nodes.rows[node])} rows reach this node")
        return "\n".join(parts)

    # -- menus, collapsing, refusals

    def toggle(self, variable: str) -> None:
        """Collapse the nodes of a variable, or show them again; an undoable step."""
        graph = self.graph
        if graph is None:
            return
        if graph.node_counts[graph.domain.index(variable)] < 2:
            self.canvas.refuse(f"{variable} has one node; there is nothing to collapse.")
            return
        is_open = variable not in self.canvas.bands.collapsed
        self.collapse([variable], is_open)

    def collapse(self, variables: list[str], on: bool) -> None:
        mode = COLLAPSED if on else None
        word = "Collapse" if on else "Expand"
        text = f"{word} {variables[0] if len(variables) == 1 else 'all nodes'}"
        edit = partial(set_display_mode, model_id=self._model_id, nodes=variables, mode=mode)
        self._app.change(text, edit)

    def measured_by(self) -> tuple[DataSet | None, ScoreWeight]:
        """The rows that changes are measured on, and how bits and size are weighed."""
        project = self._app.project
        entry = project.models[self._model_id]
        rows = rows_of(project, entry)
        return rows, weight_of(project, entry, rows)

    def move(self, variable: str, above: str | None) -> None:
        """In the forest of variables."""
        move(self._app, self._model_id, variable, above)

    def collapse_all(self, on: bool) -> None:
        graph = self.graph
        if graph is not None:
            counts = zip(graph.domain.names, graph.node_counts, strict=True)
            self.collapse([name for name, count in counts if count > 1], on)

    def _on_menu(self, hit: Hit, position: QPoint) -> None:
        if hit.node is not None:
            self._page.canvas.signals.select.emit((hit.node.id,), ())
        menu = band_menu(self._page, self, hit)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(position)

    def offer(self, command: str, key: NodeKey) -> None:
        """Open a menu of the merges or the split of a node, each with its change in score."""
        menu = QMenu(self.canvas)
        menu.setObjectName("graphOffer")
        menu.setToolTipsVisible(True)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if command == MERGE:
            add_merges(menu, self._app, self._model_id, self, key)
        else:
            add_split(menu, self._app, self._model_id, self, key)
        view = self.canvas.band_view
        corner = view.mapFromScene(self.canvas.bands.box_of(key)).boundingRect().bottomLeft()
        menu.popup(view.viewport().mapToGlobal(corner))

    def _on_node_menu(self, key: NodeKey, position: QPoint) -> None:
        menu = graph_node_menu(self._app, self._model_id, self, key)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(position)

    def _refuse_do(self, node: str, _how: Any) -> None:
        self.canvas.refuse(f"{node} cannot be intervened on: {self._page.asking.no_do_reason()}")

    def _on_refused(self, _variable: str, error: object) -> None:
        if self.is_open:
            self.canvas.refuse(str(error))
