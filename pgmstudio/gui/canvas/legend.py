"""The legend: entries for the symbols on screen that do not explain themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from pgmstudio.core.drawing.diagram import EdgeStyle, Strand, legend_styles
from pgmstudio.core.drawing.layout.edge_routing import EdgeRoute
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.languages.ldag.diagrams import ANY
from pgmstudio.gui.canvas.edge_item import CUT, PENS, paint_edge, paint_ring, paint_strands
from pgmstudio.gui.canvas.edge_strengths import Strengths
from pgmstudio.gui.canvas.fonts import canvas_font, canvas_metrics
from pgmstudio.gui.canvas.node_painter import diamond
from pgmstudio.gui.canvas.node_view import HEAT_STEPS, Detail, Heat, NodeMode, NodeView
from pgmstudio.gui.theme.icons import paint_icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import MIN_SHIFT, Bar, paint_bar, paint_hatched

if TYPE_CHECKING:
    from pgmstudio.gui.canvas.scene import CanvasScene

SAMPLE = 26.0
_LINE = 20.0
_PAD, _GAP = 11.0, 20.0
PART_OF_CANVAS = 0.25  # of its height, at most

Sample = Callable[[QPainter, QRectF], None]


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A text and, before it, a sample drawn into a rectangle."""

    text: str
    sample: Sample | None = None

    @property
    def width(self) -> float:
        text_width = canvas_metrics("caption").horizontalAdvance(self.text)
        return text_width + (SAMPLE + 8 if self.sample is not None else 0)

    def paint(self, painter: QPainter, corner: QPointF) -> None:
        """Draw at a corner, in a line of 20 px."""
        x = corner.x()
        if self.sample is not None:
            self.sample(painter, QRectF(x, corner.y(), SAMPLE, _LINE))
            x += SAMPLE + 8
        painter.setFont(canvas_font("caption"))
        painter.setPen(theme().color("text"))
        position = QRectF(x, corner.y(), self.width + 4, _LINE)
        painter.drawText(
            position, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text
        )


def legend_entries(
    scene: CanvasScene, detail: Detail, strengths: Strengths | None = None
) -> list[LegendEntry]:
    """Legend entries for the symbols that are drawn at this level of detail."""
    faces = [item.face for item in scene.nodes.values() if item.isVisible()]
    entries = _edge_entries(scene, strengths)
    if detail is not Detail.FULL:
        heat = scene.zoomed.heat if detail is Detail.DOT else Heat.NONE
        if heat is not Heat.NONE:
            entries.append(LegendEntry(heat.value, _heat_sample))
        return entries + _far_entries(faces, detail)
    rows = [face for face in faces if face.shows_rows]
    if any(face.scale is Scale.POSSIBILITY and face.beliefs for face in rows):
        entries.append(LegendEntry("outer: possibility Π, inner: necessity N", _degrees_sample))
        is_relative = all(max(face.beliefs, default=1.0) > 1 - 1e-9 for face in rows)
        entries.append(LegendEntry(f"N = {'1' if is_relative else 'Π(e)'} − Π(other states)"))
    if any(face.cut > 0 for face in rows):
        entries.append(LegendEntry("α, states below it are struck out", _cut_line_sample))
    if any(_shows_prior(face) for face in rows):
        entries.append(LegendEntry("outline = prior", _prior_sample))
    if any(face.mark is not None and face.mark.is_soft for face in rows):
        entries.append(LegendEntry("likelihood, drag", _likelihood_sample))
    framed = [face for face in rows if face.most_probable is not None]
    if framed:
        is_probable = framed[0].scale is Scale.PROBABILITY
        entries.append(
            LegendEntry("most probable" if is_probable else "most possible", _frame_sample)
        )
    if any(face.is_stale for face in rows):
        entries.append(LegendEntry("needs an update", icon_sample("clock", "text_tertiary")))
    if any(face.mode is NodeMode.ENTROPY and face.beliefs for face in faces):
        entries.append(LegendEntry("number = entropy in bits"))
    return entries


def _edge_entries(scene: CanvasScene, strengths: Strengths | None) -> list[LegendEntry]:
    entries = _strand_entries(scene)
    styles = {edge.style for edge in scene.picture.edges if not edge.strands}
    has_widths = any(edge.look.width is not None for edge in scene.edges.values())
    if strengths is not None and strengths.values and has_widths:
        low, high = strengths.range
        thin, thick = strengths.width_of(low), strengths.width_of(high)
        least, most = strengths.number(low), strengths.number(high)
        entries.append(LegendEntry(f"Edge width: {strengths.title}"))
        if least != most:
            entries.append(LegendEntry(least, _edge_sample(EdgeStyle.UNDIRECTED, thin)))
        sample = _edge_sample(EdgeStyle.UNDIRECTED, thick)
        entries.append(LegendEntry(strengths.format_value(high), sample))
    for style, text in legend_styles(styles).items():
        sample = _edge_sample(style, PENS[style].width)
        entries.append(LegendEntry(text or PENS[style].meaning, sample))
    if any(edge.style.has_tag and ANY in edge.label for edge in scene.picture.edges):
        entries.append(LegendEntry(f"{ANY} any state"))
    if any(edge.look.is_cut for edge in scene.edges.values()):
        entries.append(LegendEntry(CUT.meaning, _cut_sample))
    return entries


def _strand_entries(scene: CanvasScene) -> list[LegendEntry]:
    """Entries for the lines of components and their widths."""
    picture = scene.picture
    entries = [LegendEntry(name, _strand_sample(number)) for number, name in picture.lines]
    if picture.width_label and picture.edges:
        entries.append(LegendEntry(picture.width_label, _wedge_sample))
    return entries


def _far_entries(faces: list[NodeView], detail: Detail) -> list[LegendEntry]:
    entries = []
    marks = [face.mark for face in faces if face.mark is not None]
    sample = _dot_sample if detail is Detail.DOT else _outline_sample
    if any(mark.tint == "evidence" for mark in marks):
        entries.append(LegendEntry("evidence", sample("evidence")))
    if any(mark.is_done for mark in marks):
        entries.append(LegendEntry("intervention, do(X = x)", sample("do")))
    if any(mark.is_soft for mark in marks):
        entries.append(LegendEntry("likelihood", sample("virtual")))
    if any(face.is_target for face in faces):
        entries.append(LegendEntry("target", sample("target")))
    return entries


def _shows_prior(face: NodeView) -> bool:
    return face.mode is NodeMode.PRIOR and any(
        abs(a - b) >= MIN_SHIFT for a, b in zip(face.priors, face.beliefs, strict=False)
    )


# -- samples


def sample_route(position: QRectF) -> EdgeRoute:
    """A straight line through the middle of a sample."""
    y = position.center().y()
    return EdgeRoute((position.left(), y), (position.right(), y))


def _bar(position: QRectF) -> QRectF:
    return QRectF(position.left(), position.center().y() - 4.5, position.width(), 9)


def _prior_sample(painter: QPainter, position: QRectF) -> None:
    paint_bar(painter, _bar(position), Bar(0.62, prior=0.38))


def _degrees_sample(painter: QPainter, position: QRectF) -> None:
    paint_bar(painter, _bar(position), Bar(0.8, inner=0.4))


def _cut_line_sample(painter: QPainter, position: QRectF) -> None:
    paint_bar(painter, _bar(position), Bar(0.8, cut=0.5))


def _likelihood_sample(painter: QPainter, position: QRectF) -> None:
    middle = position.center().y()
    strip = QRectF(position.left(), middle - 1.5, position.width() - 4, 3)
    paint_hatched(painter, strip, theme().color("virtual"))
    painter.setPen(QPen(theme().color("virtual_ink"), 1.25))
    painter.setBrush(theme().color("surface"))
    painter.drawRoundedRect(QRectF(strip.right() - 2, middle - 6.5, 4, 13), 1.5, 1.5)


def _frame_sample(painter: QPainter, position: QRectF) -> None:
    painter.setPen(QPen(theme().color("mpe"), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(_bar(position).adjusted(0, -1, 0, 1), 3, 3)


def icon_sample(name: str, color: str) -> Sample:
    """An icon in the middle of a sample."""

    def paint(painter: QPainter, position: QRectF) -> None:
        box = QRectF(position.center().x() - 6.5, position.center().y() - 6.5, 13, 13)
        paint_icon(painter, name, color, box)

    return paint


def _outline_sample(color: str) -> Sample:
    def paint(painter: QPainter, position: QRectF) -> None:
        pen = QPen(theme().color(color), 2)
        if color == "virtual":
            pen.setDashPattern([2.0, 1.5])
        painter.setPen(pen)
        painter.setBrush(theme().color("surface"))
        painter.drawRoundedRect(_bar(position).adjusted(1, -1, -1, 1), 3, 3)

    return paint


def _dot_sample(color: str) -> Sample:
    def paint(painter: QPainter, position: QRectF) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color(color))
        box = QRectF(position.right() - 12, position.center().y() - 5, 10, 10)
        if color == "do":
            painter.drawPolygon(diamond(box.center(), 6))
            return
        (painter.drawRect if color == "evidence" else painter.drawEllipse)(box)

    return paint


def _heat_sample(painter: QPainter, position: QRectF) -> None:
    bar = _bar(position)
    wide = bar.width() / HEAT_STEPS
    painter.setPen(Qt.PenStyle.NoPen)
    for step in range(HEAT_STEPS):
        painter.setBrush(theme().sequential(step))
        painter.drawRect(QRectF(bar.left() + step * wide, bar.top(), wide, bar.height()))
    painter.setPen(QPen(theme().color("border_control"), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(bar)


def _edge_sample(style: EdgeStyle, width: float) -> Sample:
    def paint(painter: QPainter, position: QRectF) -> None:
        route, color = sample_route(position), theme().color(PENS[style].color)
        paint_edge(painter, route, color, width, style.has_arrow, PENS[style].dash)
        if PENS[style].has_ring:
            paint_ring(painter, route, color, width)

    return paint


def _strand_sample(component: int) -> Sample:
    def paint(painter: QPainter, position: QRectF) -> None:
        paint_strands(painter, sample_route(position), (Strand(2.0, component),))

    return paint


def _wedge_sample(painter: QPainter, position: QRectF) -> None:
    y = position.center().y()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().color("edge"))
    corners = [(position.left(), y), (position.right(), y - 3), (position.right(), y + 3)]
    painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))


def _cut_sample(painter: QPainter, position: QRectF) -> None:
    color = theme().color(CUT.color)
    paint_edge(painter, sample_route(position), color, CUT.width, True, CUT.dash)


def _lines(entries: Sequence[LegendEntry], available: float) -> list[list[LegendEntry]]:
    lines: list[list[LegendEntry]] = [[]]
    used = 0.0
    for entry in entries:
        if lines[-1] and used + entry.width > available - 2 * _PAD:
            lines.append([])
            used = 0.0
        lines[-1].append(entry)
        used += entry.width + _GAP
    return lines


def in_lines(entries: Sequence[LegendEntry], available: float, most: int) -> Sequence[LegendEntry]:
    """As many entries as fit into so many lines, and how many more there are."""
    for count in range(len(entries), 0, -1):
        hidden = len(entries) - count
        shown = [*entries[:count], *([LegendEntry(f"+ {hidden} more")] if hidden else [])]
        if len(_lines(shown, available)) <= most:
            return shown
    return entries[:1]


def card_size(entries: Sequence[LegendEntry], available: float) -> QSizeF:
    """The size of the card with these entries if `available` pixels are free."""
    lines = _lines(entries, available)
    width = max(sum(e.width + _GAP for e in line) - _GAP for line in lines) + 2 * _PAD
    return QSizeF(width, _LINE * len(lines) + 12)


def paint_card(
    painter: QPainter, corner: QPointF, entries: Sequence[LegendEntry], available: float
) -> None:
    """Draw the card of a legend with its top left at `corner`."""
    painter.setPen(QPen(theme().color("border"), 1))
    painter.setBrush(theme().color("surface"))
    radius = theme().radius("card")
    card = QRectF(corner, card_size(entries, available)).adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawRoundedRect(card, radius, radius)
    y = corner.y() + 6.0
    for line in _lines(entries, available):
        x = corner.x() + _PAD
        for entry in line:
            entry.paint(painter, QPointF(x, y))
            x += entry.width + _GAP
        y += _LINE


class Legend(QWidget):
    """The legend over the canvas, wrapped into several lines if space is short."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("legend")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._entries: list[LegendEntry] = []
        self._shown: Sequence[LegendEntry] = ()
        self._available = 600.0
        self.hide()

    @property
    def entries(self) -> tuple[LegendEntry, ...]:
        return tuple(self._entries)

    def show_entries(self, entries: list[LegendEntry], available: float, high: float) -> None:
        """Show entries; `available` is the free width on the canvas, `high` that of the canvas."""
        self._entries, self._available = entries, available / theme().scale
        most = max(1, int(PART_OF_CANVAS * high / theme().scale / _LINE))
        self._shown = in_lines(entries, self._available, most)
        self.setAccessibleName("Legend: " + ", ".join(entry.text for entry in entries))
        self.resize(self.sizeHint())
        self.setVisible(bool(entries))
        self.update()

    def sizeHint(self) -> QSize:
        size = card_size(self._shown, self._available) * theme().scale
        return QSize(round(size.width()), round(size.height()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(theme().scale, theme().scale)
        paint_card(painter, QPointF(0, 0), self._shown, self._available)
        painter.end()
