"""The registry of page openers: how the window opens each kind of page.

Every opener imports its feature when it is first used, which keeps the start of the program short.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.widgets.page import Page

if TYPE_CHECKING:
    from pgmstudio.core.project.project import Project
    from pgmstudio.gui.jobs.learning_run import LearningRun
    from pgmstudio.gui.runs.artifact_source import ArtifactSource
    from pgmstudio.gui.widgets.image_file import Drawing


def _model(app: AppContext, model_id: str, *, split: bool) -> Page:
    from pgmstudio.gui.languages.registry import make_model_page

    return app.open_page(f"model:{model_id}", lambda: make_model_page(app, model_id), split=split)


def _data(app: AppContext, data_id: str, *, split: bool) -> Page:
    from pgmstudio.gui.data.page import DataPage

    return app.open_page(f"data:{data_id}", lambda: DataPage(app, data_id), split=split)


def _import(
    app: AppContext,
    path: Path,
    *,
    replaces: str | None,
    name: str | None,
    on_closed: Callable[[], object] | None,
) -> Page:
    from pgmstudio.gui.importing.page import open_import

    return open_import(app, path, replaces=replaces, name=name, on_closed=on_closed)


def _files(app: AppContext, files: Sequence[Path]) -> None:
    from pgmstudio.gui.files.opening import open_files

    open_files(app, files)


def _welcome(app: AppContext) -> Page:
    from pgmstudio.gui.welcome.page import WelcomePage

    return app.open_page("welcome", lambda: WelcomePage(app))


def _learn(app: AppContext, learner: str | None) -> Page:
    from pgmstudio.gui.learning.page import open_learn

    return open_learn(app, learner)


def _wizard(app: AppContext, data_id: str | None) -> Page:
    from pgmstudio.gui.learning.wizard.page import open_stepwise

    return open_stepwise(app, data_id)


def _generate(app: AppContext) -> Page:
    from pgmstudio.gui.data.generate_page import open_generate

    return open_generate(app)


def _language_comparison(app: AppContext, data_id: str | None) -> Page:
    from pgmstudio.gui.comparison.languages_page import open_comparison

    return open_comparison(app, data_id)


def _saved_comparison(app: AppContext, comparison_id: str) -> Page:
    from pgmstudio.gui.evaluation.score_table_page import open_kept_comparison

    return open_kept_comparison(app, comparison_id)


def _curves(app: AppContext, curve_id: str) -> Page:
    from pgmstudio.gui.curves.actions import open_curves

    return open_curves(app, curve_id)


def _help(app: AppContext, path: str) -> None:
    from pgmstudio.gui.help.page import open_help

    open_help(app, path)


def _pdg_steps(app: AppContext, run: LearningRun) -> Page:
    from pgmstudio.gui.languages.pdg.steps_page import open_steps

    return open_steps(app, run)


def _run_result(app: AppContext, key: str, source: ArtifactSource) -> None:
    from pgmstudio.gui.languages.registry import all_run_results
    from pgmstudio.gui.runs.results.run_result import open_result

    open_result(app, all_run_results()[key], source)


def _knowledge_form(app: AppContext, names_of: Callable[[Project], list[str]]) -> Page:
    from pgmstudio.gui.knowledge.page import KnowledgePage

    return KnowledgePage(app, names_of)


def _export(app: AppContext, drawing: Drawing) -> None:
    from pgmstudio.gui.export.actions import ExportCommands

    app.service(ExportCommands).ask_for_file(drawing)


PAGE_OPENERS: Mapping[str, Callable[..., object]] = {
    "model": _model,
    "data": _data,
    "import": _import,
    "files": _files,
    "welcome": _welcome,
    "learn": _learn,
    "wizard": _wizard,
    "generate": _generate,
    "language comparison": _language_comparison,
    "saved comparison": _saved_comparison,
    "curves": _curves,
    "help": _help,
    "PDG steps": _pdg_steps,
    "run result": _run_result,
    "knowledge form": _knowledge_form,
    "export": _export,
}
