"""A picture as an SVG document, fit for a paper: the look of the window without the window."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    PictureEdge,
    Point,
    Size,
    Strand,
    legend_styles,
)
from pgmstudio.core.drawing.layout.boxes import box_sizes, corners, elided, text_width
from pgmstudio.core.drawing.layout.edge_routing import (
    TAG_GAP,
    Box,
    EdgeRoute,
    edge_route,
    tag_places,
    tag_size,
)
from pgmstudio.core.drawing.strands import dash_of, strand_offsets
from pgmstudio.core.drawing.svg.elements import (
    element,
    escaped,
    font_families,
    hatching,
    number,
    path,
    rect,
    text,
)
from pgmstudio.core.drawing.svg.nodes import (
    PERCENT,
    BeliefScale,
    Mark,
    NodeDrawing,
    States,
    flag,
    lock,
    mark_of,
    prior_outline,
)
from pgmstudio.core.drawing.theme import colors, tokens

MARGIN = 24.0
LEGEND_HEIGHT = 32.0

Sample = Callable[[float, float], list[str]]  # draws 28 px wide from x, centred on y


@dataclass(frozen=True, slots=True)
class _Pen:
    color: str  # a token
    width: float
    dash: str | None
    meaning: str  # in the legend
    has_ring: bool = False  # a small hollow one at the middle


_PENS = {
    EdgeStyle.DIRECTED: _Pen("edge", 1.5, None, "edge"),
    EdgeStyle.UNDIRECTED: _Pen("reversible", 1.5, None, "edge without direction"),
    EdgeStyle.COMPELLED: _Pen("compelled", 2.0, None, "compelled edge"),
    EdgeStyle.COLLIDING: _Pen("compelled", 2.0, None, "in a v-structure"),
    EdgeStyle.REVERSIBLE: _Pen("reversible", 1.5, None, "reversible edge", has_ring=True),
    EdgeStyle.MORAL: _Pen("reversible", 1.5, "4 3", "joins parents"),
    EdgeStyle.FILL_IN: _Pen("fill_in", 2.0, "4 3", "fill-in"),
    EdgeStyle.COMMON: _Pen("edge_dim", 1.0, None, "in both"),
    EdgeStyle.COMMON_LINE: _Pen("edge_dim", 1.0, None, "in both"),
    EdgeStyle.ADDED: _Pen("required", 3.0, None, "+ added"),
    EdgeStyle.MISSING: _Pen("forbidden", 3.0, "6 4", "− missing"),
    EdgeStyle.ADDED_LINE: _Pen("required", 3.0, None, "+ added"),
    EdgeStyle.MISSING_LINE: _Pen("forbidden", 3.0, "6 4", "− missing"),
    EdgeStyle.REVERSED: _Pen("label_ink", 3.0, None, "⇄ reversed"),
    EdgeStyle.TRIAL: _Pen("fill_in", 2.0, "4 3", "tried"),
    EdgeStyle.LABELLED: _Pen("label_ink", 1.5, None, "carries a label"),
    EdgeStyle.VANISHED: _Pen("edge_dim", 1.5, "3 4", "vanished here"),
    EdgeStyle.CONTEXTUAL: _Pen("label_ink", 1.5, None, "has contexts"),
    EdgeStyle.CONTEXTUAL_VANISHED: _Pen("edge_dim", 1.5, "3 4", "vanished here"),
}


# An edge into a variable with an intervention has no effect.
_CUT = _Pen("edge_dim", 1.5, "4 4", "cut by do")
_CUT_GAP = 10.0


def svg_of(
    picture: GraphPicture,
    positions: Mapping[str, Point],
    *,
    sizes: Mapping[str, Size] | None = None,
    beliefs: Mapping[str, States] | None = None,
    priors: Mapping[str, States] | None = None,
    evidence: Mapping[str, States] | None = None,
    done: Collection[str] = (),
    theme: str = "light",
    title: str = "",
    legend: bool = True,
    background: bool = True,
    scale: BeliefScale = PERCENT,
) -> str:
    """The picture as SVG text; the same arguments give the same bytes.

    `beliefs` and `priors` hold a number per state of a variable; nodes of variables with beliefs
    show their states as bars. `evidence` holds a weight per state: one state above 0 was observed,
    equal weights exclude the rest, others are a likelihood. The variables in `done` were not
    observed but set, which cuts the arrows into them. `sizes` must be those the positions were made
    for; by default the boxes that hold what is shown.
    """
    beliefs, priors, evidence = beliefs or {}, priors or {}, evidence or {}
    if sizes is None:
        sizes = box_sizes(picture, beliefs)
    palette, line_colors = colors(theme), category_lines(theme)
    cut = {node.id for node in picture.nodes if node.variable in done}
    layer = edge_layer(picture, positions, sizes, palette, line_colors, cut=cut)
    body = [*layer.lines, *layer.labels]
    for node in picture.nodes:
        name = node.variable or ""
        known = NodeDrawing(
            palette, beliefs.get(name), priors.get(name), evidence.get(name), name in done, scale
        )
        drawn = known.draw(node, positions[node.id], sizes[node.id])
        body.append(element("g", "\n".join(drawn)))
    left, top, right, bottom = layer.extent
    shown = {node.variable for node in picture.nodes}
    entries = _strand_entries(picture, palette, line_colors) + _legend_entries(
        {edge.style for edge in picture.edges if not edge.strands},
        [
            mark_of(weights, is_done=variable in done)
            for variable, weights in evidence.items()
            if variable in shown
        ],
        bool(priors),
        palette,
    )
    if beliefs and scale.inner is not None:
        entries.append(("outer: possibility, inner: necessity", partial(_inner_sample, palette)))
    if legend and entries:
        drawn_legend, width = legend_card(entries, (left, bottom + MARGIN), palette)
        body += drawn_legend
        right, bottom = max(right, left + width), bottom + MARGIN + LEGEND_HEIGHT
    return document(body, (left, top, right, bottom), title, palette, background)


def category_lines(theme: str) -> tuple[str, ...]:
    """The colours of lines that belong to the components of a mixture."""
    return tuple(category["line"] for category in tokens()["category"][theme])


@dataclass(frozen=True, eq=False)
class EdgeLayer:
    """The edges of a picture as markup, one text for each edge, their labels, and what all boxes
    and edges cover."""

    lines: tuple[str, ...]
    labels: tuple[str, ...]
    extent: Box


def edge_layer(
    picture: GraphPicture,
    positions: Mapping[str, Point],
    sizes: Mapping[str, Size],
    palette: Mapping[str, str],
    line_colors: Sequence[str],
    *,
    cut: Collection[str] = (),
    widths: Mapping[tuple[str, str], float] | None = None,
) -> EdgeLayer:
    """Edges between boxes at these positions. Arrows into nodes of `cut` are interrupted; `widths`
    replaces those of plain edges, by their ends."""
    widths = widths or {}
    routes = edge_route(picture, positions, sizes)
    lines = []
    for edge, route in zip(picture.edges, routes, strict=True):
        if edge.strands:
            drawn = _strands(edge.strands, route, palette, line_colors)
        elif edge.target in cut and edge.style.has_arrow:
            drawn = _edge(route.shortened(_CUT_GAP), _CUT, True, palette)
        else:
            pen = _PENS[edge.style]
            pen = replace(pen, width=widths.get((edge.source, edge.target), pen.width))
            drawn = _edge(route, pen, edge.style.has_arrow, palette)
        lines.append("\n".join(drawn))
    labels: list[str] = []
    for edge, route in zip(picture.edges, routes, strict=True):
        if not edge.style.has_tag:
            labels += _edge_label(edge, route, palette)
    tags, tagged = _tags(picture, positions, sizes, routes, palette)
    return EdgeLayer(tuple(lines), (*labels, *tags), _extent(positions, sizes, routes, tagged))


def edge_legend(
    picture: GraphPicture, palette: Mapping[str, str], line_colors: Sequence[str]
) -> list[tuple[str, Sample]]:
    """The legend entries of the edges alone, each a text and a sample."""
    styles = {edge.style for edge in picture.edges if not edge.strands}
    return [
        *_strand_entries(picture, palette, line_colors),
        *_legend_entries(styles, [], False, palette),
    ]


def document(
    body: list[str],
    extent: tuple[float, float, float, float],
    title: str,
    palette: Mapping[str, str],
    background: bool,
) -> str:
    """A whole file around what was drawn within an extent: left, top, right, bottom."""
    left, top, right, bottom = extent
    x, y = left - MARGIN, top - MARGIN
    width, height = right - left + 2 * MARGIN, bottom - top + 2 * MARGIN
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
    positions: Mapping[str, Point],
    sizes: Mapping[str, Size],
    routes: tuple[EdgeRoute, ...],
    tags: Sequence[Box],
) -> Box:
    left, top, right, bottom = corners(positions, sizes)
    for box in tags:
        left, top = min(left, box[0]), min(top, box[1])
        right, bottom = max(right, box[2]), max(bottom, box[3])
    for route in routes:
        if route.bend is not None:
            for fraction in (0.25, 0.5, 0.75):
                x, y = route.at(fraction)
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
        end = back  # the line must not show next to the tip
    bend = () if route.bend is None else ("Q", route.bend)
    steps = ("M", route.start, *bend, end) if bend else ("M", route.start, "L", end)
    stroke = path(
        *steps, fill="none", stroke=color, stroke_width=pen.width, stroke_dasharray=pen.dash
    )
    if pen.has_ring:
        x, y = route.at(0.5)
        ground = palette["canvas"]
        drawn.append(rect(x - 4, y - 4, 8, 8, 4, fill=ground, stroke=color, stroke_width=pen.width))
    return [stroke, *drawn]


def _strands(
    strands: tuple[Strand, ...],
    route: EdgeRoute,
    palette: Mapping[str, str],
    line_colors: Sequence[str],
) -> list[str]:
    """Parallel lines without arrows, each in the colour and the dashes of its component."""
    drawn = []
    for strand, offset in zip(strands, strand_offsets(strands), strict=True):
        color = palette["edge"]
        if strand.component is not None:
            color = line_colors[strand.component % len(line_colors)]
        way = route.shifted(offset)
        bend = ("L",) if way.bend is None else ("Q", way.bend)
        dash = " ".join(number(part) for part in dash_of(strand.component, strand.width))
        drawn.append(
            path(
                *("M", way.start, *bend, way.end),
                fill="none",
                stroke=color,
                stroke_width=strand.width,
                stroke_dasharray=dash or None,
                stroke_opacity=strand.alpha if strand.alpha < 1 else None,
            )
        )
    return drawn


def _strand_entries(
    picture: GraphPicture, palette: Mapping[str, str], line_colors: Sequence[str]
) -> list[tuple[str, Sample]]:
    """Whose line is whose, and what its width means."""
    entries: list[tuple[str, Sample]] = []
    for component, name in picture.lines:

        def line(x: float, y: float, component: int = component) -> list[str]:
            strand = Strand(2.0, component)
            return _strands((strand,), EdgeRoute((x, y), (x + 28, y)), palette, line_colors)

        entries.append((name, line))
    if picture.width_label:

        def wedge(x: float, y: float) -> list[str]:
            corners = ("M", (x, y), "L", (x + 28, y - 3), "L", (x + 28, y + 3), "Z")
            return [path(*corners, fill=palette["edge"])]

        entries.append((picture.width_label, wedge))
    return entries


def _edge_label(edge: PictureEdge, route: EdgeRoute, palette: Mapping[str, str]) -> list[str]:
    if not edge.label:
        return []
    x, y = route.at(0.6)  # nearer the target: siblings' labels do not run into each other
    label_text = elided(edge.label, 11, 100)
    width = text_width(label_text, 11) + 8
    ink = _PENS[edge.style].color if edge.style.is_difference else "text_secondary"
    return [
        rect(x - width / 2, y - 8, width, 16, 4, fill=palette["canvas"]),
        text(label_text, x, y, size=11, fill=palette[ink], anchor="middle"),
    ]


def _tags(
    picture: GraphPicture,
    positions: Mapping[str, Point],
    sizes: Mapping[str, Size],
    routes: Sequence[EdgeRoute],
    palette: Mapping[str, str],
) -> tuple[list[str], list[Box]]:
    """Labels on their tags, with some ground around them so that the lines have gaps; and where."""
    tagged = [
        (edge, route)
        for edge, route in zip(picture.edges, routes, strict=True)
        if edge.style.has_tag and edge.label
    ]
    boxes = [corners({n: positions[n]}, {n: sizes[n]}) for n in picture.ids] if tagged else []
    ways, tags = [route for _, route in tagged], [tag_size(edge.label) for edge, _ in tagged]
    others = [
        route for edge, route in zip(picture.edges, routes, strict=True) if not edge.style.has_tag
    ]
    drawn: list[str] = []
    points: list[Box] = []
    places = tag_places(ways, tags, boxes, others)
    for (edge, route), place in zip(tagged, places, strict=True):
        (x, y), (width, height) = place.on(route), tag_size(edge.label)
        is_gone = edge.style.is_vanished
        left, top, gap = x - width / 2, y - height / 2, TAG_GAP
        points.append((left, top, left + width, top + height))
        ground = (left - gap, top - gap, width + 2 * gap, height + 2 * gap, height / 2 + gap)
        drawn += [
            rect(*ground, fill=palette["canvas"]),
            rect(
                *(left, top, width, height, height / 2),
                fill=palette["canvas" if is_gone else "label_soft"],
                stroke=palette["label_ink"],
                stroke_width=1,
                stroke_dasharray="3 2" if is_gone else None,
            ),
            text(
                edge.label,
                x,
                y,
                size=11,
                fill=palette["text_secondary" if is_gone else "label_ink"],
                weight="semibold",
                anchor="middle",
            ),
        ]
    return drawn, points


def _inner_sample(palette: Mapping[str, str], x: float, y: float) -> list[str]:
    return [
        rect(x, y - 4.5, 28, 9, 2, fill=palette["belief_track"]),
        rect(x, y - 4.5, 22, 9, 2, fill=palette["belief"]),
        rect(x, y - 2.25, 11, 4.5, fill="black", fill_opacity=0.5),
    ]


def _legend_entries(
    styles: set[EdgeStyle], marks: list[Mark], has_priors: bool, palette: Mapping[str, str]
) -> list[tuple[str, Sample]]:
    """Only what is on screen and does not explain itself."""
    entries: list[tuple[str, Sample]] = []
    for style, meaning in legend_styles(styles).items():

        def edge_sample(x: float, y: float, style: EdgeStyle = style) -> list[str]:
            route = EdgeRoute((x, y), (x + 28, y))
            return _edge(route, _PENS[style], style.has_arrow, palette)

        entries.append((meaning or _PENS[style].meaning, edge_sample))
    if any(mark.is_done for mark in marks):
        entries.append(
            ("intervention, do(X = x)", lambda x, y: [lock((x + 9, y - 5), palette["do_ink"])])
        )
    if any(not mark.is_soft and not mark.is_done for mark in marks):
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


def legend_card(
    entries: list[tuple[str, Sample]], corner: Point, palette: Mapping[str, str]
) -> tuple[list[str], float]:
    """Labels with samples in a frame, and its width."""
    x, middle = corner[0] + 12, corner[1] + LEGEND_HEIGHT / 2
    drawn: list[str] = []
    for label_text, sample in entries:
        drawn += sample(x, middle)
        drawn.append(text(label_text, x + 36, middle, size=11, fill=palette["text_secondary"]))
        x += 36 + text_width(label_text, 11) + 24
    width = x - 12 - corner[0]
    radius = tokens()["radius_px"]["card"]
    frame = rect(
        *corner,
        width,
        LEGEND_HEIGHT,
        radius,
        fill=palette["surface"],
        stroke=palette["border"],
        stroke_width=1,
    )
    return [frame, *drawn], width
