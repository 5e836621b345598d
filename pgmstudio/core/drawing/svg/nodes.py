"""Nodes in SVG: title, state rows with belief bars, and the marks of evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pgmstudio.core.drawing.diagram import NodeShape, PictureNode, Point, Size
from pgmstudio.core.drawing.layout.boxes import HEAD, LINE, MAX_ROWS, ROW, elided, text_width
from pgmstudio.core.drawing.svg.elements import Attribute, hatching, line, path, rect, text
from pgmstudio.core.drawing.theme import tokens
from pgmstudio.core.number_format import percent

States = Mapping[str, float]

_INDENT = 9.0
# A prior outline that hugs its bar only blurs it.
_MIN_SHIFT = 0.004


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of evidence on a node: text in the head, excluded states, colour."""

    text: str
    struck: frozenset[str]
    chosen: str | None
    is_soft: bool
    is_done: bool = False  # an intervention, not an observation

    @property
    def tint(self) -> str:
        return "do" if self.is_done else "virtual" if self.is_soft else "evidence"

    @property
    def icon(self) -> str:
        if self.is_done:
            return "lock-simple"
        return "sliders-horizontal" if self.is_soft else "flag-fill"


def mark_of(weights: States, *, is_done: bool = False) -> Mark:
    """The mark of evidence given as one weight per state.

    One state above 0: it was observed, or set by an intervention when `is_done`. Equal weights on
    several: the others are excluded. Anything else is a likelihood.
    """
    possible = [state for state, weight in weights.items() if weight > 0]
    struck = frozenset(weights) - frozenset(possible)
    if is_done and len(possible) == 1:
        return Mark(f"do = {possible[0]}", struck, possible[0], False, True)
    if len(possible) == 1:
        return Mark(f"= {possible[0]}", struck, possible[0], False)
    if struck and len({weights[state] for state in possible}) == 1:
        only = len(struck) == 1
        words = f"≠ {next(iter(struck))}" if only else f"∈ {len(possible)} of {len(weights)}"
        return Mark(words, struck, None, False)
    return Mark("likelihood", struck, None, True)


_NECESSITY = 44.0  # px for the number of necessity, right of that of possibility


def _percent_of_sum(values: Sequence[float]) -> str:
    return percent(sum(values))


@dataclass(frozen=True)
class BeliefScale:
    """How beliefs are written, and what part of their bars is darker."""

    text: Callable[[float], str] = percent
    rest_text: Callable[[Sequence[float]], str] = _percent_of_sum  # of the states not shown
    inner: Callable[[Sequence[float]], Sequence[float]] | None = None
    number_column: float = 40.0


PERCENT = BeliefScale()


@dataclass(frozen=True)
class NodeDrawing:
    """The state of a node without its position."""

    colors: Mapping[str, str]
    beliefs: States | None = None
    priors: States | None = None
    evidence: States | None = None
    is_done: bool = False
    scale: BeliefScale = PERCENT

    def draw(self, node: PictureNode, centre: Point, size: Size) -> list[str]:
        """The node's elements, back to front."""
        x, y = centre[0] - size[0] / 2, centre[1] - size[1] / 2
        mark = mark_of(self.evidence, is_done=self.is_done) if self.evidence else None
        drawn = self._outline(node, mark, (x, y), size)
        if self.beliefs is None:
            return drawn + self._label(node, mark, (x, y), size)
        drawn += self._head(node.label.replace("\n", " "), mark, (x, y), size[0], HEAD / 2)
        drawn.append(
            line(
                (x, y + HEAD), (x + size[0], y + HEAD), stroke=self.colors["border"], stroke_width=1
            )
        )
        return drawn + self._rows(mark, (x, y + HEAD + 2.5), size[0])

    def draw_open(self, title: str, corner: Point, width: float) -> list[str]:
        """Head and rows without a box around them."""
        mark = mark_of(self.evidence, is_done=self.is_done) if self.evidence else None
        bare_mark = None if mark is None else replace(mark, text="")  # the states show the rest
        drawn = self._head(title, bare_mark, corner, width, HEAD / 2)
        return drawn + self._rows(mark, (corner[0], corner[1] + HEAD + 2.5), width)

    def _outline(
        self, node: PictureNode, mark: Mark | None, corner: Point, size: Size
    ) -> list[str]:
        lines, radius = tokens()["line_px"], tokens()["radius_px"]
        corner_radius = radius["bar"] if node.shape is NodeShape.BOX else radius["node"]
        attributes: dict[str, Attribute] = {"fill": self.colors["surface"]}
        if mark is None:
            attributes |= {"stroke": self.colors["border_control"], "stroke_width": lines["node"]}
        else:
            ink = self.colors["virtual_ink" if mark.is_soft else mark.tint]
            attributes |= {"stroke": ink, "stroke_width": lines["node_evidence"]}
            if mark.is_soft:
                attributes["stroke_dasharray"] = "5 3"
        drawn = [rect(*corner, *size, corner_radius, **attributes)]
        if node.shape is NodeShape.DOUBLE:
            x, y = corner
            inner = attributes | {"fill": "none"}
            drawn.append(rect(x + 3, y + 3, size[0] - 6, size[1] - 6, corner_radius - 3, **inner))
        return drawn

    def _label(self, node: PictureNode, mark: Mark | None, corner: Point, size: Size) -> list[str]:
        (x, y), (width, height) = corner, size
        if mark is not None:
            return self._head(node.label.replace("\n", " "), mark, corner, width, height / 2)
        lines = node.label.split("\n")
        top = y + height / 2 - LINE * (len(lines) - 1) / 2
        return [
            text(
                elided(words, 12, width - 12),
                x + width / 2,
                top + LINE * number,
                size=12,
                fill=self.colors["text"],
                weight="medium" if node.shape is NodeShape.BOX else "semibold",
                anchor="middle",
            )
            for number, words in enumerate(lines)
        ]

    def _head(
        self, title: str, mark: Mark | None, corner: Point, width: float, middle: float
    ) -> list[str]:
        x, y = corner[0], corner[1] + middle
        available = width - 2 * _INDENT
        drawn = []
        if mark is not None:
            ink = self.colors[f"{mark.tint}_ink"]
            words = elided(mark.text, 11, available * 0.6)
            drawn += [
                text(words, x + width - 22, y, size=11, fill=ink, weight="semibold", anchor="end"),
                _SIGNS[mark.icon]((x + width - 19, y - 5), ink),
            ]
            available -= text_width(words, 11) + 22
        shown = elided(title, 12, available)
        color = self.colors["text"]
        return [text(shown, x + _INDENT, y, size=12, fill=color, weight="semibold"), *drawn]

    def _rows(self, mark: Mark | None, corner: Point, width: float) -> list[str]:
        beliefs = self.beliefs or {}
        shown = _shown_states(beliefs)
        names = max(text_width(state, 11) for state in shown) + 8
        bar_left = _INDENT + min(max(names, 26.0), width * 0.42)
        bar_width = width - bar_left - self.scale.number_column
        drawn: list[str] = []
        for number, state in enumerate(shown):
            middle = corner[1] + ROW * (number + 0.5)
            bar = (corner[0] + bar_left, middle - 4.5)
            drawn += self._row_text(
                state, beliefs[state], mark, (corner[0], middle), width, bar_left
            )
            drawn += self._bar(state, mark, bar, bar_width)
        hidden = [state for state in beliefs if state not in shown]
        if hidden:
            middle, grey = corner[1] + ROW * (len(shown) + 0.5), self.colors["text_tertiary"]
            rest = self.scale.rest_text([beliefs[state] for state in hidden])
            drawn += [
                text(f"{len(hidden)} more", corner[0] + _INDENT, middle, size=11, fill=grey),
                text(rest, corner[0] + width - 8, middle, size=11, fill=grey, anchor="end"),
            ]
        return drawn

    def _row_text(
        self,
        state: str,
        value: float,
        mark: Mark | None,
        position: Point,
        width: float,
        bar_left: float,
    ) -> list[str]:
        x, middle = position
        is_out = value <= 0 or (mark is not None and state in mark.struck)
        is_chosen = mark is not None and state == mark.chosen
        ink = self.colors["text_secondary" if is_out else "text"]
        shown = elided(state, 11, bar_left - _INDENT - 5)
        numbers = [(self.scale.text(value), x + width - 8)]
        if self.scale.inner is not None:
            numbers = [
                (f"Π {self.scale.text(value)}", x + width - _NECESSITY - 8),
                (f"N {self.scale.text(self._inner(state))}", x + width - 8),
            ]
        number_ink = self.colors[f"{mark.tint}_ink"] if mark is not None and is_chosen else ink
        drawn = [text(shown, x + _INDENT, middle, size=11, fill=ink)]
        drawn += [
            text(number, end, middle, size=11, fill=number_ink, weight="medium", anchor="end")
            for number, end in numbers
        ]
        if is_out:
            end = x + _INDENT + text_width(shown, 11)
            drawn.append(line((x + _INDENT, middle), (end, middle), stroke=ink, stroke_width=1))
        return drawn

    def _inner(self, state: str) -> float:
        beliefs = self.beliefs or {}
        if self.scale.inner is None:
            return 0.0
        return self.scale.inner(list(beliefs.values()))[list(beliefs).index(state)]

    def _bar(self, state: str, mark: Mark | None, corner: Point, width: float) -> list[str]:
        (x, y), height, radius = corner, 9.0, tokens()["radius_px"]["bar"]
        value = min(max((self.beliefs or {})[state], 0.0), 1.0)
        drawn = [rect(x, y, width, height, radius, fill=self.colors["belief_track"])]
        if value > 0:
            is_chosen = mark is not None and state == mark.chosen
            fill = self.colors[mark.tint if mark is not None and is_chosen else "belief"]
            drawn.append(rect(x, y, max(width * value, 1.0), height, radius, fill=fill))
            inner = self._inner(state)
            if inner > 0:
                box = (x, y + height / 4, width * inner, height / 2)
                drawn.append(rect(*box, fill="black", fill_opacity=0.5))
        for fraction in (0.25, 0.5, 0.75):
            at = x + width * fraction
            drawn.append(
                line(
                    (at, y),
                    (at, y + height),
                    stroke=self.colors["surface"],
                    stroke_width=0.75,
                    stroke_opacity=0.6,
                )
            )
        if mark is not None and mark.is_soft and self.evidence:
            # Weights that are all 0 (a project file may hold them) draw an empty strip.
            weight = self.evidence.get(state, 0.0) / (max(self.evidence.values()) or 1.0)
            drawn.append(hatching(x, y + 6, width * weight, 3, self.colors["virtual"]))
        if self.priors is not None and abs(self.priors[state] - value) >= _MIN_SHIFT:
            drawn.append(prior_outline((x, y), width * self.priors[state], self.colors["ghost"]))
        return [piece for piece in drawn if piece]


def _shown_states(beliefs: States) -> list[str]:
    """All states, or the largest that leave space for the row “n more”, in their order."""
    if len(beliefs) <= MAX_ROWS:
        return list(beliefs)
    largest = sorted(beliefs, key=lambda state: -beliefs[state])[: MAX_ROWS - 1]
    return [state for state in beliefs if state in largest]


def prior_outline(corner: Point, width: float, color: str) -> str:
    x, y = corner
    attributes: dict[str, Attribute] = {"stroke": color, "stroke_opacity": 0.6, "stroke_width": 1}
    return rect(x, y - 1.5, max(width, 1.0), 12, fill="none", **attributes)


def flag(corner: Point, color: str) -> str:
    """A small flag on its pole, 10 px high."""
    x, y = corner
    steps: list[str | Point] = [
        *("M", (x, y + 10), "L", (x, y), "L", (x + 9, y), "L", (x + 7, y + 3)),
        *("L", (x + 9, y + 6), "L", (x + 1.5, y + 6), "L", (x + 1.5, y + 10), "Z"),
    ]
    return path(*steps, fill=color)


def sliders(corner: Point, color: str) -> str:
    """Two small sliders: evidence that can be tuned."""
    x, y = corner
    steps: list[str | Point] = []
    for height, knob in ((2.5, 6.5), (7.5, 3.0)):
        steps += ["M", (x, y + height), "L", (x + 10, y + height)]
        steps += ["M", (x + knob, y + height - 2), "L", (x + knob, y + height + 2)]
    return path(*steps, stroke=color, stroke_width=1.4, fill="none")


def lock(corner: Point, color: str) -> str:
    """A small closed lock, 10 px high."""
    x, y = corner
    steps: list[str | Point] = [
        *("M", (x + 0.5, y + 4.5), "L", (x + 9.5, y + 4.5), "L", (x + 9.5, y + 10)),
        *("L", (x + 0.5, y + 10), "Z", "M", (x + 2.5, y + 4.5), "L", (x + 2.5, y + 1)),
        *("L", (x + 7.5, y + 1), "L", (x + 7.5, y + 4.5)),
    ]
    return path(*steps, stroke=color, stroke_width=1.4, fill="none")


_SIGNS = {"flag-fill": flag, "sliders-horizontal": sliders, "lock-simple": lock}
