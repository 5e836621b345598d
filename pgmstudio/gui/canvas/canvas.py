"""The canvas: the view of a graph with its legend, zoom control, minimap, find bar and messages."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.gui.canvas.edge_strengths import Strengths
from pgmstudio.gui.canvas.layers import (
    MovesLayer,
    PartitionLayer,
    RulesLayer,
    SurpriseLayer,
    UnresolvedLayer,
    place_plain_labels,
)
from pgmstudio.gui.canvas.legend import Legend, LegendEntry, legend_entries
from pgmstudio.gui.canvas.most_probable_layer import MostProbableLayer
from pgmstudio.gui.canvas.node_item import NodeItem
from pgmstudio.gui.canvas.node_view import FULL_FROM, Detail
from pgmstudio.gui.canvas.overlays import (
    BLANKET,
    MINIMAP_FROM,
    Bubble,
    FindBar,
    Minimap,
    ZoomControl,
)
from pgmstudio.gui.canvas.scene import CanvasScene
from pgmstudio.gui.canvas.separation_layer import SeparationLayer
from pgmstudio.gui.canvas.view import CanvasView
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label, vbox
from pgmstudio.gui.widgets.debounce import AFTER_PAINT_MS, one_shot

_EDGE = 12


class Canvas(QWidget):
    """A scene, its view and the widgets that float over it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("canvas")
        self.scene = self._new_scene()
        self.view = self._new_view()
        self.signals = self.view.signals
        self.legend = Legend(self.view)
        self.zoom_control = ZoomControl(self.view)
        self.minimap = Minimap(self.view)
        self.find_bar = FindBar(self.view)
        self.bubble = Bubble(self.view)
        self._waiting = label("", "secondary", name="waiting")
        self._waiting.setParent(self.view)
        self._waiting.hide()
        self.shows_legend = True
        self._wants_minimap: bool | None = None  # None: depends on the size of the graph
        self.strengths: Strengths | None = None
        self._covered: list[QRect] = []  # by panels over the view, in its coordinates
        self.rules = RulesLayer(self.scene)
        self.separation = SeparationLayer(self.scene)
        self.surprise = SurpriseLayer(self.scene)
        self.most_probable = MostProbableLayer(self.scene)
        self.ambiguous = UnresolvedLayer(self.scene)
        self.moves = MovesLayer(self.scene)
        self.partition = PartitionLayer(self.scene)
        self._layers = (  # as in the legend
            self.rules,
            self.separation,
            self.surprise,
            self.most_probable,
            self.ambiguous,
            self.moves,
            self.partition,
        )
        vbox(self, self.view)
        self.setFocusProxy(self.view)
        self._soon = one_shot(self, self._refresh_overlays)
        self._later = one_shot(self, self._refresh_overlays, AFTER_PAINT_MS)
        self.scene.contents_changed.connect(self._soon.start)
        self.scene.contents_changed.connect(self._on_contents_changed)
        self.scene.boxes_resized.connect(self._later.start)
        self.scene.boxes_resized.connect(self._on_contents_changed)
        self.view.zoom_changed.connect(self._on_zoom_changed)
        self.view.looked_elsewhere.connect(self._on_looked_elsewhere)
        self.signals.refused.connect(self.refuse)
        self.view.gesture_started.connect(self.bubble.hide)
        self.signals.find.connect(self.open_find)
        self.find_bar.matches_changed.connect(self._on_matches)
        self.find_bar.looked_at.connect(self._on_match)
        self.find_bar.scope_changed.connect(self._on_scope_changed)
        self.find_bar.closed.connect(self._on_find_closed)
        theme().changed.connect(self._soon.start)

    def _new_scene(self) -> CanvasScene:
        return CanvasScene(self)

    def _new_view(self) -> CanvasView:
        return CanvasView(self.scene, self)

    # -- where it is on the screen

    def rect_of(self, nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> QRect | None:
        """The screen rectangle of the last of these; None when none is drawn."""
        box = self.view.box_of(nodes, edges)
        return None if box is None else self._on_screen(box)

    def _on_screen(self, box: QRectF) -> QRect:
        seen = self.view.mapFromScene(box).boundingRect()
        return QRect(self.view.viewport().mapToGlobal(seen.topLeft()), seen.size())

    def keep_clear(self, covered: Sequence[QRect]) -> None:
        """Keep the selection out of these screen rectangles, which panels cover."""
        here = QRect(self.view.mapToGlobal(QPoint(0, 0)), self.view.size())
        self._covered = [(part & here).translated(-here.topLeft()) for part in covered]
        right = below = 0
        for part in covered:
            shared = part & here
            if shared.width() == here.width():
                below = max(below, shared.height())
            elif part.right() >= here.right():
                right = max(right, shared.width())
        self.view.keep_clear(right, below)
        self._move_find_bar()

    # -- legend, zoom, minimap

    def show_strengths(self, strengths: Strengths | None) -> None:
        self.strengths = strengths
        shown = (None, None) if strengths is None else (strengths.widths, strengths.labels)
        self.scene.show_strengths(*shown)
        self._soon.start()

    def show_rules(self, knowledge: Knowledge, prices: EdgePrices) -> None:
        """Draw required and forbidden edges over the graph, and prices as soft edges."""
        self.rules.show_rules(knowledge, prices)
        self._soon.start()

    @property
    def shows_rules(self) -> bool:
        return self.rules.isVisible()

    def toggle_rules(self) -> None:
        self.rules.setVisible(not self.shows_rules)
        self._refresh_overlays()

    def _on_contents_changed(self) -> None:
        for layer in self._layers:
            layer.follow()

    def toggle_legend(self) -> None:
        self.shows_legend = not self.shows_legend
        self._refresh_overlays()

    @property
    def shows_minimap(self) -> bool:
        """Whether the minimap is shown: for large graphs, unless the user switched it on or off."""
        wanted = self._wants_minimap
        return len(self.scene.nodes) >= MINIMAP_FROM if wanted is None else wanted

    @shows_minimap.setter
    def shows_minimap(self, shows: bool) -> None:
        self._wants_minimap = shows

    def toggle_minimap(self) -> None:
        self.shows_minimap = not self.shows_minimap
        self._refresh_overlays()

    def refresh_soon(self) -> None:
        """Update legend and overlays once what changed on the canvas is painted."""
        self._later.start()

    def _how_to_see(self) -> list[LegendEntry]:
        """A hint at which zoom states and numbers are drawn; on screen only, not in exports."""
        far = self.view.detail is not Detail.FULL
        bars = far and any(item.face.shows_rows for item in self.scene.nodes.values())
        return [LegendEntry(f"zoom to {100 * FULL_FROM:.0f} % for numbers")] if bars else []

    def legend_entries(self) -> list[LegendEntry]:
        """The entries of the legend; exports draw the same."""
        entries = self.drawn_entries(self.view.detail)
        return entries + [entry for layer in self._layers for entry in layer.legend_entries()]

    def drawn_entries(self, detail: Detail) -> list[LegendEntry]:
        """The legend entries of nodes and edges."""
        return legend_entries(self.scene, detail, self.strengths)

    def _on_zoom_changed(self, _zoom: float) -> None:
        self._soon.start()

    def _on_looked_elsewhere(self) -> None:
        # The minimap may have been hidden only while the whole graph was visible.
        if self.minimap.isHidden() and self.shows_minimap and not self.view.is_fitted:
            self._soon.start()

    def _refresh_overlays(self) -> None:
        self._soon.stop()
        self._later.stop()
        if self.view.detail is not Detail.DOT:
            place_plain_labels(self.scene, self.view.zoom)
        self.most_probable.follow()
        view = self.view.rect()
        zoom = self.zoom_control
        zoom.adjustSize()
        zoom.move(view.width() - zoom.width() - _EDGE, view.height() - zoom.height() - _EDGE)
        entries = [*self.legend_entries(), *self._how_to_see()] if self.shows_legend else []
        free_width = view.width() - zoom.width() - 3 * _EDGE
        self.legend.show_entries(entries, free_width, view.height())
        # A legend wider than the space left of the zoom control is placed above it.
        under = zoom.height() + _EDGE if self.legend.width() > free_width else 0
        self.legend.move(_EDGE, view.height() - self.legend.height() - under - _EDGE)
        legend_height = self.legend.height() + under if entries else 0
        low = max(0 if zoom.isHidden() else zoom.height(), legend_height)
        if low:
            self.view.keep_foot(low + 2.0 * _EDGE)
        self.minimap.setVisible(self.shows_minimap and bool(self.scene.nodes))
        self.minimap.move(
            view.width() - self.minimap.width() - _EDGE, zoom.y() - self.minimap.height() - 8
        )
        self._keep_clear_of_minimap()
        self._move_find_bar()

    def _keep_clear_of_minimap(self) -> None:
        """Shift a fitted graph if the minimap would cover some of its nodes or names.

        If there is no space for that, hide the minimap: the whole graph is visible anyway.
        """
        view, below = self.view, self.view.height() - self.minimap.y()
        if self.minimap.isHidden():
            view.keep_corner(0.0, 0.0)
        elif view.is_fitted and self._minimap_hides_nodes():
            view.keep_corner(self.minimap.width() + 2.0 * _EDGE, below + _EDGE)
            if self._wants_minimap is None:
                self.minimap.setHidden(self._minimap_hides_nodes())

    def _minimap_hides_nodes(self) -> bool:
        part = self.view.mapToScene(self.minimap.geometry()).boundingRect()
        near = (item for item in self.scene.items(part) if isinstance(item, NodeItem))
        if any(part.intersects(item.box) for item in near):
            return True
        if self.view.detail is not Detail.DOT:
            return False
        zoom = self.view.zoom
        names = self.view.central_names.at(zoom)
        part = QRectF(part.topLeft() * zoom, part.size() * zoom)
        return any(part.intersects(name.rect(zoom)) for name in names)

    def _move_find_bar(self) -> None:
        near, far = self._between_panels()
        width = min(self.find_bar.sizeHint().width(), far - near - 2 * _EDGE)
        self.find_bar.resize(width, self.find_bar.sizeHint().height())
        left, right = near + _EDGE, far - width - _EDGE
        matches = [self.scene.nodes[i] for i in self.find_bar.matching_ids if i in self.scene.nodes]
        seen = [self.view.mapFromScene(item.box).boundingRect() for item in matches]
        low = self.legend.y() - self.find_bar.height() - 8
        positions = [QPoint(right, _EDGE), QPoint(left, _EDGE), QPoint(left, low)]

        def covered(position: QPoint) -> tuple[bool, int]:
            bar = QRect(position, self.find_bar.size())
            hidden = [bar.intersects(box) for box in seen]
            return any(hidden[:1]), sum(hidden)

        self.find_bar.move(min(positions, key=covered))

    def _between_panels(self) -> tuple[int, int]:
        """The x range of the view that no panel covers."""
        near, far = 0, self.view.width()
        for part in self._covered:
            if part.isEmpty() or part.width() > far // 2 + far // 4:
                continue  # nothing there, or a panel at the bottom
            if part.left() <= 0:
                near = max(near, part.right() + 1)
            elif part.right() >= self.view.width() - 1:
                far = min(far, part.left())
        return near, far

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._refresh_overlays()
        self._move_waiting_text()

    def show_waiting_text(self, text: str) -> None:
        """Show a text in the middle of an empty canvas; an empty text hides it."""
        self._waiting.setText(text)
        self._waiting.setVisible(bool(text))
        self._waiting.adjustSize()
        self._move_waiting_text()

    def _move_waiting_text(self) -> None:
        self._waiting.move(self.view.rect().center() - self._waiting.rect().center())

    # -- refusals

    def refuse(self, message: str, at: QPoint | None = None) -> None:
        """Show a message at the pointer, or in the middle if the pointer is elsewhere."""
        if at is None:
            at = self.view.mapFromScene(self.view.last_pointer)
        if not self.view.rect().contains(at):
            at = self.view.rect().center()
        near, far = self._between_panels()
        self.bubble.show_text(message, at, QRect(near, 0, far - near, self.view.height()))

    # -- search

    def open_find(self) -> None:
        """Open the search."""
        self.find_bar.begin(self._titles())
        self.view.step_match = self.find_bar.step
        self._move_find_bar()

    def show_around(self, node: str, scope: int) -> None:
        """Show only a node's neighbourhood or Markov blanket until the search is closed."""
        self.find_bar.show_around(self._titles(), node, scope)
        self.view.step_match = self.find_bar.step
        self._move_find_bar()

    def _titles(self) -> dict[str, str]:
        return {i: item.face.title for i, item in self.scene.nodes.items()}

    def _on_matches(self, ids: list[str]) -> None:
        chosen = set(ids)
        for identity, item in self.scene.nodes.items():
            item.change_look(is_match=identity in chosen)
        self.view.viewport().update()

    def _on_match(self, identity: str | None) -> None:
        if identity is not None:
            self.signals.select.emit((identity,), ())
            self.view.look_at(identity)
        self._move_find_bar()

    def _on_scope_changed(self, near: tuple[str, int] | None) -> None:
        if near is None:
            self.scene.show_only(None)
        elif near[1] == BLANKET:
            self.scene.show_only(self.scene.near.blanket(near[0]))
        else:
            self.scene.show_only(self.scene.near.within([near[0]], near[1]))

    def _on_find_closed(self) -> None:
        self.view.step_match = None
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def stop(self) -> None:
        """Stop background work when the page is closed."""
        self.scene.stop()
