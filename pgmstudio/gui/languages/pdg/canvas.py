"""The canvas of a decision graph: scene of bands and arcs, view, and what floats over it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
)
from PySide6.QtWidgets import QToolTip, QWidget

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
from pgmstudio.core.number_format import percent
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.fonts import canvas_font, canvas_metrics
from pgmstudio.gui.canvas.legend import LegendEntry, Sample
from pgmstudio.gui.canvas.node_view import Detail, LevelOfDetail, NodeMode, NodeView
from pgmstudio.gui.canvas.scene import CanvasScene
from pgmstudio.gui.canvas.tools import Modifiers
from pgmstudio.gui.canvas.view import CanvasView
from pgmstudio.gui.languages.pdg.arcs import (
    DASHED_FROM,
    MAX_DRAWN,
    Arc,
    BandArcs,
    is_solid_at,
    stroke_arcs,
)
from pgmstudio.gui.languages.pdg.bands import WORDS_FROM, BandItem, BandNames
from pgmstudio.gui.languages.pdg.drag import BandDrag
from pgmstudio.gui.languages.pdg.nodes import NodeKey
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import named

Floats = NDArray[np.float64]


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
        self, graph: DecisionGraph, faces: Mapping[str, NodeView], collapsed: Collection[str] = ()
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


Key = Qt.Key


class BandView(CanvasView):
    """The view of the bands; `node_chosen` emits the clicked node, None for anything else."""

    node_chosen = Signal(object)  # NodeKey or None
    node_menu = Signal(object, object)  # NodeKey, global point
    collapse_requested = Signal(str)
    change_previewed = Signal(object)  # a step or a position; None: the preview ended
    change_requested = Signal(object)  # a step or a position that was dropped

    def __init__(self, scene: BandScene, parent: QWidget | None = None) -> None:
        super().__init__(scene, parent)
        self.bands = scene
        named(self, "bandView", "Nodes and flow")
        self.describe_node: Callable[[NodeKey], str] | None = None
        self.is_editable = False
        self.can_drag = False  # a controller measures and makes the changes
        self.drag = BandDrag(self)
        self._names = BandNames()
        self._arc_text = ("", QPointF())

    def box_of(self, nodes: Sequence[str], edges: Sequence[tuple[str, str]] = ()) -> QRectF | None:
        """That of the chosen node: a band is often wider than what is free."""
        chosen = self.bands.chosen
        if chosen is None or (nodes and chosen[0] not in nodes):
            return super().box_of(nodes, edges)
        return self.bands.box_of(chosen)

    def _repaint_far(self) -> None:
        """Repaint the whole view, since names over bands are no items."""
        if self.zoom < WORDS_FROM:
            self.viewport().update()

    # -- mouse

    def _key_at(self, position: QPoint) -> NodeKey | None:
        return self.bands.node_at(self.mapToScene(position))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        key = self._key_at(event.position().toPoint())
        is_plain = event.button() == Qt.MouseButton.LeftButton and self.tool.name == "select"
        if is_plain and self.can_drag and not self._space_held:
            point = self.mapToScene(event.position().toPoint())
            grabbed = self.drag.grabbed_at(point, self.hit_at(point))
            if grabbed is not None:
                self.drag.press(grabbed, point)
        if key is None or not is_plain or self._space_held:
            if event.button() == Qt.MouseButton.LeftButton and key is None:
                self.node_chosen.emit(None)
            super().mousePressEvent(event)
            return
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.gesture_started.emit()
        self.node_chosen.emit(key)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.drag.is_held and event.buttons() & Qt.MouseButton.LeftButton:
            self._pointer = self.mapToScene(event.position().toPoint())
            self.drag.move(self._pointer)
            if self.drag.is_under_way:
                self.tool.cancel()
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.drag.release():
            self._show_cursor()
        else:
            super().mouseReleaseEvent(event)

    @property
    def is_pressed(self) -> bool:
        return self.drag.is_held or super().is_pressed

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        hit = self.hit(point)
        is_left = event.button() == Qt.MouseButton.LeftButton
        if is_left and hit.node is not None and hit.state is None and self._key_at(point) is None:
            self.collapse_requested.emit(hit.node.id)
        elif hit.state is not None:
            super().mouseDoubleClickEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        is_by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        key = self.bands.chosen if is_by_key else self._key_at(event.pos())
        if key is None:
            super().contextMenuEvent(event)
            return
        self.node_chosen.emit(key)
        position = event.globalPos()
        if is_by_key:
            box = self.mapFromScene(self.bands.box_of(key)).boundingRect()
            position = self.viewport().mapToGlobal(box.bottomLeft())
        self.node_menu.emit(key, position)
        event.accept()

    # -- hover

    def _hover(self, modifiers: Modifiers) -> None:
        if self.tool.is_busy:
            return
        self._show_cursor(self.hit_at(self._pointer))
        key = self.bands.node_at(self._pointer)
        self.bands.light(key)
        self.hovered = None if key is None else f"{key[0]}:{key[1]}"
        text = "" if key is not None else self._arc_at_pointer()
        if key is not None or (text and self.can_drag):
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        self._show_arc_text(text)

    def _arc_at_pointer(self) -> str:
        result, graph = self.bands.arc_at(self._pointer), self.bands.graph
        if result is None or graph is None:
            return ""
        arc, flow = result
        upper = graph.domain.variables[arc.upper]
        return f"{upper.name} = {upper.states[arc.state]} · {percent(flow)} %"

    def _show_arc_text(self, text: str) -> None:
        if text or self._arc_text[0]:
            self._arc_text = text, QPointF(self._pointer)
            self.viewport().update()

    @property
    def arc_text(self) -> str:
        """The text of the arc under the pointer."""
        return self._arc_text[0]

    def fit(self) -> None:
        """Keep the highlight where the pointer is still on it, as after a slight resize."""
        before, position = self.bands.hovered, self.mapFromScene(self._pointer)
        super().fit()
        if before is not None and self._key_at(position) == before:
            self._pointer = self.mapToScene(position)
            self._hover(Modifiers.NoModifier)

    def stop_hover(self) -> None:
        super().stop_hover()
        self.bands.light(None)
        self._show_arc_text("")

    def drawForeground(self, painter: QPainter, rect: QRectF | QPoint) -> None:  # type: ignore[override]
        super().drawForeground(painter, rect)
        self._names.paint(painter, self)
        self.drag.paint(painter)
        text, position = self._arc_text
        if not text:
            return
        unit = 1 / self.pixels_per_unit
        painter.save()
        painter.translate(position)
        painter.scale(unit * theme().scale, unit * theme().scale)
        width = canvas_metrics("caption", "medium").horizontalAdvance(text) + 14
        pill = QRectF(12, -11, width, 20)
        painter.setPen(theme().color("border_control"))
        painter.setBrush(theme().color("surface"))
        painter.drawRoundedRect(pill, 10, 10)
        painter.setFont(canvas_font("caption", "medium"))
        painter.setPen(theme().color("text"))
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            key = self._key_at(event.pos())
            if key is not None and self.describe_node is not None:
                QToolTip.showText(event.globalPos(), self.describe_node(key), self.viewport())
                return True
        return super().viewportEvent(event)

    # -- keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Key.Key_Escape and self.drag.is_held:
            self.drag.cancel()
            event.accept()
        elif event.modifiers() & Modifiers.AltModifier and self._walk_nodes(Key(event.key())):
            event.accept()
        elif event.key() == Key.Key_Escape and self.bands.chosen is not None:
            self.node_chosen.emit(None)
            event.accept()
        else:
            super().keyPressEvent(event)

    def _walk_nodes(self, key: Qt.Key) -> bool:
        """Alt with an arrow: along the band, or along the widest arc up or down."""
        graph, chosen = self.bands.graph, self.bands.chosen
        if graph is None or key not in (Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down):
            return False
        if chosen is None:
            name = self.keys.node or (self.bands.selected_nodes or (graph.domain.names[0],))[-1]
            order = self.bands.bands.bands[graph.domain.index(name)].order
            self._go_to((name, order[0]))
            return True
        i, node = graph.domain.index(chosen[0]), chosen[1]
        if key in (Key.Key_Left, Key.Key_Right):
            order = self.bands.bands.bands[i].order
            at = order.index(node) + (1 if key == Key.Key_Right else -1)
            if 0 <= at < len(order):
                self._go_to((chosen[0], order[at]))
            return True
        flows = self.bands.flows
        if key == Key.Key_Up:
            above, edges = graph.forest[i], graph.successors[i]
            if above is not None and edges is not None:
                mass = graph.parameters[above] if flows is None else flows.arcs[above]
                upper = (mass * (edges == node) + 1e-12 * (edges == node)).sum(axis=1).argmax()
                self._go_to((graph.domain.names[above], int(upper)))
        elif graph.children[i]:
            below = graph.children[i][0]
            edges = graph.successors[below]
            mass = graph.parameters[i] if flows is None else flows.arcs[i]
            if edges is not None:
                self._go_to((graph.domain.names[below], int(edges[node, mass[node].argmax()])))
        return True

    def _go_to(self, key: NodeKey) -> None:
        self.node_chosen.emit(key)
        margin = int(24 * theme().scale)
        self.ensureVisible(self.bands.box_of(key), margin, margin)
        self.looked_elsewhere.emit()


# The name of a state and the look of its lines, where they are wide enough to show it.
_STATES = (
    ("first state", ""),
    ("second state", " (hollow, dashed when thin)"),
    ("third state", " (dashed)"),
    ("fourth state", " (dotted)"),
    ("further states", ""),
)
_MARGIN = 12.0  # around the bands, which have margins of their own
_SAMPLE_WIDTHS = (5.0, 6.0, 2.5, 2.5, 2.5)


class BandCanvas(Canvas):
    """One view of the bands of one graph."""

    hidden_at_right = Signal(int)  # so many pixels, by a panel over them

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bandCanvas")
        self.view.keep_margin(_MARGIN)

    def _new_scene(self) -> BandScene:
        self.bands = BandScene(self)
        return self.bands

    def _new_view(self) -> BandView:
        self.band_view = BandView(self.bands, self)
        return self.band_view

    def keep_clear(self, covered: Sequence[QRect]) -> None:
        super().keep_clear(covered)
        self.hidden_at_right.emit(self.view.hidden_at_right)

    def _how_to_see(self) -> list[LegendEntry]:
        """On the screen not all of many arcs are drawn; on paper they are."""
        entries = super()._how_to_see()
        if any(arcs.count > MAX_DRAWN for arcs in self.bands.arcs.values()):
            entries.append(LegendEntry(f"of many arcs the {MAX_DRAWN} with most flow"))
        if self._is_far and self._most_states > 1:
            entries.append(LegendEntry(f"zoom to {100 * DASHED_FROM:.0f} % for dashes"))
        return entries

    @property
    def _is_far(self) -> bool:
        return is_solid_at(self.view.pixels_per_unit)

    @property
    def _most_states(self) -> int:
        """So many kinds of arcs there are."""
        graph = self.bands.graph
        if graph is None:
            return 0
        above = [graph.domain.cardinalities[i] for i in graph.forest if i is not None]
        return min(max(above, default=0), len(_STATES))

    def legend_entries(self) -> list[LegendEntry]:
        """On the screen arcs are drawn as the zoom allows; in a file as near by."""
        entries = super().legend_entries()
        if self._is_far:
            for state in range(self._most_states):
                entries[state] = LegendEntry(_STATES[state][0], _arc_sample(state, is_far=True))
        return entries

    def drawn_entries(self, detail: Detail) -> list[LegendEntry]:
        if self.bands.graph is None:
            return []
        most = self._most_states
        entries = [
            LegendEntry("".join(_STATES[state]), _arc_sample(state)) for state in range(most)
        ]
        has_evidence = any(item.face.weights for item in self.bands.nodes.values())
        if most:
            given = "flow given evidence" if has_evidence else "probability of passing"
            entries.append(LegendEntry(f"width = {given}"))
        flows = self.bands.flows
        if flows is not None and any((visits <= 0).any() for visits in flows.visits):
            entries.append(LegendEntry("not reached", _unreached_sample))
        if any(item.nodes.marked for item in self.bands.items_by_variable.values()):
            entries.append(LegendEntry("changed by the step", _marked_sample))
        own = [e for e in super().drawn_entries(detail) if "edge" not in e.text]
        return entries + own


def _arc_sample(state: int, *, is_far: bool = False) -> Sample:
    def paint(painter: QPainter, position: QRectF) -> None:
        path = QPainterPath(position.center())
        path.moveTo(position.left(), position.center().y())
        path.lineTo(position.right(), position.center().y())
        width = _SAMPLE_WIDTHS[0 if is_far else state]
        stroke_arcs(painter, path, state, width, plain=is_far, solid=is_far)

    return paint


def _unreached_sample(painter: QPainter, position: QRectF) -> None:
    pen = QPen(theme().color("border_control"), 1.25)
    pen.setDashPattern([3.0, 2.0])
    painter.setPen(pen)
    painter.setBrush(theme().color("sunken"))
    painter.drawRoundedRect(position.adjusted(2, 4, -2, -4), 3, 3)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _marked_sample(painter: QPainter, position: QRectF) -> None:
    painter.setPen(QPen(theme().color("virtual_ink"), theme().line("node_selected")))
    painter.setBrush(theme().color("surface"))
    painter.drawRoundedRect(position.adjusted(2, 4, -2, -4), 4, 4)
    painter.setBrush(Qt.BrushStyle.NoBrush)
