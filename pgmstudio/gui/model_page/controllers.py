"""What a person does on the page of a model: evidence, edits, selection, edge strengths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QObject, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtWidgets import QApplication

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.drawing.diagram import PictureNode, Point, Size
from pgmstudio.core.drawing.layout.boxes import box_size, corners
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
from pgmstudio.core.inference.base import done_states
from pgmstudio.core.io.models.subnetwork_clipboard import Pasted, copied, paste_nodes, pasted
from pgmstudio.core.languages.bayesian_network.arc_reversal import (
    inherited_edges,
    not_reversible_reason,
)
from pgmstudio.core.languages.bayesian_network.conversions import plain_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.sessions import direction_note, no_intervention_reason
from pgmstudio.core.model import HasDag, UndirectedModel, edge_text
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.core.project import edits, model_edits
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.edge_strengths import StrengthKeeper
from pgmstudio.gui.canvas.layers import SurpriseMarks
from pgmstudio.gui.canvas.node_view import MODE_TITLES, NodeMode
from pgmstudio.gui.canvas.signals import EdgeAdvice, Hit
from pgmstudio.gui.canvas.tools import EdgeTool
from pgmstudio.gui.context import AppContext, Selection, ToastAction
from pgmstudio.gui.evidence.action_conditions import no_probabilities_reason
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.model_page.context_menu import canvas_menu, do_menu
from pgmstudio.gui.model_page.extension import PageExtension
from pgmstudio.gui.model_page.toolbar import ModelBar
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.widgets.actions import popup
from pgmstudio.gui.widgets.basic import Note, button
from pgmstudio.gui.widgets.debounce import one_shot

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage


class EvidenceController(QObject):
    """Sets the evidence of one model on request of one canvas."""

    def __init__(self, app: AppContext, model_id: str, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._app, self._model_id, self._canvas = app, model_id, canvas
        self.shows_structure = False  # whether the lines of the diagram are edges of the model
        signals = canvas.signals
        signals.click_state.connect(self._on_click_state)
        signals.exclude_state.connect(self._on_exclude_state)
        signals.toggle_state.connect(self._on_toggle_state)
        signals.likelihood.connect(self._on_likelihood)
        signals.clear_evidence.connect(self._on_clear_evidence)
        signals.do.connect(self._on_do)
        signals.do_menu.connect(self._on_do_menu)
        signals.target.connect(self._on_target_requested)
        canvas.scene.contents_changed.connect(self._show_cut)
        app.workspace.beliefs_changed.connect(self._on_beliefs_changed)
        canvas.view.explain_impossible = self.why_impossible
        self.live.refused.connect(self._on_refused)
        SurpriseMarks(app, model_id, canvas.surprise, canvas)

    @property
    def live(self) -> BeliefService:
        return self._app.workspace.beliefs(self._model_id)

    def _variable(self, node: str) -> str:
        # The request may come from another canvas, with a node that this one has not drawn yet.
        result = self._canvas.scene.picture.node.get(node)
        return node if result is None else result.variable or node

    def _refused(self, node: str) -> bool:
        """Whether the node is latent and so takes no evidence, which the canvas explains."""
        name = self._variable(node)
        if name in self.live.model.domain:
            return False
        self._canvas.refuse(
            f"{name} is hidden: a latent variable cannot be observed. Set evidence on the observed "
            "variables instead."
        )
        return True

    def _on_click_state(self, node: str, state: str) -> None:
        if not self._refused(node):
            self.live.click_state(self._variable(node), state)

    def _on_exclude_state(self, node: str, state: str) -> None:
        if not self._refused(node):
            self.live.exclude_state(self._variable(node), state)

    def _on_toggle_state(self, node: str, state: str) -> None:
        if not self._refused(node):
            self.live.toggle_one_of(self._variable(node), state)

    def _refused_likelihood(self, node: str) -> bool:
        """Whether the model takes no likelihoods, which the canvas explains."""
        reason = no_probabilities_reason(self.live.model)
        if reason is not None:
            self._canvas.refuse(f"No likelihood: {reason} Exclude states instead.")
        return reason is not None or self._refused(node)

    def _on_likelihood(self, node: str, weights: Mapping[str, float]) -> None:
        if not self._refused_likelihood(node):
            self.live.set_likelihood(self._variable(node), weights)

    def _on_clear_evidence(self, node: str) -> None:
        self.live.retract(self._variable(node))

    def _on_do(self, node: str, state: str) -> None:
        if not self._refused(node):
            self.live.do(self._variable(node), state)
            if note := direction_note(self.live.model, self.live.evidence):
                self._app.notify(note)

    def no_do_reason(self) -> str:
        """Why this model has no interventions; empty when it has."""
        return no_intervention_reason(self.live.model)

    def _on_do_menu(self, node: str, position: QPoint) -> None:
        """A menu of states to intervene with, for a node that does not show them."""
        reason = self.no_do_reason()
        if reason:
            self._canvas.refuse(f"No intervention on {self._variable(node)}: {reason}")
            return
        canvas = self._canvas
        popup(do_menu(canvas.scene.nodes[node].face, node, canvas, canvas), position)

    def _on_beliefs_changed(self, model_id: str) -> None:
        if model_id == self._model_id and model_id in self._app.project.models:
            self._show_cut()

    def _show_cut(self) -> None:
        """Mark the edges that interventions cut; lines without arrows only where they are edges
        of the model, as in a tree."""
        if self._model_id in self._app.project.models:
            done = done_states(self.live.evidence)
            self._canvas.scene.show_cut(done, lines_too=self.shows_structure)

    def _on_target_requested(self, node: str) -> None:
        if self._refused(node):
            return
        workspace, name = self._app.workspace, self._variable(node)
        workspace.set_target(None if workspace.target == name else name)

    def clear_all(self) -> None:
        self.live.clear()

    def begin_likelihood(self, node: str) -> None:
        """Set a likelihood of equal weights, ready to be dragged or changed with ← and →."""
        if self._refused_likelihood(node):
            return
        variable = self._variable(node)
        states = self.live.model.domain[variable].states
        self.live.set_likelihood(variable, dict.fromkeys(states, 1.0))
        self._canvas.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self._canvas.view.keys.enter(node)

    def _on_refused(self, _variable: str, error: object) -> None:
        if self._canvas.isVisible():
            self._canvas.refuse(str(error))

    def why_impossible(self, node: str, state: str) -> str:
        """The evidence that excludes a state whose belief is 0."""
        variable = self._variable(node)
        reason = None
        if variable in self.live.model.domain:
            reason = self.live.why_impossible(variable, state)
        return reason or f"{variable} = {state} is impossible."


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
        self._latest_task = LatestTask(self, self._on_size, self._on_failed)
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
            at=self._canvas.view.free_place(at),
        )
        self._canvas.view.hold()
        others_stay = self._moving(self._canvas.scene.positions)
        if self.change(f"Add {name}", edits.InOrder((others_stay, edit))):
            self._canvas.signals.select.emit((name,), ())
            self._report_where((name,))

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
        return edits.InOrder(
            (
                *(partial(remove_edge, source=source, target=target) for source, target in edges),
                *(partial(remove_node, name=name) for name in nodes),
            )
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
        turned = edits.InOrder(tuple(partial(turn, source=a, target=b) for a, b in edges))
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
        return reason, f"Reverse, keep the distribution, add {counted(len(added), 'edge')}"

    def turn(self, source: str, target: str) -> None:
        """Reverse the edge with new tables, so that the distribution stays as it is."""
        edit = partial(edits.turn_edge, model_id=self._model_id, source=source, target=target)
        if self.change(f"Reverse {source} → {target}, same distribution", edit):
            self._canvas.signals.select.emit((), ((target, source),))

    def _what(self, nodes: Iterable[str], edges: Iterable[Edge]) -> str:
        nodes, edges = tuple(nodes), tuple(edges)
        if len(nodes) + len(edges) == 1:
            return nodes[0] if nodes else edge_text(self.entry.model, *edges[0])
        parts = [counted(len(nodes), "node")] if nodes else []
        parts += [counted(len(edges), "edge")] if edges else []
        return " and ".join(parts)

    # -- positions

    def _moving(self, points: Mapping[str, Point]) -> Edit:
        return partial(
            model_edits.move_nodes,
            model_id=self._model_id,
            picture=self.picture_name,
            points=points,
        )

    def move_nodes(self, points: Mapping[str, Point]) -> None:
        self._canvas.view.stand_still()
        self._move_all(f"Move {self._what(tuple(points), ())}", points)

    def arrange(self, title: str, points: Mapping[str, Point]) -> None:
        """Apply a layout of the whole diagram."""
        self.change(f"Arrange: {title.lower()}", self._moving(points))

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
        self.change(text, self._moving({**self._canvas.scene.positions, **points}))

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
                edit = edits.InOrder((edit, self._moving(roomy)))
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
            self._app.notify(" ".join([f"Copied {counted(part.count, 'node')}.", *part.notices]))
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
        added = part.positions if at is not None else self._in_sight(part)
        points = {**scene.positions, **added}
        self._canvas.view.hold()
        how = partial(paste_nodes, model_id=self._model_id, part=part.part)
        result = partial(edits.replace_model, model_id=self._model_id, model=part.model)
        edit = edits.InOrder((edits.Computed(how, result), self._moving(points)))
        if self.change(f"Paste {self._what(part.names, ())}", edit):
            self._canvas.signals.select.emit(part.names, ())
            self._report_where(part.names)

    def _report_where(self, names: Sequence[str]) -> None:
        """Report on which side of the visible part new nodes are, if they are not in it."""
        sight = self._canvas.view.sight()
        outside = [
            QRectF(self._canvas.scene.nodes[name].box)
            for name in names
            if not sight.intersects(self._canvas.scene.nodes[name].box)
        ]
        if not outside:
            return
        middle = sum((box.center() for box in outside), QPointF()) / len(outside)
        away = middle - sight.center()
        if abs(away.x()) * sight.height() > abs(away.y()) * sight.width():
            side = "to the right of" if away.x() > 0 else "to the left of"
        else:
            side = "below" if away.y() > 0 else "above"
        self._app.notify(
            f"{counted(len(outside), 'new node')} {side} the visible part.",
            action=ToastAction("Show all", "Fit the graph to the view", self._canvas.view.fit),
        )

    def _in_sight(self, part: Pasted) -> dict[str, Point]:
        """Pasted nodes where they are, or at a free place in sight if they would be outside it."""
        if not part.positions:
            return {}
        sight = self._canvas.view.sight()
        left, top, right, bottom = corners(part.positions, self._sizes_of(part))
        block = QRectF(left, top, right - left, bottom - top)
        if sight.contains(block):
            return dict(part.positions)
        middle = sight.center()
        wanted = Box(middle.x(), middle.y(), block.width(), block.height())
        place = self._canvas.view.free_place_in_sight(wanted)
        by = QPointF() if place is None else QPointF(*place) - block.center()
        return {n: (round(x + by.x()), round(y + by.y())) for n, (x, y) in part.positions.items()}

    def _sizes_of(self, part: Pasted) -> dict[str, Size]:
        """The boxes that pasted nodes will have beside those that are there."""
        has_rows = any(item.face.shows_rows for item in self._canvas.scene.nodes.values())
        return {
            name: box_size(PictureNode(name, name), variable.states if has_rows else ())
            for name, variable in zip(part.names, part.part.domain, strict=True)
        }

    def duplicate(self) -> None:
        if self.copy():
            self.paste()


TABLE_PANEL = "tablePanel"


class SelectionController(QObject):
    """The selection of one model page, synchronised with the workspace."""

    def __init__(self, app: AppContext, model_id: str, page: ModelPage) -> None:
        super().__init__(page)
        self._app, self._model_id, self._page = app, model_id, page
        signals, workspace = page.canvas.signals, app.workspace
        signals.select.connect(self.select)
        signals.open_node.connect(self._on_open_node)
        signals.menu.connect(self._on_menu_requested)
        workspace.selection_changed.connect(self._on_selection_changed)
        workspace.active_model_changed.connect(self._on_active_model)

    def select(self, nodes: Iterable[str], edges: Iterable[tuple[str, str]]) -> None:
        """Select on the canvas and, if these are variables, in the workspace too."""
        if self._app.workspace.model_id != self._model_id:
            self._app.center.bring_to_front(self._page)
        names = self._page.entry.model.domain
        if all(node in names for node in nodes):
            self._app.workspace.select(nodes, edges)
        self._page.scene().show_selection(nodes, edges)

    def show_selection(self) -> None:
        """Mark the selection on the canvas if it is of this model."""
        self._on_selection_changed(self._app.workspace.selection)

    def ask_why(self) -> None:
        """Explain why the selected variables have an edge, or none."""
        self._app.actions.refresh("model.why")
        self._app.actions["model.why"].trigger()

    def _on_selection_changed(self, selection: Selection) -> None:
        if self._app.workspace.model_id == self._model_id:
            self._page.scene().show_selection(selection.nodes, selection.edges)

    def _on_active_model(self, model_id: str | None) -> None:
        if model_id == self._model_id:
            self.show_selection()

    def _on_open_node(self, node: str) -> None:
        self.select((node,), ())
        self._app.reveal(TABLE_PANEL)

    def _on_menu_requested(self, hit: Hit, position: QPoint) -> None:
        page = self._page
        if hit.node is not None and hit.node.id not in page.scene().selected_nodes:
            self.select((hit.node.id,), ())
        elif hit.node is None and hit.edge is not None:
            self.select((), (hit.edge.ends,))
        popup(canvas_menu(page, hit, page), position)


class StrengthController(QObject):
    """The edge strengths of one model page; `note` shows the progress with a Stop button."""

    def __init__(self, app: AppContext, model_id: str, canvas: Canvas, bar: ModelBar) -> None:
        super().__init__(canvas)
        self._app, self._model_id = app, model_id
        self._canvas, self._bar = canvas, bar
        self.note = Note(name="measuringNote")
        self.note.add_button(
            button(
                "Stop",
                partial(self.choose, "none"),
                role="link",
                icon_name="stop",
                tip="Stop measuring; all edges get the same width.",
                name="stopMeasuring",
            )
        )
        sources = model_sources(app)
        self._keeper = StrengthKeeper(
            app.workspace.beliefs(model_id),
            self,
            rows=partial(sources.rows_or_why, model_id),
            replicates=partial(sources.frequencies_or_why, model_id),
        )
        self._keeper.changed.connect(canvas.show_strengths)
        self._keeper.measuring.connect(self.note.show_text)
        self._keeper.refused.connect(self._on_refused)
        self._keeper.failed.connect(self._on_failed)
        bar.strength_chosen.connect(self.choose)
        app.document.changed.connect(self._on_document_changed)

    @property
    def kind(self) -> str:
        """The measure shown as the width of edges."""
        return self._keeper.kind

    def choose(self, kind: str) -> None:
        """Choose the measure shown as the width of edges."""
        self._bar.show_strength(kind)
        self._keeper.choose(kind)

    def follow(self) -> None:
        """Measure again if the model has changed."""
        self._keeper.follow()

    def tooltip_for(self, source: str, target: str) -> str:
        """The strength of an edge as a text for its tooltip."""
        shown = self._canvas.strengths
        return "" if shown is None else shown.tooltip_for((source, target))

    def stop(self) -> None:
        self._keeper.stop()

    def _on_document_changed(self, _before: object, after: object) -> None:
        # The data or the bootstrap changed; a change of the model comes with its beliefs.
        if self._keeper.is_on and self._model_id in self._app.project.models:
            self._keeper.follow()

    def _on_refused(self, text: str) -> None:
        self._bar.show_strength("none")
        self._canvas.show_strengths(None)
        self._canvas.refuse(text, self._canvas.view.rect().center())

    def _on_failed(self, error: BaseException) -> None:
        self.choose("none")
        self._app.errors.report(error)
