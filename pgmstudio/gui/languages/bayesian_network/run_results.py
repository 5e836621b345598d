"""Results of learning Bayesian networks: restarts and independence tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import log

import numpy as np

from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    LoggedTest,
    TestLog,
    numbers_of,
)
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
)
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.neighbourhood import (
    ClassRules,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_observed
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.number_format import counted, decimal, grouped
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.weighted_canvas import FrequencyCanvas
from pgmstudio.gui.context import AppContext, Selection
from pgmstudio.gui.languages.bayesian_network.search_steps import NUMBER_COLUMNS
from pgmstudio.gui.navigation import open_learn_page
from pgmstudio.gui.plots.scan_plots import RestartPlot
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.results.content import (
    ModelOpening,
    ResultContent,
    ResultFoot,
    ResultState,
    ResultTable,
    ResultView,
)
from pgmstudio.gui.runs.results.fields import ComboField, ResultField, SegmentsField, SliderField
from pgmstudio.gui.widgets.table import Column

_VIEWS = (
    ("scores", "Scores", "The runs of each k in the order of their scores."),
    ("times", "Time", "How long runs took, by k."),
    ("edges", "Shared edges", "How many optima have each edge."),
)
_WEIGHTS = (
    ("optima", "of optima", "Every distinct optimum counts once."),
    ("runs", "of runs", "An optimum counts as often as it was reached."),
)
_RESTART_COLUMNS = (
    Column(
        "Score ↑",
        lambda score: decimal(score, 1),
        True,
        tip="Higher is better.",
        explains="Score (graph)",
    ),
    Column("Runs", str, True, tip="How many runs ended here."),
    Column(
        "Fraction",
        lambda fraction: f"{100 * fraction:.1f} %",
        True,
        tip="Of all runs.",
        explains="Fraction (of all)",
    ),
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
                _RESTART_COLUMNS,
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


# α runs over four powers of ten on the slider, as differences between small ones matter.
_STEPS, _MIN_ALPHA, _MAX_ALPHA = 160, 1e-4, 0.5
_RESULTS = (
    ("all", "All", "Every test."),
    ("independent", "Independent", "Tests that found no dependence."),
    ("dependent", "Dependent", "Tests that found a dependence."),
    ("doubtful", "Few rows", "Tests with fewer than 5 rows per degree of freedom."),
)
_TEST_COLUMNS = (
    Column("No.", str, True),
    Column("A", str),
    Column("B", str),
    Column("Given", lambda names: ", ".join(names) or "∅", stretches=True),
    *NUMBER_COLUMNS,
    Column("Result", str),
)


def tests_content(tests: TestLog, state: ResultState) -> ResultContent:
    """The tests about a pair of variables or all, with one result or any."""
    one, other = state.value("one", None), state.value("other", None)
    wanted = state.value("found", "all")
    pair = [name for name in (one, other) if name is not None]
    about = {id(test) for test in tests.about(*pair)} if pair else None
    shown = [
        _row(number, test)
        for number, test in enumerate(tests.tests, start=1)
        if (about is None or id(test) in about) and _has_result(test, wanted)
    ]
    part = f"{grouped(len(shown))} of " if len(shown) < tests.made else ""
    is_cut = len(tests.tests) < tests.made
    cut = "; of each pair the decisive test is listed" if is_cut else ""
    titles: dict[str | None, str] = {None: "any variable", **{n: n for n in tests.names}}
    tip = "Only tests about this variable; two of them: why there is no edge."
    return ResultContent(
        facts=f"{part}{counted(tests.made, 'test')}{cut} · {tests.threshold}",
        fields=(
            ComboField("one", one, titles, tip, "Pair"),
            ComboField("other", other, titles, tip, "–"),
            SegmentsField("found", wanted, _RESULTS),
        ),
        note=tests.why(one, other) if one and other and one != other else "",
        tables=(ResultTable("table", "Tests in the order they were made", _TEST_COLUMNS, shown),),
        foot=_what_if(tests, state) if tests.rule.test in ("g2", "chi2") else None,
        select=lambda selection: _selected_pair(tests, selection),
    )


def _has_result(test: LoggedTest, wanted: str) -> bool:
    if wanted == "doubtful":
        return not test.outcome.reliable
    return wanted == "all" or test.outcome.independent is (wanted == "independent")


def _row(number: int, test: LoggedTest) -> tuple[object, ...]:
    outcome = test.outcome
    text = "independent" if outcome.independent else "dependent"
    return (
        number,
        test.a,
        test.b,
        test.given,
        *numbers_of(outcome),
        text if outcome.reliable else f"{text}, few rows",
    )


def _selected_pair(tests: TestLog, selection: Selection) -> Mapping[str, str]:
    """The selected edge or the first two selected nodes."""
    pair = selection.edges[0] if selection.edges else selection.nodes[:2]
    is_known = len(pair) == 2 and {*pair} <= {*tests.names}
    return {"one": pair[0], "other": pair[1]} if is_known else {}


def _what_if(tests: TestLog, state: ResultState) -> ResultFoot:
    """What another α would decide otherwise, without a further test."""
    own = max(tests.rule.alpha, _MIN_ALPHA)
    start = round(_STEPS * min(1.0, log(own / _MIN_ALPHA) / log(_MAX_ALPHA / _MIN_ALPHA)))
    step = state.value("alpha", start)
    alpha = tests.rule.alpha
    if step != start:
        alpha = float(f"{_MIN_ALPHA * (_MAX_ALPHA / _MIN_ALPHA) ** (step / _STEPS):.2g}")
    turned = sum(
        (test.outcome.p_value > alpha) is not test.outcome.independent for test in tests.tests
    )

    def learn_again(app: AppContext, task: LearnTask) -> None:
        params = replace(task.params, alpha=alpha)
        if state.data_id is not None:
            title, key = state.run_title, task.learner_key
            request = RunRequest(title, key, params, task.seed, data_id=state.data_id)
            open_learn_page(app).fill(request)

    return ResultFoot(
        f"With α = {alpha:g}, {grouped(turned)} of these would find otherwise.",
        SliderField(
            "alpha",
            step,
            "Another significance level",
            "What these tests would find at another α.",
            limits=(0, _STEPS),
        ),
        "Learn with this α…",
        "The settings of this run with the other α, to be started again.",
        learn_again,
    )
