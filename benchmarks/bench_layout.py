"""Layouts on the canvas of a usual window: readability, crossings and time, against dot.

    python benchmarks/bench_layout.py [--data FOLDER] [--store] [NAME …]

The shared networks (where they are) and six generated graphs, with boxes that hold the names: by
*Best fit*, by the layered layout that was the default before it, and by Graphviz dot as it is. For
each the shape (width over height), the zoom at which everything is shown, the height on screen of
names of 13 px there, pairs of edges that cross as straight lines, and seconds of the processor.
--store writes docs/results/layout.csv and the table of docs/explanation/layout.md.
"""

from __future__ import annotations

import argparse
import csv
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
from pgmstudio.version import __version__

ROOT = Path(__file__).resolve().parents[1]
STORED = ROOT / "docs/results/layout.csv"
PAGE = ROOT / "docs/explanation/layout.md"
MEASURES = ("shape", "zoom", "text", "crossings", "seconds")
LAYOUTS = {"before": "layered layout", "fit": "best fit", "dot": "pygraphviz"}
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


def shared(folder: Path) -> Iterator[tuple[str, GraphPicture]]:
    for path in sorted(folder.glob("*.bif*")):
        model = read_model(path).model
        yield path.name.split(".")[0], language_of(model).diagrams[0].draw.load()(model)


def measured(
    picture: GraphPicture, sizes: Mapping[str, Size], task: Callable[[], Placed]
) -> list[str]:
    """The measures of a layout, as they are stored."""
    start = time.process_time()
    placed = task()
    seconds = time.process_time() - start
    left, top, right, bottom = corners(placed, sizes)
    zoom = min(1.0, zoom_at_fit(placed, sizes))
    shape = (right - left) / (bottom - top)
    return [
        f"{shape:.2f}",
        f"{zoom:.2f}",
        f"{NAME_HEIGHT * zoom:.1f}",
        str(crossings(picture, placed)),
        f"{seconds:.2f}",
    ]


def row_of(name: str, picture: GraphPicture) -> dict[str, str]:
    sizes = box_sizes(picture)
    tasks: dict[str, Callable[[], Placed]] = {
        "before": lambda: place(picture, method="layered", sizes=sizes),
        "fit": lambda: place(picture, sizes=sizes),
        "dot": lambda: dot_layers(picture, sizes),
    }
    row = {"name": name, "nodes": str(len(picture.nodes)), "edges": str(len(picture.edges))}
    for layout in LAYOUTS:
        values = measured(picture, sizes, tasks[layout])
        row |= {f"{layout} {m}": value for m, value in zip(MEASURES, values, strict=True)}
    return row


def say(row: Mapping[str, str]) -> None:
    """A line for each layout."""
    from reporting import say_line, version_of  # tests import this file from elsewhere

    for layout, who in LAYOUTS.items():
        seconds = float(row[f"{layout} seconds"])
        looks = ", ".join(f"{m} {row[f'{layout} {m}']}" for m in MEASURES if m != "seconds")
        own = version_of("pygraphviz") if layout == "dot" else __version__
        ratio = seconds / max(float(row["fit seconds"]), 1e-3)
        data = f"{row['name']} ({row['nodes']} nodes; {row['edges']} edges)"
        say_line("layout", data, who, own or "-", seconds, looks, ratio)


def table_of(rows: Iterable[Mapping[str, str]]) -> str:
    """A Markdown table; each cell of a measure has before → best fit (dot)."""
    lines = [
        "| Graph | nodes | edges | shape | zoom at fit | text at fit, px | crossings | seconds |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        cells = [
            "{} → {} ({})".format(*(row[f"{layout} {measure}"] for layout in LAYOUTS))
            for measure in MEASURES
        ]
        lines.append("| " + " | ".join([row["name"], row["nodes"], row["edges"], *cells]) + " |")
    return "\n".join(lines)


def store(rows: list[dict[str, str]]) -> None:
    with STORED.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    text = PAGE.read_text(encoding="utf-8")
    begin, end = text.index("| Graph |"), text.rindex("|") + 1
    PAGE.write_text(text[:begin] + table_of(rows) + text[end:], encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only graphs whose names contain one of these")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--store", action="store_true", help="renew the table of the manual")
    chosen = parser.parse_args()
    place(picture_of(3, [(0, 1), (1, 2), (0, 2)]))  # imports are not measured
    rows = []
    for name, picture in (*shared(chosen.data / "networks"), *generated()):
        if chosen.names and not any(word in name for word in chosen.names):
            continue
        rows.append(row_of(name, picture))
        say(rows[-1])
    if chosen.store:
        store(rows)


if __name__ == "__main__":
    main()
