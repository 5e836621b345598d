"""Menu actions of mixtures of trees and latent class models: profiles, rows, scans, trees."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import NO_MODEL
from pgmstudio.gui.languages.tree_mixture.component_selection import component_views
from pgmstudio.gui.model_page.action_conditions import current_model_page
from pgmstudio.gui.widgets.actions import ActionSpec

if TYPE_CHECKING:
    from pgmstudio.gui.languages.tree_mixture.component_controller import ComponentController


def mixture_actions(app: AppContext) -> list[ActionSpec]:
    commands = _Commands(app)
    return [
        ActionSpec(
            "model.profiles",
            "Profiles of classes or trees…",
            "Model",
            "How the components of a mixture differ: a line for each, or a heat map.",
            commands.open_profiles,
            icon="chart-line",
            disabled_reason=commands.no_mixture_reason,
            separator_before=True,
        ),
        ActionSpec(
            "model.assignments",
            "Rows by class or tree…",
            "Model",
            "The class or tree of every row with its responsibility, to be exported.",
            commands.open_rows,
            icon="table",
            disabled_reason=commands.no_rows_reason,
        ),
        ActionSpec(
            "model.edit-tree",
            "Join or part the selected two in this tree",
            "Model",
            "Add or remove an edge of the current tree; a cycle loses its weakest edge.",
            commands.edit_tree,
            icon="tree-structure",
            disabled_reason=commands.no_tree_edit_reason,
        ),
        ActionSpec(
            "view.trees.all",
            "All trees",
            "View/Trees of a mixture",
            "Every tree over each other.",
            commands.show_all,
            disabled_reason=commands.no_trees_reason,
            is_checked=commands.shows_all,
        ),
        ActionSpec(
            "view.trees.next",
            "Next tree",
            "View/Trees of a mixture",
            "One tree alone, then the next.",
            partial(commands.step, 1),
            keys=("Alt+N",),
            disabled_reason=commands.no_trees_reason,
        ),
        ActionSpec(
            "view.trees.previous",
            "Previous tree",
            "View/Trees of a mixture",
            "One tree alone, then the one before.",
            partial(commands.step, -1),
            keys=("Alt+P",),
            disabled_reason=commands.no_trees_reason,
        ),
    ]


class _Commands:
    def __init__(self, app: AppContext) -> None:
        self._app = app

    @property
    def _entry(self) -> ModelEntry | None:
        return self._app.project.models.get(self._app.workspace.model_id or "")

    @property
    def _components(self) -> ComponentController | None:
        """The component strip of the active page, if it is that of a mixture of trees."""
        page = current_model_page(self._app)
        if page is None:
            return None
        from pgmstudio.gui.languages.tree_mixture.page_extension import MixtureExtension

        own = page.extension
        return own.components if isinstance(own, MixtureExtension) else None

    # -- why not

    def no_mixture_reason(self) -> str | None:
        entry = self._entry
        if entry is None:
            return NO_MODEL
        if not isinstance(entry.model, TreeMixture | LatentClasses):
            return f"{entry.title} has no classes or trees to compare."
        return None

    def no_rows_reason(self) -> str | None:
        reason, entry = self.no_mixture_reason(), self._entry
        if reason is not None or entry is None:
            return reason
        known = set(entry.model.domain.names)
        if any(known & set(d.data.domain.names) for d in self._app.project.data.values()):
            return None
        return "no data set has columns of this model."

    def no_trees_reason(self) -> str | None:
        entry = self._entry
        if entry is None:
            return NO_MODEL
        is_one = isinstance(entry.model, TreeMixture) and len(entry.model.trees) > 1
        return None if is_one else "the active model is not a mixture of trees."

    def no_tree_edit_reason(self) -> str | None:
        components = self._components
        if components is None:
            return "the active model is not a mixture of trees."
        wanted = components.edit()
        if isinstance(wanted, str):
            return wanted if wanted.endswith(".") else f"{wanted}."
        return None if components.offered is not None else "evaluating on the data…"

    # -- commands

    def open_profiles(self) -> None:
        from pgmstudio.gui.languages.tree_mixture.profiles_page import ProfilePage

        model_id = self._app.workspace.model_id
        if model_id is not None:
            make = partial(ProfilePage, self._app, model_id)
            self._app.open_page(f"profiles:{model_id}", make)

    def open_rows(self) -> None:
        from pgmstudio.gui.languages.tree_mixture.assignments_page import ComponentRowsPage

        model_id = self._app.workspace.model_id
        if model_id is not None:
            make = partial(ComponentRowsPage, self._app, model_id)
            self._app.open_page(f"assignments:{model_id}", make)

    def edit_tree(self) -> None:
        if self._components is not None:
            self._components.accept()

    def shows_all(self) -> bool:
        model_id = self._app.workspace.model_id or ""
        return self.no_trees_reason() is None and not component_views(self._app).chosen(model_id)

    def show_all(self) -> None:
        component_views(self._app).choose(self._app.workspace.model_id or "", ())
        self._app.actions.refresh()

    def step(self, by: int) -> None:
        """The next tree alone, around the end."""
        entry, views = self._entry, component_views(self._app)
        if entry is None or not isinstance(entry.model, TreeMixture):
            return
        model_id, count = self._app.workspace.model_id or "", len(entry.model.trees)
        chosen = views.chosen(model_id)
        start = -1 if by > 0 else 0
        views.choose(model_id, (((chosen[0] if chosen else start) + by) % count,))
        self._app.actions.refresh()
