"""The scene of a decision graph: a band for each variable, and the arcs between their nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRectF

from pgmstudio.core.drawing.diagram import PictureEdge, PictureNode
from pgmstudio.core.languages.pdg.diagrams import (
    BandForm,
    BandPicture,
    band_picture,
    forest_picture,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.node_facts import paths_through
from pgmstudio.core.languages.pdg.session import NodeFlows
from pgmstudio.gui.canvas.level_of_detail import LevelOfDetail
from pgmstudio.gui.canvas.node_view import Detail, NodeMode, NodeView
from pgmstudio.gui.canvas.scene import CanvasScene
from pgmstudio.gui.languages.pdg.arcs import Arc, BandArcs
from pgmstudio.gui.languages.pdg.band_item import BandItem

Floats = NDArray[np.float64]
NodeKey = tuple[str, int]  # a variable and the number of its node, from 0


class _AlwaysFull(LevelOfDetail):
    """Bands show their rows at every zoom; how much of a node, they decide by themselves."""

    def detail_of(self, zoom: float) -> Detail:
        return Detail.FULL


class BandScene(CanvasScene):
    """To the view a graph whose nodes are the bands and which has no edges."""

    is_fixed = True

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.zoomed = _AlwaysFull()
        self.graph: DecisionGraph | None = None
        self.bands = BandPicture(())
        self.arcs: dict[int, BandArcs] = {}
        self.flows: NodeFlows | None = None
        self.chosen: NodeKey | None = None
        self.hovered: NodeKey | None = None
        self.collapsed: frozenset[str] = frozenset()

    @property
    def items_by_variable(self) -> Mapping[str, BandItem]:
        return {name: item for name, item in self.nodes.items() if isinstance(item, BandItem)}

    def show_bands(
        self,
        graph: DecisionGraph,
        faces: Mapping[str, NodeView],
        collapsed: Collection[str] = (),
    ) -> None:
        """Another graph, or other variables of it collapsed."""
        is_same = graph is self.graph and frozenset(collapsed) == self.collapsed
        if is_same:
            self.show_faces(_with_rows(faces))
            return
        self.collapsed = frozenset(collapsed)
        self.graph, self.flows = graph, None
        self.hovered = None  # nothing of the new bands is lit
        self.bands = band_picture(graph, collapsed=self.collapsed)
        if self.chosen is not None and not self._has(self.chosen):
            self.chosen = None
        names = graph.domain.names
        positions = {}
        for name, band in zip(names, self.bands.bands, strict=True):
            item = self.nodes.get(name)
            if isinstance(item, BandItem):
                item.set_band(graph, band)
                item.nodes.lit, item.nodes.visits, item.nodes.rows = None, None, None
                item.nodes.marked = frozenset()
                item.nodes.chosen = None
            # The corner of a box lies on whole pixels, so its middle may not.
            box = band.box
            positions[name] = (box.x + np.ceil(box.width / 2), box.y + np.ceil(box.height / 2))
        for arcs in self.arcs.values():
            self.removeItem(arcs)
        self.show_picture(forest_picture(graph), _with_rows(faces), positions)
        self.arcs = {
            i: BandArcs(graph, self.bands, i)
            for i, above in enumerate(graph.forest)
            if above is not None
        }
        for arcs in self.arcs.values():
            self.addItem(arcs)
        self.choose(self.chosen)

    def _new_item(self, node: PictureNode, face: NodeView) -> BandItem:
        assert self.graph is not None
        band = self.bands.bands[self.graph.domain.index(node.id)]
        return BandItem(node, face, self.zoomed, self.graph, band)

    def _show_edges(self, edges: Iterable[PictureEdge]) -> None:
        """The arcs between nodes stand for the edges of the forest."""

    def content_rect(self) -> QRectF:
        whole = self.bands.extent
        if not self.bands.bands:
            return QRectF(-8, -8, 16, 16)
        return QRectF(whole.x, whole.y, whole.width, whole.height).adjusted(-8, -8, 8, 8)

    # -- what is known of nodes

    def show_flows(self, flows: NodeFlows) -> None:
        """Show how evidence flows through the nodes of the current graph."""
        if self.graph is None or len(flows.visits) != len(self.graph.domain):
            return
        self.flows = flows
        for name, item in self.items_by_variable.items():
            i = self.graph.domain.index(name)
            before = item.nodes.visits
            item.nodes.visits = flows.visits[i]
            if before is None or not np.array_equal(before, flows.visits[i]):
                item.update()
        for arcs in self.arcs.values():
            arcs.show_flow(flows.arcs[arcs.upper])

    def show_rows(self, counts: tuple[Floats, ...] | None) -> None:
        """How many rows come to each node with each state; None: not known."""
        for name, item in self.items_by_variable.items():
            assert self.graph is not None
            i = self.graph.domain.index(name)
            rows = None if counts is None else counts[i].sum(axis=1)
            if rows is None or rows.size == self.graph.node_counts[i]:
                item.nodes.rows = rows
                item.update()

    def show_faces(self, faces: Mapping[str, NodeView]) -> bool:
        marks = {name: item.face.mark for name, item in self.nodes.items()}
        resized = super().show_faces(_with_rows(faces))
        if any(item.face.mark != marks[name] for name, item in self.nodes.items()):
            self.update()  # names over bands, which are no items, show the evidence
        for item in self.items_by_variable.values():
            face = item.face
            struck = frozenset(k for k, weight in enumerate(face.weights) if weight <= 0)
            if struck != item.nodes.struck:
                item.nodes.struck = struck
                item.update()
        return resized

    # -- one node

    def _has(self, key: NodeKey) -> bool:
        graph = self.graph
        if graph is None or key[0] not in graph.domain:
            return False
        return key[1] < graph.node_counts[graph.domain.index(key[0])]

    def choose(self, key: NodeKey | None) -> None:
        """Mark a node; None: none."""
        self.chosen = key if key is not None and self._has(key) else None
        for name, item in self.items_by_variable.items():
            mine = self.chosen[1] if self.chosen is not None and self.chosen[0] == name else None
            if item.nodes.chosen != mine:
                item.nodes.chosen = mine
                item.update()
        self.selection_shown.emit()

    def mark(self, keys: Collection[NodeKey]) -> None:
        """Nodes that have just been changed."""
        for name, item in self.items_by_variable.items():
            mine = frozenset(node for variable, node in keys if variable == name)
            if item.nodes.marked != mine:
                item.nodes.marked = mine
                item.update()

    def light(self, key: NodeKey | None) -> None:
        """All paths through a node at full strength, the rest faint; None: all at full strength."""
        if key == self.hovered:
            return
        self.hovered = key
        lit = None
        if key is not None and self.graph is not None and self._has(key):
            lit = paths_through(self.graph, *key)
        for name, item in self.items_by_variable.items():
            assert self.graph is not None
            i = self.graph.domain.index(name)
            nodes = None
            if lit is not None:
                nodes = lit.get(i, np.zeros(self.graph.node_counts[i], dtype=bool))
            item.light(nodes)
        for arcs in self.arcs.values():
            arcs.light(lit)

    def node_at(self, point: QPointF) -> NodeKey | None:
        """The node under a point; of a collapsed variable none."""
        for item in self.items(QRectF(point.x() - 0.5, point.y() - 0.5, 1, 1)):
            if isinstance(item, BandItem) and item.band.form is not BandForm.COLLAPSED:
                node = item.node_at(point)
                if node is not None:
                    return item.id, node
        return None

    def arc_at(self, point: QPointF) -> tuple[Arc, float] | None:
        """The arc near a point, with its flow."""
        for arcs in self.arcs.values():
            result = arcs.arc_at(point)
            if result is not None:
                return result
        return None

    def box_of(self, key: NodeKey) -> QRectF:
        assert self.graph is not None
        box = self.bands.node(self.graph.domain.index(key[0]), key[1])
        return QRectF(box.x, box.y, box.width, box.height)


def _with_rows(faces: Mapping[str, NodeView]) -> dict[str, NodeView]:
    """The gutter shows bars, however the variables are drawn elsewhere."""
    return {
        name: face if face.mode is NodeMode.PRIOR else replace(face, mode=NodeMode.PRIOR)
        for name, face in faces.items()
    }
