"""Structural EM, completions of rows, and imputation by a model."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError
from pgmstudio.core.execution.events import NEVER, Note, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network import missing_cells
from pgmstudio.core.languages.bayesian_network.learning.missing_data.em import EmLearner, EmParams
from pgmstudio.core.languages.bayesian_network.learning.missing_data.imputation import (
    completed,
    impute_by_model,
)
from pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing import (
    HillClimbLearner,
    HillClimbParams,
)
from pgmstudio.core.languages.bayesian_network.learning.structural_em import (
    StructuralEmLearner,
    StructuralEmParams,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.likelihood import log2_likelihood
from pgmstudio.core.learning.base import Finished, ImprovedModel
from pgmstudio.core.scores.local import score_of
from tests.strategies import random_network, small_networks, with_missing

seeds = st.integers(0, 2**32 - 1)


def chain(rows: int = 800, fraction: float = 0.25) -> tuple[BayesianNetwork, DataSet]:
    """X0 → X1 → … → X5, each nearly its parent, with cells missing at random."""
    domain = Domain.of({f"X{i}": ("a", "b") for i in range(6)})
    dag = Dag.from_edges(domain.names, itertools.pairwise(domain.names))
    copy = np.array([[0.9, 0.1], [0.2, 0.8]])
    network = BayesianNetwork(domain, dag, (np.array([0.5, 0.5]), *[copy] * 5))
    rng = np.random.default_rng(4)
    return network, with_missing(rng, network.sample(rows, rng), fraction)


def run(data: DataSet, **chosen: Any) -> list[Any]:
    rng = np.random.default_rng(1)
    params = StructuralEmParams(**chosen)
    return list(StructuralEmLearner().run(data, params, rng=rng, cancel=NEVER))


@settings(max_examples=30)
@given(small_networks(max_variables=5, max_cardinality=3), seeds)
def test_completions_have_the_expected_counts_exactly_where_they_are_all_listed(
    network: BayesianNetwork, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    data = with_missing(rng, network.sample(8, rng), 0.5)
    rows = completed(network, data, copies=3**5, rng=rng)
    assert not rows.has_missing
    assert rows.total_weight == pytest.approx(data.total_weight)
    everything = range(len(network.domain))
    counts = joint_counts(rows, everything)
    expected = np.zeros(counts.shape)
    joint = _joint(network)
    for codes in data.codes.T:
        seen = tuple(slice(None) if c == data.missing_code else int(c) for c in codes)
        part = np.zeros(counts.shape)
        part[seen] = joint[seen]
        expected += part / part.sum()
    assert counts == pytest.approx(expected, abs=1e-9)


def _joint(network: BayesianNetwork) -> np.ndarray[Any, np.dtype[np.float64]]:
    cards = network.domain.cardinalities
    cases = np.array(list(itertools.product(*map(range, cards))), dtype=np.uint8)
    chances = np.exp2(network.log2_probabilities(DataSet(network.domain, cases.T)))
    return np.asarray(chances).reshape(cards)


@pytest.mark.parametrize("by_tree", [False, True])
def test_draws_have_nearly_the_expected_counts(
    by_tree: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = random_network(np.random.default_rng(6), variables=7, density=0.5)
    rng = np.random.default_rng(7)
    data = with_missing(rng, network.sample(3000, rng), 0.6)
    if by_tree:
        monkeypatch.setattr(missing_cells, "_too_large", lambda _layout, sizes: sizes > 1)
    rows = completed(network, data, copies=5, rng=rng)
    assert rows.total_weight == pytest.approx(3000)
    filled = data.codes != data.missing_code
    assert filled.any()
    parents = network.dag.parent_indices
    for child, table in enumerate(network.tables):
        counts = joint_counts(rows, (*parents[child], child))
        totals = counts.sum(axis=-1, keepdims=True)
        often = np.broadcast_to(totals, counts.shape) > 200
        assert (counts / np.maximum(totals, 1))[often] == pytest.approx(table[often], abs=0.12)


def test_imputing_by_a_model_keeps_rows_order_and_observed_cells() -> None:
    network, data = chain()
    filled = impute_by_model(network, data, np.random.default_rng(2))
    seen = data.codes != data.missing_code
    assert not filled.has_missing
    assert np.array_equal(filled.codes[seen], data.codes[seen])
    again = impute_by_model(network, data, np.random.default_rng(2))
    assert np.array_equal(filled.codes, again.codes)
    # A missing cell between two equal neighbours is nearly always as they are.
    codes = data.codes
    between = (codes[2] == data.missing_code) & (codes[1] == 0) & (codes[3] == 0)
    assert (filled.codes[2, between] == 0).mean() > 0.9


def test_imputing_matches_columns_by_name_and_leaves_strange_ones() -> None:
    network, data = chain(rows=50)
    other = Domain.of({"strange": ("x", "y"), "X3": ("b", "a"), "X2": ("b", "a")})
    codes = np.array([np.zeros(50), data.codes[3], data.codes[2]], dtype=np.uint8)
    codes[1:] = np.where(codes[1:] == 255, 255, 1 - codes[1:])
    codes[0, :9] = 255
    filled = impute_by_model(network, DataSet(other, codes), np.random.default_rng(2))
    assert filled.missing_counts == (9, 0, 0)
    assert filled.domain["X3"] == network.domain["X3"]
    for name in ("X2", "X3"):
        seen = data.column(name) != data.missing_code
        assert np.array_equal(filled.column(name)[seen], data.column(name)[seen])
    with pytest.raises(DataError, match="no column in common"):
        impute_by_model(network, filled.select_columns(["strange"]), np.random.default_rng(2))


@pytest.mark.parametrize("search", ["hill-climb", "kes"])
def test_the_chain_behind_holes_is_found(search: str) -> None:
    network, data = chain()
    last = run(data, search=search)[-1]
    assert isinstance(last, Finished)
    result = {frozenset(edge) for edge in last.model.edges}  # type: ignore[attr-defined]
    assert result == {frozenset(edge) for edge in network.edges}


@settings(max_examples=10)
@given(seeds, st.sampled_from(["bic", "aic"]))
def test_the_score_is_that_of_the_observed_cells_and_never_falls(seed: int, score: str) -> None:
    rng = np.random.default_rng(seed)
    network = random_network(rng, variables=5, density=0.6)
    data = with_missing(rng, network.sample(120, rng), 0.3)
    events = run(data, score=score, smoothing=0.0, restarts=1)
    scores = [
        e.counters["score"] for e in events if isinstance(e, Progress) and "score" in e.counters
    ]
    assert scores == sorted(scores)
    result = [event for event in events if isinstance(event, ImprovedModel)]
    best: Any = result[-1].model
    value = log2_likelihood(best, data)
    cost = score_of(score, 120).cost_per_parameter * best.representation_size()
    # The tables of a round gain less than a ten-thousandth bit per row, those handed out less.
    assert result[-1].measures["score"] == pytest.approx(value - cost, abs=1e-2 * 120)
    assert value - cost >= result[-1].measures["score"] - 1e-6


def test_without_missing_cells_it_is_the_search_alone() -> None:
    _, holed = chain()
    data = holed.complete_rows()
    last: Any = run(data, restarts=3, smoothing=1.0)[-1]
    rng = np.random.default_rng(1)
    rng.integers(2**63)
    params = HillClimbParams(restarts=3, smoothing=1.0)
    *_, alone = HillClimbLearner().run(data, params, rng=rng, cancel=NEVER)
    assert isinstance(alone, Finished)
    assert last.model.edges == alone.model.edges  # type: ignore[attr-defined]


def test_rules_hold_in_every_round() -> None:
    _, data = chain()
    rules = Knowledge(
        required=frozenset({("X5", "X0"), ("X4", "X0"), ("X3", "X0")}),
        forbidden=frozenset({("X1", "X2"), ("X2", "X1")}),
    )
    for event in run(data, knowledge=rules):
        if isinstance(event, ImprovedModel | Finished):
            assert rules.violations(event.model.edges) == []  # type: ignore[attr-defined]


def test_a_variable_of_the_start_that_is_no_column_is_hidden_and_used() -> None:
    network, data = chain(fraction=0.0)
    middle = "X2"
    shown = data.select_columns([name for name in data.domain.names if name != middle])
    last = run(shown, start=network)[-1]
    assert isinstance(last, Finished)
    assert middle in last.model.domain
    rng = np.random.default_rng(1)
    *_, by_em = EmLearner().run(shown, EmParams(start=network), rng=rng, cancel=NEVER)
    assert isinstance(by_em, Finished)


def test_edges_of_the_start_that_rules_forbid_are_left_out_and_reported() -> None:
    network, data = chain()
    rules = Knowledge(forbidden=frozenset({("X0", "X1")}))
    reported = run(data, start=network, knowledge=rules, rounds=1)
    notes = [event.message for event in reported if isinstance(event, Note)]
    assert any("1 edge of the start" in note for note in notes)
