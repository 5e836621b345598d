"""The view state of the components of mixtures: selected trees, and prior or posterior weights.

It belongs to the view, as evidence does: not undone and not saved.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.project.model_state import ByModel


class ComponentViews(QObject):
    """The view states of all mixtures; `changed` emits the model whose state changed."""

    changed = Signal(str)

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._chosen: ByModel[tuple[int, ...]] = ByModel(app.document)
        self._blends: ByModel[float] = ByModel(app.document)

    def chosen(self, model_id: str) -> tuple[int, ...]:
        """The selected trees, from 0; none: all of them."""
        return self._chosen.get(model_id, ())

    def only(self, model_id: str) -> int | None:
        """The only selected tree; None for an overlay of several."""
        chosen = self.chosen(model_id)
        return chosen[0] if len(chosen) == 1 else None

    def choose(self, model_id: str, trees: tuple[int, ...]) -> None:
        """Look at these trees; none: at all of them."""
        trees = tuple(sorted(set(trees)))
        if trees != self.chosen(model_id):
            self._chosen[model_id] = trees
            self.changed.emit(model_id)

    def blend(self, model_id: str) -> float:
        """0 shows what is believed without evidence, 1 what is believed with it."""
        return self._blends.get(model_id, 1.0)

    def set_blend(self, model_id: str, blend: float) -> None:
        if blend != self.blend(model_id):
            self._blends[model_id] = blend
            self.changed.emit(model_id)


def component_views(app: AppContext) -> ComponentViews:
    """The `ComponentViews` of a window, made on first use."""
    return app.service(ComponentViews)
