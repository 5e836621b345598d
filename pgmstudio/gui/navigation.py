"""Functions that open pages of other features through the `Navigator` of the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol, cast

from PySide6.QtCore import QObject

from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.project.edits import Computed, Edit, add_model
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.widgets.image_file import Drawing
from pgmstudio.gui.widgets.page import EmbeddedPage, Page


class LearnForm(Protocol):
    """The page that starts a learner, as other features use it."""

    @property
    def seed(self) -> int: ...

    def choose(self, *, learner: str | None = None, data_id: str | None = None) -> None:
        """Preselect a learner or a data set."""

    def fill(self, request: RunRequest) -> None:
        """Show the settings of an earlier run."""

    def show_bootstrap(self) -> None:
        """Switch the bootstrap on and show its settings."""

    def start(self) -> QObject | None:
        """Start a run with the settings as they stand; None if they are wrong."""


def open_model_page(app: AppContext, model_id: str, *, split: bool = False) -> None:
    """Show the page of a model; with `split` in the other group of tabs."""
    if model_id not in app.project.models:
        raise UnknownNameError("model", model_id, app.project.models)
    close_welcome(app)
    app.open("model", model_id, split=split)


def add_and_show_model(
    app: AppContext, entry: ModelEntry, text: str, how: Edit | None = None
) -> str | None:
    """Add a model in one undoable step and show its page; returns the model's id. `how` is an edit
    that makes the same model from the project or a file."""
    model_id, add = app.project.next_model_id(), partial(add_model, entry=entry)
    if not app.change(text, add if how is None else Computed(how, add)):
        return None
    close_welcome(app)
    open_model_page(app, model_id)
    return model_id


def leave_model_page(app: AppContext, page: Page, model_id: str) -> None:
    """Close the page of a model that is gone; a model of another language with its id is opened."""
    app.center.close_page(page)
    if model_id in app.project.models:
        open_model_page(app, model_id)


def open_data_page(app: AppContext, data_id: str, *, split: bool = False) -> None:
    """Show the page of a data set; with `split` in the other group of tabs."""
    if data_id not in app.project.data:
        raise UnknownNameError("data set", data_id, app.project.data)
    close_welcome(app)
    app.open("data", data_id, split=split)


def open_import_page(
    app: AppContext,
    path: Path,
    *,
    replaces: str | None = None,
    name: str | None = None,
    on_closed: Callable[[], object] | None = None,
) -> None:
    """Show the import page of a file.

    With `replaces`, the id of a data set that was imported from the file, its choices are shown at
    the discretisation step and the import replaces it. `name` is for a table without a file.
    """
    close_welcome(app)
    app.open("import", path, replaces=replaces, name=name, on_closed=on_closed)


def open_files(
    app: AppContext, files: Sequence[Path], then: Callable[[], object] = lambda: None
) -> None:
    """Open projects, models, evidence and data files, then call `then`.

    What cannot be opened is reported.
    """
    app.open("files", files, then)


def open_sample(app: AppContext, name: str, then: Callable[[], object] = lambda: None) -> None:
    """Open a sample of the start page by its file or its title; `then` is called after that."""
    app.open("sample", name, then)


def open_welcome(app: AppContext) -> None:
    app.open("welcome")


def close_welcome(app: AppContext) -> None:
    page = app.center.page("welcome")
    if page is not None:
        app.center.close_page(page)


def open_learn_page(app: AppContext, learner: str | None = None) -> LearnForm:
    return cast(LearnForm, app.open("learn", learner))


def open_wizard(app: AppContext, data_id: str | None = None) -> None:
    """Show the step-by-step wizard for a data set."""
    app.open("wizard", data_id)


def open_generate_page(app: AppContext) -> None:
    """Show the page that generates synthetic data."""
    app.open("generate")


def open_associations(app: AppContext, data_id: str, measure: str, given: str = "") -> None:
    """Show the associations of a data set by a measure; `given` is the condition, if it has one."""
    app.open("associations", data_id, measure, given)


def open_independences(app: AppContext) -> None:
    """Show the page on which independences are typed in."""
    app.open("given independences")


def open_language_comparison(app: AppContext, data_id: str | None = None) -> None:
    app.open("language comparison", data_id)


def open_saved_comparison(app: AppContext, comparison_id: str) -> None:
    """Show a comparison of models that is stored in the project."""
    app.open("saved comparison", comparison_id)


def open_curves_page(app: AppContext, what: str | Path) -> None:
    """Show curves of the project by their id, or those of a folder."""
    app.open("curves", what)


def open_curve_plan(
    app: AppContext, curve_id: str | None = None, *, data_id: str | None = None
) -> None:
    """Show the sheet of a plan of SL-curves: a new one, or that of some curves to be extended."""
    app.open("curve plan", curve_id, data_id=data_id)


def open_help(app: AppContext, path: str) -> None:
    """Show a page of the manual."""
    app.open("help", path)


def open_pdg_steps(app: AppContext, run: QObject) -> None:
    """Show the steps of a learning run of a decision graph."""
    app.open("PDG steps", run)


def open_run_result(app: AppContext, key: str, source: QObject | None = None) -> None:
    """Show the page of one kind of results for an artifact of a run; without one, of the run behind
    the active model or the newest."""
    app.open("run result", key, source)


def make_knowledge_page(app: AppContext, names_of: Callable[[Project], list[str]]) -> EmbeddedPage:
    """A page of background knowledge about some variables, to embed in another page."""
    return cast(EmbeddedPage, app.open("knowledge form", names_of))


def export_drawing(app: AppContext, drawing: Drawing) -> None:
    """Ask for a file and write a drawing to it."""
    app.open("export", drawing)
