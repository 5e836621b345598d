"""The trees of a mixture side by side on its page: which, with which weights, drawn when."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout

from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.tree_mixture.diagrams import MI_LABEL, trees_picture
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.small_multiples import PanelGraph, PanelsController
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.tree_mixture.component_controller import ComponentController
from pgmstudio.gui.languages.tree_mixture.component_selection import component_views
from pgmstudio.gui.widgets.basic import label

SIDE_BY_SIDE = "side-by-side"
# More small canvases cannot be read; the trees with the largest weights are shown.
MAX_PANELS = 12


def heaviest(mixture: TreeMixture, chosen: tuple[int, ...]) -> tuple[int, ...]:
    """The chosen trees, or all; of many those of largest weight, in the order of their numbers."""
    shown = chosen or tuple(range(len(mixture.trees)))
    by_weight = sorted(shown, key=lambda number: -float(mixture.weights[number]))
    return tuple(sorted(by_weight[:MAX_PANELS]))


def panel_graphs(
    mixture: TreeMixture, numbers: tuple[int, ...], cancel: CancelToken
) -> list[PanelGraph]:
    """The pictures of these trees, each alone."""
    names, made = mixture.component_names, []
    for number in numbers:
        cancel.raise_if_cancelled()
        title = names[number][:1].upper() + names[number][1:]
        made.append(PanelGraph(number, title, trees_picture(mixture, (number,))))
    return made


class SmallMultiplesController(PanelsController):
    """The trees of a mixture, each with its weight."""

    isolated = Signal(str)  # the picture of one tree is wanted large

    def __init__(
        self, app: AppContext, model_id: str, canvas: Canvas, components: ComponentController
    ) -> None:
        super().__init__(app, model_id, canvas, components)
        self._components = components
        self.view.isolated.connect(self._on_isolated)
        self._note = label("", "secondary", size="dense")
        self._note.setObjectName("sideBySideNote")
        self._note.setContentsMargins(12, 0, 12, 8)
        self._note.setWordWrap(True)
        layout = QVBoxLayout(self.widget)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.view, 1)
        layout.addWidget(self._note)
        self._asked: tuple[object, ...] = ()
        self._pictures = LatestTask(self)
        self._pictures.answered.connect(self._on_pictures)
        self._pictures.failed.connect(app.errors.report)
        components.shares_shown.connect(self.show_shares)

    def stop(self) -> None:
        self._pictures.forget()
        super().stop()

    def follow(self) -> None:
        """Other trees are chosen, or the model is another."""
        mixture = self._components.mixture
        if mixture is None or not self.is_open:
            return
        numbers = heaviest(mixture, component_views(self._app).chosen(self._model_id))
        parts = [
            f"{MI_LABEL[:1].upper()}{MI_LABEL[1:]}; every variable has the same position in all."
        ]
        chosen = component_views(self._app).chosen(self._model_id)
        count = len(chosen) or len(mixture.trees)
        if count > MAX_PANELS:
            parts.append(f"The {MAX_PANELS} heaviest of {count}; Ctrl-click cards for others.")
        self._note.setText(" ".join(parts))
        if self._asked != (mixture, numbers):
            self._asked = (mixture, numbers)
            self._pictures.ask(partial(panel_graphs, mixture, numbers))

    def _on_pictures(self, graphs: list[PanelGraph]) -> None:
        self.view.show_graphs(graphs)
        self._show_positions()
        self.show_shares()
        self._on_selection(self._app.workspace.selection)

    def show_shares(self) -> None:
        if self.is_open:
            self.view.show_captions({c.number: c.weight_text for c in self._components.strip.cards})

    def _on_isolated(self, number: int) -> None:
        self.isolated.emit(self._components.isolate(number))
