"""Read-only canvases: steps of a search, and edge frequencies with widths and labels in percent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pgmstudio.core.drawing.diagram import EdgeStyle, GraphPicture, PictureEdge, PictureNode, Point
from pgmstudio.core.graphs.edge_frequencies import Averaged, EdgeFrequencies
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.edge_strengths import Strengths, strengths_of_replicates
from pgmstudio.gui.canvas.layout_worker import LayoutMaker, LayoutQuestion, Placed
from pgmstudio.gui.canvas.node_geometry import face_size
from pgmstudio.gui.canvas.node_view import NodeView
from pgmstudio.gui.widgets.basic import vbox

Edge = tuple[str, str]
StrengthsOf = Callable[[Iterable[Edge], EdgeFrequencies], Strengths]


def averaged_picture(frequencies: EdgeFrequencies, averaged: Averaged) -> GraphPicture:
    """The averaged graph: arrows in the direction of most replicates, none if it is undecided.

    Percentages are edge labels, so that a layout leaves space for them.
    """
    nodes = tuple(PictureNode(name, name, variable=name) for name in averaged.dag.names)
    directed = set(averaged.pdag.directed)
    edges = tuple(
        PictureEdge(
            source,
            target,
            f"{100 * frequencies.of_pair(source, target).joined:.0f} %",
            EdgeStyle.DIRECTED if (source, target) in directed else EdgeStyle.UNDIRECTED,
        )
        for source, target in averaged.dag.edges
    )
    return GraphPicture(nodes, edges)


def plain_faces(picture: GraphPicture) -> dict[str, NodeView]:
    """Nodes that show their names only."""
    return {node.id: NodeView(node.label) for node in picture.nodes}


class ReadOnlyCanvas(QWidget):
    """A canvas of a graph of names that is laid out in the background and cannot be edited."""

    def __init__(self) -> None:
        super().__init__()
        self.canvas = Canvas()
        self.canvas.view.is_editable = False
        self._layouts = LayoutMaker(self)
        self._layouts.placed.connect(self._on_placed)
        vbox(self, self.canvas)

    def _ask_layout(self, name: str, picture: GraphPicture) -> None:
        faces = plain_faces(picture)
        sizes = {node.id: face_size(node, faces[node.id]) for node in picture.nodes}
        canvas = self.canvas.view.canvas_size
        self._layouts.ask(LayoutQuestion(name, picture, sizes, None, canvas))

    def _on_placed(self, placed: Placed) -> None:
        """Draw the graph at the positions of a layout."""

    def stop(self) -> None:
        """Stop background work when the page is closed."""
        self._layouts.stop()
        self.canvas.stop()


class AveragedCanvas(ReadOnlyCanvas):
    """The canvas of an averaged graph, laid out once: the threshold changes only the edges."""

    selected = Signal(object)  # edge or None

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("averagedCanvas")
        self.canvas.view.describe_edge = self._describe
        self.canvas.signals.select.connect(self._on_select)
        self.canvas.signals.move.connect(self._on_moved)
        self._positions: dict[str, Point] = {}
        self._picture = GraphPicture(())
        self._strengths: Strengths | None = None

    def show_average(
        self,
        frequencies: EdgeFrequencies,
        averaged: Averaged,
        strengths_of: StrengthsOf = strengths_of_replicates,
    ) -> None:
        self._picture = averaged_picture(frequencies, averaged)
        edges = averaged.dag.edges
        self._strengths = strengths_of(edges, frequencies) if edges else None
        if set(self._positions) >= set(self._picture.ids):
            self._draw(None)
            return
        self._ask_layout("bootstrap", self._picture)
        self.canvas.show_waiting_text(f"Arranging {len(self._picture.nodes)} nodes…")

    def show_edge(self, edge: Edge) -> None:
        """Select an edge, in either direction, and scroll to it."""
        scene = self.canvas.scene
        drawn = next((e for e in (edge, edge[::-1]) if e in scene.edges), None)
        scene.show_selection((), () if drawn is None else (drawn,))
        if drawn is not None:
            self.canvas.view.ensureVisible(scene.edges[drawn].boundingRect(), 24, 24)

    def _on_placed(self, placed: Placed) -> None:
        self.canvas.show_waiting_text("")
        self._positions = dict(placed.positions)
        self._draw(placed)
        self.canvas.view.fit()

    def _draw(self, placed: Placed | None) -> None:
        picture = self._picture
        is_same = placed is not None and placed.picture is picture
        routes = placed.routes if placed is not None and is_same and placed.routes else None
        self.canvas.scene.show_picture(
            picture, plain_faces(picture), self._positions, routes=routes
        )
        self.canvas.show_strengths(self._strengths)

    def _describe(self, source: str, target: str) -> str:
        return "" if self._strengths is None else self._strengths.tooltip_for((source, target))

    def _on_select(self, nodes: tuple[str, ...], edges: tuple[Edge, ...]) -> None:
        self.canvas.scene.show_selection(nodes, edges)
        self.selected.emit(edges[0] if len(edges) == 1 else None)

    def _on_moved(self, positions: dict[str, Point]) -> None:
        self._positions |= positions
        self.canvas.scene.move_nodes(positions)


def frequency_picture(frequencies: EdgeFrequencies, least: float) -> GraphPicture:
    """All variables and the pairs with at least that frequency; arrows by the majority.

    Percentages are edge labels, so that a layout leaves space for them.
    """
    nodes = tuple(PictureNode(name, name, variable=name) for name in frequencies.names)
    edges = []
    for edge in frequencies.edges:
        if edge.joined < least:
            break
        is_directed = edge.forward > edge.joined / 2
        style = EdgeStyle.DIRECTED if is_directed else EdgeStyle.UNDIRECTED
        edges.append(PictureEdge(edge.source, edge.target, f"{100 * edge.joined:.0f} %", style))
    return GraphPicture(nodes, tuple(edges))


class FrequencyCanvas(ReadOnlyCanvas):
    """The canvas of edge frequencies, laid out in the background when its edges change."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setObjectName("frequencyCanvas")
        self.canvas.setAccessibleName(title)
        self._strengths: Strengths | None = None

    def show_frequencies(self, frequencies: EdgeFrequencies, what: str, least: float) -> None:
        """Show frequencies; `what` names their total, for example "of optima"."""
        picture = frequency_picture(frequencies, least)
        values = {(e.source, e.target): e.joined for e in frequencies.edges if e.joined >= least}
        self._strengths = Strengths(f"fraction {what}", "%", values, full=1.0) if values else None
        self._ask_layout("frequencies", picture)
        if not self.canvas.scene.nodes:
            self.canvas.show_waiting_text(f"Arranging {len(picture.nodes)} nodes…")

    def _on_placed(self, placed: Placed) -> None:
        self.canvas.show_waiting_text("")
        first = not self.canvas.scene.nodes
        picture, routes = placed.picture, placed.routes or None
        self.canvas.scene.show_picture(
            picture, plain_faces(picture), placed.positions, routes=routes
        )
        self.canvas.show_strengths(self._strengths)
        if first:
            self.canvas.view.fit()


class StepCanvas(ReadOnlyCanvas):
    """Shows one picture after the other over the same nodes."""

    def __init__(self) -> None:
        super().__init__()
        self.canvas.shows_legend = False  # the text above the graph explains it
        self._search: object = None
        self._picture = GraphPicture(())
        self._targets: Collection[str] = ()
        self._positions: dict[str, Point] = {}

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
            self._ask_layout("steps", arranged)
        self._draw()

    def _on_placed(self, placed: Placed) -> None:
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
