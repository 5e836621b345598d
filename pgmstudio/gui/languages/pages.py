"""Pages as languages make them: of models, and of the results of runs."""

from __future__ import annotations

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.languages.registry import all_run_results, language_view
from pgmstudio.gui.model_page.extension import PageExtension
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.runs.artifact_source import ArtifactSource
from pgmstudio.gui.runs.results.page import open_result
from pgmstudio.gui.runs.results.run_result import BOOTSTRAP
from pgmstudio.gui.widgets.page import Page


def open_model(app: AppContext, model_id: str, *, split: bool) -> Page:
    return app.open_page(f"model:{model_id}", lambda: make_model_page(app, model_id), split=split)


def make_model_page(app: AppContext, model_id: str) -> Page:
    """The page of a model, as its language makes it."""
    view = language_view(app.project.models[model_id].model.kind)
    if view.make_page is not None:
        return view.make_page.load()(app, model_id)
    return extended_model_page(app, model_id)


def extended_model_page(app: AppContext, model_id: str) -> ModelPage:
    """A ModelPage with the extension of the model's language."""
    view = language_view(app.project.models[model_id].model.kind)
    extend = PageExtension if view.extend_page is None else view.extend_page.load()
    return ModelPage(app, model_id, extend)


def open_run_result(app: AppContext, key: str, source: ArtifactSource | None) -> None:
    """Show an artifact of a run on the page of the result with this key."""
    open_result(app, ({BOOTSTRAP.key: BOOTSTRAP} | all_run_results())[key], source)
