"""Layers over a graph: tags, constraints, blocks, surprise, moves and unresolved edges."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from pgmstudio.core.drawing.diagram import PictureEdge
from pgmstudio.core.drawing.layout.edge_routing import (
    EdgeRoute,
    edge_route,
    points_beside,
    tag_places,
)
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.learning.edge_moves import MoveKey
from pgmstudio.gui.canvas.edge_item import paint_edge, paint_tag
from pgmstudio.gui.canvas.fonts import canvas_font, canvas_metrics, font_of_height
from pgmstudio.gui.canvas.legend import LegendEntry, icon_sample, sample_route
from pgmstudio.gui.canvas.node_view import Detail
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.row_evidence import row_surprise_of, surprises
from pgmstudio.gui.theme.icons import paint_icon
from pgmstudio.gui.theme.theme import theme

if TYPE_CHECKING:
    from pgmstudio.gui.canvas.scene import CanvasScene

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LayerPen:
    """The line style of one kind of edge in a layer: never its colour alone."""

    color: str
    dash: tuple[float, ...]
    icon: str
    meaning: str
    width: float = 2.0


class SceneLayer(QGraphicsItem):
    """A scene item at a z value over the graph that ignores the mouse."""

    def __init__(self, scene: CanvasScene, height: float) -> None:
        super().__init__()
        self._scene = scene
        self._bounds = QRectF()
        self.setZValue(height)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        scene.addItem(self)

    @property
    def has_bounds(self) -> bool:
        return not self._bounds.isEmpty()

    def cover(self, bounds: QRectF) -> None:
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds

    def boundingRect(self) -> QRectF:
        return self._bounds

    def follow(self) -> None:
        """Update after nodes were added, removed or moved."""

    def legend_entries(self) -> list[LegendEntry]:
        """The entries for what is drawn."""
        return []

    def draw(self, painter: QPainter) -> None:
        """Paint in scene coordinates."""

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        self.draw(painter)


def routes_of(scene: CanvasScene, edges: Sequence[PictureEdge]) -> list[EdgeRoute]:
    """Routes between nodes of the scene, whether the picture has these edges or not."""
    positions = {name: item.centre for name, item in scene.nodes.items()}
    sizes = {name: item.size for name, item in scene.nodes.items()}
    return list(edge_route(scene.picture, positions, sizes, edges))


def routes_by_edge(scene: CanvasScene, edges: Sequence[Edge]) -> dict[Edge, EdgeRoute]:
    """The routes of edges as they are drawn, and new ones of edges that the scene has not."""
    drawn = {edge: scene.edges[edge].route for edge in edges if edge in scene.edges}
    absent = [PictureEdge(*edge) for edge in edges if edge not in drawn]
    new = routes_of(scene, absent) if absent else []
    return drawn | {(e.source, e.target): route for e, route in zip(absent, new, strict=True)}


def bounds_around(routes: Iterable[EdgeRoute], margin: float) -> QRectF:
    """The bounding rectangle of the routes with a margin."""
    bounds = QRectF()
    for route in routes:
        for point in (route.start, route.end, route.bend or route.start):
            bounds = bounds.united(QRectF(point[0] - 1, point[1] - 1, 2, 2))
    return bounds.adjusted(-margin, -margin, margin, margin)


def _paint_sample(
    pen: LayerPen, background: str | None, painter: QPainter, position: QRectF
) -> None:
    """A line with its icon, on a disc of the colour of the `background` if there is one."""
    middle = position.center()
    color = theme().color(pen.color)
    paint_edge(painter, sample_route(position), color, pen.width, False, pen.dash)
    if background is not None:
        painter.setPen(theme().color(background))
        painter.setBrush(theme().color(background))
        painter.drawEllipse(middle, 6, 6)
    paint_icon(painter, pen.icon, pen.color, QRectF(middle.x() - 6, middle.y() - 6, 12, 12))


# With more labelled edges, tags stay in the middle of their lines even if they overlap.
MAX_PLACED = 120


class TagLayer(SceneLayer):
    """A layer that paints the tags again over all lines, so that no edge crosses their text.

    Dimmed edges paint their tags themselves.
    """

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__(scene, 0.6)  # over all edges, hovered ones too; below nodes

    def draw(self, painter: QPainter) -> None:
        zoomed = self._scene.zoomed
        if zoomed.detail_of(zoomed.zoom_of(painter)) is Detail.DOT:
            return
        for item in self._scene.edges.values():
            if not item.tag.isEmpty() and item.isVisible() and item.effectiveOpacity() == 1.0:
                text, style = item.edge.label, item.edge.style
                paint_tag(painter, item.tag, text, style, is_selected=item.look.is_selected)


def _raise_tags(scene: CanvasScene) -> None:
    """Make the tag layer once the scene has tags, and update its bounds."""
    bounds = QRectF()
    for item in scene.edges.values():
        if item.edge.style.has_tag:
            bounds = bounds.united(item.boundingRect())
    if not bounds.isEmpty() and scene.tag_layer is None:
        scene.tag_layer = TagLayer(scene)
    if scene.tag_layer is not None:
        scene.tag_layer.cover(bounds)
        scene.tag_layer.update()


def place_labels(scene: CanvasScene, routed: Collection[tuple[str, str]]) -> None:
    """Place labels along their lines without overlap after these edges were routed."""
    if scene.tag_layer is not None or any(e.edge.style.has_tag for e in scene.edges.values()):
        _raise_tags(scene)
    if any(scene.edges[ends].has_plain_label for ends in routed if ends in scene.edges):
        place_plain_labels(scene, 1.0)  # the canvas places them again at its zoom
    labelled = {
        ends: item
        for ends, item in scene.edges.items()
        if item.edge.label and not item.has_plain_label
    }
    if not any(ends in labelled for ends in routed) or len(labelled) > MAX_PLACED:
        return
    sizes = [item.label_rect.size() for item in labelled.values()]
    places = tag_places(
        [item.route for item in labelled.values()],
        [(size.width(), size.height()) for size in sizes],
        [node.sides for node in scene.nodes.values()],
        [item.route for ends, item in scene.edges.items() if ends not in labelled],
    )
    for item, place in zip(labelled.values(), places, strict=True):
        item.set_label_place(place)
    _raise_tags(scene)


def place_plain_labels(scene: CanvasScene, zoom: float) -> None:
    """Place percentages beside their lines as large as they are at this zoom; those that would
    cover a name or another label are left out, the full ones first."""
    labelled = [item for item in scene.edges.values() if item.has_plain_label and item.isVisible()]
    if not labelled or len(labelled) > MAX_PLACED:
        return
    labelled.sort(key=lambda item: item.is_certain)
    sizes = [item.shown_label_rect(zoom).size() for item in labelled]
    own = {item.ends for item in labelled}
    points = points_beside(
        [item.route for item in labelled],
        [item.width for item in labelled],
        [(size.width(), size.height()) for size in sizes],
        [node.sides for node in scene.nodes.values()],
        [item.route for ends, item in scene.edges.items() if ends not in own],
    )
    for item, point in zip(labelled, points, strict=True):
        item.set_label_point(point)


_RULE_ICON = 16.0
NO_PRICES = EdgePrices()


RULE_PENS = {
    "required": LayerPen("required", (), "lock-simple", "required edge"),
    "forbidden": LayerPen("forbidden", (6.0, 4.0), "prohibit", "forbidden edge"),
}


# Soft edges: pairs with a price, as bands as wide and opaque as the price is large.
PRICE_PENS = {
    "favoured": LayerPen("required", (), "", "favoured edge, β < 0"),
    "priced": LayerPen("forbidden", (10.0, 6.0), "", "edge with a price, β > 0"),
}
MAX_SOFT_EDGES = 200  # the strongest
_SOFT_WIDTH, _SOFT_ALPHA = (3.0, 12.0), (0.12, 0.45)


@dataclass(frozen=True, slots=True)
class SoftEdge:
    """The band of a pair with a price; `strength` is |β| as a fraction of the largest."""

    kind: str
    strength: float
    route: EdgeRoute

    @property
    def width(self) -> float:
        low, high = _SOFT_WIDTH
        return low + (high - low) * self.strength

    def paint(self, painter: QPainter) -> None:
        pen = PRICE_PENS[self.kind]
        color = QColor(theme().color(pen.color))  # a copy: the theme's are shared
        low, high = _SOFT_ALPHA
        color.setAlphaF(low + (high - low) * self.strength)
        paint_edge(painter, self.route, color, self.width, False, pen.dash)


def soft_edges(scene: CanvasScene, prices: EdgePrices) -> list[SoftEdge]:
    """The bands of the strongest prices between nodes of the scene, along edges where there are
    any."""
    known = sorted(prices.among(scene.nodes).prices, key=lambda one: -abs(one[2]))
    known = [one for one in known[:MAX_SOFT_EDGES] if one[2]]
    if not known:
        return []
    pairs = [(b, a) if (b, a) in scene.edges else (a, b) for a, b, _ in known]
    routes, largest = routes_by_edge(scene, pairs), abs(known[0][2])
    return [
        SoftEdge("favoured" if price < 0 else "priced", abs(price) / largest, routes[pair])
        for pair, (_, _, price) in zip(pairs, known, strict=True)
    ]


class RulesLayer(SceneLayer):
    """Rules and prices of edges, above the edges and below the nodes; ignores the mouse."""

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__(scene, 0.25)
        self.knowledge, self.prices = Knowledge(), EdgePrices()
        self._drawn: list[tuple[str, EdgeRoute]] = []
        self.soft: list[SoftEdge] = []

    @property
    def kinds(self) -> set[str]:
        """The kinds of rules and prices that are drawn, for the legend."""
        if not self.isVisible():
            return set()
        return {kind for kind, _ in self._drawn} | {one.kind for one in self.soft}

    def legend_entries(self) -> list[LegendEntry]:
        rules = [
            LegendEntry(pen.meaning, icon_sample(pen.icon, pen.color))
            for kind, pen in RULE_PENS.items()
            if kind in self.kinds
        ]
        return rules + [
            LegendEntry(pen.meaning, partial(_paint_band, kind))
            for kind, pen in PRICE_PENS.items()
            if kind in self.kinds
        ]

    def show_rules(self, knowledge: Knowledge, prices: EdgePrices = NO_PRICES) -> None:
        """Show the rules and prices whose two ends are in the picture."""
        self.knowledge, self.prices = knowledge, prices
        self.follow()

    def follow(self) -> None:
        nodes = self._scene.nodes
        rules = [
            (kind, PictureEdge(*edge))
            for kind, edges in (
                ("required", self.knowledge.required),
                ("forbidden", self.knowledge.forbidden),
            )
            for edge in sorted(edges)
            if edge[0] in nodes and edge[1] in nodes
        ]
        soft = soft_edges(self._scene, self.prices)
        if not (rules or soft or self._drawn or self.soft):
            return
        self.prepareGeometryChange()
        routes = routes_of(self._scene, [edge for _, edge in rules])
        self._drawn = [(kind, route) for (kind, _), route in zip(rules, routes, strict=True)]
        self.soft = soft
        self._bounds = bounds_around([*routes, *(one.route for one in soft)], _RULE_ICON)
        self.update()

    def draw(self, painter: QPainter) -> None:
        for one in self.soft:
            one.paint(painter)
        for kind, route in self._drawn:
            pen = RULE_PENS[kind]
            paint_edge(painter, route, theme().color(pen.color), pen.width, True, pen.dash)
            x, y = route.at(0.5)
            painter.setPen(theme().color("canvas"))
            painter.setBrush(theme().color("canvas"))
            painter.drawEllipse(QPointF(x, y), _RULE_ICON / 2, _RULE_ICON / 2)
            position = QRectF(x - _RULE_ICON / 2, y - _RULE_ICON / 2, _RULE_ICON, _RULE_ICON)
            paint_icon(painter, pen.icon, pen.color, position)


def _paint_band(kind: str, painter: QPainter, position: QRectF) -> None:
    """The sample of a soft edge in the legend."""
    SoftEdge(kind, 0.7, sample_route(position)).paint(painter)


METHOD = "blocks"  # the layout of the pictures that have them
_MARGIN, _RADIUS = 14.0, 12.0
_ALPHA = 0.28


class PartitionLayer(SceneLayer):
    """A layer behind the edges; backgrounds follow their nodes."""

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__(scene, -1.0)
        self.areas: dict[str, QRectF] = {}

    def follow(self) -> None:
        picture, nodes = self._scene.picture, self._scene.nodes
        before, self.areas = self.areas, {}
        if picture.method == METHOD:
            for node in picture.nodes:
                item = nodes.get(node.id)
                if node.group is not None and item is not None and item.isVisible():
                    known = self.areas.get(node.group, QRectF())
                    self.areas[node.group] = known.united(item.box)
        if not before and not self.areas:
            return
        bounds = QRectF()
        for group, area in self.areas.items():
            self.areas[group] = area.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)
            bounds = bounds.united(self.areas[group])
        self.cover(bounds.adjusted(-2, -2, 2, 2))
        self.update()

    def legend_entries(self) -> list[LegendEntry]:
        if not self.areas:
            return []
        given = " and ".join(n.label for n in self._scene.picture.nodes if n.group is None)
        text = f"tinted area = block, independent of the others given {given}"
        return [LegendEntry(text, _block_sample)]

    def draw(self, painter: QPainter) -> None:
        groups = self._scene.picture.groups
        for group, area in self.areas.items():
            number = groups.index(group) if group in groups else 0
            _paint_area(painter, area, number, _RADIUS)


def _paint_area(painter: QPainter, position: QRectF, number: int, radius: float) -> None:
    fill = theme().category(number, "fill")
    fill.setAlphaF(_ALPHA)
    line = theme().category(number, "line")
    painter.setPen(QPen(line, 1.2))
    painter.setBrush(fill)
    painter.drawRoundedRect(position, radius, radius)


def _block_sample(painter: QPainter, position: QRectF) -> None:
    _paint_area(painter, position.adjusted(1, 3, -1, -3), 0, 4.0)


# Bits of the darkest step: a state of probability 1/256 given the rest.
MAX_BITS = 8.0
STEPS = 8
# Smaller values are no surprise and would clutter the canvas.
MIN_BITS, MIN_ZOOMED_OUT = 0.05, 1.0
_HEIGHT = 15.0


def step_of(bits: float) -> int:
    """The step of the heat ramp, 0 to 7."""
    return min(STEPS - 1, max(0, int(bits / MAX_BITS * STEPS)))


class SurpriseLayer(SceneLayer):
    """A layer above the nodes that ignores the mouse."""

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__(scene, 2.1)
        self.bits: dict[str, float] = {}  # the bits by node
        self._given = "rest"

    def show_bits(self, bits: Mapping[str, float], given: str = "rest") -> None:
        """Show bits on nodes; `given` names the measure in the legend."""
        self._given = given
        self.bits = {name: value for name, value in bits.items() if value >= MIN_BITS}
        self.follow()
        self.update()

    def follow(self) -> None:
        if not self.bits and not self.has_bounds:
            return
        around = self._scene.content_rect().adjusted(-40, -40, 40, 40)
        self.cover(around if self.bits else QRectF())

    def legend_entries(self) -> list[LegendEntry]:
        text = f"surprise in bits, given the {self._given}"
        return [LegendEntry(text, _surprise_sample)] if self.bits else []

    def draw(self, painter: QPainter) -> None:
        zoom = self._scene.zoomed.zoom_of(painter)
        is_far = self._scene.zoomed.detail_of(zoom) is not Detail.FULL
        scale = 1 / max(0.3, min(1.0, zoom))
        for name, bits in self.bits.items():
            item = self._scene.nodes.get(name)
            if item is None or not item.isVisible() or (is_far and bits < MIN_ZOOMED_OUT):
                continue
            corner = item.box.bottomRight()
            paint_bits(painter, bits, corner.x(), corner.y() + 4 * scale, scale)


def paint_bits(painter: QPainter, bits: float, right: float, middle: float, scale: float) -> None:
    """A pill with the number, its right end a little beyond the corner of the node."""
    text = f"{bits:.1f}" if math.isfinite(bits) else "∞"
    font = font_of_height(round(10 * scale))
    painter.setFont(font)
    wide = QFontMetricsF(font).horizontalAdvance(text) + 10 * scale
    high = _HEIGHT * scale
    step = step_of(bits)
    pill = QRectF(right - wide + 6 * scale, middle - high / 2, wide, high)
    painter.setPen(QPen(theme().color("border_control"), 1))
    painter.setBrush(theme().sequential(step))
    painter.drawRoundedRect(pill, high / 2, high / 2)
    painter.setPen(theme().color("text" if step <= 4 else "surface"))  # readable on it
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)


def _surprise_sample(painter: QPainter, position: QRectF) -> None:
    paint_bits(painter, 4.2, position.right() - 6, position.center().y(), 1.0)


class SurpriseMarks(QObject):
    """Fills the layer of one model's page while surprise is marked."""

    def __init__(
        self, app: AppContext, model_id: str, layer: SurpriseLayer, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._app, self._model_id, self._layer = app, model_id, layer
        self._surprise = row_surprise_of(app)
        self._surprise.changed.connect(self._follow)
        live = app.workspace.beliefs(model_id)
        self._live, self._keeper = live, live.diagnostics
        self._keeper.changed.connect(self._follow)
        live.changed.connect(self._follow)
        live.evidence_changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        if self._model_id not in self._app.project.models:
            return
        bits: Mapping[str, float] = {}
        if self._surprise.marks_surprise:
            self._keeper.follow()
            bits = surprises(self._surprise, self._live)
        self._layer.show_bits(bits, self._surprise.measure)
        if (canvas := self.parent()) is not None and hasattr(canvas, "refresh_soon"):
            canvas.refresh_soon()


_BADGE = 18.0
_FRACTIONS = (0.5, 0.38, 0.62, 0.26, 0.74)  # positions of a badge along its line, by preference
_APART = 24.0
_BOTH = "·"  # between the numbers of moves on one pair

MOVE_PENS = {
    "add": LayerPen("required", (6.0, 4.0), "plus", "next move: add"),
    "remove": LayerPen("forbidden", (6.0, 4.0), "minus", "next move: remove"),
    "reverse": LayerPen("label_ink", (6.0, 4.0), "arrows-left-right", "next move: reverse"),
}


@dataclass(frozen=True, slots=True)
class _Ghost:
    """The moves on one pair with their numbers, the route of the first, and the badge position."""

    moves: tuple[tuple[int, MoveKey], ...]
    route: EdgeRoute
    position: QPointF

    def shown(self, looked_at: MoveKey | None) -> MoveKey:
        """The move that determines how the pair is drawn."""
        keys = [key for _, key in self.moves]
        return looked_at if looked_at in keys and looked_at is not None else keys[0]


class MovesLayer(SceneLayer):
    """A layer above the edges and below the nodes that ignores the mouse."""

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__(scene, 0.28)
        self._moves: tuple[tuple[int, MoveKey], ...] = ()
        self.looked_at: MoveKey | None = None
        self._drawn: list[_Ghost] = []

    @property
    def moves(self) -> tuple[MoveKey, ...]:
        return tuple(key for _, key in self._moves)

    def show_moves(
        self, moves: Sequence[tuple[int, MoveKey]], looked_at: MoveKey | None = None
    ) -> None:
        """Show moves with their numbers in the list; the one `looked_at` is emphasised."""
        self._moves, self.looked_at = tuple(moves), looked_at
        self.follow()

    def follow(self) -> None:
        scene = self._scene
        pairs: dict[frozenset[str], list[tuple[int, MoveKey]]] = {}
        for number, key in self._moves:
            if key.source in scene.nodes and key.target in scene.nodes:
                pairs.setdefault(frozenset((key.source, key.target)), []).append((number, key))
        if not pairs and not self._drawn:
            return
        self.prepareGeometryChange()
        ends = [(result[0][1].source, result[0][1].target) for result in pairs.values()]
        ways = routes_by_edge(scene, ends)
        self._drawn = []
        for edge, result in zip(ends, pairs.values(), strict=True):
            position = self._free_position(ways[edge])
            self._drawn.append(_Ghost(tuple(result), ways[edge], position))
        self._bounds = bounds_around((ghost.route for ghost in self._drawn), 2 * _BADGE)
        self.update()

    def _free_position(self, route: EdgeRoute) -> QPointF:
        """The position along the route where the badge overlaps other badges and nodes least."""
        taken = [ghost.position for ghost in self._drawn]
        boxes = [item.box for item in self._scene.nodes.values()]

        def clearance(fraction: float) -> float:
            point = QPointF(*route.at(fraction))
            if any(box.contains(point) for box in boxes):
                return -1.0
            gaps = [math.hypot(point.x() - t.x(), point.y() - t.y()) for t in taken]
            return min(_APART, *gaps) if gaps else _APART

        return QPointF(*route.at(max(_FRACTIONS, key=clearance)))

    def legend_entries(self) -> list[LegendEntry]:
        shown = self._drawn if self.isVisible() else []
        shown_actions = {key.action for ghost in shown for _, key in ghost.moves}
        return [
            LegendEntry(pen.meaning, partial(_paint_sample, pen, "canvas"))
            for action, pen in MOVE_PENS.items()
            if action in shown_actions
        ]

    def draw(self, painter: QPainter) -> None:
        # The best are painted last, over the others.
        for ghost in reversed(self._drawn):
            self._paint_way(painter, ghost)
        for ghost in reversed(self._drawn):
            self._paint_badge(painter, ghost)

    def _paint_way(self, painter: QPainter, ghost: _Ghost) -> None:
        key = ghost.shown(self.looked_at)
        pen, is_looked_at = MOVE_PENS[key.action], key == self.looked_at
        route = ghost.route
        # The arrow is at the end it would have after the move.
        if (key.source != ghost.moves[0][1].source) != (key.action == "reverse"):
            route = EdgeRoute(route.end, route.start, route.bend)
        if is_looked_at:
            paint_edge(painter, route, theme().color(pen.color, 0.18), pen.width + 10, False)
        color = theme().color(pen.color, 1.0 if is_looked_at else 0.55)
        width = pen.width + 0.8 if is_looked_at else 1.4
        has_arrow = key.is_directed and key.action != "remove"
        paint_edge(painter, route, color, width, has_arrow, pen.dash)

    def _paint_badge(self, painter: QPainter, ghost: _Ghost) -> None:
        key = ghost.shown(self.looked_at)
        color, is_looked_at = MOVE_PENS[key.action].color, key == self.looked_at
        text = _BOTH.join(str(number) for number, _ in ghost.moves)
        font = canvas_font("caption", "semibold")
        wide = max(_BADGE, canvas_metrics("caption", "semibold").horizontalAdvance(text) + 8)
        badge = QRectF(0, 0, wide, _BADGE)
        badge.moveCenter(ghost.position)
        painter.setPen(theme().color(color))
        painter.setBrush(theme().color(color if is_looked_at else "canvas"))
        painter.drawRoundedRect(badge, _BADGE / 2, _BADGE / 2)
        painter.setPen(theme().color("canvas" if is_looked_at else color))
        painter.setFont(font)
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, text)


_ICON = 18.0
REACH = 9.0  # pixels on screen
CROWD = 24  # more links than this are drawn thin, so that the graph stays visible


LINK_PENS = {
    "kept": LayerPen("virtual_ink", (), "question", "uncertain edge, kept so far", 3.0),
    "left out": LayerPen("virtual_ink", (5.0, 4.0), "question", "uncertain edge, left out so far"),
    "free": LayerPen("target_ink", (), "arrows-left-right", "could point either way", 2.5),
}


@dataclass(frozen=True, slots=True)
class OpenLink:
    """An unresolved edge; a free one can point either way."""

    edge: Edge
    kind: str  # of LINK_PENS
    is_in_question: bool = False  # part of the question in the bar


class UnresolvedLayer(SceneLayer):
    """A layer above the edges and below the nodes; `at` finds the link under a click."""

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__(scene, 0.3)
        self.links: tuple[OpenLink, ...] = ()
        self._drawn: list[tuple[OpenLink, EdgeRoute]] = []

    def show_links(self, links: tuple[OpenLink, ...]) -> None:
        self.links = links
        self.follow()

    def follow(self) -> None:
        scene = self._scene
        here = [link for link in self.links if all(end in scene.nodes for end in link.edge)]
        if not here and not self._drawn:
            return
        self.prepareGeometryChange()
        routes = routes_by_edge(scene, [link.edge for link in here])
        self._drawn = [(link, routes[link.edge]) for link in here]
        self._bounds = bounds_around((route for _, route in self._drawn), _ICON)
        self.update()

    def at(self, point: QPointF, pixels_per_unit: float) -> tuple[OpenLink, float] | None:
        """The link under a point of the scene, and how far along it the point is, 0 to 1."""
        if not self.isVisible():
            return None
        reach = REACH / pixels_per_unit
        best: tuple[float, OpenLink, float] | None = None
        for link, route in self._drawn:
            for step in range(41):
                fraction = step / 40
                x, y = route.at(fraction)
                away = math.hypot(x - point.x(), y - point.y())
                if away <= max(reach, _ICON / 2) and (best is None or away < best[0]):
                    best = away, link, fraction
        return None if best is None else (best[1], best[2])

    def middle_of(self, edge: Edge) -> QPointF | None:
        """The position of the icon of a link."""
        for link, route in self._drawn:
            if set(link.edge) == set(edge):
                return QPointF(*route.at(0.5))
        return None

    def point_near(self, edge: Edge, end: str) -> QPointF | None:
        """A point on a link nearer to one of its ends."""
        for link, route in self._drawn:
            if set(link.edge) == set(edge):
                return QPointF(*route.at(0.8 if link.edge[1] == end else 0.2))
        return None

    def legend_entries(self) -> list[LegendEntry]:
        kinds = {link.kind for link, _ in self._drawn} if self.isVisible() else set()
        return [
            LegendEntry(pen.meaning, partial(_paint_sample, pen, None))
            for kind, pen in LINK_PENS.items()
            if kind in kinds
        ]

    def draw(self, painter: QPainter) -> None:
        is_crowded = len(self._drawn) > CROWD
        for link, route in self._drawn:
            pen = LINK_PENS[link.kind]
            # Links outside the current question are dimmed.
            color = theme().color(pen.color, 1.0 if link.is_in_question else 0.6)
            if link.is_in_question and not is_crowded:
                halo = theme().color(pen.color, 0.18)
                paint_edge(painter, route, halo, pen.width + 10, False)
            has_arrow = link.kind == "kept" and link.edge in self._scene.edges
            width = 1.2 if is_crowded and link.kind == "left out" else pen.width
            paint_edge(painter, route, color, width, has_arrow, pen.dash)
            if is_crowded and link.kind == "left out":
                continue
            x, y = route.at(0.5)
            painter.setPen(color)
            painter.setBrush(theme().color("canvas"))
            painter.drawEllipse(QPointF(x, y), _ICON / 2, _ICON / 2)
            inside = _ICON - 5
            position = QRectF(x - inside / 2, y - inside / 2, inside, inside)
            paint_icon(painter, pen.icon, pen.color, position)
