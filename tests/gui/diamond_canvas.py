"""A canvas with four nodes in a diamond, and the gestures that reach its parts."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QPointF, Qt
from pytestqt.qtbot import QtBot

from pgmstudio.core.drawing.diagram import GraphPicture, PictureEdge, PictureNode
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.node_view import NodeMode, NodeView
from pgmstudio.gui.theme.theme import theme

LEFT = Qt.MouseButton.LeftButton
PLACES = {"a": (0.0, 0.0), "b": (-120.0, 160.0), "c": (120.0, 160.0), "d": (0.0, 320.0)}
EDGES = (("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"))


def diamond() -> GraphPicture:
    return GraphPicture(
        tuple(PictureNode(name, name, variable=name) for name in PLACES),
        tuple(PictureEdge(*edge) for edge in EDGES),
    )


def face_of(name: str, **changes: object) -> NodeView:
    settings: dict[str, object] = {
        "mode": NodeMode.BARS,
        "states": ("yes", "no"),
        "beliefs": (0.25, 0.75),
        "priors": (0.5, 0.5),
    }
    return NodeView(name, **(settings | changes))


def shown_canvas(qtbot: QtBot) -> Iterator[Canvas]:
    """A canvas with the diamond in sight; stopped in the end."""
    theme().set_look(mode="light", scale=1.0, reduced_motion=True)
    made = Canvas()
    qtbot.addWidget(made)
    made.resize(800, 640)
    made.scene.show_picture(diamond(), {n: face_of(n) for n in PLACES}, PLACES)
    with qtbot.waitExposed(made):
        made.show()
    made.signals.select.connect(made.scene.show_selection)
    made.signals.tool.connect(made.view.choose_tool)
    made.view.set_zoom(1.0)
    made.view.centre_on(QPointF(0, 160))
    made.view.setFocus()
    yield made
    made.stop()


def at(canvas: Canvas, point: QPointF) -> QPoint:
    return canvas.view.mapFromScene(point)


def head_of(canvas: Canvas, node: str) -> QPoint:
    box = canvas.scene.nodes[node].box
    return at(canvas, QPointF(box.center().x(), box.top() + 10))


def bar_of(canvas: Canvas, node: str, position: int, share: float = 0.5) -> QPoint:
    item = canvas.scene.nodes[node]
    bar = item.geometry.bar(position)
    inside = QPointF(bar.left() + bar.width() * share, bar.center().y())
    return at(canvas, item.pos() + item.corner + inside)


def drag(qtbot: QtBot, canvas: Canvas, start: QPoint, end: QPoint) -> None:
    viewport = canvas.view.viewport()
    qtbot.mousePress(viewport, LEFT, pos=start)
    for share in (0.3, 0.6, 1.0):
        qtbot.mouseMove(viewport, start + (end - start) * share)
    qtbot.mouseRelease(viewport, LEFT, pos=end)


def collected(signal: object) -> list[tuple[object, ...]]:
    heard: list[tuple[object, ...]] = []
    signal.connect(lambda *args: heard.append(args))
    return heard
