"""Diagrams of models: nodes, edges and groups, without positions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

Point = tuple[float, float]
Size = tuple[float, float]


class NodeShape(Enum):
    """How the outline of a node is drawn."""

    OVAL = "oval"  # a variable; drawn as a box with soft corners
    BOX = "box"  # a clique or another thing that is not a variable
    DOUBLE = "double"  # a hidden variable


class EdgeStyle(Enum):
    """What an edge means, and so how it is drawn."""

    DIRECTED = "directed"
    UNDIRECTED = "undirected"
    COMPELLED = "compelled"  # directed in every graph of the equivalence class
    COLLIDING = "colliding"  # directed; one of two that meet without joining their tails
    REVERSIBLE = "reversible"  # some graphs of the class have it one way, some the other
    MORAL = "moral"  # without direction, joins two parents of a child
    FILL_IN = "fill-in"  # without direction, added by triangulating
    COMMON = "common"  # directed; two structures have it, next to edges in which they differ
    COMMON_LINE = "common-line"  # the same without direction
    ADDED = "added"  # directed; of two structures only the second has it
    MISSING = "missing"  # directed; only the first has it
    REVERSED = "reversed"  # as in the second; the first has the other direction
    ADDED_LINE = "added-line"  # the same two without direction
    MISSING_LINE = "missing-line"
    TRIAL = "trial"  # directed; a search tries it
    LABELLED = "labelled"  # directed; its label lists the contexts in which it vanishes
    VANISHED = "vanished"  # a labelled one in a context in which it vanishes
    CONTEXTUAL = "contextual"  # without direction; its label lists the contexts as above
    CONTEXTUAL_VANISHED = "contextual-vanished"  # such a one in a context in which it vanishes

    @property
    def has_arrow(self) -> bool:
        return self not in _WITHOUT_ARROW

    @property
    def is_difference(self) -> bool:
        """Whether it marks a difference of two structures; its label is a symbol for that."""
        return self in _DIFFERENCES

    @property
    def has_tag(self) -> bool:
        """Its label stands on a tag in the middle of the line."""
        return self in _WITH_TAG

    @property
    def is_vanished(self) -> bool:
        """Whether it is drawn only to show that it vanishes in the context."""
        return self in (EdgeStyle.VANISHED, EdgeStyle.CONTEXTUAL_VANISHED)


_WITHOUT_ARROW = frozenset(
    {
        EdgeStyle.UNDIRECTED,
        EdgeStyle.REVERSIBLE,
        EdgeStyle.MORAL,
        EdgeStyle.FILL_IN,
        EdgeStyle.COMMON_LINE,
        EdgeStyle.ADDED_LINE,
        EdgeStyle.MISSING_LINE,
        EdgeStyle.CONTEXTUAL,
        EdgeStyle.CONTEXTUAL_VANISHED,
    }
)
_DIFFERENCES = frozenset(
    {
        EdgeStyle.ADDED,
        EdgeStyle.MISSING,
        EdgeStyle.REVERSED,
        EdgeStyle.ADDED_LINE,
        EdgeStyle.MISSING_LINE,
    }
)
_WITH_TAG = frozenset(
    {EdgeStyle.LABELLED, EdgeStyle.VANISHED, EdgeStyle.CONTEXTUAL, EdgeStyle.CONTEXTUAL_VANISHED}
)


_PLAIN = frozenset((EdgeStyle.DIRECTED, EdgeStyle.UNDIRECTED))


def legend_styles(styles: Collection[EdgeStyle]) -> dict[EdgeStyle, str]:
    """The styles that need a legend entry, with its text where that depends on the others.

    Ordinary edges alone need none; beside edges with labels they are plain.
    """
    if not set(styles) - _PLAIN and len(set(styles)) < 2:
        return {}
    plain = "plain edge" if any(style.has_tag for style in styles) else ""
    return {style: plain if style in _PLAIN else "" for style in EdgeStyle if style in styles}


@dataclass(frozen=True, slots=True)
class PictureNode:
    """One node; `variable` is what evidence and beliefs go by, `label` may have several lines."""

    id: str
    label: str
    shape: NodeShape = NodeShape.OVAL
    variable: str | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Strand:
    """One of the parallel lines of an edge: whose it is, and how wide.

    `component` gives its colour and dashes, None is the neutral line; `tooltip` is its text.
    """

    width: float
    component: int | None = None
    tooltip: str = ""
    alpha: float = 1.0


@dataclass(frozen=True, slots=True)
class PictureEdge:
    """One edge between node ids; without an arrow the order of the ends still guides layouts."""

    source: str
    target: str
    label: str = ""
    style: EdgeStyle = EdgeStyle.DIRECTED
    strands: tuple[Strand, ...] = ()  # instead of the one line of its style


@dataclass(frozen=True)
class GraphPicture:
    """Nodes and edges, and the names of the nodes' groups in the order they are to be shown.

    `method` is the layout that suits it; `lines` names the components of strands, and
    `width_label` is the legend text for their width.
    """

    nodes: tuple[PictureNode, ...]
    edges: tuple[PictureEdge, ...] = ()
    groups: tuple[str, ...] = ()
    method: str = "fit"
    lines: tuple[tuple[int, str], ...] = ()
    width_label: str = ""

    @cached_property
    def ids(self) -> tuple[str, ...]:
        return tuple(node.id for node in self.nodes)

    @cached_property
    def node(self) -> Mapping[str, PictureNode]:
        """Nodes by id."""
        return {node.id: node for node in self.nodes}

    @cached_property
    def neighbours(self) -> Mapping[str, tuple[str, ...]]:
        """Per node the ids at the other end of its edges, each once, in the order of the edges."""
        result: dict[str, dict[str, None]] = {identity: {} for identity in self.ids}
        for edge in self.edges:
            if edge.source != edge.target:
                result[edge.source][edge.target] = None
                result[edge.target][edge.source] = None
        return {identity: tuple(others) for identity, others in result.items()}

    def components(self) -> list[GraphPicture]:
        """The connected parts, in the order of their first nodes."""
        part_of: dict[str, int] = {}
        count = 0
        for start in self.ids:
            if start in part_of:
                continue
            part_of[start], stack = count, [start]
            while stack:
                for other in self.neighbours[stack.pop()]:
                    if other not in part_of:
                        part_of[other] = count
                        stack.append(other)
            count += 1
        nodes: list[list[PictureNode]] = [[] for _ in range(count)]
        edges: list[list[PictureEdge]] = [[] for _ in range(count)]
        for node in self.nodes:
            nodes[part_of[node.id]].append(node)
        for edge in self.edges:
            edges[part_of[edge.source]].append(edge)
        return [
            GraphPicture(tuple(n), tuple(e), self.groups, self.method)
            for n, e in zip(nodes, edges, strict=True)
        ]


def side_by_side(
    parts: Iterable[tuple[str, str, GraphPicture]], width_label: str = ""
) -> GraphPicture:
    """Diagrams as groups next to each other, each with its name and its heading; the layout gives a
    variable the same position in all."""
    groups: list[str] = []
    nodes: list[PictureNode] = []
    edges: list[PictureEdge] = []
    for name, heading, picture in parts:
        groups.append(name)
        nodes.append(PictureNode(f"{name}:", heading, NodeShape.BOX, group=name))
        nodes += [replace(node, id=f"{name}: {node.id}", group=name) for node in picture.nodes]
        edges += [
            replace(edge, source=f"{name}: {edge.source}", target=f"{name}: {edge.target}")
            for edge in picture.edges
        ]
    return GraphPicture(
        tuple(nodes), tuple(edges), tuple(groups), "panels", width_label=width_label
    )


def variable_nodes(names: Iterable[str]) -> tuple[PictureNode, ...]:
    """A node for each variable."""
    return tuple(PictureNode(name, name, variable=name) for name in names)


def edges_of(pairs: Iterable[tuple[str, str]], style: EdgeStyle) -> tuple[PictureEdge, ...]:
    """Edges of one style between pairs of nodes."""
    return tuple(PictureEdge(source, target, style=style) for source, target in pairs)


class Neighbourhoods:
    """Read from the arrows of a picture; edges without arrows count in both directions."""

    def __init__(self, picture: GraphPicture) -> None:
        self._picture = picture

    @cached_property
    def parents(self) -> Mapping[str, set[str]]:
        result: dict[str, set[str]] = defaultdict(set)
        for edge in self._picture.edges:
            result[edge.target].add(edge.source)
            if not edge.style.has_arrow:
                result[edge.source].add(edge.target)
        return result

    @cached_property
    def children(self) -> Mapping[str, set[str]]:
        result: dict[str, set[str]] = defaultdict(set)
        for edge in self._picture.edges:
            result[edge.source].add(edge.target)
            if not edge.style.has_arrow:
                result[edge.target].add(edge.source)
        return result

    def near(self, node: str) -> frozenset[str]:
        """The node and its direct neighbours."""
        return frozenset({node, *self._picture.neighbours[node]})

    def blanket(self, node: str) -> frozenset[str]:
        """The node, its parents, its children and their other parents."""
        result = set(self.near(node))
        for child in self.children.get(node, ()):
            result |= self.parents[child]
        return frozenset(result)

    def line(self, node: str) -> frozenset[str]:
        """The node with all its ancestors and descendants."""
        return frozenset({node}) | _reach(node, self.parents) | _reach(node, self.children)

    def within(self, starts: Iterable[str], hops: int) -> frozenset[str]:
        """Everything at most so many edges away from the given nodes."""
        result = set(starts)
        rim = set(result)
        for _ in range(hops):
            rim = {o for node in rim for o in self._picture.neighbours[node]} - result
            result |= rim
        return frozenset(result)


def _reach(start: str, step: Mapping[str, set[str]]) -> frozenset[str]:
    result: set[str] = set()
    stack = [start]
    while stack:
        for other in step.get(stack.pop(), ()):
            if other not in result:
                result.add(other)
                stack.append(other)
    return frozenset(result)
