"""The actions of Markov networks: drop contexts, set a potential, fit the parameters."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.languages.markov_network.fitting import (
    CLOSED_FORM,
    FittedMarkovNetwork,
    fit,
)
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.edits import Computed
from pgmstudio.core.project.model_edits import edit_from_rows, edit_language, edited_model
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import Conditions
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.widgets.actions import ActionSpec

FIT_PARAMETERS = "model.fit-parameters"
NO_MARKOV_NETWORK = "the active model is not a Markov network."


def markov_actions(app: AppContext) -> list[ActionSpec]:
    on, commands = Conditions(app), _Commands(app)
    markov = on.model_with(lambda entry: isinstance(entry.model, MarkovNetwork), NO_MARKOV_NETWORK)
    contexts = on.model_with(
        lambda entry: isinstance(entry.model, MarkovNetwork) and entry.model.structure.contexts,
        "no edge vanishes in a context.",
    )

    def selected() -> str | None:
        chosen = app.workspace.selection
        is_one = len(chosen.nodes) == 1 or (not chosen.nodes and len(chosen.edges) == 1)
        return None if is_one else "select a variable or an edge first."

    return [
        ActionSpec(
            "model.set-potential",
            "Set potential…",
            "Model/Markov network",
            "Show and change the potentials of the cliques of the selected variable or edge.",
            lambda: app.reveal("tablePanel"),
            icon="polygon",
            needs=[markov, selected],
            separator_before=True,
        ),
        ActionSpec(
            FIT_PARAMETERS,
            "Fit parameters",
            "Model/Markov network",
            "The potentials of largest likelihood for the rows of the model's data set.",
            commands.fit,
            icon="database",
            needs=[markov, on.rows_of_model],
        ),
        ActionSpec(
            "model.drop-contexts",
            "Drop all contexts",
            "Model/Markov network",
            "Every edge stays in all contexts; the distribution stays until parameters are fitted.",
            commands.drop,
            needs=[markov, contexts],
        ),
    ]


class _Commands(QObject):
    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._asked: tuple[str, object, float] = ("", None, 1.0)
        self._fitting = LatestTask(self)
        self._fitting.answered.connect(self._on_fitted)
        self._fitting.failed.connect(app.errors.report)

    @property
    def _model_id(self) -> str:
        return self._app.workspace.model_id or ""

    def drop(self) -> None:
        edit = partial(edit_language, edit="drop_contexts", model_id=self._model_id)
        self._app.change("Drop all contexts", edit)

    def fit(self) -> None:
        """In the background; the smoothing is that of the run that made the model."""
        entry = self._app.project.models.get(self._model_id)
        sources = model_sources(self._app)
        rows = sources.rows(self._model_id)
        if entry is None or rows is None:
            return
        smoothing = float(getattr(sources.params(self._model_id), "smoothing", 1.0))
        self._asked = (self._model_id, entry.model, smoothing)
        self._fitting.ask(partial(_fitted, entry, rows.data, smoothing))

    def _on_fitted(self, fitted: FittedMarkovNetwork) -> None:
        model_id, model, smoothing = self._asked
        entry = self._app.project.models.get(model_id)
        if entry is None or entry.model is not model:  # it was edited in the meantime
            return
        how = partial(edit_from_rows, edit="fit_parameters", model_id=model_id, smoothing=smoothing)
        edit = Computed(how, partial(edited_model, model_id=model_id, model=fitted.network))
        if self._app.change("Fit parameters", edit):
            self._app.notify(fit_text(fitted), undo=True)


def _fitted(
    entry: ModelEntry, data: DataSet, smoothing: float, cancel: CancelToken
) -> FittedMarkovNetwork:
    model = entry.model
    assert isinstance(model, MarkovNetwork)
    return run_to_end(fit(model.structure, data, smoothing=smoothing, cancel=cancel))


def fit_text(fitted: FittedMarkovNetwork) -> str:
    """How the parameters were fitted, as a message."""
    how = "exactly" if fitted.is_exact else "by pseudo-likelihood, an approximation"
    steps = (
        "in closed form"
        if fitted.method == CLOSED_FORM
        else f"in {counted(fitted.iterations, 'step')}"
    )
    rows = counted(round(fitted.total_weight), "row")
    return " ".join((f"Fitted to {rows} {how}, {steps}.", *fitted.notes))
