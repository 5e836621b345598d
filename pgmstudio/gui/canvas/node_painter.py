"""The painter of nodes: box, head with marks, state rows with bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF

from pgmstudio.core.drawing.diagram import NodeShape
from pgmstudio.core.drawing.layout.boxes import HEAD, LINE
from pgmstudio.core.drawing.svg.nodes import Mark
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.inference.belief_text import belief_text, necessity_of, rest_text, short_degree
from pgmstudio.gui.canvas.fonts import (
    canvas_font,
    canvas_metrics,
    font_of_height,
    largest_size,
    metrics_of_height,
)
from pgmstudio.gui.canvas.node_geometry import (
    INDENT,
    MARK_SIZE,
    NECESSITY_COLUMN,
    NodeGeometry,
    name_pixels,
    name_rect,
    named_box,
    shown_name,
    small_face,
)
from pgmstudio.gui.canvas.node_view import Detail, NodeMode, NodeView
from pgmstudio.gui.theme.icons import paint_icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar

RING_DISTANCE = 4.0
MIN_LABEL_LENGTH = 24.0
DOT_ON_SCREEN = 9.0

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTER = Qt.AlignmentFlag.AlignCenter


@dataclass(slots=True)
class NodeLook:
    """The transient look of a node: selected, hovered, focused, a match of a search."""

    shape: NodeShape = NodeShape.OVAL
    is_selected: bool = False
    has_focus: bool = False  # of the keyboard
    focus_state: int | None = None  # the focused state inside the node
    role: str = ""  # "source", "goal", "cycle": while an edge is being drawn
    is_match: bool = False  # one of the matches of a search


def dot_radius(zoom: float) -> float:
    """Radius of a dot in scene px, so that it is about as large on screen at any zoom."""
    return max(7.0, DOT_ON_SCREEN / 2 / max(zoom, 0.2))


def ring_pen(look: NodeLook) -> QPen | None:
    """The ring of a node that is selected, focused, a match or part of a gesture."""
    color = "virtual_ink" if look.is_match else ""
    if look.role == "cycle":
        color = "danger_ink"
    elif look.is_selected or look.role:
        color = "accent"
    elif look.has_focus:
        color = "focus"
    if not color:
        return None
    pen = QPen(theme().color(color), theme().line("node_selected"))
    if color == "focus":
        pen.setDashPattern([2.0, 2.0])
    return pen


def paint_dot(
    painter: QPainter, face: NodeView, look: NodeLook, zoom: float, step: int | None = None
) -> None:
    """Paint a node as a dot around the origin, coloured by a step of the heat ramp; evidence has
    another shape, not only a colour."""
    radius = dot_radius(zoom)
    color, is_square = "edge_dim" if face.is_faint else "edge", False
    if face.weights:
        mark = face.mark
        is_square = mark is not None and not mark.is_soft
        color = "virtual" if mark is None else mark.tint
    elif face.is_target:
        color = "target"
    if not color.startswith("edge"):
        radius *= 1.35
    if color == "edge" and step is not None:
        painter.setPen(_heat_outline(theme().shade, zoom))
        painter.setBrush(theme().sequential(step))
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color(color))
    if color == "do":
        painter.drawPolygon(diamond(QPointF(0, 0), radius * 1.2))
    elif is_square:
        side = radius * 0.9
        painter.drawRect(QRectF(-side, -side, 2 * side, 2 * side))
    else:
        painter.drawEllipse(QPointF(0, 0), radius, radius)
    pen = ring_pen(look)
    if pen is not None:
        pen.setWidthF(2 / max(zoom, 0.2))
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(0, 0), radius * 1.7, radius * 1.7)


@lru_cache(maxsize=16)
def _heat_outline(_shade: str, zoom: float) -> QPen:
    return QPen(theme().color("border_control"), 1 / max(zoom, 0.05))


def fit_mark_text(text: str, available: float, metrics: QFontMetricsF) -> str:
    """The text of a mark shortened to the available width; "" if only its icon fits.

    A shortened state can still be recognised (“= at…me”), half of the word “likelihood” cannot.
    """
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, available)
    is_state = " " in text
    return shown if available >= MIN_LABEL_LENGTH and (is_state or shown == text) else ""


def diamond(middle: QPointF, half: float) -> QPolygonF:
    """The dot of a node with an intervention: a shape of its own, not only a colour."""
    x, y = middle.x(), middle.y()
    return QPolygonF(
        [QPointF(x, y - half), QPointF(x + half, y), QPointF(x, y + half), QPointF(x - half, y)]
    )


class NodePainter:
    """Paints one node in a box of `geometry`, origin at the box's top left corner."""

    def __init__(
        self,
        painter: QPainter,
        face: NodeView,
        look: NodeLook,
        geometry: NodeGeometry,
        shown_beliefs: Sequence[float],
    ) -> None:
        self._painter = painter
        self._face, self._look, self._geometry = face, look, geometry
        self._values = shown_beliefs
        self._mark = face.mark
        self._box = QRectF(0, 0, geometry.width, geometry.height)
        self._wanted = self._box.adjusted(-1, -1, 1, 1)

    def paint(self, detail: Detail, zoom: float, part: QRectF | None = None) -> None:
        """Paint at every level of detail but dots; only `part` has to be painted."""
        if part is not None:
            self._wanted = part
        pixels = 0
        is_small = detail is Detail.NAME
        if is_small and not self._face.shows_rows:
            pixels = name_pixels(self._face, self._box, zoom)
            self._box = named_box(self._face, self._box, pixels)
        self._paint_box()
        if not self._box.contains(self._wanted):
            self._paint_rings()
        if is_small and self._face.shows_rows:
            self._paint_small(zoom)
        elif is_small:
            self._paint_name(pixels)
        elif self._face.shows_rows:
            if self._wanted.top() <= HEAD:
                self._paint_head(HEAD / 2)
            self._paint_rows()
        else:
            self._paint_label()

    def paint_open(self) -> None:
        """Head and rows without the box around them."""
        self._paint_head(HEAD / 2, with_text=False)
        self._paint_state_rows()

    # -- outline

    def _outline(self) -> QPen:
        mark, colors = self._mark, theme()
        if mark is not None and mark.is_soft:
            pen = QPen(colors.color("virtual_ink"), colors.line("node_evidence"))
            pen.setDashPattern([2.5, 1.5])
            return pen
        if mark is not None:
            return QPen(colors.color(mark.tint), colors.line("node_evidence"))
        if self._face.is_target:
            return QPen(colors.color("target"), colors.line("node_selected"))
        outline = "border" if self._face.is_faint else "border_control"
        return QPen(colors.color(outline), colors.line("node"))

    @property
    def _ink(self) -> str:
        """The colour of the name."""
        if self._mark is not None:
            return f"{self._mark.tint}_ink"
        return "text_tertiary" if self._face.is_faint else "text"

    def _paint_box(self) -> None:
        painter, look = self._painter, self._look
        pen = self._outline()
        inset = pen.widthF() / 2
        radius = theme().radius("bar" if look.shape is NodeShape.BOX else "node")
        painter.setPen(pen)
        painter.setBrush(theme().color("surface"))
        painter.drawRoundedRect(self._box.adjusted(inset, inset, -inset, -inset), radius, radius)
        if look.shape is NodeShape.DOUBLE:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            inner = self._box.adjusted(3.5, 3.5, -3.5, -3.5)
            painter.drawRoundedRect(inner, radius - 3, radius - 3)

    def _paint_rings(self) -> None:
        pen = ring_pen(self._look)
        if pen is None:
            return
        away = RING_DISTANCE
        radius = theme().radius("node") + away - 1
        self._painter.setPen(pen)
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.drawRoundedRect(self._box.adjusted(-away, -away, away, away), radius, radius)

    # -- small

    def _paint_name(self, pixels: int) -> None:
        """Paint the title alone, at a readable size."""
        rect, metrics = name_rect(self._box), metrics_of_height(pixels)
        self._painter.setFont(font_of_height(pixels))
        elide = Qt.TextElideMode.ElideMiddle
        shown = metrics.elidedText(shown_name(self._face), elide, rect.width())
        self._painter.setPen(theme().color(self._ink))
        self._painter.drawText(rect, _CENTER, shown)

    def _paint_small(self, zoom: float) -> None:
        """Paint the name as large as it can be, and bars without words."""
        geometry = self._geometry
        shown = geometry.shown if self._values else ()
        small = small_face(
            shown_name(self._face), (geometry.width, geometry.height), len(shown), round(zoom, 3)
        )
        self._painter.setFont(font_of_height(small.pixels))
        self._painter.setPen(theme().color(self._ink))
        self._painter.drawText(small.name, _CENTER, "\n".join(small.lines))
        for track, index in zip(small.bars, shown, strict=False):
            mark = self._mark
            is_chosen = mark is not None and self._face.states[index] == mark.chosen
            self._paint_bar_on(track, index, mark, is_chosen, has_guides=False)

    def _paint_line(self, fraction: float) -> None:
        """The belief as a thin line under the name."""
        painter, box = self._painter, self._box
        track = QRectF(INDENT - 2, box.bottom() - 5.5, box.width() - 2 * INDENT + 4, 2)
        tint = "belief" if self._mark is None else self._mark.tint
        paint_bar(painter, track, Bar(fraction, "stale" if self._face.is_stale else tint))

    def _paint_label(self) -> None:
        painter, face = self._painter, self._face
        if face.mode is NodeMode.LINE and face.line_fraction is not None:
            self._paint_line(face.line_fraction)
        if self._mark is not None or face.is_target or face.note:
            self._paint_head(self._box.height() / 2, with_text=False)
            return
        if face.mode is NodeMode.ENTROPY and face.entropy_bits is not None:
            self._paint_entropy(face.entropy_bits)
            return
        is_box = self._look.shape is NodeShape.BOX
        painter.setPen(theme().color(self._ink))
        lines = face.title.split("\n")
        available = self._box.width() - 2 * INDENT + 6
        size = largest_size(max(lines, key=len), "medium", available)
        painter.setFont(canvas_font(size, "regular" if is_box else "medium"))
        metrics = canvas_metrics(size, "medium")
        top = self._box.center().y() - LINE * len(lines) / 2
        for number, text in enumerate(lines):
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, available)
            position = QRectF(0, top + LINE * number, self._box.width(), LINE)
            painter.drawText(position, _CENTER, shown)

    def _paint_entropy(self, bits: float) -> None:
        painter, box = self._painter, self._box
        painter.setFont(canvas_font("dense", "medium"))
        painter.setPen(theme().color("text"))
        rect = box.adjusted(INDENT, 0, -INDENT - 36, 0)
        title = canvas_metrics("dense", "medium").elidedText(
            self._face.title, Qt.TextElideMode.ElideMiddle, rect.width()
        )
        painter.drawText(rect, _LEFT, title)
        if self._face.is_stale:
            clock = QRectF(0, 0, MARK_SIZE, MARK_SIZE)
            clock.moveCenter(QPointF(box.right() - INDENT - MARK_SIZE / 2, box.center().y()))
            paint_icon(painter, "clock", "text_tertiary", clock)
            return
        painter.setFont(canvas_font("caption"))
        painter.setPen(theme().color("text_tertiary"))
        painter.drawText(box.adjusted(0, 0, -INDENT, 0), _RIGHT, f"{bits:.2f}")

    # -- head

    def _paint_head(self, middle: float, *, with_text: bool = True) -> None:
        painter, face, colors = self._painter, self._face, theme()
        right = self._box.width() - INDENT + 1
        mark = self._mark
        text: str | None = None
        ink = "target_ink"
        symbols: list[tuple[str, str]] = []
        if mark is not None:
            ink = f"{mark.tint}_ink"
            text = mark.text
            symbols.append((mark.icon, ink))
        if face.is_target:
            text = text or "target"
            symbols.append(("crosshair", "target_ink"))
        if face.is_stale and face.shows_rows:  # a name alone is never out of date
            symbols.append(("clock", "text_tertiary"))
        for name, color in symbols:
            size = MARK_SIZE
            position = QRectF(right - size, middle - size / 2, size, size)
            paint_icon(painter, name, color, position)
            right -= size + 2
        bold = canvas_metrics("dense", "semibold")
        title = face.title.replace("\n", " ")
        if text is not None and with_text:
            metrics = canvas_metrics("caption", "semibold")
            # The title comes first: a text that leaves it too little space is replaced by its icon.
            left = right - INDENT - 6 - bold.horizontalAdvance(title)
            shown = fit_mark_text(text, left, metrics)
            width = metrics.horizontalAdvance(shown)
            if shown:
                painter.setFont(canvas_font("caption", "semibold"))
                painter.setPen(colors.color(ink))
                position = QRectF(right - width - 1, middle - 9, width + 1, 18)
                painter.drawText(position, _RIGHT, shown)
                right -= width + 5
        available = right - INDENT - (8 if face.note else 0)
        text_size = largest_size(title, "semibold", available)
        bold = canvas_metrics(text_size, "semibold")
        shown = bold.elidedText(title, Qt.TextElideMode.ElideMiddle, available)
        painter.setFont(canvas_font(text_size, "semibold"))
        painter.setPen(colors.color("text"))
        painter.drawText(QRectF(INDENT, middle - 9, available + 2, 18), _LEFT, shown)
        if face.note:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colors.color("text_tertiary"))
            end = INDENT + bold.horizontalAdvance(shown) + 5
            painter.drawEllipse(QRectF(end, middle - 2, 4, 4))

    # -- rows

    def _paint_rows(self) -> None:
        self._painter.setPen(QPen(theme().color("border"), 1))
        inset = self._outline().widthF()
        self._painter.drawLine(QLineF(inset, HEAD + 0.5, self._box.width() - inset, HEAD + 0.5))
        self._paint_state_rows()

    def _paint_state_rows(self) -> None:
        painter, geometry = self._painter, self._geometry
        for position, index in enumerate(geometry.shown):
            self._paint_row(position, index, geometry.names[position])
        hidden = geometry.hidden
        if hidden:
            row = geometry.row(len(geometry.shown))
            painter.setFont(canvas_font("caption"))
            painter.setPen(theme().color("text_tertiary"))
            painter.drawText(row.adjusted(INDENT, 0, 0, 0), _LEFT, f"{len(hidden)} more")
            if self._face.beliefs:  # numbers are not animated
                rest = rest_text([self._face.beliefs[i] for i in hidden], self._face.scale)
                painter.drawText(row.adjusted(0, 0, -INDENT + 1, 0), _RIGHT, rest)

    def _paint_row(self, position: int, index: int, name: str) -> None:
        painter, face, mark, colors = self._painter, self._face, self._mark, theme()
        row = self._geometry.row(position)
        state = face.states[index]
        is_known = bool(face.beliefs)
        is_out = (is_known and face.beliefs[index] <= 0) or (
            (mark is not None and state in mark.struck) or face.is_cut(index)
        )
        is_chosen = mark is not None and state == mark.chosen
        ink = colors.color("text_secondary" if is_out else "text")
        painter.setFont(canvas_font("caption"))
        painter.setPen(ink)
        if self._wanted.left() < self._geometry.bar_left - 2:
            painter.drawText(row.adjusted(INDENT, 0, 0, 0), _LEFT, name)
        if is_out:
            end = INDENT + canvas_metrics("caption").horizontalAdvance(name)
            middle = row.center().y() + 0.5
            painter.drawLine(QLineF(INDENT, middle, end, middle))
        if is_known:
            painter.setFont(canvas_font("caption", "medium"))
            chosen = f"{mark.tint}_ink" if mark is not None else "evidence_ink"
            painter.setPen(colors.color(chosen) if is_chosen else ink)
            right = row.adjusted(0, 0, -INDENT + 1, 0)
            number = belief_text(face.beliefs[index], face.scale)
            if face.scale is Scale.POSSIBILITY:
                necessity = short_degree(necessity_of(face.beliefs)[index])
                painter.drawText(right, _RIGHT, f"N {necessity}")
                right.adjust(0, 0, -NECESSITY_COLUMN, 0)
                number = f"Π {short_degree(face.beliefs[index])}"
            painter.drawText(right, _RIGHT, number)
        self._paint_bar(position, index, mark, is_chosen)
        if face.most_probable == state:
            painter.setPen(QPen(colors.color("mpe"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(row.adjusted(4, 0.75, -4, -0.75), 3, 3)
        if self._look.focus_state == index:
            pen = QPen(colors.color("focus"), theme().line("focus"))
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(row.adjusted(2, 0, -2, 0), 3, 3)

    def _paint_bar(self, position: int, index: int, mark: Mark | None, is_chosen: bool) -> None:
        painter = self._painter
        self._paint_bar_on(self._geometry.bar(position), index, mark, is_chosen, has_guides=True)
        if mark is not None and mark.is_soft:
            painter.setPen(QPen(theme().color("virtual_ink"), 1.25))
            painter.setBrush(theme().color("surface"))
            painter.drawRoundedRect(self._geometry.handle(position), 1.5, 1.5)

    def _paint_bar_on(
        self, track: QRectF, index: int, mark: Mark | None, is_chosen: bool, *, has_guides: bool
    ) -> None:
        face = self._face
        is_soft = mark is not None and mark.is_soft
        has_prior = face.mode is NodeMode.PRIOR and bool(face.priors)
        has_inner = face.scale is Scale.POSSIBILITY and bool(self._values)
        tint = "evidence" if mark is None else mark.tint
        bar = Bar(
            self._values[index] if self._values else None,
            "stale" if face.is_stale else tint if is_chosen else "belief",
            inner=necessity_of(self._values)[index] if has_inner else 0.0,
            prior=face.priors[index] if has_prior else None,
            weight=face.weights[index] if is_soft else None,
            has_guides=has_guides and face.scale is Scale.PROBABILITY,
            cut=face.cut if face.cut > 0 else None,
            error=face.errors[index] if face.errors and self._values else 0.0,
        )
        paint_bar(self._painter, track, bar)
