"""Beliefs in labelled graphs: those of the network written out, by cases where that is cheaper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.errors import ImpossibleEvidenceError
from pgmstudio.core.graphs.junction_tree import clique_tree_of
from pgmstudio.core.inference.base import Done, Observed
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.ldag import contexts as context_cases
from pgmstudio.core.languages.ldag.contexts import Cases, best_cases
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.session import LabelledDagSession
from pgmstudio.core.languages.sessions import most_probable_together
from tests.labelled_dags import labelled, random_labelled
from tests.oracles.brute_force import BruteForceSession
from tests.strategies import domain_of, findings


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), data=st.data())
def test_answers_are_those_of_brute_force_in_any_cases(seed: int, data: st.DataObject) -> None:
    model = random_labelled(np.random.default_rng(seed), 5, merges=0.7, zeros=0.2)
    chosen = data.draw(st.lists(st.integers(0, 4), unique=True, max_size=2))
    session = LabelledDagSession(model, Cases(tuple(sorted(chosen)), 0, 0))
    slow = BruteForceSession(model)
    names = data.draw(st.lists(st.sampled_from(model.domain.names), unique=True, max_size=4))
    evidence = {name: data.draw(findings(model.domain[name])) for name in names}
    try:
        slow.set_all(evidence)
    except ImpossibleEvidenceError:
        with pytest.raises(ImpossibleEvidenceError):
            session.set_all(evidence)
        return
    session.set_all(evidence)
    assert session.log2_evidence() == pytest.approx(slow.log2_evidence(), abs=1e-11)
    assert session.log2_most_probable() == pytest.approx(slow.log2_most_probable(), abs=1e-11)
    for name in model.domain.names:
        assert session.belief(name).values == pytest.approx(slow.belief(name).values, abs=1e-12)


def switch(width: int) -> LabelledDag:
    """A switch decides which half of its many parents the last variable listens to."""
    names = [f"X{i}" for i in range(2 * width + 2)]
    domain = domain_of([2] * len(names))
    sources, target = names[1:-1], names[-1]
    edges = [(names[0], target), *((source, target) for source in sources)]
    labels: dict[tuple[str, str], list[tuple[int, ...]]] = {}
    for number, source in enumerate(sources):
        deaf = 1 if number < width else 0
        others = 2 * width - 1
        labels[source, target] = [(deaf, *bits) for bits in np.ndindex(*(2,) * others)]
    return labelled(domain, edges, labels)


def test_looking_for_cases_ends_when_it_has_cost_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports ask for the size after a run was stopped, so it must not take a minute."""
    model = random_labelled(np.random.default_rng(1), 12, merges=0.5)
    trees = list[object]()

    def counted(*args: Any) -> Any:
        trees.append(args)
        return clique_tree_of(*args)

    monkeypatch.setattr(context_cases, "clique_tree_of", counted)
    monkeypatch.setattr(context_cases, "_MAX_CHECKS", 1)
    best_cases.cache_clear()
    result = best_cases(model)
    best_cases.cache_clear()
    assert result.cells <= result.whole_cells
    assert 0 < len(trees) <= max(model.domain.cardinalities)  # the cases of one variable


def test_cases_cut_the_tables_of_a_switch() -> None:
    model = switch(4)
    result = best_cases(model)
    assert result.variables == (0,)
    assert result.whole_cells == 2 ** (2 * 4 + 2)
    assert model.effective_size() == result.cells < result.whole_cells / 8
    session = LabelledDagSession(model)
    session.set_evidence("X9", Observed("s1"))
    slow = BruteForceSession(model)
    slow.set_evidence("X9", Observed("s1"))
    for name in model.domain.names:
        assert session.belief(name).values == pytest.approx(slow.belief(name).values, abs=1e-12)


def test_joints_and_the_most_probable_states_hold_what_was_done() -> None:
    model = switch(2)
    findings = {"X1": Done("s1"), "X5": Observed("s0")}
    session, plain = LabelledDagSession(model), JunctionTreeSession(model.as_bayesian_network)
    for one in (session, plain):
        one.set_all(findings)
    for names in (["X1", "X2"], ["X2", "X1"], ["X1", "X5", "X0"]):
        assert session.joint(names) == pytest.approx(plain.joint(names), abs=1e-12)
        result = most_probable_together(model, names, findings).best[0]
        wanted = most_probable_together(model.as_bayesian_network, names, findings).best[0]
        assert result.states == wanted.states
        assert result.log2_probability == pytest.approx(wanted.log2_probability, abs=1e-12)


def test_what_is_set_from_outside_is_answered_by_the_network_written_out() -> None:
    model = switch(2)
    session, plain = LabelledDagSession(model), JunctionTreeSession(model.as_bayesian_network)
    for one in (session, plain):
        one.set_all({"X1": Done("s1"), "X5": Observed("s0")})
    assert session.log2_evidence() == pytest.approx(plain.log2_evidence(), abs=1e-12)
    assert session.log2_most_probable() == pytest.approx(plain.log2_most_probable(), abs=1e-12)
    for name in model.domain.names:
        assert session.belief(name).values == pytest.approx(plain.belief(name).values, abs=1e-12)
