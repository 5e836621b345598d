"""What desks of small canvases share: they stand in place of the large one and follow it."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.document.workbench import Selection
from pgmstudio.gui.views.canvas import Canvas
from pgmstudio.gui.views.side_by_side import SideBySide


class PanelsDesk(QObject):
    """Takes faces and places from the large canvas, which shows the same variables."""

    def __init__(self, shell: Shell, model_id: str, canvas: Canvas, parent: QObject) -> None:
        super().__init__(parent)
        self._shell, self._model_id, self._canvas = shell, model_id, canvas
        self.view = SideBySide(canvas)
        self.widget = QWidget()
        self.widget.hide()
        shell.bench.selection_changed.connect(self._on_selection)
        canvas.scene.contents_changed.connect(self._show_places)

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
        """The model, or what is shown of it, is another."""

    def stop(self) -> None:
        self.view.stop()

    def _show_places(self) -> None:
        if self.is_open:
            scene = self._canvas.scene
            faces = {identity: item.face for identity, item in scene.nodes.items()}
            self.view.show_on(faces, scene.positions)

    def show_faces(self) -> None:
        """The faces of the large canvas have changed."""
        if self.is_open:
            nodes = self._canvas.scene.nodes
            self.view.show_faces({identity: item.face for identity, item in nodes.items()})

    def _on_selection(self, selection: Selection) -> None:
        if self.is_open and self._shell.bench.model_id == self._model_id:
            self.view.show_selection(selection.nodes, selection.edges)
