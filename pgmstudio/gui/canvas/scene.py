"""The scene of a canvas: items for the nodes and edges of a picture, reused when it changes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QEasingCurve, QObject, QPointF, QRectF, QVariantAnimation, Signal
from PySide6.QtWidgets import QGraphicsScene

from pgmstudio.core.drawing.diagram import (
    GraphPicture,
    Neighbourhoods,
    PictureEdge,
    PictureNode,
    Point,
    Size,
)
from pgmstudio.core.drawing.layout.boxes import readable_zoom
from pgmstudio.core.drawing.layout.edge_routing import EdgeRoute
from pgmstudio.gui.canvas.edge_item import EdgeItem, RouteMaker, straight_route
from pgmstudio.gui.canvas.layers import TagLayer, place_labels
from pgmstudio.gui.canvas.node_item import NodeItem
from pgmstudio.gui.canvas.node_view import Heat, LevelOfDetail, NodeView
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.debounce import AFTER_PAINT_MS, one_shot


class Slide(QObject):
    """An animation that calls `step` with fractions from 0 to 1, or once with 1 if motion is
    reduced."""

    def __init__(self, name: str, parent: QObject) -> None:
        """`name` is the animation in the token file: "bars" or "layout"."""
        super().__init__(parent)
        self._name = name
        self._step: Callable[[float], None] | None = None
        self._clock = QVariantAnimation(self)
        self._clock.setStartValue(0.0)
        self._clock.setEndValue(1.0)
        self._clock.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._clock.valueChanged.connect(self._on_tick)

    @property
    def is_running(self) -> bool:
        return self._clock.state() == QVariantAnimation.State.Running

    def start(self, step: Callable[[float], None]) -> None:
        """Start the animation; one that is still running stops where it is."""
        self.stop()
        duration = theme().motion_ms(self._name)
        if duration == 0:
            step(1.0)
            return
        self._step = step
        self._clock.setDuration(duration)
        self._clock.start()

    def stop(self) -> None:
        self._step = None
        self._clock.stop()

    def finish(self) -> None:
        """Jump to the end."""
        if self.is_running and self._step is not None:
            step = self._step
            self.stop()
            step(1.0)

    def _on_tick(self, fraction: Any) -> None:
        if self._step is not None:
            self._step(float(fraction))


Values = tuple[float, ...]


def between(
    start: Mapping[str, Values], end: Mapping[str, Values], fraction: float
) -> dict[str, Values]:
    """Values interpolated from `start` to `end`; exactly `end` at 1."""
    if fraction >= 1:
        return dict(end)
    return {
        key: tuple(a + (b - a) * fraction for a, b in zip(start[key], values, strict=True))
        for key, values in end.items()
    }


Edge = tuple[str, str]
DIMMED = 0.35
# More bars than this are not animated: the eye cannot follow them.
MAX_SLIDING = 150


class CanvasScene(QGraphicsScene):
    """A graphics scene of nodes and edges; gestures are handled by its view."""

    is_fixed = False  # nodes cannot be moved
    contents_changed = Signal()  # nodes, edges or positions: for legend and minimap
    boxes_resized = Signal(object)  # ids of nodes whose evidence or target made them wider, …
    marks_changed = Signal(object)  # ids of nodes with other evidence, or the target
    selection_shown = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.zoomed = LevelOfDetail()
        self.picture = GraphPicture(())
        self.near = Neighbourhoods(self.picture)
        self.nodes: dict[str, NodeItem] = {}
        self.edges: dict[Edge, EdgeItem] = {}
        self._edges_at: dict[str, list[EdgeItem]] = {}
        self.tag_layer: TagLayer | None = None  # once an edge has a tag
        self.selected_nodes: tuple[str, ...] = ()
        self.selected_edges: tuple[Edge, ...] = ()
        self._bars = Slide("bars", self)
        self._positions = Slide("layout", self)
        self._routes = RouteMaker(self)
        self._routes.routed.connect(self._on_routed)
        self._resized: set[str] = set()
        self._reroute = one_shot(self, self._route_resized, AFTER_PAINT_MS)
        self._has_cut = False
        self._bright: frozenset[str] | None = None
        self._kept_bright: frozenset[str] = frozenset()
        theme().changed.connect(self._on_theme_changed)

    # -- contents

    def show_picture(
        self,
        picture: GraphPicture,
        faces: Mapping[str, NodeView],
        positions: Mapping[str, Point],
        *,
        routes: Sequence[EdgeRoute] | None = None,
        slide: bool = False,
    ) -> None:
        """Show a picture; nodes and edges that are in both keep their items."""
        self._positions.finish()
        self._bars.finish()
        self.picture, self.near = picture, Neighbourhoods(picture)
        for identity in [i for i in self.nodes if i not in picture.node]:
            self.removeItem(self.nodes.pop(identity))
        old = {i: item.centre for i, item in self.nodes.items()}
        for node in picture.nodes:
            item = self.nodes.get(node.id)
            if item is None:
                item = self.nodes[node.id] = self._new_item(node, faces[node.id])
                item.setPos(QPointF(*positions[node.id]))
                self.addItem(item)
            else:
                item.set_face(node, faces[node.id])
                item.show_beliefs(faces[node.id].beliefs)
        self.nodes = {identity: self.nodes[identity] for identity in picture.ids}
        self._show_edges(picture.edges)
        self._choose_detail()
        moves = {i: p for i, p in positions.items() if i in old and old[i] != p and i in self.nodes}
        if slide and moves and len(self.nodes) <= MAX_SLIDING:
            self._slide_to(old, moves)
        else:
            for identity, position in moves.items():
                self.nodes[identity].setPos(QPointF(*position))
            self._route_all(routes)
        self.contents_changed.emit()

    def _new_item(self, node: PictureNode, face: NodeView) -> NodeItem:
        return NodeItem(node, face, self.zoomed)

    def _show_edges(self, edges: Iterable[PictureEdge]) -> None:
        wanted = {(edge.source, edge.target): edge for edge in edges}
        for ends in [ends for ends in self.edges if ends not in wanted]:
            self.removeItem(self.edges.pop(ends))
        for ends, edge in wanted.items():
            if ends in self.edges:
                self.edges[ends].set_edge(edge)
            else:
                self.edges[ends] = EdgeItem(edge, self.zoomed)
                self.addItem(self.edges[ends])
        self._edges_at = {identity: [] for identity in self.nodes}
        for item in self.edges.values():
            for end in set(item.ends):
                self._edges_at[end].append(item)

    def show_faces(self, faces: Mapping[str, NodeView]) -> bool:
        """Show new view data of some nodes with animated bars; True when a box changed its size."""
        resized, marked = [], []
        for identity, face in faces.items():
            item = self.nodes.get(identity)
            if item is None or item.face is face:
                continue
            if item.face.weights != face.weights or item.face.is_target != face.is_target:
                marked.append(identity)
            if item.set_face(item.node, face):
                resized.append(identity)
        self._choose_detail()
        if resized:
            self._resized.update(resized)
            self._reroute.start()  # the beliefs are painted first
            self.boxes_resized.emit(resized)
        if marked:
            self.marks_changed.emit(marked)
        # All nodes, not only the given ones: a running animation is continued.
        late = [item for item in self.nodes.values() if item.shown_beliefs != item.face.beliefs]
        sliding = [item for item in late if item.shows_bars]
        if len(sliding) > MAX_SLIDING:
            sliding = []
        seen = {item.id for item in sliding}
        self._show_beliefs({item.id: item.face.beliefs for item in late if item.id not in seen})
        start = {item.id: item.shown_beliefs for item in sliding}
        end = {item.id: item.face.beliefs for item in sliding}
        if sliding:
            self._bars.start(lambda fraction: self._show_beliefs(between(start, end, fraction)))
        else:
            self._bars.stop()
        return bool(resized)

    def _choose_detail(self) -> None:
        """From which zoom names can be read in these boxes, and what colours of dots show."""
        self.zoomed.name_from = readable_zoom(item.size for item in self.nodes.values())
        heat = Heat.of(item.face for item in self.nodes.values())
        if heat is not self.zoomed.heat:
            self.zoomed.heat = heat
            for item in self.nodes.values():
                item.update()

    def _show_beliefs(self, values: Mapping[str, tuple[float, ...]]) -> None:
        for identity, shown in values.items():
            item = self.nodes.get(identity)
            if item is not None and len(shown) == len(item.face.states):
                item.show_beliefs(shown)

    # -- positions

    @property
    def positions(self) -> dict[str, Point]:
        self._positions.finish()
        return {identity: item.centre for identity, item in self.nodes.items()}

    @property
    def sizes(self) -> dict[str, Size]:
        return {identity: item.size for identity, item in self.nodes.items()}

    def move_nodes(self, positions: Mapping[str, Point]) -> None:
        """Move some nodes; their edges follow at once."""
        for identity, position in positions.items():
            self.nodes[identity].setPos(QPointF(*position))
        self.route_at(positions)

    def route_at(self, nodes: Iterable[str]) -> None:
        """Route the edges at these nodes again."""
        touched = list({id(e): e for node in nodes for e in self._edges_at.get(node, ())}.values())
        self._routes.route_some(self, touched)

    def _route_resized(self) -> None:
        nodes, self._resized = self._resized & self.nodes.keys(), set()
        self.route_at(sorted(nodes))

    def is_routed(self, edge: EdgeItem) -> bool:
        """Whether the boxes at its ends are where they were when it was routed."""
        source, target = (self.nodes[end] for end in edge.ends)
        return edge.is_routed_between(source.pos(), target.pos())

    def route_all(self) -> None:
        self._route_all(None)

    def _route_all(self, routes: Sequence[EdgeRoute] | None) -> None:
        if routes is not None and len(routes) == len(self.picture.edges):
            self._on_routed(
                {(e.source, e.target): r for e, r in zip(self.picture.edges, routes, strict=True)}
            )
            return
        self._routes.route_all(self)

    def _on_routed(self, routes: Mapping[Edge, EdgeRoute]) -> None:
        for ends, route in routes.items():
            item = self.edges.get(ends)
            if item is not None:
                item.set_route(route, self.nodes[ends[0]].pos(), self.nodes[ends[1]].pos())
        place_labels(self, routes)

    def _slide_to(self, old: Mapping[str, Point], new: Mapping[str, Point]) -> None:
        def step(fraction: float) -> None:
            for identity, position in between(old, new, fraction).items():
                if identity in self.nodes:
                    self.nodes[identity].setPos(position[0], position[1])
            if fraction >= 1:
                self.route_all()
                self.contents_changed.emit()
                return
            for item in self.edges.values():
                source, target = (self.nodes[end] for end in item.ends)
                item.set_route(straight_route(source, target), source.pos(), target.pos())

        self._positions.start(step)

    def content_rect(self) -> QRectF:
        """The rectangle of all nodes and edges."""
        sides = [item.sides for item in self.nodes.values() if item.isVisible()]
        for edge in self.edges.values():
            if edge.route.bend is not None and edge.isVisible():
                x, y = edge.route.at(0.5)
                sides.append((x - 2, y - 2, x + 2, y + 2))
        if not sides:
            return QRectF(-8, -8, 16, 16)
        left, top, right, bottom = zip(*sides, strict=True)
        corner = QPointF(min(left) - 8, min(top) - 8)
        return QRectF(corner, QPointF(max(right) + 8, max(bottom) + 8))

    # -- transient marks

    def show_selection(self, nodes: Iterable[str], edges: Iterable[Edge]) -> None:
        """Mark the selection; names that are not in the picture are ignored."""
        self.selected_nodes = tuple(n for n in nodes if n in self.nodes)
        self.selected_edges = tuple(e for e in edges if e in self.edges)
        chosen, lines = set(self.selected_nodes), set(self.selected_edges)
        for identity, item in self.nodes.items():
            item.change_look(is_selected=identity in chosen)
        for ends, edge in self.edges.items():
            edge.change_look(is_selected=ends in lines)
        self.selection_shown.emit()

    def emphasise(self, nodes: frozenset[str] | None, hovered: Edge | None = None) -> None:
        """Dim everything but these nodes and the edges between them to 35 %; None: nothing."""
        if nodes == self._bright and hovered is None:
            return
        self._bright = nodes
        bright = None if nodes is None else nodes | self._kept_bright
        for identity, item in self.nodes.items():
            item.setOpacity(1.0 if bright is None or identity in bright else DIMMED)
        for ends, edge in self.edges.items():
            inside = nodes is None or (ends[0] in nodes and ends[1] in nodes)
            edge.setOpacity(1.0 if inside else DIMMED)
            near = nodes is not None and inside and hovered is None
            edge.change_look(is_hovered=near or ends == hovered)

    def keep_bright(self, nodes: frozenset[str]) -> None:
        """Never dim these, whatever the pointer is on: nodes that a layer marks."""
        self._kept_bright = nodes

    def show_cycle(self, path: Sequence[str]) -> None:
        """Highlight the edges of a path with their numbers; an empty path clears it."""
        steps = {pair: i for i, pair in enumerate(pairwise(path), start=1)}
        on_path = set(path)
        for ends, edge in self.edges.items():
            edge.change_look(step=steps.get(ends))
        for identity, item in self.nodes.items():
            if identity in on_path:
                item.change_look(role="cycle")
            elif item.look.role == "cycle":
                item.change_look(role="")

    def show_strengths(
        self, widths: Mapping[Edge, float] | None, labels: Mapping[Edge, str] | None = None
    ) -> None:
        """Show widths of edges by strength and, if given, labels; None: plain edges."""
        for ends, edge in self.edges.items():
            width = None if widths is None else widths.get(ends)
            edge.change_look(width=width, label="" if labels is None else labels.get(ends, ""))

    def show_cut(self, nodes: Collection[str], *, lines_too: bool = False) -> None:
        """Draw the edges into these nodes as cut by an intervention.

        With `lines_too` also lines without an arrow, whose direction matters, as in a tree.
        """
        if not nodes and not self._has_cut:
            return
        self._has_cut = bool(nodes)
        for ends, edge in self.edges.items():
            leads = lines_too or edge.edge.style.has_arrow
            edge.change_look(is_cut=ends[1] in nodes and leads)

    def show_only(self, nodes: frozenset[str] | None) -> None:
        """Hide everything else; None shows all again."""
        for identity, item in self.nodes.items():
            item.setVisible(nodes is None or identity in nodes)
        for ends, edge in self.edges.items():
            edge.setVisible(nodes is None or (ends[0] in nodes and ends[1] in nodes))
        self.contents_changed.emit()

    def forget_pixels(self) -> None:
        """Drop cached pixels that were made for another screen."""
        for item in self.nodes.values():
            item.forget_pixels()

    def _on_theme_changed(self) -> None:
        for item in (*self.nodes.values(), *self.edges.values()):
            item.update()
        self.update()

    def stop(self) -> None:
        """Stop animations and background work."""
        self._bars.stop()
        self._positions.stop()
        self._routes.stop()
