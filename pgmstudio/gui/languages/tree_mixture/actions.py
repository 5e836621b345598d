"""Menu actions of mixtures of trees and latent class models: profiles, rows, scans, trees."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import Conditions
from pgmstudio.gui.languages.tree_mixture.component_selection import component_views
from pgmstudio.gui.model_page.action_conditions import current_model_page
from pgmstudio.gui.widgets.actions import ActionSpec

if TYPE_CHECKING:
    from pgmstudio.gui.languages.tree_mixture.component_controller import ComponentController


NO_TREES = "the active model is not a mixture of trees."


def mixture_actions(app: AppContext) -> list[ActionSpec]:
    on, commands = Conditions(app), _Commands(app)
    mixture = on.model_with(
        lambda entry: isinstance(entry.model, TreeMixture | LatentClasses),
        lambda entry: f"{entry.title} has no classes or trees to compare.",
    )
    trees = on.model_with(
        lambda entry: isinstance(entry.model, TreeMixture) and len(entry.model.trees) > 1, NO_TREES
    )
    return [
        ActionSpec(
            "model.profiles",
            "Profiles of classes or trees…",
            "Model/Classes and trees",
            "How the components of a mixture differ: a line for each, or a heat map.",
            commands.open_profiles,
            icon="chart-line",
            needs=[mixture],
            separator_before=True,
        ),
        ActionSpec(
            "model.assignments",
            "Rows by class or tree…",
            "Model/Classes and trees",
            "The class or tree of every row with its responsibility, to be exported.",
            commands.open_rows,
            icon="table",
            needs=[mixture, on.rows_of_model],
        ),
        ActionSpec(
            "model.edit-tree",
            "Join or part the selected two in this tree",
            "Model/Classes and trees",
            "Add or remove an edge of the current tree; a cycle loses its weakest edge.",
            commands.edit_tree,
            icon="tree-structure",
            needs=[commands.no_tree_edit_reason],
        ),
        ActionSpec(
            "view.trees.all",
            "All trees",
            "View/Trees of a mixture",
            "Every tree over each other.",
            commands.show_all,
            needs=[trees],
            is_checked=commands.shows_all,
        ),
        ActionSpec(
            "view.trees.next",
            "Next tree",
            "View/Trees of a mixture",
            "One tree alone, then the next.",
            partial(commands.step, 1),
            keys=("Alt+N",),
            needs=[trees],
        ),
        ActionSpec(
            "view.trees.previous",
            "Previous tree",
            "View/Trees of a mixture",
            "One tree alone, then the one before.",
            partial(commands.step, -1),
            keys=("Alt+P",),
            needs=[trees],
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

    def no_tree_edit_reason(self) -> str | None:
        components = self._components
        if components is None:
            return NO_TREES
        wanted = components.edit()
        if isinstance(wanted, str):
            return wanted if wanted.endswith(".") else f"{wanted}."
        return None if components.offered is not None else "it is being evaluated on the data."

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
        entry, model_id = self._entry, self._app.workspace.model_id or ""
        is_mixture = entry is not None and isinstance(entry.model, TreeMixture)
        return is_mixture and not component_views(self._app).chosen(model_id)

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
