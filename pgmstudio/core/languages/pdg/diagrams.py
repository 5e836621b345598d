"""The layout of decision graphs: a band of nodes per variable, the forest from top to bottom.

The children of a variable are one level further down, siblings side by side, and trees next to each
other. Within a band the nodes are ordered so that few arcs cross: each near the barycentre of its
arcs, weighted by their probability. A node is named ν with a number, counted along the forest.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    NodeShape,
    PictureEdge,
    PictureNode,
    edges_of,
    variable_nodes,
)
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.pdg.candidate_operations import CandidateOperation, Operation
from pgmstudio.core.languages.pdg.measures import in_flows
from pgmstudio.core.languages.pdg.model import DecisionGraph

Indices = NDArray[np.int64]

GUTTER = 146.0
BAND_GAP, TREE_GAP, PADDING = 46.0, 12.0, 12.0
WIDE, WIDEST_GAP = 1.6, 240.0  # above this aspect ratio bands move apart, up to this gap
NODE_WIDTH, HEAD, CELL_HEIGHT, ROW_HEIGHT = 132.0, 22.0, 36.0, 17.0
NODE_GAP = 24.0
SMALL_WIDTH, SMALL_HEIGHT, SMALL_GAP = 40.0, 24.0, 8.0
STRIP_WIDTH, STRIP_HEIGHT = 720.0, 24.0
# Beyond so many states they are listed below each other; beyond so many nodes these are small.
MAX_CELLS = 3
MAX_LARGE, MAX_SMALL = 12, 60
# In a picture wider than this fewer bands have large nodes: all of it should be readable at once.
MAX_ACROSS, FEWER_LARGE = 3600.0, (6, 3, 1)
_SWEEPS = 6


class BandForm(Enum):
    """How the nodes of a band are drawn."""

    CELLS = "cells"  # a cell for each state, side by side
    ROWS = "rows"  # a row for each state
    NUMBERS = "numbers"  # small boxes with a number
    STRIP = "strip"  # one strip, as wide a piece as the node is reached
    COLLAPSED = "collapsed"  # one box for all of them


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; y grows downwards."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def middle(self) -> float:
        return self.x + self.width / 2

    def holds(self, other: Box) -> bool:
        """Whether the other lies within this one."""
        return (
            self.x <= other.x + 1e-6
            and self.y <= other.y + 1e-6
            and other.right <= self.right + 1e-6
            and other.bottom <= self.bottom + 1e-6
        )


@dataclass(frozen=True)
class Band:
    """The band of one variable: its gutter on the left, then its nodes; `boxes[ν]` is the box of
    a node, `order` lists the nodes from left to right."""

    variable: int
    form: BandForm
    box: Box
    boxes: tuple[Box, ...]
    order: tuple[int, ...]


@dataclass(frozen=True)
class BandPicture:
    """All bands, in the order of the variables."""

    bands: tuple[Band, ...]

    @cached_property
    def extent(self) -> Box:
        """What holds all bands."""
        left = min((band.box.x for band in self.bands), default=0.0)
        top = min((band.box.y for band in self.bands), default=0.0)
        right = max((band.box.right for band in self.bands), default=0.0)
        bottom = max((band.box.bottom for band in self.bands), default=0.0)
        return Box(left, top, right - left, bottom - top)

    def node(self, variable: int, node: int) -> Box:
        """The box of a node; of a collapsed variable, the one of all its nodes."""
        band = self.bands[variable]
        return band.boxes[0] if band.form is BandForm.COLLAPSED else band.boxes[node]

    def cell(self, variable: int, node: int, state: int, states: int) -> Box:
        """The box of one state of a node; the whole node where states are not drawn."""
        box, form = self.node(variable, node), self.bands[variable].form
        if form is BandForm.CELLS:
            width = box.width / states
            return Box(box.x + state * width, box.y + HEAD, width, box.height - HEAD)
        if form is BandForm.ROWS:
            return Box(box.x, box.y + HEAD + state * ROW_HEIGHT, box.width, ROW_HEIGHT)
        return box

    def arc(
        self, upper: int, node: int, state: int, states: int, lower: int, head: int
    ) -> tuple[float, float, float, float]:
        """Where an arc begins (below its state's cell) and where it ends (at the next node's top).

        Where states are not drawn apart, arcs leave the node side by side.
        """
        start, end = self.node(upper, node), self.node(lower, head)
        form = self.bands[upper].form
        if form is BandForm.CELLS:
            x = self.cell(upper, node, state, states).middle
        else:
            x = start.x + start.width * (state + 1) / (states + 1)
        return x, start.bottom, end.middle, end.y


def band_picture(
    graph: DecisionGraph,
    visits: Sequence[Floats] | None = None,
    collapsed: Collection[str] = (),
) -> BandPicture:
    """The layout of all nodes; `visits` are the probabilities of reaching them, for strip
    widths."""
    masses = _masses(graph)
    reached = [np.asarray(mass.sum(axis=1)) for mass in masses]
    orders = node_orders(graph, masses)
    for max_large in (MAX_LARGE, *FEWER_LARGE):
        forms = [_form(graph, i, collapsed, max_large) for i in range(len(graph.domain))]
        needs = [_need(graph, i, form) for i, form in enumerate(forms)]
        widths = _widths(graph, [need[0] for need in needs])
        lefts = _lefts(graph, widths)
        across = max((x + width for x, width in zip(lefts, widths, strict=True)), default=0.0)
        if across <= MAX_ACROSS:
            break
    tops = _tops(graph, [need[1] for need in needs], across)
    bands = []
    for i, (form, need) in enumerate(zip(forms, needs, strict=True)):
        box = Box(lefts[i], tops[i], widths[i], need[1])
        chances = reached[i] if visits is None else visits[i]
        bands.append(Band(i, form, box, _boxes(graph, i, form, box, orders[i], chances), orders[i]))
    return BandPicture(tuple(bands))


def orders_of(graph: DecisionGraph) -> list[tuple[int, ...]]:
    """The nodes of every variable from left to right."""
    return node_orders(graph, _masses(graph))


def node_orders(graph: DecisionGraph, masses: Sequence[Floats]) -> list[tuple[int, ...]]:
    """The nodes of every variable from left to right, with few crossings (barycentres by mass)."""
    positions = [np.linspace(0, 1, count + 2)[1:-1] for count in graph.node_counts]
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        for i in graph.order if downwards else reversed(graph.order):
            targets = _barycentres(graph, masses, positions, i, downwards)
            positions[i] = _spread(targets)
    return [tuple(int(node) for node in np.argsort(index, kind="stable")) for index in positions]


def _barycentres(
    graph: DecisionGraph,
    masses: Sequence[Floats],
    positions: Sequence[Floats],
    i: int,
    downwards: bool,
) -> Floats:
    """The barycentre of the arcs of each node of a variable."""
    pull, weight = np.zeros(positions[i].size), np.full(positions[i].size, 1e-12)
    pull += weight * positions[i]
    if downwards:
        above, edges = graph.forest[i], graph.successors[i]
        if above is not None and edges is not None:
            cards = edges.shape[1]
            step = 1.0 / (positions[above].size + 1)
            spots = positions[above][:, None] + step * ((np.arange(cards) + 0.5) / cards - 0.5)
            mass = masses[above] + 1e-9
            pull += np.bincount(edges.ravel(), (mass * spots).ravel(), positions[i].size)
            weight += np.bincount(edges.ravel(), mass.ravel(), positions[i].size)
    else:
        for below in graph.children[i]:
            heads = graph.successors[below]
            if heads is not None:
                mass = masses[i] + 1e-9
                pull += (mass * positions[below][heads]).sum(axis=1)
                weight += mass.sum(axis=1)
    return np.asarray(pull / weight)


def _spread(targets: Floats) -> Floats:
    """Evenly spaced positions in the order of the targets."""
    positions = np.empty(targets.size)
    positions[np.argsort(targets, kind="stable")] = np.linspace(0, 1, targets.size + 2)[1:-1]
    return positions


def _masses(graph: DecisionGraph) -> list[Floats]:
    """The chance to pass each node in each state, per variable."""
    flows = zip(in_flows(graph), graph.parameters, strict=True)
    return [flow[:, None] * parameters for flow, parameters in flows]


def _form(
    graph: DecisionGraph, i: int, collapsed: Collection[str], max_large: int = MAX_LARGE
) -> BandForm:
    count, name = graph.node_counts[i], graph.domain.names[i]
    if name in collapsed and count > 1:
        return BandForm.COLLAPSED
    if count > MAX_SMALL:
        return BandForm.STRIP
    if count > max_large:
        return BandForm.NUMBERS
    return BandForm.CELLS if graph.domain.cardinalities[i] <= MAX_CELLS else BandForm.ROWS


def node_size(graph: DecisionGraph, i: int, form: BandForm) -> tuple[float, float]:
    """How wide and high a node of the variable is; a strip is one."""
    if form is BandForm.CELLS:
        return NODE_WIDTH, HEAD + CELL_HEIGHT
    if form is BandForm.ROWS:
        return NODE_WIDTH, HEAD + ROW_HEIGHT * graph.domain.cardinalities[i]
    if form is BandForm.NUMBERS:
        return SMALL_WIDTH, SMALL_HEIGHT
    if form is BandForm.STRIP:
        return STRIP_WIDTH, STRIP_HEIGHT
    return NODE_WIDTH, HEAD + CELL_HEIGHT


def _need(graph: DecisionGraph, i: int, form: BandForm) -> tuple[float, float]:
    """The size a band needs: wide enough for its nodes, high enough for them and the gutter."""
    width, height = node_size(graph, i, form)
    gutter = HEAD + ROW_HEIGHT * min(graph.domain.cardinalities[i], 8) + 2.0
    is_single = form in (BandForm.STRIP, BandForm.COLLAPSED)
    count = 1 if is_single else graph.node_counts[i]
    gap = SMALL_GAP if form is BandForm.NUMBERS else NODE_GAP
    # A root that stands alone shows the same in its gutter.
    if graph.forest[i] is None and not graph.children[i]:
        return GUTTER + 2 * PADDING, gutter + 2 * PADDING
    across = count * width + (count - 1) * gap
    return GUTTER + across + 3 * PADDING, max(height, gutter) + 2 * PADDING


def _widths(graph: DecisionGraph, needs: Sequence[float]) -> list[float]:
    """A band is as wide as all that hangs below it."""
    widths = list(needs)
    for i in reversed(graph.order):
        below = graph.children[i]
        if below:
            hanging = sum(widths[c] for c in below) + TREE_GAP * (len(below) - 1)
            widths[i] = max(widths[i], hanging)
    for i in graph.order:  # what hangs below fills the width of the band above
        below = graph.children[i]
        if below:
            spare = widths[i] - sum(widths[c] for c in below) - TREE_GAP * (len(below) - 1)
            for c in below:
                widths[c] += spare / len(below)
    return widths


def _tops(graph: DecisionGraph, heights: Sequence[float], across: float) -> list[float]:
    """All bands of one level begin at the same height.

    The height grows with the width of the picture: flat arcs are hard to follow.
    """
    level = [0] * len(heights)
    for i in graph.order:
        above = graph.forest[i]
        level[i] = 0 if above is None else level[above] + 1
    highest = [0.0] * (max(level, default=0) + 1)
    for height, at in zip(heights, level, strict=True):
        highest[at] = max(highest[at], height)
    spare = across / WIDE - sum(highest)
    gap = min(max(BAND_GAP, spare / max(1, len(highest) - 1)), WIDEST_GAP)
    tops = [sum(highest[:at]) + at * gap for at in range(len(highest))]
    return [tops[at] for at in level]


def _lefts(graph: DecisionGraph, widths: Sequence[float]) -> list[float]:
    lefts = [0.0] * len(widths)
    x = 0.0
    # Trees with edges first, so that variables that stand alone come last.
    for root in sorted(graph.roots, key=lambda r: not graph.children[r]):
        lefts[root] = x
        x += widths[root] + TREE_GAP
    for i in graph.order:
        x = lefts[i]
        for c in graph.children[i]:
            lefts[c] = x
            x += widths[c] + TREE_GAP
    return lefts


def _boxes(
    graph: DecisionGraph,
    i: int,
    form: BandForm,
    box: Box,
    order: Sequence[int],
    chances: Floats,
) -> tuple[Box, ...]:
    width, height = node_size(graph, i, form)
    left, space = box.x + GUTTER + PADDING, box.width - GUTTER - 2 * PADDING
    y = box.y + (box.height - height) / 2
    if graph.forest[i] is None and not graph.children[i]:
        return (Box(box.x + PADDING, box.y + PADDING, GUTTER, box.height - 2 * PADDING),)
    if form is BandForm.COLLAPSED:
        return (Box(left + (space - width) / 2, y, width, height),)
    if form is BandForm.STRIP:
        return _pieces(left, y, space, height, order, chances)
    gap = SMALL_GAP if form is BandForm.NUMBERS else NODE_GAP
    count = len(order)
    # Spread over the space, but not so far apart that it no longer reads as one row.
    step = min((space - width) / max(1, count - 1), 2 * (width + gap)) if count > 1 else 0.0
    first = left + (space - width - step * (count - 1)) / 2
    boxes = [Box(0, 0, 0, 0)] * count
    for index, node in enumerate(order):
        boxes[node] = Box(first + index * step, y, width, height)
    return tuple(boxes)


def _pieces(
    left: float, y: float, space: float, height: float, order: Sequence[int], chances: Floats
) -> tuple[Box, ...]:
    """One strip; each node as wide as it is likely to be reached, none thinner than a hair."""
    least = 0.5 * space / len(order)
    total = float(chances.sum()) or 1.0
    spare = space - least * len(order)
    boxes = [Box(0, 0, 0, 0)] * len(order)
    x = left
    for node in order:
        width = least + spare * float(chances[node]) / total
        boxes[node] = Box(x, y, width, height)
        x += width
    return tuple(boxes)


# Isolated variables are counted last: their band shows no node.
_CACHE_SIZE = 8


@lru_cache(maxsize=_CACHE_SIZE)
def first_numbers(graph: DecisionGraph) -> tuple[int, ...]:
    """The number of the first node of every variable, from 1."""
    alone = [graph.forest[i] is None and not graph.children[i] for i in range(len(graph.domain))]
    result, number = [0] * len(graph.domain), 1
    for i in sorted(graph.order, key=lambda i: alone[i]):
        result[i] = number
        number += graph.node_counts[i]
    return tuple(result)


@lru_cache(maxsize=_CACHE_SIZE)
def node_numbers(graph: DecisionGraph) -> tuple[tuple[int, ...], ...]:
    """The number of every node of every variable: as the bands show them, from left to right."""
    result = []
    for order, first in zip(orders_of(graph), first_numbers(graph), strict=True):
        numbers = [0] * len(order)
        for index, node in enumerate(order):
            numbers[node] = first + index
        result.append(tuple(numbers))
    return tuple(result)


def node_name(graph: DecisionGraph, variable: str, node: int) -> str:
    """ν7 for the seventh node, counted band by band."""
    return f"ν{node_numbers(graph)[graph.domain.index(variable)][node]}"


def node_named(graph: DecisionGraph, name: str) -> tuple[str, int]:
    """The variable and the index of the node with this name; GraphError when there is none."""
    for variable, numbers in zip(graph.domain.names, node_numbers(graph), strict=True):
        for node, number in enumerate(numbers):
            if name == f"ν{number}":
                return variable, node
    raise GraphError(f"The graph has no node {name}.")


def operation_edit(graph: DecisionGraph, step: CandidateOperation) -> dict[str, str]:
    """The edit of the language that carries out an operation, and its arguments."""
    mine = node_name(graph, step.variable, step.node)
    if step.operation is Operation.MERGE:
        other = node_name(graph, step.variable, step.other)
        return {"edit": "merge_nodes", "node": mine, "other": other}
    if step.operation is Operation.SPLIT:
        return {"edit": "split_node", "node": mine}
    source, state = _redirected_edge(graph, step)
    return {"edit": "redirect_arc", "source": source, "state": state, "target": mine}


def operation_text(graph: DecisionGraph, step: CandidateOperation) -> str:
    """The text of an operation, as the name of a command."""
    mine = node_name(graph, step.variable, step.node)
    if step.operation is Operation.MERGE:
        return f"Merge {mine} with {node_name(graph, step.variable, step.other)}"
    if step.operation is Operation.SPLIT:
        return f"Split {mine}"
    upper, state = _redirected_edge(graph, step)
    return f"Redirect {upper} {state} to {mine}"


def short_operation_text(
    graph: DecisionGraph, step: CandidateOperation, *, is_from_here: bool
) -> str:
    """The same in a list about one node, which need not be named; `is_from_here`: its own arc."""
    mine = node_name(graph, step.variable, step.node)
    if step.operation is Operation.MERGE:
        return f"Merge with {node_name(graph, step.variable, step.other)}"
    if step.operation is Operation.SPLIT:
        return "Split"
    upper, state = _redirected_edge(graph, step)
    return f"{state} → {mine}" if is_from_here else f"{upper} {state} → here"


def _redirected_edge(graph: DecisionGraph, step: CandidateOperation) -> tuple[str, str]:
    """The node and the state from which the edge of a redirection leads."""
    above = graph.forest[graph.domain.index(step.variable)]
    assert above is not None
    upper = graph.domain.variables[above]
    return node_name(graph, upper.name, step.upper), upper.states[step.state]


def progress_text(value: float) -> str:
    """A parameter in two digits, such as .71; 1 and 0 only where they are exact."""
    if value >= 0.995:
        return "1" if value >= 1 else ".99"
    return f"{value:.2f}".removeprefix("0") if value > 0 else "0"


NOT_REACHED, NO_DATA = "not reached", "no data"


NODES = "nodes"  # of a decision graph: bands of nodes with flows, where they can be drawn


def forest_picture(model: DecisionGraph) -> GraphPicture:
    """The forest of variables: who is decided after whom."""
    return GraphPicture(
        variable_nodes(model.domain.names), edges_of(model.edges, EdgeStyle.DIRECTED)
    )


def nodes_picture(model: DecisionGraph) -> GraphPicture:
    """Every node of every variable as a box, with an arrow to each node its states lead to.

    Where bands can be drawn, they show the same with distributions and flows.
    """
    names = model.domain.names
    ids = [[f"ν{number}" for number in numbers] for numbers in node_numbers(model)]
    nodes = tuple(
        PictureNode(name, f"{name} of {names[i]}", NodeShape.BOX)
        for i in model.order
        for name in ids[i]
    )
    edges = []
    for i in model.order:
        above, heads = model.forest[i], model.successors[i]
        if above is None or heads is None:
            continue
        states = model.domain.variables[above].states
        for node, row in enumerate(heads.tolist()):
            for head in dict.fromkeys(row):
                label = ", ".join(s for s, to in zip(states, row, strict=True) if to == head)
                edge = PictureEdge(ids[above][node], ids[i][head], label, EdgeStyle.DIRECTED)
                edges.append(edge)
    return GraphPicture(nodes, tuple(edges))
