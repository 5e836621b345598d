"""Restarts of KES over processes, what they keep, a start of one's own, and many columns."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice, pairwise

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import NEVER, CancelToken, Note, Progress, StopSwitch
from pgmstudio.core.experiments.generators.random_models import RandomBnParams, random_network
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.pdag import cpdag_of
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
)
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.search import (
    ClimbEvent,
    ClimbResult,
    KesLearner,
    KesParams,
    SearchProgress,
    in_plan_order,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import restored
from pgmstudio.core.learning.base import ArtifactSaved, Finished, ImprovedModel, LearnEvent
from tests.contracts.test_learners import differences, rows, with_missing

SETTINGS = KesParams(greediness=(1.0, 0.4, 0.0), restarts=4, smoothing=1.0)


def task(params: KesParams = SETTINGS, data: DataSet | None = None) -> LearnTask:
    return LearnTask("bn.kes", rows(1, 200, (2, 3, 2, 2, 3)) if data is None else data, params, 5)


def with_processes(count: int) -> KesParams:
    return KesParams(greediness=(1.0, 0.4, 0.0), restarts=4, smoothing=1.0, processes=count)


def artifact_in(events: list[LearnEvent]) -> list[KesOptima]:
    return [
        event.artifact
        for event in events
        if isinstance(event, ArtifactSaved) and isinstance(event.artifact, KesOptima)
    ]


@pytest.mark.parametrize("is_missing", [False, True])
@pytest.mark.slow
def test_any_number_of_processes_reports_the_same_events_to_the_last_bit(is_missing: bool) -> None:
    data = rows(1, 200, (2, 3, 2, 2, 3))
    data = with_missing(data) if is_missing else data
    one = list(task(with_processes(1), data)(NEVER))
    count = 2 if is_missing else 3
    assert differences(one, list(task(with_processes(count), data)(NEVER))) == []


@pytest.mark.slow
def test_a_run_in_a_child_process_may_spread_over_processes_of_its_own() -> None:
    wanted = task(with_processes(2))
    assert differences(list(task()(NEVER)), list(in_process(wanted, NEVER))) == []


@pytest.mark.slow
def test_a_stop_while_processes_climb_keeps_the_optima_found_so_far() -> None:
    wanted = task(KesParams(greediness=(0.2,), restarts=2000, smoothing=1.0, processes=2))
    switch = StopSwitch()
    seen: list[LearnEvent] = []
    with suppress(Cancelled):
        for event in wanted(switch):
            seen.append(event)
            if sum(isinstance(e, Progress) for e in seen) == 20:
                switch.cancel()
    assert switch.is_cancelled
    last = artifact_in(seen)[-1]
    finished = [
        e.counters["runs"] for e in seen if isinstance(e, Progress) if e.counters.get("runs")
    ]
    assert len(last.runs) == max(finished)
    assert any(isinstance(event, ImprovedModel) for event in seen)


def test_events_of_climbs_side_by_side_come_in_the_order_of_the_plan() -> None:
    cpdag = cpdag_of(random_network(RandomBnParams(variables=3), np.random.default_rng(0)).dag)

    def step(number: int) -> ClimbEvent:
        return SearchProgress(number, -1.0, 0, "", None, None)

    end = ClimbResult(9, -1.0, cpdag, False, 0.0)
    mixed = [(1, step(1)), (2, end), (0, step(2)), (1, end), (0, end), (3, step(3)), (3, end)]
    assert list(in_plan_order(mixed)) == [
        (0, step(2)),
        (0, end),
        (1, step(1)),
        (1, end),
        (2, end),
        (3, step(3)),
        (3, end),
    ]


def test_the_run_keeps_every_local_optimum_with_its_frequency() -> None:
    events = list(task()(NEVER))
    kept = artifact_in(events)
    final, last = kept[-1], events[-1]
    assert isinstance(last, Finished)
    assert [len(one.runs) for one in kept] == sorted({len(one.runs) for one in kept})
    assert len(final.runs) == 1 + 4 + 4 == last.measures["runs"]
    assert sum(optimum.runs for optimum in final.optima) == len(final.runs)
    assert final.best.score == last.measures["score"]
    assert isinstance(last.model, BayesianNetwork)
    assert final.best.cpdag == cpdag_of(last.model.dag)
    for optimum in final.optima:
        met = {run.greediness for run in final.runs if run.cpdag == optimum.cpdag}
        assert set(optimum.greedinesses) == met


def test_the_optima_come_back_from_plain_values() -> None:
    final = artifact_in(list(task()(NEVER)))[-1]
    assert restored("optima", final.plain()) == final
    assert restored("optima", {"names": []}) is None  # half a file
    assert restored("something else", {}) is None
    head, reported = final.table()
    assert len(reported) == len(final.runs)
    assert all(len(row) == len(head) for row in reported)
    times = [final.mean_seconds(k) for k in final.greedinesses]
    assert sum(times) > 0


def test_progress_reports_k_the_restart_the_last_move_and_what_was_met() -> None:
    reported = [event for event in task()(NEVER) if isinstance(event, Progress)]
    ends = [p for p in reported if p.message.endswith("at a local optimum")]
    assert [p.message for p in ends[:2]] == [
        "k = 1: at a local optimum",
        "k = 0.4, restart 1 of 4: at a local optimum",
    ]
    assert [p.counters["runs"] for p in ends] == [*range(1, 10)]
    assert [p.counters["restart"] for p in ends] == [*range(1, 10)]
    steps = [p.counters["step"] for p in reported if "step" in p.counters]
    assert steps == sorted(steps)
    best = [p.counters["best score"] for p in reported if "best score" in p.counters]
    assert best == sorted(best)
    assert ends[-1].counters["distinct optima"] == len(artifact_in(list(task()(NEVER)))[-1].optima)


def test_a_start_is_where_every_run_begins() -> None:
    data = rows(3, 300, (2, 2, 3, 2, 2))
    best = LearnTask("bn.kes", data, KesParams(greediness=(1.0,), smoothing=1.0), 0)
    *_, last = best(NEVER)
    assert isinstance(last, Finished)
    model = last.model
    assert isinstance(model, BayesianNetwork)
    again = KesParams(greediness=(1.0,), smoothing=1.0, start=model)
    events = list(LearnTask("bn.kes", data, again, 0)(NEVER))
    (optima,) = artifact_in(events)[-1:]
    # A local optimum has no better neighbour, so nothing is left to do.
    assert [run.steps for run in optima.runs] == [0]
    assert optima.best.cpdag == cpdag_of(model.dag)


def test_edges_of_a_start_that_the_rules_forbid_are_left_out_and_reported() -> None:
    data = rows(3, 300, (2, 2, 3, 2, 2))
    *_, last = LearnTask("bn.kes", data, KesParams(greediness=(1.0,), smoothing=1.0), 0)(NEVER)
    assert isinstance(last, Finished)
    assert isinstance(last.model, BayesianNetwork)
    one, other = last.model.edges[0]
    rules = Knowledge(forbidden=frozenset({(one, other), (other, one)}))
    params = KesParams(greediness=(1.0,), smoothing=1.0, start=last.model, knowledge=rules)
    events = list(LearnTask("bn.kes", data, params, 0)(NEVER))
    notes = [event.message for event in events if isinstance(event, Note)]
    assert notes[0] == "The rules do not allow 1 edge of the start; the search begins without."


class _PressedAfter:
    """A token that is pressed when it was asked so many times."""

    is_paused = False

    def __init__(self, times: int) -> None:
        self.left = times
        self.asked_after = 0

    @property
    def is_cancelled(self) -> bool:
        self.left -= 1
        return self.left < 0

    def raise_if_cancelled(self) -> None:
        if self.is_cancelled:
            raise Cancelled


@pytest.mark.slow
@pytest.mark.parametrize("variables", [441, 1000])
def test_hundreds_of_columns_are_searched_with_progress_that_moves(variables: int) -> None:
    params = RandomBnParams(variables=variables, max_parents=2, most_states=2)
    rng = np.random.default_rng(1)
    data = random_network(params, rng).sample(300, rng)
    settings = KesParams(greediness=(1.0,), smoothing=1.0)
    run = KesLearner().run(data, settings, rng=rng, cancel=NEVER)
    reported = (
        e.counters["score"] for e in run if isinstance(e, Progress) if "score" in e.counters
    )
    scores = list(islice(reported, 120))
    assert len(scores) == 120
    assert all(before < after for before, after in pairwise(scores))


def test_a_stop_is_heard_in_every_phase_of_a_search_over_many_columns() -> None:
    params = RandomBnParams(variables=150, max_parents=2, most_states=2)
    rng = np.random.default_rng(1)
    data = random_network(params, rng).sample(200, rng)
    for times in (0, 5, 120, 200, 400):
        token: CancelToken = _PressedAfter(times)
        events = KesLearner().run(
            data, KesParams(greediness=(1.0,)), rng=np.random.default_rng(0), cancel=token
        )
        with pytest.raises(Cancelled):
            list(events)
