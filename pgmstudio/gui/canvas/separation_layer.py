"""The layer of d-separation: letters on nodes, active and blocked trails, irrelevant nodes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from pgmstudio.core.drawing.layout.edge_routing import EdgeRoute
from pgmstudio.core.graphs.separation import Separation, Trail
from pgmstudio.gui.canvas.edge_item import EdgeItem, paint_edge
from pgmstudio.gui.canvas.fonts import canvas_font
from pgmstudio.gui.canvas.layers import SceneLayer
from pgmstudio.gui.canvas.legend import LegendEntry, Sample, sample_route
from pgmstudio.gui.canvas.node_item import NodeItem
from pgmstudio.gui.canvas.node_painter import dot_radius
from pgmstudio.gui.canvas.node_view import Detail
from pgmstudio.gui.canvas.scene import CanvasScene
from pgmstudio.gui.theme.theme import theme

Edge = tuple[str, str]

ACTIVE_WIDTH, BLOCKED_WIDTH = 3.0, 1.5
BLOCKED_DASH = (4.0, 4.0)
_LETTER_RADIUS = 9.0
_LETTER_REACH = 6.0  # into the box
_BAR_HALF, _BAR_WIDTH = 8.0, 2.5
_BAR_AWAY, _BAR_BEFORE_ARROW = 5.0, 14.0
_VEIL = 0.68
# How each letter is drawn; Z, which is given, differs from A and B.
_FILLS = {"A": "accent", "B": "accent", "Z": "text"}


@dataclass(frozen=True)
class Shown:
    """The marks that the layer draws, by the ids of nodes."""

    letters: Mapping[str, str] = field(default_factory=dict)
    irrelevant: frozenset[str] = frozenset()
    on_trail: frozenset[str] = frozenset()
    active: frozenset[frozenset[str]] = frozenset()  # edges by their two ends
    blocked: frozenset[frozenset[str]] = frozenset()
    bars: frozenset[Edge] = frozenset()  # (end of a blocked edge that blocks, other end)


def shown_of(letters: Mapping[str, str], result: Separation | None) -> Shown:
    """The marks of an answer; without one only the letters."""
    if result is None:
        return Shown(letters)
    active = _edges_of(result.active)
    blocked = _edges_of(result.blocked) - active
    inner = frozenset(node for trail in result.active for node in trail.nodes) - set(letters)
    bars = set()
    for trail in result.blocked:
        stops = {block.node for block in trail.blocks}
        for a, b in pairwise(trail.nodes):
            if frozenset((a, b)) in blocked:
                bars |= {(a, b)} if a in stops else set()
                bars |= {(b, a)} if b in stops else set()
    irrelevant = result.irrelevant - set(letters) - inner
    return Shown(letters, irrelevant, inner, active, blocked, frozenset(bars))


def _edges_of(trails: tuple[Trail, ...]) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(pair) for trail in trails for pair in pairwise(trail.nodes))


class SeparationLayer:
    """Two items that ignore the mouse: trails above the edges, marks above the nodes."""

    def __init__(self, scene: CanvasScene) -> None:
        self._scene = scene
        self.shown = Shown()
        self.trails = _Trails(self, scene)
        self.marks = _Marks(self, scene)

    def show(self, shown: Shown) -> None:
        self.shown = shown
        active = {node for edge in shown.active for node in edge}
        # Irrelevant nodes have their veil; dimmed as well they could not be read.
        self._scene.keep_bright(frozenset(active) | shown.on_trail | shown.irrelevant)
        self.follow()
        for item in (self.trails, self.marks):
            item.update()

    def follow(self) -> None:
        """Update after nodes were added, removed or moved."""
        if self.shown.letters or self.marks.has_bounds:
            for item in (self.trails, self.marks):
                item.cover(self._scene.content_rect() if self.shown.letters else QRectF())

    def edge_items(self) -> list[tuple[EdgeItem, bool]]:
        """The edges on trails and whether one of these is active, the active ones last."""
        shown = self.shown
        result = [
            (item, frozenset(ends) in shown.active)
            for ends, item in self._scene.edges.items()
            if frozenset(ends) in shown.active or frozenset(ends) in shown.blocked
        ]
        return sorted(result, key=lambda pair: pair[1])

    def faded_edges(self) -> list[EdgeItem]:
        """The edges at irrelevant nodes that are on no trail."""
        shown = self.shown
        used = shown.active | shown.blocked
        return [
            item
            for ends, item in self._scene.edges.items()
            if not shown.irrelevant.isdisjoint(ends) and frozenset(ends) not in used
        ]

    def legend_entries(self) -> list[LegendEntry]:
        shown, entries = self.shown, []
        if any(letter in "AB" for letter in shown.letters.values()):
            entries.append(LegendEntry("asked about", _letter_sample("A")))
        if "Z" in shown.letters.values():
            entries.append(LegendEntry("known", _letter_sample("Z")))
        if shown.active:
            entries.append(LegendEntry("active trail", _active_sample))
        if shown.blocked:
            entries.append(LegendEntry("blocked", _blocked_sample))
        if shown.irrelevant:
            entries.append(LegendEntry("irrelevant to A", _veil_sample))
        return entries


class _Trails(SceneLayer):
    def __init__(self, layer: SeparationLayer, scene: CanvasScene) -> None:
        super().__init__(scene, 0.55)  # over all edges, hovered ones too
        self._layer = layer

    def draw(self, painter: QPainter) -> None:
        shown = self._layer.shown
        if not shown.letters:
            return
        zoom = self._scene.zoomed.zoom_of(painter)
        thicker = 1.0 if self._scene.zoomed.detail_of(zoom) is not Detail.DOT else 0.6 / zoom
        veil = theme().color("canvas", _VEIL)
        painter.save()  # the view does not restore it: the clip would affect later items
        if thicker == 1.0:  # zoomed out there are no tags
            painter.setClipPath(self._outside_tags())
        for item in self._layer.faded_edges():
            paint_edge(painter, item.route, veil, item.width + 1.5, item.edge.style.has_arrow)
        for item, is_active in self._layer.edge_items():
            if not item.isVisible():
                continue
            has_arrow = item.edge.style.has_arrow
            if is_active:
                width = ACTIVE_WIDTH * thicker
                paint_edge(painter, item.route, theme().color("accent"), width, has_arrow)
                continue
            paint_blocked(painter, item.route, has_arrow, BLOCKED_WIDTH * thicker)
            for end, other in (item.ends, item.ends[::-1]):
                if (end, other) in shown.bars:
                    at_end = end == item.ends[1]
                    paint_bar(painter, item.route, at_end=at_end, has_arrow=at_end and has_arrow)
        painter.restore()

    def _outside_tags(self) -> QPainterPath:
        """A clip path that leaves out tags, so that they stay readable under a trail."""
        tags, around = QPainterPath(), QPainterPath()
        for item in self._scene.edges.values():
            if not item.tag.isEmpty():
                tags.addRoundedRect(item.tag, item.tag.height() / 2, item.tag.height() / 2)
        around.addRect(self.boundingRect())
        return around.subtracted(tags) if not tags.isEmpty() else around


class _Marks(SceneLayer):
    def __init__(self, layer: SeparationLayer, scene: CanvasScene) -> None:
        super().__init__(scene, 2.0)
        self._layer = layer

    def draw(self, painter: QPainter) -> None:
        shown = self._layer.shown
        zoom = self._scene.zoomed.zoom_of(painter)
        is_far = self._scene.zoomed.detail_of(zoom) is Detail.DOT
        for identity in {*shown.irrelevant, *shown.on_trail, *shown.letters}:
            item = self._scene.nodes.get(identity)
            if item is None or not item.isVisible():
                continue
            position = _veil_rect(item, is_far, zoom)
            if identity in shown.irrelevant:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme().color("canvas", _VEIL))
                painter.drawRoundedRect(position.adjusted(-1, -1, 1, 1), 7, 7)
            elif identity in shown.on_trail:
                painter.setPen(QPen(theme().color("accent"), 1.5 / min(1.0, zoom)))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(position, 7, 7)
            letter = shown.letters.get(identity)
            if letter is not None:
                radius = _LETTER_RADIUS / max(0.2, min(1.0, zoom))
                paint_letter(painter, letter, letter_middle(position, radius), radius)


def letter_middle(box: QRectF, radius: float) -> QPointF:
    """At the corner of a box, reaching into it as little as at 100 %: the name stays free."""
    away = radius - _LETTER_REACH
    return box.topLeft() - QPointF(away, away)


def _veil_rect(item: NodeItem, is_far: bool, zoom: float) -> QRectF:
    if not is_far:
        return item.box
    radius = 1.6 * dot_radius(zoom)
    return QRectF(item.pos().x() - radius, item.pos().y() - radius, 2 * radius, 2 * radius)


def paint_blocked(painter: QPainter, route: EdgeRoute, has_arrow: bool, width: float) -> None:
    """Paint a dashed line over the edge."""
    paint_edge(painter, route, theme().color("canvas"), 3 * width, False)
    paint_edge(painter, route, theme().color("edge_dim"), width, has_arrow, BLOCKED_DASH)


def paint_bar(
    painter: QPainter, route: EdgeRoute, *, at_end: bool, has_arrow: bool = False
) -> None:
    """⊣ across the edge, just before the node that blocks."""
    way = route if at_end else EdgeRoute(route.end, route.start, route.bend)
    angle, (x, y) = way.arrival, way.end
    away = _BAR_BEFORE_ARROW if has_arrow else _BAR_AWAY
    x, y = x - away * math.cos(angle), y - away * math.sin(angle)
    dx, dy = _BAR_HALF * math.sin(angle), -_BAR_HALF * math.cos(angle)
    pen = QPen(theme().color("text"), _BAR_WIDTH)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.drawLine(QLineF(x - dx, y - dy, x + dx, y + dy))


def paint_letter(painter: QPainter, letter: str, middle: QPointF, radius: float) -> None:
    """A letter on a disc."""
    painter.setPen(QPen(theme().color("canvas"), radius / 6))
    painter.setBrush(theme().color(_FILLS[letter]))
    painter.drawEllipse(middle, radius, radius)
    painter.save()
    painter.translate(middle)
    painter.scale(radius / _LETTER_RADIUS, radius / _LETTER_RADIUS)
    painter.setPen(theme().color("on_accent" if _FILLS[letter] == "accent" else "surface"))
    painter.setFont(canvas_font("caption", "semibold"))
    painter.drawText(QRectF(-9, -9, 18, 18), Qt.AlignmentFlag.AlignCenter, letter)
    painter.restore()


# -- samples of the legend


def _letter_sample(letter: str) -> Sample:
    def paint(painter: QPainter, position: QRectF) -> None:
        paint_letter(painter, letter, QPointF(position.right() - 9, position.center().y()), 8)

    return paint


def _active_sample(painter: QPainter, position: QRectF) -> None:
    paint_edge(painter, sample_route(position), theme().color("accent"), ACTIVE_WIDTH, True)


def _blocked_sample(painter: QPainter, position: QRectF) -> None:
    route = sample_route(position)
    color = theme().color("edge_dim")
    paint_edge(painter, route, color, BLOCKED_WIDTH, False, BLOCKED_DASH)
    paint_bar(painter, route, at_end=True)


def _veil_sample(painter: QPainter, position: QRectF) -> None:
    box = QRectF(position.left() + 1, position.center().y() - 6, position.width() - 2, 12)
    painter.setPen(theme().color("border_control"))
    painter.setBrush(theme().color("surface"))
    painter.drawRoundedRect(box, 3, 3)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().color("canvas", _VEIL))
    painter.drawRoundedRect(box.adjusted(-1, -1, 1, 1), 3, 3)
