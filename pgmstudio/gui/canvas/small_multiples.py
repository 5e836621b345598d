"""Small multiples: one small canvas per graph over the same variables, instead of the large one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from pgmstudio.core.drawing.diagram import GraphPicture, Point
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.node_view import NodeView
from pgmstudio.gui.context import AppContext, Selection
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import button, label, named, row

_GAP = 8
_MARGIN = 10.0  # around a fitted graph
_HEAD = 34  # px of a panel's head
_READABLE = 0.42  # the zoom at which names can be read
_LEAST = (220, 170)  # px at 100 %: smaller panels scroll
# Signals of a small canvas are forwarded to the large one, which has the controllers.
_FORWARDED = (
    "select",
    "move",
    "click_state",
    "exclude_state",
    "toggle_state",
    "likelihood",
    "clear_evidence",
    "do",
    "do_menu",
    "target",
    "open_node",
    "menu",
    "find",
)
Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PanelGraph:
    """A graph of small multiples: its number, title and picture."""

    number: int
    title: str
    picture: GraphPicture


class GraphPanel(QFrame):
    """A clickable title and a canvas."""

    def __init__(self, graph: PanelGraph, main: Canvas) -> None:
        super().__init__()
        self.graph = graph
        self.setObjectName(f"panel.{graph.number + 1}")
        self.setProperty("role", "card")
        self.head = button(
            graph.title,
            lambda: None,
            role="link",
            name=f"panelHead.{graph.number + 1}",
            tip=f"Show {graph.title} alone and large.",
        )
        self.caption = label("", "secondary", size="dense", name=f"panelCaption.{graph.number + 1}")
        self.canvas = Canvas()
        self.canvas.setAccessibleName(graph.title)
        self.canvas.view.setAccessibleName(graph.title)
        self.canvas.view.setToolTip("")
        self.canvas.shows_legend = self.canvas.shows_minimap = False
        self.canvas.zoom_control.hide()
        self.canvas.view.keep_margin(_MARGIN)
        self.canvas.view.is_editable = False
        for name in _FORWARDED:
            getattr(self.canvas.signals, name).connect(getattr(main.signals, name))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 4, 1, 1)
        layout.setSpacing(2)
        top = row(self.head, None, self.caption)
        top.setContentsMargins(6, 0, 10, 0)
        layout.addWidget(top)
        layout.addWidget(self.canvas, 1)

    def show_on(self, faces: Mapping[str, NodeView], positions: Mapping[str, Point]) -> None:
        picture = self.graph.picture
        if all(node.id in faces and node.id in positions for node in picture.nodes):
            mine = {node.id: faces[node.id] for node in picture.nodes}
            here = {node.id: positions[node.id] for node in picture.nodes}
            self.canvas.scene.show_picture(picture, mine, here)


class SmallMultiples(QScrollArea):
    """A grid of small canvases; `isolated` requests one graph on the large canvas."""

    isolated = Signal(int)

    def __init__(self, main: Canvas) -> None:
        super().__init__()
        named(self, "sideBySide", "Trees side by side")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._main = main
        self.panels: list[GraphPanel] = []
        self._inside = named(QWidget(), "sideBySideGround")
        self._grid = QGridLayout(self._inside)
        self._grid.setContentsMargins(_GAP, _GAP, _GAP, _GAP)
        self._grid.setSpacing(_GAP)
        self.setWidget(self._inside)
        theme().changed.connect(self._arrange)

    def show_graphs(self, graphs: Sequence[PanelGraph]) -> None:
        """Show a canvas for each graph; existing ones are reused."""
        if [panel.graph for panel in self.panels] == list(graphs):
            return
        for panel in self.panels:
            self._grid.removeWidget(panel)
            panel.canvas.stop()
            panel.hide()
            panel.deleteLater()
        self.panels = [GraphPanel(graph, self._main) for graph in graphs]
        for panel in self.panels:
            panel.head.clicked.connect(self._on_head)
        self._arrange()

    def show_on(self, faces: Mapping[str, NodeView], positions: Mapping[str, Point]) -> None:
        """Show the same node views at the same positions in all of them."""
        for panel in self.panels:
            panel.show_on(faces, positions)
        self._arrange()

    def show_faces(self, faces: Mapping[str, NodeView]) -> None:
        for panel in self.panels:
            panel.canvas.scene.show_faces(faces)

    def show_captions(self, captions: Mapping[int, str]) -> None:
        """What stands at the right of each head."""
        for panel in self.panels:
            panel.caption.setText(captions.get(panel.graph.number, ""))

    def show_selection(self, nodes: Iterable[str], edges: Iterable[Edge]) -> None:
        nodes, edges = tuple(nodes), tuple(edges)
        for panel in self.panels:
            panel.canvas.scene.show_selection(nodes, edges)

    def stop(self) -> None:
        for panel in self.panels:
            panel.canvas.stop()

    def _on_head(self) -> None:
        for panel in self.panels:
            if panel.head is self.sender():
                self.isolated.emit(panel.graph.number)

    # -- the grid

    def columns(self) -> int:
        """So many that the graphs are as large as they can be."""
        return self._shape()[0]

    def _shape(self) -> tuple[int, int]:
        """The number of columns and the height of each panel."""
        count, scale = len(self.panels), theme().scale
        least = round(_LEAST[1] * scale)
        if not count:
            return 1, least
        content = self.panels[0].canvas.scene.content_rect()
        wide, high = max(content.width(), 1.0) * scale, max(content.height(), 1.0) * scale
        available, tall = self.viewport().width() - _GAP, self.viewport().height() - _GAP
        most = min(count, max(1, available // (round(_LEAST[0] * scale) + _GAP)))

        def across(columns: int) -> float:
            return (available / columns - _GAP - 2 * _MARGIN) / wide

        def zoom(columns: int) -> float:
            lines = -(-count // columns)
            return min(across(columns), (tall / lines - _GAP - _HEAD - 2 * _MARGIN) / high)

        best = max(range(1, most + 1), key=zoom)
        if zoom(best) >= _READABLE:
            return best, least
        # Too many for one screen: as many columns as can be read, the rest below.
        best = max((c for c in range(1, most + 1) if across(c) >= _READABLE), default=1)
        needed = min(across(best), 0.7) * high + _HEAD + 2 * _MARGIN
        return best, max(least, min(round(needed), tall - _GAP))

    def _arrange(self) -> None:
        across, least = self._shape()
        for panel in self.panels:
            self._grid.removeWidget(panel)
        for number in range(max(self._grid.columnCount(), across)):
            self._grid.setColumnStretch(number, 1 if number < across else 0)
        for number, panel in enumerate(self.panels):
            panel.setMinimumHeight(least)
            self._grid.addWidget(panel, number // across, number % across)
            panel.show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST[0], _LEAST[1])


class PanelsController(QObject):
    """The base controller of small multiples: node views and positions come from the large
    canvas."""

    def __init__(self, app: AppContext, model_id: str, canvas: Canvas, parent: QObject) -> None:
        super().__init__(parent)
        self._app, self._model_id, self._canvas = app, model_id, canvas
        self.view = SmallMultiples(canvas)
        self.widget = QWidget()
        self.widget.hide()
        app.workspace.selection_changed.connect(self._on_selection)
        canvas.scene.contents_changed.connect(self._show_positions)

    @property
    def is_open(self) -> bool:
        return not self.widget.isHidden()

    def open(self) -> None:
        self.widget.show()
        self._canvas.hide()
        self.follow()

    def close(self) -> None:
        if self.is_open:
            self.widget.hide()
            self._canvas.show()

    def follow(self) -> None:
        """Update after a change of the model or of what is shown."""

    def stop(self) -> None:
        self.view.stop()

    def _show_positions(self) -> None:
        if self.is_open:
            scene = self._canvas.scene
            faces = {identity: item.face for identity, item in scene.nodes.items()}
            self.view.show_on(faces, scene.positions)

    def show_faces(self) -> None:
        """Update after node views of the large canvas changed."""
        if self.is_open:
            nodes = self._canvas.scene.nodes
            self.view.show_faces({identity: item.face for identity, item in nodes.items()})

    def _on_selection(self, selection: Selection) -> None:
        if self.is_open and self._app.workspace.model_id == self._model_id:
            self.view.show_selection(selection.nodes, selection.edges)
