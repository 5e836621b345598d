"""Menu actions that walk the languages: their own actions, their diagrams, and conversions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.conversions import converted, not_converted_reason, same_distribution
from pgmstudio.core.languages.registry import LANGUAGES, a_kind, kind_noun
from pgmstudio.core.model import Model
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import NO_MODEL
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.registry import (
    all_diagrams,
    all_kinds,
    all_run_results,
    language_view,
)
from pgmstudio.gui.model_page.action_conditions import current_model_page
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.runs.results.run_result import result_action
from pgmstudio.gui.widgets.actions import ActionSpec

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage

# The key of a converted model's provenance for the check of its distribution.
CHECKED = "checked"
NO_PAGE = "open a model first."


def language_actions(app: AppContext) -> list[ActionSpec]:
    """The actions that languages have of their own, results of runs, and conversions."""
    views = [language_view(kind) for kind in all_kinds()]
    own = [spec for view in views if view.actions is not None for spec in view.actions.load()(app)]
    results = [result_action(app, result) for result in all_run_results().values()]
    return [*own, *results, *_conversions(app)]


def diagram_actions(app: AppContext) -> list[ActionSpec]:
    """An action for each diagram of any language."""
    commands = _DiagramCommands(app)
    return [
        ActionSpec(
            f"view.picture.{name}",
            diagram.label,
            "View/Diagram",
            diagram.description,
            partial(commands.show, name),
            disabled_reason=partial(commands.disabled_reason, name),
            is_checked=partial(commands.is_shown, name),
        )
        for name, diagram in all_diagrams().items()
    ]


class _DiagramCommands:
    def __init__(self, app: AppContext) -> None:
        self._app = app

    @property
    def _page(self) -> ModelPage | None:
        """The current model page, unless its model has just left the project."""
        page = current_model_page(self._app)
        return page if page is not None and page.model_id in self._app.project.models else None

    def show(self, name: str) -> None:
        page = self._page
        if page is not None and self.disabled_reason(name) is None:
            page.extension.choose(name)
        self._app.actions.refresh()

    def disabled_reason(self, name: str) -> str | None:
        page = self._page
        if page is None:
            return NO_PAGE
        names = [choice.name for choice in page.extension.toolbar_diagrams()]
        return None if name in names else "this language has no such diagram."

    def is_shown(self, name: str) -> bool:
        return self._page is not None and self._page.picture_name == name


def _conversions(app: AppContext) -> list[ActionSpec]:
    commands = _ConversionCommands(app)
    return [
        ActionSpec(
            f"model.convert.{kind}",
            f"To {kind_noun(kind)}",
            "Model/Convert",
            f"A new {kind_noun(kind)} with exactly the same distribution.",
            partial(commands.convert, kind),
            disabled_reason=commands.disabled_reason(kind),
        )
        for kind in LANGUAGES
    ]


class _ConversionCommands(QObject):
    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._converting = LatestTask(self)
        self._converting.answered.connect(self._on_converted)
        self._converting.failed.connect(app.errors.report)

    @property
    def _entry(self) -> ModelEntry | None:
        return self._app.project.models.get(self._app.workspace.model_id or "")

    def disabled_reason(self, kind: str) -> Callable[[], str | None]:
        def reason() -> str | None:
            entry = self._entry
            return NO_MODEL if entry is None else not_converted_reason(entry.model, kind)

        return reason

    def convert(self, kind: str) -> None:
        """Add the converted model to the project; the original stays."""
        entry = self._entry
        if entry is not None:
            self._converting.ask(partial(_converted_entry, entry, kind))

    def _on_converted(self, made: ModelEntry | PgmStudioError) -> None:
        if isinstance(made, PgmStudioError):
            self._app.errors.report(made)
        elif add_and_show_model(self._app, made, f"Convert to {made.title}") is not None:
            self._app.notify(str(made.provenance[CHECKED]))


def _converted_entry(
    entry: ModelEntry, kind: str, cancel: CancelToken = NEVER
) -> ModelEntry | PgmStudioError:
    """The model in another language, with the titles and notes of the original."""
    try:
        model: Model = converted(entry.model, kind)
        checked = same_distribution(entry.model, model, cancel)
    except PgmStudioError as error:
        return error
    return ModelEntry(
        f"{entry.title} as {kind_noun(kind)}",
        model,
        data_id=entry.data_id,
        node_titles=dict(entry.node_titles),
        notes=entry.notes,
        provenance={
            "made by": f"converted from {entry.title}, {a_kind(entry.model.kind)}",
            CHECKED: checked.message(),
        },
    )
