"""How long the canvas takes to repaint, to pan and to follow a dragged node, at 100, 500 and 1 000
nodes.

    python benchmarks/bench_canvas.py [nodes …]

Everything is painted into an image, without a screen. The bar: 33 ms a repaint and 16 ms a step of
panning at 500 nodes.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from reporting import say_line

from pgmstudio.core.drawing.diagram import GraphPicture, PictureEdge, PictureNode
from pgmstudio.core.drawing.layout.edge_routing import edge_route
from pgmstudio.core.drawing.layout.placement import place
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.node_geometry import face_size
from pgmstudio.gui.canvas.node_view import NodeMode, NodeView
from pgmstudio.gui.theme.theme import theme
from pgmstudio.version import __version__

SIZE = (1280, 800)
ROUNDS = 15


def some_picture(count: int, rng: np.random.Generator) -> GraphPicture:
    """A sparse graph: every node has one or two parents among the thirty before it."""
    names = [f"Variable {i}" for i in range(count)]
    edges = []
    for i in range(1, count):
        low = max(0, i - 30)
        for parent in rng.choice(np.arange(low, i), size=min(i - low, 1 + i % 2), replace=False):
            edges.append(PictureEdge(names[parent], names[i]))
    return GraphPicture(tuple(PictureNode(n, n, variable=n) for n in names), tuple(edges))


def some_face(name: str, rng: np.random.Generator) -> NodeView:
    beliefs, priors = rng.dirichlet([1, 1, 1], size=2)
    states = ("low", "middle", "high")
    return NodeView(name, NodeMode.PRIOR, states, tuple(beliefs), tuple(priors))


def milliseconds(deed: Callable[[int], object], rounds: int = ROUNDS) -> float:
    """The best of some rounds, after one for the caches."""
    deed(0)
    times = []
    for number in range(1, rounds + 1):
        begin = time.perf_counter()
        deed(number)
        times.append((time.perf_counter() - begin) * 1000)
    return min(times)


def say(what: str, data: str, spent: float, seen: str = "-") -> None:
    """A line for an action of so many milliseconds."""
    say_line(f"canvas: {what}", data, "PGM Studio", __version__, spent / 1000, seen)


def measure(count: int) -> None:
    rng = np.random.default_rng(1)
    picture = some_picture(count, rng)
    faces = {node.id: some_face(node.id, rng) for node in picture.nodes}
    sizes = {node.id: face_size(node, faces[node.id]) for node in picture.nodes}
    positions = place(picture, method="force", sizes=sizes)
    routes = edge_route(picture, positions, sizes)
    canvas = Canvas()
    canvas.resize(*SIZE)
    canvas.show()
    begin = time.perf_counter()
    canvas.scene.show_picture(picture, faces, positions, routes=routes)
    build = (time.perf_counter() - begin) * 1000
    image = QImage(*SIZE, QImage.Format.Format_ARGB32_Premultiplied)
    view = canvas.view

    def paint() -> None:
        view.viewport().render(image)

    def repaint(_round: int) -> None:
        for item in canvas.scene.nodes.values():
            item.update()  # nothing is taken from a cache
        paint()

    data = f"{count} nodes and {len(picture.edges)} edges"
    say("items", data, build)
    middle = picture.ids[count // 2]
    zooms = {"everything in sight": None, "names (50 %)": 0.5, "bars (100 %)": 1.0}
    for title, zoom in zooms.items():
        if zoom is None:
            view.fit()
        else:
            view.set_zoom(zoom)
            view.centre_on(canvas.scene.nodes[middle].pos())
        QApplication.processEvents()
        x, y = canvas.scene.nodes[middle].centre

        def drag(step: int, x: float = x, y: float = y) -> None:
            canvas.scene.move_nodes({middle: (x + 3 * step, y + 2 * step)})
            paint()

        def pan(step: int) -> None:
            view.begin_pan(QPoint(0, 0))
            view.pan_to(QPoint(8 if step % 2 else -8, 0))
            view.end_pan()
            paint()

        shown = f"{title}, at {view.zoom * 100:.0f} %"
        seen = f"{len(view.nodes_in_sight())} nodes in sight"
        for what, act in (("repaint", repaint), ("pan", pan), ("drag", drag)):
            say(what, f"{data}, {shown}", milliseconds(act), seen)
        canvas.scene.move_nodes({middle: (x, y)})
    hovered = milliseconds(
        lambda i: canvas.scene.emphasise(canvas.scene.near.near(picture.ids[i % count]))
    )
    other = {name: some_face(name, rng) for name in faces}
    begin = time.perf_counter()
    canvas.scene.show_faces(other)
    say("hover", data, hovered)
    say("new beliefs", data, (time.perf_counter() - begin) * 1000)
    canvas.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nodes", nargs="*", type=int, default=[100, 500, 1000])
    application = QApplication([])
    theme().set_look(mode="light", reduced_motion=True)
    for count in parser.parse_args().nodes:
        measure(count)
    application.quit()


if __name__ == "__main__":
    main()
