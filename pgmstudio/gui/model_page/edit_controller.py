"""Requests of a canvas as undoable edits of its model; a refusal is explained at the pointer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtWidgets import QApplication

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.drawing.diagram import Point
from pgmstudio.core.drawing.snapping import (
    SIDES,
    Box,
    distributed,
    lined_up,
    snapped_to_grid,
    spread,
)
from pgmstudio.core.errors import CycleError, PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.junction_tree import SizeForecast, size_with_edge
from pgmstudio.core.io.models.subnetwork_clipboard import copied, pasted
from pgmstudio.core.languages.bayesian_network.arc_reversal import (
    inherited_edges,
    not_reversible_reason,
)
from pgmstudio.core.languages.bayesian_network.conversions import plain_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.model import HasDag, UndirectedModel, edge_text
from pgmstudio.core.number_format import grouped
from pgmstudio.core.project import edits, model_edits
from pgmstudio.core.project import edits as equivalence_edits
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.edge_tool import EdgeTool
from pgmstudio.gui.canvas.node_view import MODE_TITLES, NodeMode
from pgmstudio.gui.canvas.signals import EdgeAdvice
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.model_page.extension import PageExtension
from pgmstudio.gui.widgets.debounce import one_shot

# The pointer passes over many nodes on its way; only where it rests is worth a triangulation.
REST_MS = 60

Question = tuple[BayesianNetwork, str, str]


class EdgeForecaster(QObject):
    """Triangulates once at a time; of the requests that arrive meanwhile the newest is answered."""

    forecast_ready = Signal(str, str, object)  # source, target, SizeForecast
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted: Question | None = None
        self._asked: Question | None = None  # being answered
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_size)
        self._latest_task.failed.connect(self._on_failed)
        self._rest = one_shot(self, self._go_on, REST_MS)

    def ask(self, model: BayesianNetwork, source: str, target: str) -> None:
        self._wanted = model, source, target
        self._rest.start()

    def forget(self) -> None:
        """No edge is being drawn any more."""
        self._wanted = None
        self._rest.stop()

    def _go_on(self) -> None:
        if self._asked is None and self._wanted is not None and not self._rest.isActive():
            self._asked, self._wanted = self._wanted, None
            self._latest_task.ask(partial(_size, *self._asked))

    def _on_size(self, size: SizeForecast) -> None:
        asked, self._asked = self._asked, None
        if asked is not None and self._wanted is None:
            self.forecast_ready.emit(asked[1], asked[2], size)
        self._go_on()

    def _on_failed(self, error: object) -> None:
        self._asked = None
        self.failed.emit(error)
        self._go_on()


def _size(model: BayesianNetwork, source: str, target: str, _cancel: CancelToken) -> SizeForecast:
    indices = model.domain.index(source), model.domain.index(target)
    return size_with_edge(model.clique_tree, model.dag.parent_indices, *indices)


Edit = Callable[[Project], Project]
Edge = tuple[str, str]

# Tables with more rows than this are announced as large while an edge is drawn.
LARGE_TABLE = 512
NEW_STATES = ("yes", "no")


def in_order(*some: Edit) -> Edit:
    """One edit that makes several, in order."""
    return lambda project: reduce(lambda so_far, edit: edit(so_far), some, project)


def edge_advice(entry: ModelEntry, source: str, target: str) -> EdgeAdvice:
    """The rows of the target's table before and after, or why the edge is refused."""
    model = entry.model
    if isinstance(model, UndirectedModel) and {source, target} in map(set, model.undirected_edges):
        text = edge_text(model, source, target)
        return EdgeAdvice("edge exists", refusal=f"{text} exists already.")
    if not (isinstance(model, HasDag) and isinstance(model, model_edits.EditableTables)):
        return EdgeAdvice()
    if model.dag.has_edge(source, target):
        return EdgeAdvice("edge exists", refusal=f"{source} → {target} exists already.")
    path = model.dag.path(target, source)
    if path is not None:
        return EdgeAdvice(
            "closes a cycle", refusal=str(CycleError(source, target, path)), path=path
        )
    before = model.table(target).size // model.domain[target].cardinality
    after = before * model.domain[source].cardinality
    return EdgeAdvice(f"{grouped(before)} → {grouped(after)} rows", after > LARGE_TABLE)


class EditController(QObject):
    """Edits one model on request of one canvas."""

    def __init__(self, app: AppContext, model_id: str, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._app, self._model_id, self._canvas = app, model_id, canvas
        self.picture_name = ""
        self.extension: PageExtension | None = None  # set by the page
        self._forecasts = EdgeForecaster(self)
        self._forecasts.forecast_ready.connect(self._on_forecast)
        self._forecasts.failed.connect(app.errors.report)
        signals = canvas.signals
        signals.move.connect(self.move_nodes)
        signals.add_edge.connect(self.add_edge)
        signals.add_node.connect(self.add_node)
        signals.rename.connect(self.rename)
        signals.delete.connect(self.delete_selected)
        signals.reverse.connect(self.reverse_selected)
        signals.copy.connect(self.copy)
        signals.cut.connect(self.cut)
        signals.paste.connect(self.paste)
        signals.duplicate.connect(self.duplicate)

    @property
    def entry(self) -> ModelEntry:
        return self._app.project.models[self._model_id]

    def change(self, text: str, edit: Edit) -> bool:
        """Make one undoable edit; a refusal is shown at the pointer and changes nothing."""
        try:
            self._app.document.change(text, edit)
        except PgmStudioError as refusal:
            self._canvas.refuse(str(refusal))
            return False
        return True

    # -- structure

    def advise(self, source: str, target: str) -> EdgeAdvice:
        """Show what is known at once; the change of the junction tree follows."""
        self._forecasts.forget()
        own = None if self.extension is None else self.extension.advise(source, target)
        if own is not None:
            return own
        advice = edge_advice(self.entry, source, target)
        network = plain_network(self.entry.model)
        if network is not None and not advice.refusal:
            self._forecasts.ask(network, source, target)
        return advice

    def _on_forecast(self, source: str, target: str, size: SizeForecast) -> None:
        tool = self._canvas.view.tool
        if isinstance(tool, EdgeTool):
            before, after = grouped(size.before), grouped(size.after)
            text = f"{before} → {after} junction-tree cells" if size.grows else "same cliques"
            tool.add_forecast(source, target, text, size.is_warning)

    def add_edge(self, source: str, target: str) -> None:
        if self.extension is not None and self.extension.add_edge(source, target):
            return
        edit = partial(model_edits.add_edge, model_id=self._model_id, source=source, target=target)
        self.change(f"Add {edge_text(self.entry.model, source, target)}", edit)

    def add_node(self, name: str, at: Point) -> None:
        edit = partial(
            model_edits.add_variable,
            model_id=self._model_id,
            variable=Variable(name, NEW_STATES),
            picture=self.picture_name,
            at=at,
        )
        self._canvas.view.stand_still()
        if self.change(f"Add {name}", in_order(self._hold_positions(), edit)):
            self._canvas.signals.select.emit((name,), ())

    def rename(self, old: str, new: str) -> None:
        if new != old:
            edit = partial(model_edits.rename_variable, model_id=self._model_id, old=old, new=new)
            self.change(f"Rename {old} to {new}", edit)

    def delete_selected(self) -> None:
        if self.extension is not None and self.extension.delete():
            return
        scene = self._canvas.scene
        nodes = scene.selected_nodes
        edges = [e for e in scene.selected_edges if e[0] not in nodes and e[1] not in nodes]
        if not nodes and not edges:
            self._canvas.refuse("Nothing is selected. Click a node or an edge first.")
            return
        self.delete(nodes, edges)

    def _deleting(self, nodes: Iterable[str], edges: Iterable[Edge]) -> Edit:
        remove_edge = partial(model_edits.remove_edge, model_id=self._model_id)
        remove_node = partial(model_edits.remove_variable, model_id=self._model_id)
        return in_order(
            *(partial(remove_edge, source=source, target=target) for source, target in edges),
            *(partial(remove_node, name=name) for name in nodes),
        )

    def delete(self, nodes: Iterable[str] = (), edges: Iterable[Edge] = ()) -> None:
        nodes, edges = tuple(nodes), tuple(edges)
        self._canvas.view.stand_still()
        if self.change(f"Delete {self._what(nodes, edges)}", self._deleting(nodes, edges)):
            self._canvas.view.stop_hover()

    def reverse_selected(self) -> None:
        self.reverse(self._canvas.scene.selected_edges)

    def reverse(self, edges: Iterable[Edge]) -> None:
        edges = tuple(edges)
        if not edges:
            self._canvas.refuse("No edge is selected; click an edge first.")
            return
        turn = partial(model_edits.reverse_edge, model_id=self._model_id)
        turned = in_order(*(partial(turn, source=a, target=b) for a, b in edges))
        if self.change(f"Reverse {self._what((), edges)}", turned):
            self._canvas.signals.select.emit((), tuple((b, a) for a, b in edges))

    def turning(self, source: str, target: str) -> tuple[str, str]:
        """Why the edge is not covered (empty: it is), and the text for reversing it."""
        model = plain_network(self.entry.model)
        if model is None or not model.dag.has_edge(source, target):
            return "this is not an edge of a Bayesian network.", ""
        reason = not_reversible_reason(model.dag, source, target)
        if reason:
            return reason, ""
        added = inherited_edges(model.dag, source, target)
        if not added:
            return "", ""
        named = ", ".join(" → ".join(edge) for edge in added)
        reason = f"the two have other parents besides each other; {named} would be needed."
        return reason, f"Reverse, keep the distribution, add {_count(len(added), 'edge')}"

    def turn(self, source: str, target: str) -> None:
        """Reverse the edge with new tables, so that the distribution stays as it is."""
        edit = partial(
            equivalence_edits.turn_edge, model_id=self._model_id, source=source, target=target
        )
        if self.change(f"Reverse {source} → {target}, same distribution", edit):
            self._canvas.signals.select.emit((), ((target, source),))

    def _what(self, nodes: Iterable[str], edges: Iterable[Edge]) -> str:
        nodes, edges = tuple(nodes), tuple(edges)
        if len(nodes) + len(edges) == 1:
            return nodes[0] if nodes else edge_text(self.entry.model, *edges[0])
        parts = [_count(len(nodes), "node")] if nodes else []
        parts += [_count(len(edges), "edge")] if edges else []
        return " and ".join(parts)

    # -- positions

    def _hold_positions(self) -> Edit:
        """Store the present positions, so that the other nodes stay when one is added."""
        return partial(
            model_edits.move_nodes,
            model_id=self._model_id,
            picture=self.picture_name,
            points=self._canvas.scene.positions,
        )

    def move_nodes(self, points: Mapping[str, Point]) -> None:
        whole = {**self._canvas.scene.positions, **points}
        self._canvas.view.stand_still()
        self._position(f"Move {self._what(tuple(points), ())}", whole)

    def _position(self, text: str, points: Mapping[str, Point]) -> None:
        edit = partial(
            model_edits.move_nodes,
            model_id=self._model_id,
            picture=self.picture_name,
            points=points,
        )
        self.change(text, edit)

    def arrange(self, title: str, points: Mapping[str, Point]) -> None:
        """Apply a layout of the whole diagram."""
        self._position(f"Arrange: {title.lower()}", points)

    def _boxes(self, least: int, what: str) -> dict[str, Box]:
        scene = self._canvas.scene
        chosen = {i: scene.nodes[i] for i in scene.selected_nodes}
        if len(chosen) < least:
            self._canvas.refuse(f"Select at least {least} nodes to {what}.")
            return {}
        return {i: Box(*item.centre, *item.size) for i, item in chosen.items()}

    def align(self, side: str) -> None:
        boxes = self._boxes(2, "align")
        if boxes:
            self._move_all(SIDES[side], lined_up(boxes, side))

    def distribute(self, *, across: bool) -> None:
        boxes = self._boxes(3, "distribute")
        if boxes:
            text = f"Distribute {'across' if across else 'down'}"
            self._move_all(text, distributed(boxes, across=across))

    def snap_all(self) -> None:
        points = self._canvas.scene.positions
        self._move_all("Snap to grid", {i: snapped_to_grid(p) for i, p in points.items()})

    def _move_all(self, text: str, points: Mapping[str, Point]) -> None:
        self._position(text, {**self._canvas.scene.positions, **points})

    # -- node modes

    def set_mode(
        self, mode: NodeMode, nodes: Iterable[str], sizes: Mapping[str, tuple[float, float]]
    ) -> None:
        """Draw nodes in a mode; a manual layout is stretched where boxes would overlap."""
        nodes = tuple(nodes)
        edit: Edit = partial(
            model_edits.set_display_mode, model_id=self._model_id, nodes=nodes, mode=mode.value
        )
        stored = self.entry.layouts.get(self.picture_name)
        if stored:
            indices = {i: p for i, p in self._canvas.scene.positions.items() if i in sizes}
            roomy = spread(indices, sizes, 16.0)
            if roomy != indices:
                edit = in_order(
                    edit,
                    partial(
                        model_edits.move_nodes,
                        model_id=self._model_id,
                        picture=self.picture_name,
                        points=roomy,
                    ),
                )
        self.change(f"Show {MODE_TITLES[mode].lower()}", edit)

    # -- clipboard

    def copy(self) -> bool:
        nodes = self._canvas.scene.selected_nodes
        if not nodes:
            self._canvas.refuse("No node is selected; click the nodes to copy first.")
            return False
        try:
            part = copied(self.entry.model, nodes, self._canvas.scene.positions)
        except PgmStudioError as refusal:
            self._canvas.refuse(str(refusal))
            return False
        data = QMimeData()
        data.setText(part.text)
        QApplication.clipboard().setMimeData(data)
        if part.notices:
            self._app.notify(" ".join([f"Copied {_count(part.count, 'node')}.", *part.notices]))
        return True

    def cut(self) -> None:
        if self.copy():
            self.delete_selected()

    def paste(self, at: Point | None = None) -> None:
        scene = self._canvas.scene
        try:
            text = QApplication.clipboard().text()
            part = pasted(self.entry.model, text, at, scene.positions)
        except PgmStudioError as refusal:
            self._canvas.refuse(str(refusal))
            return
        points = {**scene.positions, **part.positions}
        edit = in_order(
            partial(edits.replace_model, model_id=self._model_id, model=part.model),
            partial(
                model_edits.move_nodes,
                model_id=self._model_id,
                picture=self.picture_name,
                points=points,
            ),
        )
        if self.change(f"Paste {self._what(part.names, ())}", edit):
            self._canvas.signals.select.emit(part.names, ())

    def duplicate(self) -> None:
        if self.copy():
            self.paste()


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
