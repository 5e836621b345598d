"""The arcs of a decision graph: from a state's cell to the next node, as wide as their flow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from pgmstudio.core.languages.pdg.diagrams import BandPicture
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.gui.languages.pdg.bands import PixmapCache
from pgmstudio.gui.theme.theme import theme

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

WIDEST = 11.0
HOLLOW_FROM = 3.6  # a thinner line is too narrow for a core
_REACH = 8.0  # px from an arc that still count as on it
_DIMMED = 0.22
_CORE = 1.3  # px of colour at each side of the core
# Of states, to distinguish them without colour; the first has none. In px, so that a wide line has
# the same rhythm as a thin one.
_DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (5.0, 3.0),
    (9.0, 4.0),
    (2.0, 3.0),
    (9.0, 3.0, 2.0, 3.0),
)
_HAIR = (1.5, 3.0)
DASHED_FROM = 0.5  # the zoom; below it states differ by colour and position only
_THIN = 1.6  # px on screen
# More arcs to one variable cannot be distinguished; those that most flows through are drawn, and
# when fewer are in sight, all of them.
MAX_DRAWN = 120
_STRIP = 400.0  # px on screen: how far one can pan before arcs are looked up again
# Zoomed out, an arc that all flows through is so many px wider on screen than one that hardly any
# does; and among thin ones, those below these flows are so faint.
_FAR_WIDEST = 5.0
_LEAST = np.array([0.0, 0.002, 0.02])
_STRENGTHS = np.array([0.22, 0.5, 1.0])
_NO_FLOW = -1.0  # sorts before every width
_MAX_CACHED = 4  # zooms whose lines are cached


_Sight = tuple[float, int, int] | None  # the zoom, and from which strip to which; None: paper


@dataclass(frozen=True)
class Arc:
    """One arc: a state of an upper node leads to a node of the lower variable."""

    upper: int
    node: int
    state: int
    lower: int
    head: int


def is_solid_at(zoom: float) -> bool:
    """Whether dashes and cores are too small to see; by whole percents, as the zoom is shown."""
    return round(zoom, 2) < DASHED_FROM


def stroke_arcs(
    painter: QPainter,
    path: QPainterPath,
    state: int,
    width: float,
    *,
    plain: bool = False,
    solid: bool = False,
) -> None:
    """Lines of one state and width: solid, hollow, dashed, dotted; `plain`: without dashes;
    `solid`: without a core, which cannot be seen when zoomed out."""
    for pen in _pens(state, width, plain, solid):
        painter.strokePath(path, pen)


def _pens(state: int, width: float, plain: bool, solid: bool) -> list[QPen]:
    """The line, and over it the core of a hollow one."""
    color = theme().category(state, "line")
    is_hollow = state == 1 and width >= HOLLOW_FROM and not solid
    pen = QPen(color, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    dash = () if is_hollow or plain else _DASHES[state % len(_DASHES)]
    if dash:
        pen.setDashPattern([part / width for part in dash])
    if not is_hollow:
        return [pen]
    core = QPen(_mixed(color, "surface", 0.16), width - 2 * _CORE)
    core.setCapStyle(Qt.PenCapStyle.FlatCap)
    return [pen, core]


def _mixed(color: QColor, name: str, fraction: float) -> QColor:
    """A colour mixed with a background of that name; opaque, since lines cross."""
    background = theme().color(name)
    pairs = (
        (color.redF(), background.redF()),
        (color.greenF(), background.greenF()),
        (color.blueF(), background.blueF()),
    )
    return QColor.fromRgbF(*(fraction * a + (1 - fraction) * b for a, b in pairs))


@dataclass(frozen=True, slots=True)
class _Look:
    """How an arc is drawn; no state: nothing flows; no width: one pixel, whatever the zoom."""

    state: int | None
    width: float
    is_plain: bool
    is_far: bool = False
    strength: float = 1.0

    @property
    def is_smooth(self) -> bool:
        return self.width > 0 or not self.is_plain

    def pens(self) -> list[QPen]:
        if self.state is not None and self.width > 0:
            return _pens(self.state, self.width, self.is_plain, self.is_far)
        color = theme().color("edge_dim")
        if self.state is not None:
            color = theme().category(self.state, "line")
        if self.strength < 1:
            color = _mixed(color, "canvas", self.strength)
        pen = QPen(color, self.width)
        if not self.is_plain:
            pen.setDashPattern(_HAIR)
        return [pen]


@lru_cache(maxsize=4096)  # many bands have arcs that look the same, and are painted often
def _pens_of(look: _Look, _shade: str) -> list[QPen]:
    return look.pens()


@dataclass(frozen=True, slots=True)
class _Stroke:
    """Arcs of the same appearance, as one path."""

    path: QPainterPath
    look: _Look


def _paint_strokes(painter: QPainter, strokes: list[_Stroke]) -> None:
    shade, smooth = theme().shade, QPainter.RenderHint.Antialiasing
    is_smooth = True
    for stroke in strokes:
        if stroke.look.is_smooth is not is_smooth:
            is_smooth = not is_smooth
            painter.setRenderHint(smooth, is_smooth)
        for pen in _pens_of(stroke.look, shade):
            painter.strokePath(stroke.path, pen)
    painter.setRenderHint(smooth)


class BandArcs(QGraphicsItem):
    """All arcs that lead to the nodes of one variable; lies in scene coordinates."""

    def __init__(self, graph: DecisionGraph, picture: BandPicture, lower: int) -> None:
        super().__init__()
        upper, edges = graph.forest[lower], graph.successors[lower]
        assert upper is not None
        assert edges is not None
        self.upper, self.lower = upper, lower
        nodes, states = edges.shape
        indices = [
            picture.arc(upper, node, state, states, lower, int(edges[node, state]))
            for node in range(nodes)
            for state in range(states)
        ]
        # Arcs that lie over each other, as those of collapsed variables do, are drawn as one.
        ends: Floats = np.array(indices, dtype=np.float64).reshape(-1, 4)
        kinds = np.tile(np.arange(states), nodes)
        keys = np.column_stack([ends, kinds])
        _, self._first, self._group = np.unique(
            keys, axis=0, return_index=True, return_inverse=True
        )
        self._group = self._group.ravel()
        self._ends = ends[self._first]
        self._states = kinds[self._first]
        self._heads = edges.ravel()[self._first]
        self._tails = np.repeat(np.arange(nodes), states)[self._first]
        self._flow: Floats = np.zeros(len(self._first))
        self._is_lit: Mask | None = None
        self._strokes: dict[_Sight, tuple[Indices, list[_Stroke]]] = {}
        self._drawn: Indices | None = None  # None: all of them
        self._cached = PixmapCache()
        self._bounds = self._frame()
        self.setZValue(2)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)

    def _frame(self) -> QRectF:
        left = float(min(self._ends[:, 0].min(), self._ends[:, 2].min()))
        right = float(max(self._ends[:, 0].max(), self._ends[:, 2].max()))
        top, bottom = float(self._ends[:, 1].min()), float(self._ends[:, 3].max())
        # Half of the widest line, which is wide in these units when zoomed out.
        return QRectF(left, top, right - left, bottom - top).adjusted(-64, -2, 64, 2)

    def show_flow(self, flow: Floats) -> None:
        """P(passing a node in a state | evidence), nodes × states."""
        summed = np.bincount(self._group, flow.ravel(), minlength=len(self._first))
        if not np.array_equal(summed, self._flow):
            self._flow = summed.astype(np.float64)
            self._strokes.clear()
            self._drawn = None
            self.forget_pixels()
            self.update()

    def forget_pixels(self) -> None:
        """The pixmaps that are cached while the pointer moves."""
        self._cached.forget()

    def light(self, lit: dict[int, Mask] | None) -> None:
        """Highlight the arcs between these nodes and fade the others; None: all."""
        before = self._is_lit
        if lit is None:
            self._is_lit = None
        elif self.upper in lit and self.lower in lit:
            self._is_lit = lit[self.upper][self._tails] & lit[self.lower][self._heads]
        else:
            self._is_lit = np.zeros(len(self._first), dtype=bool)
        if before is None and self._is_lit is None:
            return
        now = self._is_lit
        if before is None or now is None or not np.array_equal(before, now):
            self.update()

    def arc_at(self, point: QPointF) -> tuple[Arc, float] | None:
        """The arc nearest to a point, with its flow; None when none is near."""
        if not self._bounds.contains(point):
            return None
        x1, y1, x2, y2 = self._ends.T
        fraction = np.clip((point.y() - y1) / np.maximum(y2 - y1, 1.0), 0.0, 1.0)
        # How far down the curve is at t has no simple inverse; a few halvings find it.
        low, high = np.zeros_like(fraction), np.ones_like(fraction)
        for _ in range(20):
            t = (low + high) / 2
            above = 1.5 * t * (1 - t) + t**3 < fraction
            low, high = np.where(above, t, low), np.where(above, high, t)
        across = x1 + (x2 - x1) * (3 * t**2 - 2 * t**3)
        away = np.abs(across - point.x()) - np.where(self._flow > 0, WIDEST * self._flow / 2, 0.0)
        shown = np.arange(away.size) if self._drawn is None else self._drawn
        if not shown.size:
            return None
        index = int(shown[away[shown].argmin()])
        if away[index] > _REACH:
            return None
        arc = Arc(
            self.upper,
            int(self._tails[index]),
            int(self._states[index]),
            self.lower,
            int(self._heads[index]),
        )
        return arc, float(self._flow[index])

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        lod = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        key = None if widget is None else self._sight(painter, lod)
        if key is None or key not in self._strokes:
            if len(self._strokes) >= _MAX_CACHED:
                self._strokes.clear()
            drawn = self._chosen(np.arange(len(self._first)), key)
            self._strokes[key] = drawn, self._strokes_of(drawn, lod)
        if key is not None:
            self._drawn = self._strokes[key][0]
        lit = self._is_lit
        if lit is None:
            self._paint_all(painter, key)
            return
        count = int(np.count_nonzero(lit))
        is_whole = count == lit.size
        painter.setOpacity(1.0 if is_whole else _DIMMED)
        self._cached.paint(painter, self._bounds, lambda inner, _: self._paint_all(inner, key))
        painter.setOpacity(1.0)
        if count and not is_whole:
            shown = self._chosen(np.flatnonzero(lit), key)
            _paint_strokes(painter, self._strokes_of(shown, lod, is_lit=True))

    @staticmethod
    def _sight(painter: QPainter, lod: float) -> _Sight:
        """The visible part of the arcs, also what is not being repainted."""
        world = painter.worldTransform()  # never turned
        strip = _STRIP / max(lod, 1e-3) * world.m11()
        left, width = -world.dx(), painter.device().width()
        return round(lod, 3), math.floor(left / strip), math.floor((left + width) / strip)

    def _chosen(self, indices: Indices, sight: _Sight) -> Indices:
        """Those of the arcs that are in sight; where they are too many, those with most flow."""
        if sight is None:
            return indices
        strip = _STRIP / max(sight[0], 1e-3)
        left, right = sight[1] * strip, (sight[2] + 1) * strip
        if left > self._bounds.left() or right < self._bounds.right():
            across = self._ends[indices][:, [0, 2]]
            indices = indices[(across.max(axis=1) >= left) & (across.min(axis=1) <= right)]
        if indices.size <= MAX_DRAWN:
            return indices
        heaviest = np.argsort(-self._flow[indices], kind="stable")[:MAX_DRAWN]
        return np.sort(indices[heaviest])

    @property
    def count(self) -> int:
        """How many arcs there are to be drawn, when all are in sight."""
        return len(self._first)

    def _paint_all(self, painter: QPainter, key: _Sight) -> None:
        _paint_strokes(painter, self._strokes[key][1])

    def _strokes_of(self, positions: Indices, lod: float, *, is_lit: bool = False) -> list[_Stroke]:
        """Lines of the same appearance as one; the widest come last, over the others."""
        is_far = is_solid_at(lod)
        # Many thin lines are drawn as the screen draws them fastest: dots and dashes among
        # thousands cannot be read.
        is_crowd = is_far or positions.size >= MAX_DRAWN
        flow = np.minimum(self._flow[positions], 1.0)
        widths = 1.0 + WIDEST * flow
        if is_far:  # or one could not see where most of it flows
            widths = np.maximum(widths, (1.0 + _FAR_WIDEST * flow) / lod)
        is_thin = widths * min(lod, 1.0) < (_THIN if is_crowd else 0.0)
        step = 1.0 / lod if is_far else 1.0 if is_crowd else 0.25
        rounded = np.where(is_thin, 0.0, np.maximum(np.round(widths / step), 1.0) * step)
        strengths = np.ones_like(flow)
        if is_crowd and not is_lit:
            tiers = _STRENGTHS[np.searchsorted(_LEAST, flow, side="right") - 1]
            strengths = np.where(is_thin, tiers, 1.0)
        is_idle = flow <= 0
        looks = zip(
            np.where(is_idle, _NO_FLOW, rounded).tolist(),
            strengths.tolist(),
            np.where(is_idle, 0, self._states[positions]).tolist(),
            strict=True,
        )
        paths: dict[tuple[float, float, int], QPainterPath] = {}
        for (x1, y1, x2, y2), key in zip(self._ends[positions].tolist(), looks, strict=True):
            path = paths.get(key)
            if path is None:
                path = paths[key] = QPainterPath()
            bend = (y2 - y1) / 2
            path.moveTo(x1, y1)
            path.cubicTo(x1, y1 + bend, x2, y2 - bend, x2, y2)
        result = []
        for width, strength, state in sorted(paths):
            if width < 0:
                look = _Look(None, 0.0 if is_crowd else 1.0, is_crowd, strength=strength)
            elif width == 0:
                look = _Look(state, 0.0, True, strength=strength)
            else:
                look = _Look(state, width, is_crowd, is_far)
            result.append(_Stroke(paths[width, strength, state], look))
        return result
