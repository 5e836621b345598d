"""The trees of a mixture on a page: the strip, which are drawn, and moving an edge in one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QPoint, QRect, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.errors import GraphError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.likelihood import log2_likelihood
from pgmstudio.core.languages.tree.edits import joins
from pgmstudio.core.languages.tree_mixture.diagrams import trees_name
from pgmstudio.core.languages.tree_mixture.edits import TreeEdit, edited, joining
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.number_format import signed
from pgmstudio.core.project.edits import Computed
from pgmstudio.core.project.model_edits import edit_language, edited_model
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.tree_mixture.component_selection import component_views
from pgmstudio.gui.languages.tree_mixture.component_strip import ComponentStrip
from pgmstudio.gui.model_page.node_views import blended
from pgmstudio.gui.widgets.basic import button, named
from pgmstudio.gui.widgets.elided_label import ElidedLabel

OVERLAY = "overlay"


@dataclass(frozen=True, eq=False)
class EvaluatedEdit:
    """The mixture after an edit; `gain` in bits per row, None without rows."""

    before: TreeMixture
    edit: TreeEdit
    after: TreeMixture
    gain: float | None


def evaluate_edit(
    mixture: TreeMixture, edit: TreeEdit, data: DataSet | None, cancel: CancelToken
) -> EvaluatedEdit:
    """The mixture after the edit, and what it gains on the rows it has."""
    if data is None or data.total_weight <= 0:
        return EvaluatedEdit(mixture, edit, edited(mixture, edit), None)
    rows = rows_over(data, mixture.domain)
    after = edited(mixture, edit, rows)
    cancel.raise_if_cancelled()
    gain = (log2_likelihood(after, rows) - log2_likelihood(mixture, rows)) / rows.total_weight
    return EvaluatedEdit(mixture, edit, after, gain)


def gain_text(gain: float | None) -> str:
    """“−0.0123 bits per row”, with a true minus; small ones to their second digit."""
    if gain is None:
        return "no rows to measure it on"
    if abs(gain) < 1e-8:
        return "the same bits per row"
    digits = max(4, 1 - math.floor(math.log10(abs(gain))))  # two of a small one
    return f"{signed(gain, digits)} bits per row"


class TreeEditBar(QFrame):
    """An edit that could be made, what it would change, and the button that makes it."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("treeEditBar")
        self.setProperty("role", "note")
        self.message = named(ElidedLabel(), "treeEditMessage")
        self.gain = named(ElidedLabel("", "heading", is_snug=True), "treeEditGain")
        self.accept = button(
            "Do it",
            lambda: None,
            role="primary",
            name="treeEditAccept",
            tip="Change the tree; Undo takes it back.",
        )
        layout = self._row = QHBoxLayout(self)
        layout.setContentsMargins(12, 4, 10, 4)
        layout.setSpacing(12)
        layout.addWidget(self.message, 1)
        layout.addWidget(self.gain)
        layout.addWidget(self.accept)
        self.hide()

    def keep_clear(self, right: int) -> None:
        """Keep the message and the buttons out of so many pixels at the right."""
        self._row.setContentsMargins(12, 4, 10 + right, 4)


class ComponentController(QObject):
    """For the page of one mixture; `picture_requested` names the picture of the chosen trees."""

    picture_requested = Signal(str)
    shares_shown = Signal()  # the cards have other numbers
    refused = Signal(str)

    def __init__(self, app: AppContext, model_id: str, parent: QObject) -> None:
        super().__init__(parent)
        self._app, self._model_id = app, model_id
        self._views = component_views(app)
        self.strip = ComponentStrip()
        self.edit_bar = TreeEditBar()
        self.offered: EvaluatedEdit | None = None
        self._wanted: tuple[object, ...] = ()
        self._evaluation = LatestTask(self, self._on_evaluated, app.errors.report)
        self.strip.chosen.connect(self._on_chosen)
        self.edit_bar.accept.clicked.connect(self.accept)
        self._views.changed.connect(self._on_views)
        app.workspace.selection_changed.connect(self._on_selection)
        app.workspace.beliefs_changed.connect(self._on_beliefs)
        app.document.changed.connect(self._on_document)
        self.follow()

    @property
    def mixture(self) -> TreeMixture | None:
        entry = self._app.project.models.get(self._model_id)
        return entry.model if entry is not None and isinstance(entry.model, TreeMixture) else None

    @property
    def tree(self) -> int | None:
        """The one tree that is shown, and so can be edited."""
        mixture = self.mixture
        if mixture is not None and len(mixture.trees) == 1:
            return 0
        return self._views.only(self._model_id)

    @property
    def picture_name(self) -> str:
        chosen = self._views.chosen(self._model_id)
        return trees_name(chosen) if chosen else OVERLAY

    def stop(self) -> None:
        self._evaluation.forget()

    def keep_clear(self, covered: Sequence[QRect]) -> None:
        """Panels lie over these parts of the screen."""
        here = QRect(self.strip.mapToGlobal(QPoint(0, 0)), self.strip.size())
        at_right = [part for part in covered if here.left() < part.left() <= here.right()]
        self.edit_bar.keep_clear(max((here.right() - p.left() for p in at_right), default=0))

    # -- showing

    def follow(self) -> None:
        """The model may be another: fewer trees, other weights."""
        mixture = self.mixture
        if mixture is None:
            return
        count = len(mixture.trees)
        remaining = tuple(k for k in self._views.chosen(self._model_id) if k < count)
        self._views.choose(self._model_id, remaining)
        self.strip.show_components(mixture.component_names, mixture.weights.tolist())
        self.strip.show_chosen(remaining)
        self._show_weights()
        self._offer()

    def _show_weights(self) -> None:
        mixture = self.mixture
        if mixture is None:
            return
        live = self._app.workspace.beliefs(self._model_id)
        blend = self._views.blend(self._model_id)
        priors = tuple(mixture.weights.tolist())
        fractions = blended(priors, live.component_posterior, blend) or priors
        self.strip.show_shares(fractions, is_moved=bool(live.evidence))
        self.shares_shown.emit()

    def isolate(self, number: int) -> str:
        """Look at one tree; the name of its picture."""
        self._views.choose(self._model_id, (number,))
        return self.picture_name

    def _on_chosen(self, trees: tuple[int, ...]) -> None:
        if trees == self._views.chosen(self._model_id):
            self.picture_requested.emit(self.picture_name)  # from a picture of something else
        self._views.choose(self._model_id, trees)
        self.strip.show_chosen(self._views.chosen(self._model_id))

    def _on_views(self, model_id: str) -> None:
        if model_id == self._model_id:
            self.strip.show_chosen(self._views.chosen(model_id))
            self._show_weights()
            self._offer()
            self.picture_requested.emit(self.picture_name)

    def _on_beliefs(self, model_id: str) -> None:
        if model_id == self._model_id:
            self._show_weights()

    def _on_selection(self, _selection: object) -> None:
        self._offer()

    def _on_document(self, before: Project, after: Project) -> None:
        if before.data is not after.data:
            self._wanted = ()
            self._offer()

    # -- moving an edge

    @property
    def rows(self) -> DataSet | None:
        """The rows of the model, on which edits are measured."""
        entry = self._app.project.models.get(self._model_id)
        data = None if entry is None else self._app.project.data.get(entry.data_id or "")
        return None if data is None else data.data

    def edit(self) -> TreeEdit | str:
        """The edit that the selection stands for in the current tree, or why there is none."""
        mixture, tree = self.mixture, self.tree
        if mixture is None or tree is None:
            return "show one tree alone first: click its card."
        chosen = self._app.workspace.selection
        inner = mixture.tree_domain
        if len(chosen.edges) == 1 and not chosen.nodes:
            one, other = chosen.edges[0]
        elif len(chosen.nodes) == 2:
            one, other = chosen.nodes
        else:
            return "select an edge, or two variables to join."
        if one not in inner or other not in inner:
            return f"{mixture.choice} selects the tree and is in none of them."
        if joins(mixture.trees[tree], one, other):
            return TreeEdit(tree, removed=(one, other))
        try:
            return joining(mixture, tree, one, other)
        except GraphError as refused:
            return str(refused)

    def _offer(self) -> None:
        """Evaluate the edit of the selection in the background."""
        if self._app.workspace.model_id != self._model_id:
            return
        wanted, mixture = self.edit(), self.mixture
        if isinstance(wanted, str) or mixture is None:
            self._evaluation.forget()
            self._wanted, self.offered = (), None
            self.edit_bar.hide()
            return
        rows = self.rows
        if self._wanted == (mixture, wanted, rows):
            return
        self._wanted, self.offered = (mixture, wanted, rows), None
        self.edit_bar.message.setText(f"{wanted.text()}?")
        self.edit_bar.message.setToolTip(wanted.text())
        self.edit_bar.gain.setText("…")
        self.edit_bar.gain.setToolTip("Change in the log-likelihood of the model's rows.")
        self.edit_bar.accept.setText("Remove" if wanted.added is None else "Join")
        self.edit_bar.accept.setEnabled(False)
        self.edit_bar.show()
        self._evaluation.ask(partial(evaluate_edit, mixture, wanted, rows))

    def _on_evaluated(self, result: EvaluatedEdit) -> None:
        if self._wanted and result.before is self._wanted[0] and result.edit == self._wanted[1]:
            self.offered = result
            self._app.actions.refresh()
            self.edit_bar.gain.setText(gain_text(result.gain))
            self.edit_bar.accept.setEnabled(True)

    def accept(self) -> bool:
        """Make the offered edit, undoably; False when there is none."""
        return self.offered is not None and self.do(self.offered)

    def do(self, result: EvaluatedEdit) -> bool:
        """Make an evaluated edit, undoably; False if the mixture changed meanwhile."""
        if result.before is not self.mixture:
            return False
        made = result.edit
        how = partial(
            edit_language,
            edit="edit_tree",
            model_id=self._model_id,
            number=made.number,
            added=made.added,
            removed=made.removed,
            data=self.rows,
        )
        edit = Computed(how, partial(edited_model, model_id=self._model_id, model=result.after))
        return self._app.change(result.edit.text(), edit)

    @property
    def can_remove(self) -> bool:
        """Whether the selected edge belongs to the current tree and its edit is evaluated."""
        return self.offered is not None and self.offered.edit.added is None

    def remove(self) -> bool:
        """Remove the selected edge from the current tree (the Delete key), or show why not."""
        if self.can_remove:
            return self.accept()
        wanted = self.edit()
        if isinstance(wanted, TreeEdit):
            wanted = "No edge of this tree joins the two." if wanted.added else "Being measured."
        self.refused.emit(wanted[:1].upper() + wanted[1:])
        return True
