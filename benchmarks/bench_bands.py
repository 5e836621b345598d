"""How long the bands of a decision graph take to repaint and to follow evidence.

    python benchmarks/bench_bands.py [nodes …]

Everything is painted into an image, without a screen; times are those of the processor. The bar:
33 ms a repaint at 1 000 nodes.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from reporting import say_line

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.session import DecisionGraphSession
from pgmstudio.gui.canvas.node_view import NodeMode, NodeView
from pgmstudio.gui.languages.pdg.canvas import BandCanvas
from pgmstudio.version import __version__

SIZE = (1280, 800)
ROUNDS = 15


def some_graph(nodes: int, width: int, rng: np.random.Generator) -> DecisionGraph:
    """A chain of variables with three states and `width` nodes each."""
    count = 1 + -(-nodes // width)
    domain = Domain.of({f"Variable {i}": ["low", "middle", "high"] for i in range(count)})
    forest = tuple(None if i == 0 else i - 1 for i in range(count))
    sizes = [1] + [width] * (count - 1)
    parameters = tuple(rng.dirichlet([1, 1, 1], size=size) for size in sizes)
    edges: list[np.ndarray[tuple[int, ...], np.dtype[np.int64]] | None] = [None]
    for i in range(1, count):
        heads = rng.integers(sizes[i], size=(sizes[i - 1], 3))
        heads.ravel()[: sizes[i]] = np.arange(sizes[i])[: heads.size]
        edges.append(heads)
    from pgmstudio.core.languages.pdg.model import without_unreachable

    return without_unreachable(domain, forest, parameters, tuple(edges), tuple(range(count)))


def milliseconds(deed: Callable[[int], object], rounds: int = ROUNDS) -> float:
    """The best of some rounds, after one for the caches."""
    deed(0)
    times = []
    for number in range(1, rounds + 1):
        begin = time.thread_time()
        deed(number)
        times.append((time.thread_time() - begin) * 1000)
    return min(times)


def measure(nodes: int, width: int) -> None:
    rng = np.random.default_rng(1)
    graph = some_graph(nodes, width, rng)
    session = DecisionGraphSession(graph)
    names = graph.domain.names

    def faces() -> dict[str, NodeView]:
        return {
            v.name: NodeView(
                v.name, NodeMode.PRIOR, v.states, tuple(session.belief(v.name).values.tolist())
            )
            for v in graph.domain
        }

    canvas = BandCanvas()
    canvas.resize(*SIZE)
    canvas.show()
    begin = time.thread_time()
    canvas.bands.show_bands(graph, faces())
    canvas.bands.show_flows(session.node_flows())
    build = (time.thread_time() - begin) * 1000
    image = QImage(*SIZE, QImage.Format.Format_ARGB32_Premultiplied)
    view = canvas.view

    def paint(_round: int = 0) -> None:
        view.viewport().render(image)

    view.fit()
    whole = milliseconds(paint)
    view.set_zoom(1.0)
    near = milliseconds(paint)
    view.fit()

    def hover(number: int) -> None:
        name = names[1 + number % (len(names) - 1)]
        canvas.bands.light((name, 0))
        paint()

    def ask(number: int) -> None:
        session.set_evidence(names[0], Observed(("low", "middle", "high")[number % 3]))
        canvas.bands.show_faces(faces())
        canvas.bands.show_flows(session.node_flows())
        paint()

    lit = milliseconds(hover)
    canvas.bands.light(None)
    asked = milliseconds(ask)
    total = sum(graph.node_counts)
    arcs = sum(e.size for e in graph.successors if e is not None)
    data = f"{total} nodes; {arcs} arcs; {width} a band"
    shown = (("build", build), ("whole", whole), ("at 100 %", near))
    for what, spent in (*shown, ("hover", lit), ("evidence", asked)):
        say_line(f"bands: {what}", data, "PGM Studio", __version__, spent / 1000, "-")
    canvas.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nodes", nargs="*", type=int, default=[100, 1000, 5000])
    told = parser.parse_args()
    application = QApplication.instance() or QApplication([])
    for nodes in told.nodes:
        for width in (10, 50, 200):
            if width * 2 <= nodes:
                measure(nodes, width)
    application.quit()


if __name__ == "__main__":
    main()
