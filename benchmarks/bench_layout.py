"""Layouts on the canvas of a usual window: readability, crossings and time, ours against dot.

    python benchmarks/bench_layout.py [NAME …]

The shared networks (where they are) and six generated graphs, with boxes that hold the names. A
line for each: the shape of the drawing (width over height), the height on screen of names of 13 px
when everything is shown, pairs of edges that cross as straight lines, and seconds; for ours, for
plain Graphviz dot with the same boxes, and their ratios.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    Point,
    Size,
    edges_of,
    variable_nodes,
)
from pgmstudio.core.drawing.layout.boxes import box_sizes, corners
from pgmstudio.core.drawing.layout.edge_routing import crossings
from pgmstudio.core.drawing.layout.fitted import zoom_at_fit
from pgmstudio.core.drawing.layout.layered import dot_layers
from pgmstudio.core.drawing.layout.placement import place
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.registry import language_of

NETWORKS = Path(__file__).resolve().parents[2] / "shared/data/networks"
NAME_HEIGHT = 13.0
Placed = Mapping[str, Point]


def picture_of(count: int, pairs: Iterable[tuple[int, int]]) -> GraphPicture:
    names = [f"variable {i}" for i in range(count)]
    edges = edges_of(((names[a], names[b]) for a, b in pairs), EdgeStyle.DIRECTED)
    return GraphPicture(variable_nodes(names), edges)


def generated() -> Iterator[tuple[str, GraphPicture]]:
    rng = np.random.default_rng(0)
    yield "star of 100", picture_of(100, ((0, i) for i in range(1, 100)))
    pairs = {(int(rng.integers(50)), 50 + child) for child in range(50) for _ in range(3)}
    yield "two layers of 100", picture_of(100, sorted(pairs))
    yield "chain of 60", picture_of(60, ((i, i + 1) for i in range(59)))
    across = [(10 * i + j, 10 * i + j + 1) for i in range(10) for j in range(9)]
    down = [(10 * i + j, 10 * i + 10 + j) for i in range(9) for j in range(10)]
    yield "grid 10 × 10", picture_of(100, across + down)
    yield "tree of 200", picture_of(200, ((int(rng.integers(i)), i) for i in range(1, 200)))
    pairs = set()
    for child in range(1, 300):
        parents = rng.integers(max(0, child - 25), child, size=rng.integers(0, 3))
        pairs.update((int(parent), child) for parent in parents)
    yield "random DAG of 300", picture_of(300, sorted(pairs))


def shared() -> Iterator[tuple[str, GraphPicture]]:
    for path in sorted(NETWORKS.glob("*.bif*")):
        model = read_model(path).model
        yield path.name.split(".")[0], language_of(model).diagrams[0].draw.load()(model)


def timed(task: Callable[[], Placed]) -> tuple[float, Placed]:
    start = time.perf_counter()
    result = task()
    return time.perf_counter() - start, result


def described(picture: GraphPicture, placed: Placed, sizes: Mapping[str, Size]) -> list[float]:
    left, top, right, bottom = corners(placed, sizes)
    shape = (right - left) / (bottom - top)
    text = NAME_HEIGHT * min(1.0, zoom_at_fit(placed, sizes))
    return [shape, text, crossings(picture, placed)]


def main(words: list[str]) -> None:
    heads = ("", "nodes", "edges", "shape", "dot", "text px", "dot", "crossings", "dot", "s", "dot")
    print("{:20} {:>5} {:>5}  {:>6} {:>6}  {:>7} {:>5}  {:>9} {:>6}  {:>6} {:>6}".format(*heads))
    for name, picture in (*shared(), *generated()):
        if words and not any(word in name for word in words):
            continue
        sizes = box_sizes(picture)
        seconds, placed = timed(lambda: place(picture, sizes=sizes))  # noqa: B023
        dot_seconds, by_dot = timed(lambda: dot_layers(picture, sizes))  # noqa: B023
        shape, text, crossed = described(picture, placed, sizes)
        dot_shape, dot_text, dot_crossed = described(picture, by_dot, sizes)
        print(
            f"{name:20} {len(picture.nodes):5} {len(picture.edges):5}  {shape:6.2f} "
            f"{dot_shape:6.2f}  {text:7.1f} {dot_text:5.1f}  {crossed:9.0f} {dot_crossed:6.0f}  "
            f"{seconds:6.2f} {dot_seconds:6.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
