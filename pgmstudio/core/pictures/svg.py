"""A picture as an SVG document, fit for a paper: the look of the window without the window."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pgmstudio.core.pictures.boxes import box_sizes, elided, text_width
from pgmstudio.core.pictures.picture import EdgeStyle, GraphPicture, PictureEdge, Point, Size
from pgmstudio.core.pictures.routes import EdgeRoute, edge_route
from pgmstudio.core.pictures.spacing import corners
from pgmstudio.core.pictures.svg_elements import (
    element,
    escaped,
    font_families,
    hatching,
    number,
    path,
    rect,
    text,
)
from pgmstudio.core.pictures.svg_nodes import (
    NodeDrawing,
    States,
    flag,
    mark_of,
    prior_outline,
)
from pgmstudio.core.pictures.tokens import colors, tokens

_MARGIN = 24.0
_LEGEND_HEIGHT = 32.0


@dataclass(frozen=True, slots=True)
class _Pen:
    color: str  # a token
    width: float
    dash: str | None
    meaning: str  # in the legend


_PENS = {
    EdgeStyle.DIRECTED: _Pen("edge", 1.5, None, "edge"),
    EdgeStyle.UNDIRECTED: _Pen("reversible", 1.5, None, "edge without direction"),
    EdgeStyle.COMPELLED: _Pen("compelled", 2.0, None, "compelled edge"),
    EdgeStyle.FILL_IN: _Pen("fill_in", 1.5, "4 3", "added edge"),
}


def svg_of(
    picture: GraphPicture,
    positions: Mapping[str, Point],
    *,
    sizes: Mapping[str, Size] | None = None,
    beliefs: Mapping[str, States] | None = None,
    priors: Mapping[str, States] | None = None,
    evidence: Mapping[str, States] | None = None,
    theme: str = "light",
    title: str = "",
    legend: bool = True,
    background: bool = True,
) -> str:
    """The picture as SVG text; the same arguments give the same bytes.

    `beliefs` and `priors` hold a number per state of a variable; nodes of variables with beliefs
    show their states as bars. `evidence` holds a weight per state: one state above 0 was observed,
    equal weights exclude the rest, others are a likelihood. `sizes` must be those the positions
    were made for; by default the boxes that hold what is shown.
    """
    beliefs, priors, evidence = beliefs or {}, priors or {}, evidence or {}
    if sizes is None:
        sizes = box_sizes(picture, beliefs)
    palette = colors(theme)
    routes = edge_route(picture, positions, sizes)
    body: list[str] = []
    for edge, route in zip(picture.edges, routes, strict=True):
        body += _edge(route, _PENS[edge.style], edge.style.has_arrow, palette)
    for edge, route in zip(picture.edges, routes, strict=True):
        body += _edge_label(edge, route, palette)
    for node in picture.nodes:
        name = node.variable or ""
        known = NodeDrawing(palette, beliefs.get(name), priors.get(name), evidence.get(name))
        drawn = known.draw(node, positions[node.id], sizes[node.id])
        body.append(element("g", "\n".join(drawn)))
    left, top, right, bottom = _extent(positions, sizes, routes)
    shown = {node.variable for node in picture.nodes}
    entries = _legend_entries(
        {edge.style for edge in picture.edges},
        [weights for variable, weights in evidence.items() if variable in shown],
        bool(priors),
        palette,
    )
    if legend and entries:
        drawn_legend, width = _legend(entries, (left, bottom + _MARGIN), palette)
        body += drawn_legend
        right, bottom = max(right, left + width), bottom + _MARGIN + _LEGEND_HEIGHT
    return _document(body, (left, top, right, bottom), title, palette, background)


def _document(
    body: list[str],
    extent: tuple[float, float, float, float],
    title: str,
    palette: Mapping[str, str],
    background: bool,
) -> str:
    left, top, right, bottom = extent
    x, y = left - _MARGIN, top - _MARGIN
    width, height = right - left + 2 * _MARGIN, bottom - top + 2 * _MARGIN
    parts = [element("title", escaped(title))] if title else []
    if background:
        parts.append(rect(x, y, width, height, fill=palette["canvas"]))
    content = "\n".join([*parts, element("g", "\n".join(body), font_family=font_families())])
    root = element(
        "svg",
        f"\n{content}\n",
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=height,
        viewBox=" ".join(number(value) for value in (x, y, width, height)),
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root}\n'


def _extent(
    positions: Mapping[str, Point], sizes: Mapping[str, Size], routes: tuple[EdgeRoute, ...]
) -> tuple[float, float, float, float]:
    left, top, right, bottom = corners(positions, sizes)
    for route in routes:
        if route.bend is not None:
            for share in (0.25, 0.5, 0.75):
                x, y = route.at(share)
                left, right = min(left, x), max(right, x)
                top, bottom = min(top, y), max(bottom, y)
    return left, top, right, bottom


def _edge(route: EdgeRoute, pen: _Pen, has_arrow: bool, palette: Mapping[str, str]) -> list[str]:
    color = palette[pen.color]
    end = route.end
    drawn = []
    if has_arrow:
        length, angle = 8 + 1.3 * pen.width, route.arrival
        half = length * 0.42
        back = (end[0] - length * math.cos(angle), end[1] - length * math.sin(angle))
        wings = [
            (back[0] + turn * half * math.sin(angle), back[1] - turn * half * math.cos(angle))
            for turn in (1, -1)
        ]
        drawn.append(path("M", end, "L", wings[0], "L", wings[1], "Z", fill=color))
        end = back  # the line must not show beside the tip
    bend = () if route.bend is None else ("Q", route.bend)
    steps = ("M", route.start, *bend, end) if bend else ("M", route.start, "L", end)
    stroke = path(
        *steps, fill="none", stroke=color, stroke_width=pen.width, stroke_dasharray=pen.dash
    )
    return [stroke, *drawn]


def _edge_label(edge: PictureEdge, route: EdgeRoute, palette: Mapping[str, str]) -> list[str]:
    if not edge.label:
        return []
    x, y = route.at(0.6)  # nearer the target: siblings' labels do not run into each other
    words = elided(edge.label, 11, 100)
    width = text_width(words, 11) + 8
    return [
        rect(x - width / 2, y - 8, width, 16, 4, fill=palette["canvas"]),
        text(words, x, y, size=11, fill=palette["text_secondary"], anchor="middle"),
    ]


Sample = Callable[[float, float], list[str]]  # draws 28 px wide from x, centred on y


def _legend_entries(
    styles: set[EdgeStyle],
    evidence: list[States],
    has_priors: bool,
    palette: Mapping[str, str],
) -> list[tuple[str, Sample]]:
    """Only what is on screen and does not explain itself."""
    entries: list[tuple[str, Sample]] = []
    if len(styles) > 1 or EdgeStyle.FILL_IN in styles or EdgeStyle.COMPELLED in styles:
        for style in (style for style in EdgeStyle if style in styles):

            def edge_sample(x: float, y: float, style: EdgeStyle = style) -> list[str]:
                route = EdgeRoute((x, y), (x + 28, y))
                return _edge(route, _PENS[style], style.has_arrow, palette)

            entries.append((_PENS[style].meaning, edge_sample))
    marks = [mark_of(weights) for weights in evidence]
    if any(not mark.is_soft for mark in marks):
        entries.append(("evidence", lambda x, y: [flag((x + 9, y - 5), palette["evidence_ink"])]))
    if any(mark.is_soft for mark in marks):
        entries.append(("likelihood", lambda x, y: [hatching(x, y - 2, 28, 4, palette["virtual"])]))
    if has_priors:
        entries.append(
            (
                "outline = prior",
                lambda x, y: [
                    rect(x, y - 4.5, 28, 9, 2, fill=palette["belief_track"]),
                    rect(x, y - 4.5, 18, 9, 2, fill=palette["belief"]),
                    prior_outline((x, y - 4.5), 10, palette["ghost"]),
                ],
            )
        )
    return entries


def _legend(
    entries: list[tuple[str, Sample]], corner: Point, palette: Mapping[str, str]
) -> tuple[list[str], float]:
    x, middle = corner[0] + 12, corner[1] + _LEGEND_HEIGHT / 2
    drawn: list[str] = []
    for words, sample in entries:
        drawn += sample(x, middle)
        drawn.append(text(words, x + 36, middle, size=11, fill=palette["text_secondary"]))
        x += 36 + text_width(words, 11) + 24
    width = x - 12 - corner[0]
    radius = tokens()["radius_px"]["card"]
    frame = rect(
        *corner,
        width,
        _LEGEND_HEIGHT,
        radius,
        fill=palette["surface"],
        stroke=palette["border"],
        stroke_width=1,
    )
    return [frame, *drawn], width
