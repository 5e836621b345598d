"""The log of a search by tests: every test with its numbers, by pair: why is there no edge?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import log

from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    LoggedTest,
    TestLog,
)
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.context import AppContext, Selection
from pgmstudio.gui.navigation import open_learn_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.results.content import (
    ResultContent,
    ResultFoot,
    ResultState,
    ResultTable,
)
from pgmstudio.gui.runs.results.fields import ComboField, SegmentsField, SliderField
from pgmstudio.gui.widgets.table import Column

# α runs over four powers of ten on the slider, as differences between small ones matter.
_STEPS, _MIN_ALPHA, _MAX_ALPHA = 160, 1e-4, 0.5
_RESULTS = (
    ("all", "All", "Every test."),
    ("independent", "Independent", "Tests that found no dependence."),
    ("dependent", "Dependent", "Tests that found a dependence."),
    ("doubtful", "Few rows", "Tests with fewer than 5 rows per degree of freedom."),
)
_COLUMNS = (
    Column("No.", str, True),
    Column("A", str),
    Column("B", str),
    Column("Given", lambda names: ", ".join(names) or "∅", stretches=True),
    Column("Statistic", lambda value: f"{value:.4g}".replace("-", "−"), True),
    Column("df", str, True, tip="Degrees of freedom."),
    Column("p-value", lambda p: f"{p:.3g}".replace("-", "−"), True),
    Column("Bits", lambda bits: f"{bits:.4f}", True, tip="The (conditional) information gain."),
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
        tables=(ResultTable("table", "Tests in the order they were made", _COLUMNS, shown),),
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
        outcome.statistic,
        outcome.freedom,
        outcome.p_value,
        outcome.bits,
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
