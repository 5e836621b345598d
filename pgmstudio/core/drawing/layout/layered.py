"""Layered layouts: arrows lead down and few cross. Graphviz' dot, or a fallback without it.

Sugiyama, Tagawa and Toda (1981); Gansner, Koutsofios, North and Vo (1993) for dot. pygraphviz holds
the GIL while it works: large pictures belong in a child process (`layout.Placement`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

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


LAYERERS: tuple[Callable[[GraphPicture, Sizes], dict[str, Point]], ...] = (
    dot_layers,
    plain_layers,
)


def layered(picture: GraphPicture, sizes: Sizes) -> dict[str, Point]:
    """The layout of dot, or the plain one where pygraphviz has no wheel."""
    try:
        return dot_layers(picture, sizes)
    except ImportError:
        return plain_layers(picture, sizes)


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
