"""Layered layouts: arrows lead down and few cross. Graphviz' dot, or a fallback without it.

Sugiyama, Tagawa and Toda (1981); Gansner, Koutsofios, North and Vo (1993) for dot. pygraphviz holds
the GIL while it works: large pictures belong in a child process (`layout.Placement`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from pgmstudio.core.drawing.diagram import EdgeStyle, GraphPicture, Point, Size
from pgmstudio.core.drawing.layout.boxes import LAYER_GAP, NODE_GAP, spread_in_row

Sizes = Mapping[str, Size]

_POINTS_PER_INCH = 72


def dot_layers(picture: GraphPicture, sizes: Sizes) -> dict[str, Point]:
    """The layout of Graphviz' dot; ImportError where pygraphviz is missing."""
    import pygraphviz

    graph = pygraphviz.AGraph(
        directed=True,
        strict=False,
        nodesep=NODE_GAP / _POINTS_PER_INCH,
        ranksep=LAYER_GAP / _POINTS_PER_INCH,
        splines="",  # edges are routed elsewhere
    )
    # An empty label keeps Graphviz from looking for fonts.
    graph.node_attr.update(shape="box", fixedsize="true", label="")
    number = {identity: str(i) for i, identity in enumerate(picture.ids)}
    for identity, name in number.items():
        width, height = sizes[identity]
        graph.add_node(
            name, width=f"{width / _POINTS_PER_INCH:.5f}", height=f"{height / _POINTS_PER_INCH:.5f}"
        )
    for edge in picture.edges:
        options = {} if _orders(edge.style) else {"constraint": "false"}
        graph.add_edge(number[edge.source], number[edge.target], **options)
    graph.layout(prog="dot")
    placed = {}
    for identity, name in number.items():
        x, y = map(float, graph.get_node(name).attr["pos"].split(","))
        placed[identity] = (x, -y)
    return placed


def sugiyama_layers(picture: GraphPicture, sizes: Sizes) -> dict[str, Point]:
    """Layers and order from fast-sugiyama; ImportError where it is missing."""
    from fast_sugiyama import from_edges

    number = {identity: i for i, identity in enumerate(picture.ids)}
    edges = [(number[s], number[t]) for s, t in _ordering_edges(picture)]
    broad = max(width for width, _ in sizes.values()) + NODE_GAP
    result: dict[int, Point] = {}
    left = 0.0
    for positions, width, _, _ in from_edges(edges, vertex_spacing=broad) if edges else ():
        top = max(y for _, (_, y) in positions)
        for node, (x, y) in positions:
            result[int(node)] = (left + x, top - y)
        left += width + broad
    for node in number.values():
        if node not in result:
            result[node] = (left, 0.0)
            left += broad
    levels = sorted({y for _, y in result.values()})
    rank = {i: levels.index(result[number[i]][1]) for i in picture.ids}
    _lower_children(rank, _ordering_edges(picture))
    layers: list[list[str]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    for identity in sorted(picture.ids, key=lambda i: result[number[i]]):
        layers[rank[identity]].append(identity)
    desired = {identity: result[number[identity]][0] for identity in picture.ids}
    return on_layers([layer for layer in layers if layer], desired, sizes)


def plain_layers(picture: GraphPicture, sizes: Sizes) -> dict[str, Point]:
    """Longest paths from the sources, ordered by barycentres; needs no library."""
    edges = _ordering_edges(picture)
    rank = _longest_path_ranks(picture.ids, edges)
    layers: list[list[str]] = [[] for _ in range(max(rank.values()) + 1)]
    for identity in picture.ids:
        layers[rank[identity]].append(identity)
    order_by_barycentres(layers, picture)
    desired: dict[str, float] = {}
    for layer in layers:
        for position, identity in enumerate(layer):
            desired[identity] = position * (sizes[identity][0] + NODE_GAP)
    for _ in range(8):  # pull every node over its neighbours, then separate them again
        for layer in layers:
            means = [
                sum(desired[other] for other in near) / len(near)
                if (near := picture.neighbours[identity])
                else desired[identity]
                for identity in layer
            ]
            row = spread_in_row(means, [sizes[i][0] for i in layer], NODE_GAP)
            desired.update(zip(layer, row, strict=True))
    return on_layers(layers, desired, sizes)


def _lower_children(rank: dict[str, int], edges: Sequence[tuple[str, str]]) -> None:
    """Move nodes down, in place, until every arrow leads down: the library sometimes leaves both
    ends on one layer or turns an arrow. Where arrows run in a cycle its choice stays."""
    parents: dict[str, set[str]] = {identity: set() for identity in rank}
    for source, target in edges:
        parents[target].add(source)
    try:
        order = tuple(TopologicalSorter(parents).static_order())
    except CycleError:
        return
    for node in order:
        rank[node] = max([rank[node], *(rank[parent] + 1 for parent in parents[node])])


LAYERERS: tuple[Callable[[GraphPicture, Sizes], dict[str, Point]], ...] = (
    dot_layers,
    sugiyama_layers,
    plain_layers,
)


def layered(picture: GraphPicture, sizes: Sizes) -> dict[str, Point]:
    """The layout of the best layerer that is installed."""
    for layerer in LAYERERS[:-1]:
        try:
            return layerer(picture, sizes)
        except ImportError:
            continue
    return LAYERERS[-1](picture, sizes)


def on_layers(
    layers: Sequence[Sequence[str]], desired: Mapping[str, float], sizes: Sizes
) -> dict[str, Point]:
    """Layers from top to bottom, each in its order, as near to the desired x as boxes allow."""
    placed: dict[str, Point] = {}
    y = 0.0
    for layer in layers:
        height = max((sizes[identity][1] for identity in layer), default=0.0)
        row = spread_in_row([desired[i] for i in layer], [sizes[i][0] for i in layer], NODE_GAP)
        for identity, x in zip(layer, row, strict=True):
            placed[identity] = (x, y + height / 2)
        y += height + LAYER_GAP
    return placed


def order_by_barycentres(layers: list[list[str]], picture: GraphPicture, sweeps: int = 12) -> None:
    """Sort each layer, in place, by the mean position of the neighbours in the layers before (and,
    on the way back, after) it."""
    level = {identity: number for number, layer in enumerate(layers) for identity in layer}
    position = {identity: i / len(layer) for layer in layers for i, identity in enumerate(layer)}
    for sweep in range(sweeps):
        down = sweep % 2 == 0
        for number in range(len(layers)) if down else reversed(range(len(layers))):
            mean = {}
            for identity in layers[number]:
                seen = [
                    position[other]
                    for other in picture.neighbours[identity]
                    if (level[other] < number if down else level[other] > number)
                ]
                mean[identity] = sum(seen) / len(seen) if seen else position[identity]
            layers[number].sort(key=mean.__getitem__)  # stable: ties keep their order
            for i, identity in enumerate(layers[number]):
                position[identity] = i / len(layers[number])


def _orders(style: EdgeStyle) -> bool:
    """Whether an edge of this style orders its ends vertically; fill-ins do not."""
    return style is not EdgeStyle.FILL_IN


def _ordering_edges(picture: GraphPicture) -> list[tuple[str, str]]:
    return [
        (edge.source, edge.target)
        for edge in picture.edges
        if _orders(edge.style) and edge.source != edge.target
    ]


def _longest_path_ranks(ids: Sequence[str], edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Rank 0 for sources; otherwise one more than the largest rank of a parent."""
    waiting = dict.fromkeys(ids, 0)
    children: dict[str, list[str]] = {identity: [] for identity in ids}
    for source, target in edges:
        children[source].append(target)
        waiting[target] += 1
    rank = dict.fromkeys(ids, 0)
    left = dict.fromkeys(ids)
    ready = [identity for identity in ids if waiting[identity] == 0]
    while left:
        if not ready:  # every node left lies on or behind a cycle: break it at the first
            ready = [next(iter(left))]
        for node in ready:
            left.pop(node, None)
        following = []
        for node in ready:
            for child in children[node]:
                if child in left:
                    rank[child] = max(rank[child], rank[node] + 1)
                    waiting[child] -= 1
                    if waiting[child] == 0:
                        following.append(child)
        ready = following
    return rank
