"""How a node is shown: mode, beliefs, marks, and how much of it at which zoom."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import Enum
from operator import attrgetter

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem

from pgmstudio.core.drawing.layout.boxes import MAX_ROWS
from pgmstudio.core.drawing.svg.nodes import Mark, mark_of
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.inference.belief_text import belief_text
from pgmstudio.gui.theme.theme import theme


class NodeMode(Enum):
    """How much of a node is drawn, from little to much."""

    DOT = "dot"
    NAME = "name"
    LINE = "line"
    ENTROPY = "entropy"
    BARS = "bars"
    PRIOR = "prior"

    @property
    def has_rows(self) -> bool:
        return self in (NodeMode.BARS, NodeMode.PRIOR)


MODE_TITLES = {
    NodeMode.DOT: "Dots",
    NodeMode.NAME: "Names",
    NodeMode.LINE: "Names + belief",
    NodeMode.ENTROPY: "Entropy",
    NodeMode.BARS: "Bars",
    NodeMode.PRIOR: "Bars + prior",
}


MODE_TIPS = {
    NodeMode.DOT: "A dot, with its name when hovered, selected or observed.",
    NodeMode.NAME: "The name alone.",
    NodeMode.LINE: "The name over a thin line: P of the last of two states, else of the likeliest.",
    NodeMode.ENTROPY: "The name and the entropy of its belief.",
    NodeMode.BARS: "A bar for the belief in every state.",
    NodeMode.PRIOR: "Bars, with the prior as an outline.",
}


class Detail(Enum):
    """The level of detail of a node at the present zoom."""

    FULL = "full"
    NAME = "name"
    DOT = "dot"


_ROUNDING = 1e-9  # of degrees
FULL_FROM, NAME_FROM = 0.70, 0.22


def detail_at(zoom: float, name_from: float = NAME_FROM) -> Detail:
    """From 70 % on everything, below names with thin bars as long as they can be read, then
    dots."""
    # A small tolerance: 70 % reached by the wheel must count as 70 %.
    if zoom >= FULL_FROM - 1e-6:
        return Detail.FULL
    return Detail.NAME if zoom >= name_from - 1e-6 else Detail.DOT


class Heat(Enum):
    """What the colours of dots show; the value is its text in the legend."""

    NONE = ""
    ENTROPY = "entropy, none to largest"
    CHANGE = "change from the prior, 0 to 50 points or more"

    @staticmethod
    def of(faces: Iterable[NodeView]) -> Heat:
        """The change from the prior once there is evidence, else the entropy."""
        result = Heat.NONE
        for face in faces:
            if face.scale is not Scale.PROBABILITY:
                return Heat.NONE
            if face.weights:
                return Heat.CHANGE
            if face.beliefs:
                result = Heat.ENTROPY
        return result

    def step(self, face: NodeView) -> int | None:
        """The step of the ramp, 0 to 7; None when the belief of a node is not known."""
        if self is Heat.NONE or not face.beliefs or face.is_stale:
            return None
        if self is Heat.ENTROPY:
            bits, most = face.entropy_bits or 0.0, math.log2(max(2, len(face.states)))
            return min(HEAT_STEPS - 1, int(HEAT_STEPS * bits / most))
        if len(face.priors) != len(face.beliefs):
            return None
        change = max(abs(a - b) for a, b in zip(face.beliefs, face.priors, strict=True))
        # By the root: most changes are small, and each should be seen.
        return min(HEAT_STEPS - 1, int(HEAT_STEPS * math.sqrt(change / LARGE_CHANGE)))


HEAT_STEPS = 8
LARGE_CHANGE = 0.5


@dataclass(frozen=True, slots=True)
class NodeView:
    """Everything a node shows; a node is repainted only when this value changes."""

    title: str
    mode: NodeMode = NodeMode.NAME
    states: tuple[str, ...] = ()
    beliefs: tuple[float, ...] = ()  # empty: not known
    priors: tuple[float, ...] = ()
    weights: tuple[float, ...] = ()  # the evidence, one per state; empty: none
    most_probable: str | None = None
    is_target: bool = False
    is_stale: bool = False
    note: str = ""
    is_done: bool = False  # the state of `weights` is an intervention
    scale: Scale = Scale.PROBABILITY
    is_faint: bool = False  # drawn pale, because others are what is asked about
    cut: float = 0.0  # α: states of a smaller degree are struck out
    errors: tuple[float, ...] = ()  # of estimated beliefs; empty: exact

    @property
    def shows_rows(self) -> bool:
        return self.mode.has_rows and bool(self.states)

    def shows_beliefs(self, detail: Detail) -> bool:
        """Whether beliefs are visible at this detail; dots and names without bars show none."""
        if self.shows_rows:
            return detail is not Detail.DOT
        return detail is Detail.FULL and self.mode in (NodeMode.ENTROPY, NodeMode.LINE)

    def differs_in_beliefs_alone(self, other: NodeView) -> bool:
        """Whether only beliefs, priors and the most probable state differ."""
        return bool(_besides_beliefs(self) == _besides_beliefs(other))

    @property
    def mark(self) -> Mark | None:
        if not self.weights:
            return None
        weights = dict(zip(self.states, self.weights, strict=True))
        return mark_of(weights, is_done=self.is_done)

    @property
    def line_fraction(self) -> float | None:
        """The length of the line under a name: P(last state) of two, else of the most probable."""
        if not self.beliefs:
            return None
        return self.beliefs[-1] if len(self.beliefs) == 2 else max(self.beliefs)

    @property
    def entropy_bits(self) -> float | None:
        """H = −Σ p log2 p; None while beliefs are not known."""
        if not self.beliefs:
            return None
        return -sum(p * math.log2(p) for p in self.beliefs if p > 0) + 0.0

    def shown_states(self) -> tuple[int, ...]:
        """All states, or five in their order when there are more than six: the largest, and the
        state of the most probable explanation."""
        count = len(self.states)
        if count <= MAX_ROWS:
            return tuple(range(count))
        size = self.beliefs or (0.0,) * count
        explained = self.most_probable
        order = sorted(range(count), key=lambda i: (self.states[i] != explained, -size[i], i))
        largest = order[: MAX_ROWS - 1]
        return tuple(sorted(largest))

    def is_impossible(self, index: int) -> bool:
        """Whether the state has probability 0, given evidence or a priori."""
        return bool(self.beliefs) and self.beliefs[index] <= 0 and not self.weights

    def is_cut(self, index: int) -> bool:
        """Whether the state is not in the α-cut."""
        return self.cut > 0 and bool(self.beliefs) and self.beliefs[index] < self.cut - _ROUNDING

    @property
    def description(self) -> str:
        """The text for screen readers: “Lung cancer, target, yes 69.2 percent, …”."""
        parts = [self.title]
        mark = self.mark
        if mark is not None:
            is_seen = not mark.is_soft and not mark.is_done
            parts.append(f"evidence {mark.text}" if is_seen else mark.text)
        if self.is_target:
            parts.append("target")
        if self.is_stale:
            parts.append("stale")
        parts += [
            f"{state} {belief_text(value, self.scale, unit=' percent')}"
            for state, value in zip(self.states, self.beliefs, strict=False)
        ]
        return ", ".join(parts)


_besides_beliefs = attrgetter(
    *(f.name for f in fields(NodeView) if f.name not in ("beliefs", "priors", "most_probable"))
)


class LevelOfDetail:
    """Shared by the items of a scene; an export forces detail and zoom, whatever its size."""

    def __init__(self) -> None:
        self.forced: Detail | None = None
        self.forced_zoom: float | None = None
        self.name_from = NAME_FROM  # the zoom from which names can be read in these boxes
        self.heat = Heat.NONE

    def zoom_of(self, painter: QPainter) -> float:
        """The painter's scale without the font scale, which enlarges the whole canvas."""
        if self.forced_zoom is not None:
            return self.forced_zoom
        lod = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
        return float(lod) / theme().scale

    def detail_of(self, zoom: float) -> Detail:
        return detail_at(zoom, self.name_from) if self.forced is None else self.forced
