"""The page of a decision graph: its diagram, context menus, and drags with their effect."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QMenu, QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.pdg.candidate_operations import (
    CandidateOperation,
    Operation,
    OperationEffect,
    ScoreWeight,
    merges_of,
    operation_effect,
    redirections_from,
)
from pgmstudio.core.languages.pdg.diagrams import (
    NODES,
    forest_picture,
    node_name,
    node_numbers,
    operation_text,
)
from pgmstudio.core.languages.pdg.measures import node_counts
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.node_facts import Move, is_under, move_of, reach_rules
from pgmstudio.core.languages.pdg.session import NodeFlows
from pgmstudio.core.number_format import change, percent
from pgmstudio.core.project.model_edits import set_display_mode
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.signals import EdgeAdvice, Hit
from pgmstudio.gui.canvas.tools import EdgeTool
from pgmstudio.gui.context import Selection
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.pdg.canvas import BandCanvas
from pgmstudio.gui.languages.pdg.drag import NOT_MEASURED, Change, VariablePosition
from pgmstudio.gui.languages.pdg.graph_tools import MERGE, SPLIT, graph_tools
from pgmstudio.gui.languages.pdg.improve import ImproveController
from pgmstudio.gui.languages.pdg.nodes import (
    NodeKey,
    ask_flows,
    graph_nodes,
    move,
    rows_of,
    take,
    weight_of,
)
from pgmstudio.gui.languages.pdg.size_history import graph_trail
from pgmstudio.gui.model_page.context_menu import canvas_menu
from pgmstudio.gui.model_page.extension import PageExtension
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.actions import popup
from pgmstudio.gui.widgets.basic import literal, named
from pgmstudio.gui.widgets.debounce import one_shot

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage

T = TypeVar("T")

# A menu with more lines is not read.
MAX_LISTED = 12
# Items not measured by then have no numbers in the menu; the inspector shows them later.
MAX_SECONDS = 0.1  # of this thread
TAB = "\t"  # what follows it stands at the right of a menu


def band_menu(page: ModelPage, controller: PdgExtension, hit: Hit) -> QMenu:
    """Add the actions on a variable and on all its nodes."""
    menu = canvas_menu(page, hit, page)
    graph = controller.graph
    menu.addSeparator()
    if hit.node is not None and graph is not None:
        name = hit.node.id
        is_folded = name in controller.canvas.bands.collapsed
        fold = menu.addAction("Expand nodes" if is_folded else "Collapse nodes")
        fold.setObjectName("menu.collapse")
        has_several = graph.node_counts[graph.domain.index(name)] > 1
        fold.setEnabled(has_several)
        fold.setToolTip("" if has_several else "Not now: it has one node.")
        fold.triggered.connect(partial(controller.toggle, name))
        _add_move(menu, controller, graph, name)
    else:
        for text, on in (("Collapse all nodes", True), ("Expand all nodes", False)):
            action = menu.addAction(text)
            action.triggered.connect(partial(controller.collapse_all, on))
    return menu


def _add_move(menu: QMenu, controller: PdgExtension, graph: DecisionGraph, name: str) -> None:
    i = graph.domain.index(name)
    positions: list[str | None] = [] if graph.forest[i] is None else [None]
    for other, title in enumerate(graph.domain.names):
        if other != i and other != graph.forest[i] and not is_under(graph, other, i):
            positions.append(title)
    moves = menu.addMenu(icon("tree-structure"), "Move in the forest")
    moves.setObjectName("menu.move")
    moves.setToolTipsVisible(True)
    moves.setEnabled(bool(positions))
    actions = []
    for above in positions:
        action = moves.addAction("To the top" if above is None else literal(f"Below {above}"))
        action.triggered.connect(partial(controller.move, name, above))
        actions.append((action, above))

    def measure() -> None:
        """Measure when the menu is opened, and only as many positions as it lists."""
        rows, weight = controller.measured_by()
        for action, above in _in_time(actions[:MAX_LISTED]):
            result = move_of(graph, name, above, rows)
            action.setEnabled(not result.refusal)
            action.setToolTip(f"Not now: {result.refusal}" if result.refusal else "")
            if not result.refusal:
                text = action.text().partition(TAB)[0]
                action.setText(f"{text}{TAB}{effect_text(result, weight)}")

    moves.aboutToShow.connect(measure)


def _in_time(entries: Sequence[T]) -> Iterator[T]:
    """One after the other, until a person would notice."""
    end = time.thread_time() + MAX_SECONDS
    for entry in entries:
        yield entry
        if time.thread_time() > end:
            return


def effect_text(effect: OperationEffect | Move, weight: ScoreWeight) -> str:
    """ΔL, Δsize and Δscore in short."""
    size = change(effect.size, 0)
    if effect.bits is None:
        return f"size {size}"
    score = weight.gain(effect.bits, effect.size, effect.free)
    return f"{change(effect.bits)} bits, size {size}, score {change(score)}"


def add_merges(menu: QMenu, controller: PdgExtension, key: NodeKey) -> str:
    """A line for each node it can be merged with, the one that loses least first; why there is
    none when there is none."""
    graph = controller.graph
    if graph is None:
        return "its graph is gone."
    rows, weight = controller.measured_by()
    counts = None if rows is None else node_counts(graph, rows)
    result = merges_of(graph, *key, counts)
    legal = sorted((p for p in result if not p.refusal), key=lambda p: -(p.bits or 0.0))
    for choice in legal[:MAX_LISTED]:
        name = node_name(graph, key[0], choice.step.other)
        action = menu.addAction(literal(f"{name}{TAB}{effect_text(choice, weight)}"))
        action.triggered.connect(partial(controller.take, choice.step))
    if legal:
        return ""
    return next((p.refusal for p in result if p.refusal), "its variable has no other node.")


def add_split(menu: QMenu, controller: PdgExtension, key: NodeKey) -> None:
    """One line, greyed with the reason where there is nothing to split."""
    graph = controller.graph
    if graph is None:
        return
    rows, weight = controller.measured_by()
    split = operation_effect(graph, CandidateOperation(Operation.SPLIT, *key), rows)
    text = "Split" if split.refusal else f"Split{TAB}{effect_text(split, weight)}"
    action = menu.addAction(icon("git-fork"), text)
    action.setObjectName("menu.split")
    action.setEnabled(not split.refusal)
    action.setToolTip(f"Not now: {split.refusal}" if split.refusal else "One node for each arc.")
    action.triggered.connect(partial(controller.take, split.step))


def graph_node_menu(controller: PdgExtension, key: NodeKey) -> QMenu:
    """Add merge, split and redirect, each with its change in score."""
    menu = named(QMenu(controller.canvas), "graphNodeMenu")
    menu.setToolTipsVisible(True)
    graph = controller.graph
    if graph is None:
        return menu
    rows, weight = controller.measured_by()
    merges = menu.addMenu(icon("git-merge"), "Merge with")
    merges.setObjectName("menu.merge")
    refusal = add_merges(merges, controller, key)
    merges.setEnabled(not refusal)
    merges.menuAction().setToolTip(f"Not now: {refusal}" if refusal else "")
    add_split(menu, controller, key)
    arcs = menu.addMenu(icon("path"), "Redirect an arc")
    arcs.setObjectName("menu.redirect")
    numbers = dict(zip(graph.domain.names, node_numbers(graph), strict=True))
    steps = sorted(
        redirections_from(graph, *key),
        key=lambda one: (one.variable, one.state, numbers[one.variable][one.node]),
    )[:MAX_LISTED]
    arcs.setEnabled(bool(steps))
    why = "Not now: no arc of it has another node to go to."
    arcs.menuAction().setToolTip("" if steps else why)
    actions = [arcs.addAction(literal(operation_text(graph, step))) for step in steps]
    for arc, step in zip(actions, steps, strict=True):
        arc.triggered.connect(partial(controller.take, step))

    def measure() -> None:
        """Only when it is opened: every arc is a walk through all rows."""
        for arc, step in _in_time(list(zip(actions, steps, strict=True))):
            result = operation_effect(graph, step, rows)
            arc.setText(f"{operation_text(graph, step)}{TAB}{effect_text(result, weight)}")

    arcs.aboutToShow.connect(measure)
    menu.addSeparator()
    fold = menu.addAction("Collapse the nodes of this variable")
    is_alone = graph.node_counts[graph.domain.index(key[0])] < 2
    fold.setEnabled(not is_alone)
    fold.setToolTip("Not now: it has one node." if is_alone else "")
    fold.triggered.connect(partial(controller.toggle, key[0]))
    return menu


# The pointer passes over many nodes on its way; only where it rests is worth measuring.
REST_MS = 40
ImprovedModel = tuple[Change, str, str]  # with its effect, or why it is not possible


class BandChanges(QObject):
    """Serves the bands, and the edge tool of the variable forest."""

    def __init__(self, page: ModelPage, controller: PdgExtension) -> None:
        super().__init__(controller)
        self._page, self._controller = page, controller
        self._wanted: Change | None = None
        self.measured: ImprovedModel | None = None
        self._latest_task = LatestTask(self, self._on_result, page.app.errors.report)
        self._rest = one_shot(self, self._ask, REST_MS)
        view = controller.canvas.band_view
        view.can_drag = True
        view.change_previewed.connect(self.want)
        view.change_requested.connect(self.do)
        page.canvas.view.is_pruned = True  # so that the Delete key gets an answer

    def stop(self) -> None:
        self._rest.stop()
        self._latest_task.forget()

    # -- measuring

    def want(self, change: Change | None) -> None:
        """A change is previewed; None: the preview ended."""
        self.stop()
        self._wanted, self.measured = change, None
        if change is not None:
            self._rest.start()

    def _ask(self) -> None:
        graph, change = self._controller.graph, self._wanted
        if graph is None or change is None:
            return
        self._latest_task.ask(partial(_result, graph, change, *self._controller.measured_by()))

    def _on_result(self, result: ImprovedModel) -> None:
        if result[0] != self._wanted:
            return
        self.measured = result
        self._controller.canvas.band_view.drag.show_text(*result)
        change, effect, refusal = result
        tool = self._page.canvas.view.tool
        if isinstance(change, VariablePosition) and isinstance(tool, EdgeTool):
            text = "cannot be done" if refusal else effect
            tool.add_forecast(change.above, change.variable, text, bool(refusal))

    # -- doing

    def do(self, change: Change) -> None:
        if isinstance(change, VariablePosition):
            self._controller.move(change.variable, change.above)
        else:
            self._controller.take(change)

    # -- the variable forest: an edge drawn there moves its target

    def advise(self, above: str, variable: str) -> EdgeAdvice:
        position = VariablePosition(variable, above)
        self.want(position)
        return EdgeAdvice(position.text)

    def join(self, above: str, variable: str) -> bool:
        """Make a measured change on a drop over a variable, or show why it is not possible."""
        result, self.measured = self.measured, None
        position = VariablePosition(variable, above)
        if result is None or result[0] != position:
            self._page.canvas.refuse(NOT_MEASURED)
        elif result[2]:
            self._page.canvas.refuse(result[2])
        else:
            self.do(position)
        return True


def _result(
    graph: DecisionGraph,
    change: Change,
    rows: DataSet | None,
    weight: ScoreWeight,
    _cancel: CancelToken,
) -> ImprovedModel:
    if isinstance(change, CandidateOperation):
        step = operation_effect(graph, change, rows)
        return change, effect_text(step, weight), step.refusal
    position = move_of(graph, change.variable, change.above, rows)
    return change, effect_text(position, weight), position.refusal


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
        self._counter = LatestTask(self, self._on_counts, app.errors.report)
        self._counted: tuple[object, ...] = ()
        self.changes = BandChanges(page, self)
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

    def take(self, step: CandidateOperation) -> None:
        """Make a step on a node, undoably."""
        take(self._app, self._model_id, step)

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
        popup(band_menu(self._page, self, hit), position)

    def offer(self, command: str, key: NodeKey) -> None:
        """Open a menu of the merges or the split of a node, each with its change in score."""
        menu = named(QMenu(self.canvas), "graphOffer")
        menu.setToolTipsVisible(True)
        if command == MERGE:
            add_merges(menu, self, key)
        else:
            add_split(menu, self, key)
        view = self.canvas.band_view
        corner = view.mapFromScene(self.canvas.bands.box_of(key)).boundingRect().bottomLeft()
        popup(menu, view.viewport().mapToGlobal(corner))

    def _on_node_menu(self, key: NodeKey, position: QPoint) -> None:
        popup(graph_node_menu(self, key), position)

    def _refuse_do(self, node: str, _how: Any) -> None:
        self.canvas.refuse(f"{node} cannot be intervened on: {self._page.asking.no_do_reason()}")

    def _on_refused(self, _variable: str, error: object) -> None:
        if self.is_open:
            self.canvas.refuse(str(error))
