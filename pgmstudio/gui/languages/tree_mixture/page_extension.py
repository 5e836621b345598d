"""The page of a mixture of trees: a strip of components, small multiples, edges of one tree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtWidgets import QWidget

from pgmstudio.core.errors import GraphError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.diagrams import picture_names
from pgmstudio.core.languages.tree_mixture.diagrams import MI_LABEL, PARTITION, trees_picture
from pgmstudio.core.languages.tree_mixture.edits import TreeEdit, joining
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.node_view import NodeMode
from pgmstudio.gui.canvas.signals import EdgeAdvice
from pgmstudio.gui.canvas.small_multiples import PanelGraph, PanelsController
from pgmstudio.gui.canvas.tools import EdgeTool
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.tree_mixture.component_controller import (
    OVERLAY,
    ComponentController,
    EvaluatedEdit,
    evaluate_edit,
    gain_text,
)
from pgmstudio.gui.languages.tree_mixture.component_selection import component_views
from pgmstudio.gui.model_page.extension import PageExtension
from pgmstudio.gui.widgets.basic import hairline, label, vbox
from pgmstudio.gui.widgets.debounce import one_shot

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage

# The pointer passes over many nodes on its way; only where it rests is worth measuring.
REST_MS = 60


class TreeJoining(QObject):
    """The edge tool of a page that shows a single tree."""

    def __init__(self, app: AppContext, canvas: Canvas, controller: ComponentController) -> None:
        super().__init__(controller)
        self._app, self._canvas, self._controller = app, canvas, controller
        self._wanted: TreeEdit | None = None
        self.evaluated: EvaluatedEdit | None = None  # what the edge under the pointer would do
        self._latest_task = LatestTask(self, self._on_evaluated, app.errors.report)
        self._rest = one_shot(self, self._ask, REST_MS)

    def stop(self) -> None:
        self._rest.stop()
        self._latest_task.forget()

    def _edit(self, one: str, other: str) -> TreeEdit | str:
        mixture, tree = self._controller.mixture, self._controller.tree
        if mixture is None or tree is None:
            return "Show one tree alone first: click its card."
        if mixture.choice in (one, other):
            return f"{mixture.choice} selects the tree and is in none of them."
        try:
            return joining(mixture, tree, one, other)
        except GraphError as refused:
            return str(refused)

    def advise(self, one: str, other: str) -> EdgeAdvice:
        """Show which edge is replaced; the change in likelihood follows."""
        self.stop()
        self._wanted = self.evaluated = None
        edit = self._edit(one, other)
        if isinstance(edit, str):
            return EdgeAdvice("cannot be joined", refusal=edit)
        self._wanted = edit
        self._rest.start()
        replaced = "" if edit.removed is None else f"replaces {' – '.join(edit.removed)}"
        return EdgeAdvice(replaced or "connects two parts")

    def _ask(self) -> None:
        mixture, edit = self._controller.mixture, self._wanted
        if mixture is not None and edit is not None:
            self._latest_task.ask(partial(evaluate_edit, mixture, edit, self._controller.rows))

    def _on_evaluated(self, result: EvaluatedEdit) -> None:
        if result.edit != self._wanted:
            return
        self.evaluated = result
        tool = self._canvas.view.tool
        if isinstance(tool, EdgeTool) and result.edit.added is not None:
            is_loss = result.gain is not None and result.gain < 0
            tool.add_forecast(*result.edit.added, gain_text(result.gain), is_loss)

    def join(self, one: str, other: str) -> bool:
        """Let go over a node: what was measured is done; else the bar offers it, measured there."""
        result = self.evaluated
        if result is not None and result.edit.added == (one, other):
            self.evaluated = None
            self._controller.do(result)
        else:
            self._canvas.signals.select.emit((one, other), ())
        return True


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
        self._note = label("", "secondary", size="dense", name="sideBySideNote")
        self._note.setContentsMargins(12, 0, 12, 8)
        self._note.setWordWrap(True)
        vbox(self.widget, (self.view, 1), self._note, spacing=0)
        self._asked: tuple[object, ...] = ()
        self._pictures = LatestTask(self, self._on_pictures, app.errors.report)
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


LATENT = "latent"
# Diagrams with a layout of their own; the others use that of the overlay.
OWN_LAYOUTS = frozenset({LATENT, PARTITION})


class MixtureExtension(PageExtension):
    """The trees of a mixture over each other, side by side, or one of them to edit."""

    no_edges_reason = "show one tree alone: click its card."
    default_mode = NodeMode.LINE  # many lines meet, so boxes are low

    def __init__(self, page: ModelPage) -> None:
        super().__init__(page)
        app, model_id, canvas = page.app, page.model_id, page.canvas
        self._views = component_views(app)
        self._views.changed.connect(self._on_views)
        self.components = ComponentController(app, model_id, page)
        self.components.picture_requested.connect(self._on_cards)
        self.components.refused.connect(canvas.refuse)
        self.side = SmallMultiplesController(app, model_id, canvas, self.components)
        self.side.isolated.connect(page.show_picture)
        self.joining = TreeJoining(app, canvas, self.components)
        canvas.view.is_pruned = True

    @property
    def above(self) -> Sequence[QWidget]:
        return self.components.strip, hairline(), self.components.edit_bar

    @property
    def below(self) -> Sequence[QWidget]:
        return (self.side.widget,)

    def avoid(self, covered: Sequence[QRect]) -> None:
        self.components.keep_clear(covered)

    # -- diagrams

    def toolbar_diagram(self, diagram: str) -> str:
        return OVERLAY if diagram.startswith("tree-") else diagram

    def choose(self, diagram: str) -> None:
        if diagram == OVERLAY:
            self._views.choose(self._model_id, ())
        self._page.show_picture(diagram)

    @property
    def first_diagram(self) -> str:
        return self.components.picture_name

    def layout_name(self, diagram: str) -> str:
        return diagram if diagram in OWN_LAYOUTS else OVERLAY

    def open_diagram(self, diagram: str) -> str:
        if diagram == SIDE_BY_SIDE:
            self.side.open()
            return OVERLAY  # hidden; the panels take beliefs and positions from it
        self.side.close()
        return diagram

    def diagram_after_edit(self, diagram: str) -> str:
        self.components.follow()
        stays = {SIDE_BY_SIDE, *OWN_LAYOUTS} & {*picture_names(self._page.entry.model)}
        return diagram if diagram in stays else self.components.picture_name

    def update_beliefs(self) -> None:
        self.side.show_faces()

    def update_diagram(self) -> None:
        self.side.follow()

    @property
    def blend(self) -> float:
        return self._views.blend(self._model_id)

    def _on_views(self, model_id: str) -> None:
        """The slider between prior and posterior has moved."""
        if model_id == self._model_id:
            self._page.refresh_nodes()

    def _on_cards(self, diagram: str) -> None:
        """Other trees were chosen: small multiples stay small multiples."""
        self._page.show_picture(SIDE_BY_SIDE if self.side.is_open else diagram)

    # -- edits

    def can_draw_edges(self, diagram: str) -> bool:
        """In a diagram of one tree."""
        is_of_trees = diagram != SIDE_BY_SIDE and diagram not in OWN_LAYOUTS
        return is_of_trees and self.components.tree is not None

    def can_delete(self) -> bool:
        return self.components.can_remove

    def advise(self, source: str, target: str) -> EdgeAdvice:
        return self.joining.advise(source, target)

    def add_edge(self, source: str, target: str) -> bool:
        return self.joining.join(source, target)

    def delete(self) -> bool:
        return self.components.remove()

    def stop(self) -> None:
        for part in (self.components, self.side, self.joining):
            part.stop()
