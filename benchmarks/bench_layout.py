"""Layout of random DAGs: time and straight-line crossings, ours against plain Graphviz dot.

    python benchmarks/bench_layout.py [NODES …]

One line per case: task, data, who, version, seconds (best of three; the child process includes its
start), quality. The graphs have at most two parents per node, among the 25 nodes before it. Plain
dot lays out the whole graph in one go, with the same box sizes and gaps; splines are off.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import TypeVar

import numpy as np

from pgmstudio.core.drawing.diagram import GraphPicture, PictureEdge, PictureNode, Point
from pgmstudio.core.drawing.layout.boxes import box_sizes, overlapping_pairs
from pgmstudio.core.drawing.layout.edge_routing import crossings, edge_route
from pgmstudio.core.drawing.layout.layered import dot_layers, plain_layers, sugiyama_layers
from pgmstudio.core.drawing.layout.placement import Placement, place
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import NEVER

T = TypeVar("T")


def random_picture(nodes: int) -> GraphPicture:
    rng = np.random.default_rng(1)
    edges: set[tuple[int, int]] = set()
    for child in range(1, nodes):
        parents = rng.integers(max(0, child - 25), child, size=rng.integers(0, 3))
        edges.update((int(parent), child) for parent in parents)
    names = [f"variable {i}" for i in range(nodes)]
    return GraphPicture(
        tuple(PictureNode(name, name, variable=name) for name in names),
        tuple(PictureEdge(names[a], names[b]) for a, b in sorted(edges)),
    )


def best_of_three(task: Callable[[], T]) -> tuple[float, T]:
    fastest = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        answer = task()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest, answer


def installed(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} (source)"


def report(
    data: str, who: str, by: str, seconds: float, picture: GraphPicture, placed: Mapping[str, Point]
) -> None:
    sizes = box_sizes(picture)
    centres = np.array([placed[i] for i in picture.ids])
    touching = len(overlapping_pairs(centres, np.array([sizes[i] for i in picture.ids])))
    quality = f"crossings {crossings(picture, placed)}, overlaps {touching}"
    print(f"layout | {data:22} | {who:26} | {by:22} | {seconds:7.3f} s | {quality}", flush=True)


def run_case(nodes: int) -> None:
    ours, picture = installed("pgmstudio"), random_picture(nodes)
    sizes = box_sizes(picture)
    data = f"{nodes} nodes {len(picture.edges)} edges"
    engines = [
        ("plain dot, whole graph", installed("pygraphviz"), dot_layers),
        ("fast-sugiyama, whole graph", installed("fast-sugiyama"), sugiyama_layers),
        ("own layers, whole graph", ours, plain_layers),
    ]
    for who, by, engine in engines:
        seconds, placed = best_of_three(partial(engine, picture, sizes))
        report(data, who, by, seconds, picture, placed)
    for method in ("fit", "layered", "force", "tree", "circle"):
        seconds, placed = best_of_three(partial(place, picture, method=method))
        report(data, f"place {method}", ours, seconds, picture, placed)
    seconds, answers = best_of_three(lambda: list(in_process(Placement(picture), NEVER)))
    report(data, "place fit, in a process", ours, seconds, picture, answers[0])
    seconds, routes = best_of_three(partial(edge_route, picture, place(picture), sizes))
    bent = sum(route.bend is not None for route in routes)
    print(f"routes | {data:22} | {bent} of {len(routes)} bent | {seconds:7.3f} s", flush=True)


if __name__ == "__main__":
    for count in [int(word) for word in sys.argv[1:]] or [50, 200, 1000]:
        run_case(count)
