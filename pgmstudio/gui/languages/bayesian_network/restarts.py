"""The restarts of a k-greedy search: their scores and times, every local optimum, shared edges."""

from __future__ import annotations

from functools import partial

import numpy as np

from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
)
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.neighbourhood import (
    ClassRules,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_observed
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.number_format import counted, decimal
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.weighted_canvas import FrequencyCanvas
from pgmstudio.gui.plots.scan_plots import RestartPlot
from pgmstudio.gui.runs.results.content import (
    ModelOpening,
    ResultContent,
    ResultState,
    ResultTable,
    ResultView,
)
from pgmstudio.gui.runs.results.fields import ResultField, SegmentsField, SliderField
from pgmstudio.gui.widgets.table import Column

_VIEWS = (
    ("scores", "Scores", "The runs of each k in the order of their scores."),
    ("times", "Time", "How long runs took, by k."),
    ("edges", "Shared edges", "How many optima have each edge."),
)
_WEIGHTS = (
    ("optima", "of optima", "Every distinct optimum counts once."),
    ("runs", "of runs", "An optimum counts as often as it was met."),
)
_COLUMNS = (
    Column("Score ↑", lambda score: decimal(score, 1), True, tip="Higher is better."),
    Column("Runs", str, True, tip="How many runs ended here."),
    Column("Fraction", lambda fraction: f"{100 * fraction:.1f} %", True, tip="Of all runs."),
    Column("Edges", str, True),
    Column("Directed", str, True, tip="Edges with one direction in every graph of the class."),
    Column("Greediness k of its runs", lambda ks: ", ".join(f"{k:g}" for k in ks), stretches=True),
)


def restarts_content(optima: KesOptima, state: ResultState) -> ResultContent | None:
    """One of three views, and the local optima."""
    if not optima.runs:
        return None
    what = state.value("view", "scores")
    fields: tuple[ResultField, ...] = (SegmentsField("view", what, _VIEWS),)
    view = ResultView("plot", RestartPlot, lambda plot: plot.show_optima(optima, what))
    if what == "edges":
        weight, least = state.value("weight", "optima"), state.value("least", 10)
        slider = SliderField(
            "least",
            least,
            "Smallest fraction shown, in percent",
            "Edges of fewer are not drawn.",
            text=f"at least {least} %",
        )
        fields = (*fields, SegmentsField("weight", weight, _WEIGHTS), slider)
        frequencies = optima.edge_frequencies(of_runs=weight == "runs")
        view = ResultView(
            "edges",
            partial(FrequencyCanvas, "Edges by the fraction of optima that have them"),
            lambda canvas: canvas.show_frequencies(frequencies, f"of {weight}", least / 100),
        )
    return ResultContent(
        facts=f"{counted(len(optima.runs), 'run')} · "
        f"{counted(len(optima.optima), 'local optimum', 'local optima')} · "
        f"best {decimal(optima.best.score, 1)} in {counted(optima.best.runs, 'run')}",
        fields=fields,
        view=view,
        tables=(
            ResultTable(
                "optima",
                "Local optima, the best first",
                _COLUMNS,
                [
                    (
                        optimum.score,
                        optimum.runs,
                        optimum.runs / len(optima.runs),
                        optimum.cpdag.edge_count,
                        len(optimum.cpdag.directed),
                        optimum.greedinesses,
                    )
                    for optimum in optima.optima
                ],
                best=0,
            ),
        ),
        opening=ModelOpening(
            text="Open as model",
            tip="A graph of the selected class with its tables, as a model of the project.",
            refusal="" if state.data_id is not None else "the data set of this run is gone.",
            fit=partial(_fitted, optima, state),
        ),
    )


def _fitted(
    optima: KesOptima, state: ResultState, task: LearnTask, cancel: CancelToken
) -> ModelEntry:
    """A graph of the class that obeys the rules of the run, with tables fitted as the run does."""
    index, params = state.row or 0, task.params
    optimum = optima.optima[index]
    rules = EdgeRules.of(task.data.domain.names, params.knowledge, params.max_parents)
    network = fit_observed(
        task.data,
        ClassRules(rules).member(optimum.cpdag),
        params.smoothing,
        params.missing,
        rng=np.random.default_rng(task.seed),
        cancel=cancel,
    ).network
    details = {"score": optimum.score, "runs": optimum.runs, "optimum": index + 1}
    provenance = {"made by": f"bn.kes, seed {task.seed}", **details}
    title = f"{state.run_title}, optimum {index + 1}"
    return ModelEntry(title, network, data_id=state.data_id, provenance=provenance)
