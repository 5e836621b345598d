"""Menu actions that walk the languages: their own actions, their diagrams, and conversions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from pgmstudio.core.languages.conversions import conversions_of, not_converted_reason
from pgmstudio.core.languages.registry import LANGUAGES, kind_noun
from pgmstudio.core.project.model_edits import CHECKED, convert_model, converted_entry
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import NO_MODEL
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.registry import (
    all_diagrams,
    all_kinds,
    all_run_results,
    language_view,
)
from pgmstudio.gui.model_page.action_conditions import PageConditions
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.runs.results.run_result import result_action
from pgmstudio.gui.widgets.actions import ActionSpec

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage


def language_actions(app: AppContext) -> list[ActionSpec]:
    """The actions that languages have of their own, results of runs, and conversions."""
    views = [language_view(kind) for kind in all_kinds()]
    own = [spec for view in views if view.actions is not None for spec in view.actions.load()(app)]
    results = [result_action(app, result) for result in all_run_results().values()]
    return [*own, *results, *_conversions(app)]


def diagram_actions(app: AppContext) -> list[ActionSpec]:
    """An action for each diagram of any language."""
    on = PageConditions(app)

    def has(name: str, page: ModelPage) -> bool:
        return name in [choice.name for choice in page.extension.toolbar_diagrams()]

    def show(name: str) -> None:
        if on.page is not None and has(name, on.page):
            on.page.extension.choose(name)
        app.actions.refresh()

    def is_shown(name: str) -> bool:
        return on.page is not None and on.page.picture_name == name

    return [
        ActionSpec(
            f"view.picture.{name}",
            diagram.label,
            "View/Diagram",
            diagram.description,
            partial(show, name),
            needs=[on.page_with(partial(has, name), "this language has no such diagram.")],
            is_checked=partial(is_shown, name),
        )
        for name, diagram in all_diagrams().items()
    ]


def _conversions(app: AppContext) -> list[ActionSpec]:
    """An action for each language that some language can be converted to."""
    commands = _ConversionCommands(app)
    targets = {target for kind in LANGUAGES for target in conversions_of(kind)}
    return [
        ActionSpec(
            f"model.convert.{kind}",
            f"To {kind_noun(kind)}",
            "Model/Convert",
            f"A new {kind_noun(kind)} with exactly the same distribution.",
            partial(commands.convert, kind),
            needs=[partial(commands.not_convertible, kind)],
        )
        for kind in LANGUAGES
        if kind in targets
    ]


class _ConversionCommands(QObject):
    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._asked: tuple[ModelEntry | None, str, str] = (None, "", "")  # model, its id, kind
        self._converting = LatestTask(self, self._on_converted, app.errors.report)

    @property
    def _entry(self) -> ModelEntry | None:
        return self._app.project.models.get(self._app.workspace.model_id or "")

    def not_convertible(self, kind: str) -> str | None:
        entry = self._entry
        return NO_MODEL if entry is None else not_converted_reason(entry.model, kind)

    def convert(self, kind: str) -> None:
        """Add the converted model to the project; the original stays."""
        entry = self._entry
        if entry is not None:
            self._asked = (entry, self._app.workspace.model_id or "", kind)
            self._converting.ask(partial(converted_entry, entry, kind))

    def _on_converted(self, made: ModelEntry) -> None:
        entry, model_id, kind = self._asked
        is_same = self._app.project.models.get(model_id) is entry
        how = partial(convert_model, model_id=model_id, kind=kind) if is_same else None
        if add_and_show_model(self._app, made, f"Convert to {made.title}", how) is not None:
            self._app.notify(str(made.provenance[CHECKED]))
