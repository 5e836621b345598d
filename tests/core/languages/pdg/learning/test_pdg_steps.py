"""Walking through a run: every operation in turn, and the same result as without."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER, StopSwitch
from pgmstudio.core.languages.pdg.learning.forest import chain
from pgmstudio.core.languages.pdg.learning.learner import PdgLearner
from pgmstudio.core.languages.pdg.learning.params import PdgParams
from pgmstudio.core.languages.pdg.learning.search import replayed
from pgmstudio.core.languages.pdg.learning.state import Batch, PdgRows, PdgState
from pgmstudio.core.languages.pdg.measures import refitted
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.learning.base import LearnEvent, SearchStep
from tests.contracts.test_learners import differences
from tests.decision_graphs import random_graph, two_trees
from tests.strategies import all_cases

PARAMS = PdgParams(lambdas=(0.5, 0.9), forest="chain", population=1, max_sweeps=5)


def rows_of_two_trees() -> DataSet:
    return two_trees().sample(300, np.random.default_rng(1))


def learned(cancel: StopSwitch | None = None) -> list[LearnEvent]:
    """All events; with a switch, a step is requested after each."""
    result = []
    rng = np.random.default_rng(3)
    for event in PdgLearner().run(rows_of_two_trees(), PARAMS, rng=rng, cancel=cancel or NEVER):
        result.append(event)
        if cancel is not None and isinstance(event, SearchStep) and cancel.is_stepping:
            cancel.step()
    return result


@settings(max_examples=8)
@given(st.integers(0, 10_000))
def test_the_steps_lead_from_the_graph_before_to_the_one_after(seed: int) -> None:
    rng = np.random.default_rng(seed)
    true = random_graph(rng, cardinalities=(2, 3, 2, 2, 3))
    data, domain = true.sample(300, rng), true.domain
    state = PdgState(PdgRows(data), chain(rng.permutation(5).tolist()))
    lambda_, limits = 0.6, [2.0] * 5
    targets = [partial(state.split, 0.1, rng)] * 3
    for act in [*targets, state.redirect, partial(state.merge, limits), state.redirect]:
        before = state.copy()
        record: list[Batch] = []
        state.record = record
        count = act()
        state.record = None
        steps = list(replayed(before, record, lambda_))
        assert len(steps) == count
        if not steps:
            continue
        assert steps[-1].graph.node_counts == state.graph().node_counts
        assert sum(s.bits for s in steps) == pytest.approx(
            state.log2_likelihood() - before.log2_likelihood(), abs=1e-6
        )
        assert sum(s.size for s in steps) == state.size() - before.size()
        assert sum(s.score for s in steps) == pytest.approx(
            state.score(lambda_) - before.score(lambda_), abs=1e-6
        )
        whole = all_cases(domain)
        after = refitted(state.graph(), data)
        assert steps[-1].graph.log2_probabilities(whole) == pytest.approx(
            after.log2_probabilities(whole), abs=1e-9
        )


def test_a_run_that_is_walked_through_ends_as_one_that_is_not() -> None:
    plain = learned()
    assert not any(isinstance(event, SearchStep) for event in plain)
    switch = StopSwitch()
    switch.pause()
    switch.step()
    walked = learned(switch)
    steps = [event for event in walked if isinstance(event, SearchStep)]
    others = [event for event in walked if not isinstance(event, SearchStep)]
    assert differences(plain, others) == []
    assert {"Split", "Merge", "Redirect"} == {step.text.split()[0] for step in steps}
    for step in steps:
        assert isinstance(step.model, DecisionGraph)
        assert step.touched
        for name, node in step.touched:
            assert node < step.model.node_counts[step.model.domain.index(name)]
        if step.text.startswith("Merge"):
            assert step.gains["score"] > 0


def test_resuming_gives_no_further_step() -> None:
    switch = StopSwitch()
    switch.pause()
    switch.step()
    rng, count = np.random.default_rng(3), 0
    for event in PdgLearner().run(rows_of_two_trees(), PARAMS, rng=rng, cancel=switch):
        if isinstance(event, SearchStep):
            count += 1
            if count == 5:
                switch.resume()
            else:
                switch.step()
    assert count == 5
