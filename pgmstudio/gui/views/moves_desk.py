"""The next moves of a search on the canvas of one model, while somebody watches them."""

from __future__ import annotations

from PySide6.QtCore import QObject

from pgmstudio.core.learning.next_moves import MoveKey
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.document.move_search import move_search
from pgmstudio.gui.views.canvas import Canvas


class MovesDesk(QObject):
    """One for each page of a model."""

    def __init__(self, shell: Shell, model_id: str, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._model_id, self._canvas = model_id, canvas
        self._search = move_search(shell)
        self._is_on_dag = True
        self._search.changed.connect(self._draw)

    def show_on(self, picture_name: str) -> None:
        """Moves are drawn on the graph itself, not on other pictures of the model."""
        self._is_on_dag = picture_name == "dag"
        self._draw()

    def _draw(self) -> None:
        search, layer = self._search, self._canvas.moves
        shown = search.shown
        found = search.found if shown is not None and shown.model_id == self._model_id else None
        drawn: list[tuple[int, MoveKey]] = []
        if found is not None and self._is_on_dag:
            # Those that would lower the score are drawn only while they are looked at.
            drawn = [
                (number, move.key)
                for number, move in enumerate(found.moves, start=1)
                if found.raises(move) or move.key == search.looked_at
            ]
        if drawn or layer.moves:
            layer.show_moves(drawn, search.looked_at)
            self._canvas.refresh_soon()
