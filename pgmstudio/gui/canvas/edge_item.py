"""An edge of the canvas: its label, its route around nodes, and how it is painted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPainterPathStroker, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from pgmstudio.core.drawing.diagram import EdgeStyle, GraphPicture, PictureEdge, Point, Size, Strand
from pgmstudio.core.drawing.layout.edge_routing import (
    TAG_GAP,
    TAG_HEIGHT,
    EdgeRoute,
    TagPlace,
    edge_route,
)
from pgmstudio.core.drawing.strands import dash_of, strand_offsets
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.gui.canvas.fonts import canvas_font, canvas_metrics
from pgmstudio.gui.canvas.node_item import NodeItem, take_over
from pgmstudio.gui.canvas.node_view import Detail, LevelOfDetail
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.debounce import one_shot

if TYPE_CHECKING:
    from pgmstudio.gui.canvas.scene import CanvasScene

_RADIUS = TAG_HEIGHT / 2
_RING = 3.0  # between a selected tag and the ring around it


def tag_size(label: str) -> Size:
    """The size of a tag with this label in the font of the canvas."""
    return canvas_metrics("caption", "semibold").horizontalAdvance(label) + 20.0, TAG_HEIGHT


def tag_rect(route: EdgeRoute, place: TagPlace, label: str) -> QRectF:
    """The rectangle of the tag in the scene."""
    (x, y), (width, height) = place.on(route), tag_size(label)
    return QRectF(x - width / 2, y - height / 2, width, height)


def paint_tag(
    painter: QPainter, rect: QRectF, label: str, style: EdgeStyle, *, is_selected: bool = False
) -> None:
    """The tag over its line, which gets a gap; a ring when the edge is selected."""
    is_gone = style.is_vanished
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().color("canvas"))
    around = rect.adjusted(-TAG_GAP, -TAG_GAP, TAG_GAP, TAG_GAP)
    painter.drawRoundedRect(around, _RADIUS + TAG_GAP, _RADIUS + TAG_GAP)
    pen = QPen(theme().color("label_ink"), theme().line("hairline"))
    if is_gone:
        pen.setDashPattern([3.0, 2.0])
    painter.setPen(pen)
    painter.setBrush(theme().color("canvas" if is_gone else "label_soft"))
    painter.drawRoundedRect(rect, _RADIUS, _RADIUS)
    if is_selected:
        painter.setPen(QPen(theme().color("accent"), theme().line("focus")))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        ring = rect.adjusted(-_RING, -_RING, _RING, _RING)
        painter.drawRoundedRect(ring, _RADIUS + _RING, _RADIUS + _RING)
    painter.setPen(theme().color("text_secondary" if is_gone else "label_ink"))
    painter.setFont(canvas_font("caption", "semibold"))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, label)


HIT_WIDTH = 12.0
MAX_LABEL_WIDTH = 110.0
STRENGTH_WIDTH = 56.0  # “100 %” next to the line
# Below this zoom labels keep their size on screen; they are shown as far as names are.
LABEL_SHRINKS_TO = 0.62
_STEP_RADIUS = 8.0
# Position of a label that was not placed: nearer the target, edges from one source diverge.
_DEFAULT_FRACTION = 0.6
_MIDDLE = 40.0  # px around the middle of a selected edge that stay in sight


@dataclass(frozen=True, slots=True)
class EdgePen:
    """The line style of a kind of edge and its text in the legend."""

    color: str
    width: float
    dash: tuple[float, ...]
    meaning: str
    has_ring: bool = False  # a small hollow one at the middle


PENS = {
    EdgeStyle.DIRECTED: EdgePen("edge", 1.5, (), "edge"),
    EdgeStyle.UNDIRECTED: EdgePen("reversible", 1.5, (), "edge without direction"),
    EdgeStyle.COMPELLED: EdgePen("compelled", 2.0, (), "compelled edge"),
    EdgeStyle.COLLIDING: EdgePen("compelled", 2.0, (), "in a v-structure"),
    EdgeStyle.REVERSIBLE: EdgePen("reversible", 1.5, (), "reversible edge", has_ring=True),
    EdgeStyle.MORAL: EdgePen("reversible", 1.5, (4.0, 3.0), "joins parents"),
    EdgeStyle.FILL_IN: EdgePen("fill_in", 2.0, (4.0, 3.0), "fill-in"),
    EdgeStyle.COMMON: EdgePen("edge_dim", 1.0, (), "in both"),
    EdgeStyle.COMMON_LINE: EdgePen("edge_dim", 1.0, (), "in both"),
    EdgeStyle.ADDED: EdgePen("required", 3.0, (), "+ added"),
    EdgeStyle.MISSING: EdgePen("forbidden", 3.0, (6.0, 4.0), "− missing"),
    EdgeStyle.ADDED_LINE: EdgePen("required", 3.0, (), "+ added"),
    EdgeStyle.MISSING_LINE: EdgePen("forbidden", 3.0, (6.0, 4.0), "− missing"),
    EdgeStyle.REVERSED: EdgePen("label_ink", 3.0, (), "⇄ reversed"),
    EdgeStyle.TRIAL: EdgePen("fill_in", 2.0, (4.0, 3.0), "tried"),
    EdgeStyle.LABELLED: EdgePen("label_ink", 1.5, (), "carries a label"),
    EdgeStyle.VANISHED: EdgePen("edge_dim", 1.5, (3.0, 4.0), "vanished here"),
    EdgeStyle.CONTEXTUAL: EdgePen("label_ink", 1.5, (), "has contexts"),
    EdgeStyle.CONTEXTUAL_VANISHED: EdgePen("edge_dim", 1.5, (3.0, 4.0), "vanished here"),
}


# An edge into a variable with an intervention, do(X = x), which cuts the edges from its parents.
CUT = EdgePen("edge_dim", 1.5, (4.0, 4.0), "cut by do")
CUT_GAP = 10.0
_RING_RADIUS = 4.0


@dataclass(slots=True)
class EdgeLook:
    """The transient look of an edge: hovered, selected, cut, its width by strength."""

    width: float | None = None  # by its strength; None: the plain width
    is_selected: bool = False
    is_hovered: bool = False
    step: int | None = None  # its number on the path of a cycle
    label: str = ""  # its strength as a label, where that is shown
    is_cut: bool = False  # by an intervention at its end


class EdgeItem(QGraphicsItem):
    """The scene item of an edge; it gets a new route when a node at its end moves."""

    def __init__(self, edge: PictureEdge, zoomed: LevelOfDetail) -> None:
        super().__init__()
        self.edge = edge
        self._zoomed = zoomed
        self.look = EdgeLook()
        self.route = EdgeRoute((0.0, 0.0), (0.0, 0.0))
        self._far = QPainterPath()
        self._label_place: TagPlace | None = None  # on the line; None: not placed
        self._label_point: Point | None = None  # beside the line; None: on it
        self._has_room = True  # for its label
        self._middles: tuple[QPointF, QPointF] | None = None
        self._line = QPainterPath()
        self._bounds = QRectF()
        self._rise()
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    @property
    def ends(self) -> tuple[str, str]:
        return self.edge.source, self.edge.target

    @property
    def width(self) -> float:
        """The line's width at rest."""
        look = self.look
        return PENS[self.edge.style].width if look.width is None else look.width

    def _drawn_width(self) -> float:
        look = self.look
        if look.is_hovered or look.is_selected or look.step is not None:
            return max(self.width, theme().line("edge_hover"))
        return self.width

    def set_edge(self, edge: PictureEdge) -> None:
        if edge != self.edge:
            self.prepareGeometryChange()
            self.edge = edge
            self._bounds = self._bounds.united(self.label_rect)
            self._rise()
            self.update()

    def set_route(self, route: EdgeRoute, source: QPointF, target: QPointF) -> None:
        """Set the route; `source` and `target` are the centres of the two boxes."""
        self.prepareGeometryChange()
        self.route = route
        self._label_point = None
        self._middles = source, target
        self._far = QPainterPath(source)
        if route.bend is None:
            self._far.lineTo(target)
        else:
            self._far.quadTo(QPointF(*route.bend), target)
        self._line = line_of(route, 0.0)
        reach = 14.0 + 4.0 * len(self.edge.strands)
        bounds = self._line.boundingRect().united(QRectF(source, target).normalized())
        x, y = route.at(_DEFAULT_FRACTION)
        bounds = bounds.united(QRectF(x - STRENGTH_WIDTH, y - 18, 2 * STRENGTH_WIDTH, 36))
        bounds = bounds.united(self.label_rect)
        self._bounds = bounds.adjusted(-reach, -reach, reach, reach)
        self.update()

    @property
    def tag(self) -> QRectF:
        """The rectangle of the tag; empty for an edge without one."""
        if not (self.edge.style.has_tag and self.edge.label):
            return QRectF()
        return self.label_rect

    @property
    def label_rect(self) -> QRectF:
        """The rectangle of the label, on a tag or plain; empty for an edge without."""
        if self.edge.style.has_tag and self.edge.label:
            return tag_rect(self.route, self._label_place or TagPlace(), self.edge.label)
        text = self._label_text()
        if not text:
            return QRectF()
        place = self._label_place or TagPlace(_DEFAULT_FRACTION)
        x, y = self._label_point or place.on(self.route)
        width = canvas_metrics("caption").horizontalAdvance(text) + 8
        return QRectF(x - width / 2, y - 8, width, 16)

    @property
    def middle_box(self) -> QRectF:
        """Its label, or a small box around its middle."""
        x, y = self.route.at(0.5)
        around = QRectF(x - _MIDDLE / 2, y - _MIDDLE / 2, _MIDDLE, _MIDDLE)
        return self.label_rect.adjusted(-8, -8, 8, 8) if self._label_text() else around

    def _label_text(self) -> str:
        """Its label or its strength, as far as it fits."""
        label = self.edge.label or self.look.label
        available = MAX_LABEL_WIDTH - 10
        return canvas_metrics("caption").elidedText(label, Qt.TextElideMode.ElideRight, available)

    def set_label_place(self, place: TagPlace) -> None:
        """Move the label on its line."""
        if place != self._label_place:
            self.prepareGeometryChange()
            self._label_place = place
            self._bounds = self._bounds.united(self.label_rect.adjusted(-8, -8, 8, 8))
            self.update()

    def set_label_point(self, point: Point | None) -> None:
        """Put the label beside the line; it is not painted where it has no room."""
        if (point, point is not None) != (self._label_point, self._has_room):
            self.prepareGeometryChange()
            self._label_point, self._has_room = point, point is not None
            around = self.label_rect.adjusted(-STRENGTH_WIDTH / 2, -16, STRENGTH_WIDTH / 2, 16)
            self._bounds = self._bounds.united(around)
            self.update()

    @property
    def has_plain_label(self) -> bool:
        """Whether it has a percentage or a word beside its line, on no tag."""
        style = self.edge.style
        return bool(self._label_text()) and not style.has_tag and not style.is_difference

    @property
    def is_certain(self) -> bool:
        """Whether every replicate has it, which its width shows too."""
        return self._label_text() == "100 %"

    def shown_label_rect(self, zoom: float) -> QRectF:
        """The rectangle of the label as large as it is painted at this zoom."""
        rect, larger = self.label_rect, max(1.0, LABEL_SHRINKS_TO / zoom)
        shown = QRectF(0, 0, rect.width() * larger, rect.height() * larger)
        shown.moveCenter(rect.center())
        return shown

    def is_routed_between(self, source: QPointF, target: QPointF) -> bool:
        """Whether the route was made for boxes at these centres."""
        return self._middles == (source, target)

    def change_look(self, **changes: object) -> None:
        """Selected, hovered, …; repaints only when something differs."""
        if take_over(self.look, changes):
            self._rise()
            self.update()

    def _rise(self) -> None:
        """Raise hovered and selected edges, then edges with tags, over all other lines."""
        style = self.edge.style
        has_tag = style.has_tag and bool(self.edge.label)
        at_rest = (0.1 if style.is_vanished else 0.2) if has_tag else 0.0
        self.setZValue(0.5 if self._is_lifted() else at_rest)

    def _is_lifted(self) -> bool:
        return self.look.is_selected or self.look.is_hovered or self.look.step is not None

    def boundingRect(self) -> QRectF:
        return self._bounds

    def shape(self) -> QPainterPath:
        stroker = QPainterPathStroker()
        stroker.setWidth(HIT_WIDTH + 5.0 * max(0, len(self.edge.strands) - 1))
        shape = stroker.createStroke(self._line)
        if not self.tag.isEmpty():
            shape.setFillRule(Qt.FillRule.WindingFill)
            shape.addRect(self.tag)
        return shape

    def _color(self) -> str:
        if self.look.step is not None:
            return "danger_ink"
        if self.look.is_selected and self.tag.isEmpty():
            return "accent"
        return (CUT if self.look.is_cut else PENS[self.edge.style]).color

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        zoom = self._zoomed.zoom_of(painter)
        detail = self._zoomed.detail_of(zoom)
        if detail is Detail.DOT:
            self._paint_far(painter, zoom)
            return
        pen_of_style = CUT if self.look.is_cut else PENS[self.edge.style]
        width = self._drawn_width()
        color = theme().color(self._color())
        has_arrow = self.edge.style.has_arrow
        route = self.route.shortened(CUT_GAP) if self.look.is_cut else self.route
        if self.edge.strands:
            paint_strands(painter, route, self.edge.strands, lifted=self._is_lifted())
            if self.look.is_selected:
                paint_edge(painter, route, color, theme().line("hairline"), False)
            return
        paint_edge(painter, route, color, width, has_arrow, pen_of_style.dash)
        if pen_of_style.has_ring:
            paint_ring(painter, self.route, color, width)
        is_short = self.edge.style.is_difference or self.look.label
        if not self.tag.isEmpty():
            text, style = self.edge.label, self.edge.style
            paint_tag(painter, self.tag, text, style, is_selected=self.look.is_selected)
        elif is_short or (self.edge.label and detail is Detail.FULL):
            self._paint_label(painter, zoom)
        if self.look.step is not None:
            self._paint_step(painter, self.look.step)

    def _paint_far(self, painter: QPainter, zoom: float) -> None:
        """Zoomed out: a thin line from dot to dot; differences of two structures stay thick."""
        is_difference = self.edge.style.is_difference
        width, alpha = (1.8, 1.0) if is_difference or self._is_lifted() else (0.8, 0.55)
        if self.look.width is not None:
            width = max(width, 0.6 * self.look.width)
        dash = PENS[self.edge.style].dash if is_difference else ()
        painter.setPen(_far_pen(theme().shade, self._color(), alpha, width, zoom, dash))
        if self.route.bend is None and self._middles is not None:
            painter.drawLine(*self._middles)  # several times faster than a path
            return
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._far)

    def _paint_label(self, painter: QPainter, zoom: float) -> None:
        text, position = self._label_text(), self.label_rect
        if not text or not self._has_room:
            return
        larger = max(1.0, LABEL_SHRINKS_TO / zoom)
        painter.save()
        painter.translate(position.center())
        painter.scale(larger, larger)
        painter.translate(-position.center())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("canvas"))
        painter.drawRoundedRect(position, 4, 4)
        is_marker = self.edge.style.is_difference
        ink = PENS[self.edge.style].color if is_marker else "text_secondary"
        painter.setPen(theme().color(ink))
        painter.setFont(canvas_font("caption", "semibold" if is_marker else "regular"))
        painter.drawText(position, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()

    def _paint_step(self, painter: QPainter, step: int) -> None:
        x, y = self.route.at(0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("danger_ink"))
        painter.drawEllipse(QPointF(x, y), _STEP_RADIUS, _STEP_RADIUS)
        painter.setPen(theme().color("surface"))
        painter.setFont(canvas_font("caption", "semibold"))
        position = QRectF(x - 8, y - 8, 16, 16)
        painter.drawText(position, Qt.AlignmentFlag.AlignCenter, str(step))


@lru_cache(maxsize=256)
def _far_pen(
    _shade: str, color: str, alpha: float, width: float, zoom: float, dash: tuple[float, ...]
) -> QPen:
    pen = QPen(theme().color(color, alpha), width / zoom)
    if dash:
        pen.setDashPattern([part / width for part in dash])
    return pen


def line_of(route: EdgeRoute, shorter: float) -> QPainterPath:
    """The route as a path that ends `shorter` px before its end, along its last direction."""
    angle = route.arrival
    end = QPointF(
        route.end[0] - shorter * math.cos(angle), route.end[1] - shorter * math.sin(angle)
    )
    path = QPainterPath(QPointF(*route.start))
    if route.bend is None:
        path.lineTo(end)
    else:
        path.quadTo(QPointF(*route.bend), end)
    return path


def paint_edge(
    painter: QPainter,
    route: EdgeRoute,
    color: QColor,
    width: float,
    has_arrow: bool,
    dash: tuple[float, ...] = (),
) -> None:
    """Line and arrow; the arrow is 8 + 1.3 · width long."""
    length = 8 + 1.3 * width if has_arrow else 0.0
    pen = QPen(color, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if dash:
        pen.setDashPattern([part / width for part in dash])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    # The line must not stick out at the tip of the arrow.
    painter.drawPath(line_of(route, length * 0.8))
    if has_arrow:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPolygon(arrow_head(route.end, route.arrival, length))


def paint_strands(
    painter: QPainter, route: EdgeRoute, strands: tuple[Strand, ...], *, lifted: bool = False
) -> None:
    """Parallel lines without arrows, each in the colour and the dashes of its component."""
    for strand, offset in zip(strands, strand_offsets(strands), strict=True):
        alpha = 1.0 if lifted else strand.alpha
        if strand.component is None:
            color = theme().color("edge", alpha)
        else:
            color = theme().category(strand.component, "line")
            color.setAlphaF(alpha)
        width = max(strand.width, theme().line("edge_hover")) if lifted else strand.width
        dash = dash_of(strand.component, strand.width)
        paint_edge(painter, route.shifted(offset), color, width, False, dash)


def paint_ring(painter: QPainter, route: EdgeRoute, color: QColor, width: float) -> None:
    """A small circle on a reversible edge."""
    painter.setPen(QPen(color, width))
    painter.setBrush(theme().color("canvas"))
    painter.drawEllipse(QPointF(*route.at(0.5)), _RING_RADIUS, _RING_RADIUS)


def arrow_head(tip: Point, angle: float, length: float) -> QPolygonF:
    """A slim head with a notch, so that a thick line does not stick out of it."""
    cos, sin, half = math.cos(angle), math.sin(angle), length * 0.42
    back_x, back_y = tip[0] - length * cos, tip[1] - length * sin
    notch = 0.75 * length
    return QPolygonF(
        [
            QPointF(*tip),
            QPointF(back_x + half * sin, back_y - half * cos),
            QPointF(tip[0] - notch * cos, tip[1] - notch * sin),
            QPointF(back_x - half * sin, back_y + half * cos),
        ]
    )


Edge = tuple[str, str]
# From this many edges on, a thread would make the window slow, so a process is used.
PROCESS_FROM = 500


@dataclass(frozen=True, slots=True)
class Routing:
    """The routing of all edges of a picture, as a task that a child process can run too."""

    picture: GraphPicture
    positions: dict[str, Point]
    sizes: dict[str, Size]

    def routes(self, edges: Sequence[PictureEdge] | None = None) -> dict[Edge, EdgeRoute]:
        """Routes by the ends of the edges; of all edges or of the given ones."""
        chosen = self.picture.edges if edges is None else edges
        result = edge_route(self.picture, self.positions, self.sizes, chosen)
        return {(e.source, e.target): route for e, route in zip(chosen, result, strict=True)}

    def __call__(self, cancel: CancelToken, /) -> Iterator[dict[Edge, EdgeRoute]]:
        cancel.raise_if_cancelled()
        yield self.routes()

    def answer(self, cancel: CancelToken) -> dict[Edge, EdgeRoute]:
        """Run in a worker thread; many edges are routed in a process so that the window stays
        quick."""
        if len(self.picture.edges) < PROCESS_FROM:
            return self.routes()
        return next(in_process(self, cancel))


# Looking for bends costs up to a millisecond an edge.
MAX_AT_ONCE = 16
REST_MS = 100  # nodes that have not moved for so long stay where they are


class RouteMaker(QObject):
    """Routes edges; `routed` emits the routes by the ends of the edges."""

    routed = Signal(object)

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__(scene)
        self._latest_task = LatestTask(self, self.routed)
        self._rest = one_shot(self, scene.route_all, REST_MS)

    def route_some(self, scene: CanvasScene, items: Sequence[EdgeItem]) -> None:
        """Route the edges at moved or resized nodes: with bends at once if they are few, else all
        edges in a worker, once the nodes stay where they are."""
        was_waiting = self._latest_task.is_waiting or self._rest.isActive()
        self._latest_task.forget()
        if len(items) <= MAX_AT_ONCE:
            task = Routing(scene.picture, scene.positions, scene.sizes)
            self.routed.emit(task.routes([item.edge for item in items]))
        else:
            self._straighten_moved(scene, items)
        if was_waiting or len(items) > MAX_AT_ONCE:
            self._rest.start()

    def route_all(self, scene: CanvasScene) -> None:
        """Route every edge; if there are many, first straight, then with bends from a worker."""
        self._rest.stop()
        task = Routing(scene.picture, scene.positions, scene.sizes)
        if len(scene.edges) <= MAX_AT_ONCE:
            self._latest_task.forget()
            self.routed.emit(task.routes())
            return
        self._straighten_moved(scene, scene.edges.values())
        self._latest_task.ask(task.answer)

    def _straighten_moved(self, scene: CanvasScene, items: Iterable[EdgeItem]) -> None:
        """Edges whose ends stayed keep their old route meanwhile."""
        moved = [item for item in items if not scene.is_routed(item)]
        ends = {item.ends: [scene.nodes[end] for end in item.ends] for item in moved}
        self.routed.emit({pair: straight_route(*nodes) for pair, nodes in ends.items()})

    def stop(self) -> None:
        self._rest.stop()
        self._latest_task.forget()


def straight_route(source: NodeItem, target: NodeItem) -> EdgeRoute:
    """A straight route from outline to outline, also across other nodes."""
    return EdgeRoute(_leaving(source, target.centre), _leaving(target, source.centre))


def _leaving(item: NodeItem, toward: Point) -> Point:
    (x, y), (width, height) = item.centre, item.size
    dx, dy = toward[0] - x, toward[1] - y
    reach = max(abs(dx) / (width / 2), abs(dy) / (height / 2), 1.0)
    return x + dx / reach, y + dy / reach
