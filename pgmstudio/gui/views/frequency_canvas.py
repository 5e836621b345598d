"""A graph of how often edges occur: width and number say the share; nothing can be edited."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.pictures.picture import EdgeStyle, GraphPicture, PictureEdge, PictureNode
from pgmstudio.gui.views.canvas import Canvas
from pgmstudio.gui.views.layout_maker import LayoutMaker, LayoutQuestion, Placed
from pgmstudio.gui.views.node_face import NodeFace
from pgmstudio.gui.views.node_geometry import face_size
from pgmstudio.gui.views.strengths import Strengths


def frequency_picture(found: EdgeFrequencies, least: float) -> GraphPicture:
    """All variables, and the pairs that at least that share joins; an arrow where most have it.

    The shares stand on the edges, so that a layout leaves room for them.
    """
    nodes = tuple(PictureNode(name, name, variable=name) for name in found.names)
    edges = []
    for edge in found.edges:
        if edge.joined < least:
            break
        is_directed = edge.forward > edge.joined / 2
        style = EdgeStyle.DIRECTED if is_directed else EdgeStyle.UNDIRECTED
        edges.append(PictureEdge(edge.source, edge.target, f"{100 * edge.joined:.0f} %", style))
    return GraphPicture(nodes, tuple(edges))


class FrequencyCanvas(QWidget):
    """Laid out afresh when the edges are others; in the background."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("frequencyCanvas")
        self._title = title
        self.canvas = Canvas()
        self.canvas.view.is_editable = False
        self.canvas.setAccessibleName(title)
        self._strengths: Strengths | None = None
        self._layouts = LayoutMaker(self)
        self._layouts.placed.connect(self._on_placed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.canvas)

    def show_frequencies(self, found: EdgeFrequencies, what: str, least: float) -> None:
        """`what` the shares are of: "of optima"."""
        picture = frequency_picture(found, least)
        values = {(e.source, e.target): e.joined for e in found.edges if e.joined >= least}
        self._strengths = Strengths(f"share {what}", "%", values, full=1.0) if values else None
        faces = {node.id: NodeFace(node.label) for node in picture.nodes}
        sizes = {node.id: face_size(node, faces[node.id]) for node in picture.nodes}
        self._layouts.ask(LayoutQuestion("frequencies", picture, sizes, "layered"))
        if not self.canvas.scene.nodes:
            self.canvas.tell_waiting(f"Arranging {len(picture.nodes)} nodes…")

    def _on_placed(self, placed: Placed) -> None:
        self.canvas.tell_waiting("")
        first = not self.canvas.scene.nodes
        faces = {node.id: NodeFace(node.label) for node in placed.picture.nodes}
        routes = placed.routes or None
        self.canvas.scene.show_picture(placed.picture, faces, placed.positions, routes=routes)
        self.canvas.show_strengths(self._strengths)
        if first:
            self.canvas.view.fit()

    def stop(self) -> None:
        """The page is closed: nothing goes on behind it."""
        self._layouts.stop()
        self.canvas.stop()
