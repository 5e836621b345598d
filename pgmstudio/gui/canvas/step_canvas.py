"""A read-only canvas of the graphs of a search, laid out once, so that nodes stay in place."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.drawing.diagram import GraphPicture, Point
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.layout_worker import LayoutMaker, LayoutQuestion, Placed
from pgmstudio.gui.canvas.node_geometry import face_size
from pgmstudio.gui.canvas.node_view import NodeView


class StepCanvas(QWidget):
    """Shows one picture after the other over the same nodes."""

    def __init__(self) -> None:
        super().__init__()
        self.canvas = Canvas()
        self.canvas.view.is_editable = False
        self.canvas.shows_legend = False  # the text above the graph explains it
        self._search: object = None
        self._picture = GraphPicture(())
        self._targets: Collection[str] = ()
        self._positions: dict[str, Point] = {}
        self._layouts = LayoutMaker(self)
        self._layouts.placed.connect(self._on_layout)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.canvas)

    def show_picture(
        self,
        search: object,
        arranged: GraphPicture,
        picture: GraphPicture,
        targets: Collection[str] = (),
    ) -> None:
        """A picture of a search with nodes marked; `arranged` is laid out for all its pictures."""
        self._picture, self._targets = picture, targets
        if search is not self._search:
            self._search = search
            sizes = {node.id: face_size(node, NodeView(node.label)) for node in arranged.nodes}
            self._layouts.ask(LayoutQuestion("steps", arranged, sizes))
        self._draw()

    def _on_layout(self, placed: Placed) -> None:
        self._positions = dict(placed.positions)
        self._draw()
        self.canvas.view.fit()

    def _draw(self) -> None:
        if not set(self._positions) >= set(self._picture.ids):
            return
        faces = {
            node.id: NodeView(node.label, is_target=node.id in self._targets)
            for node in self._picture.nodes
        }
        self.canvas.scene.show_picture(self._picture, faces, self._positions)

    def stop(self) -> None:
        """Stop background work when the page is closed."""
        self._layouts.stop()
        self.canvas.stop()
