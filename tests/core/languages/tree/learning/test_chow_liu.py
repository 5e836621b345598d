"""Chow–Liu against all trees and forests, and the specification's fixtures."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.counting import pair_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import CycleError, KnowledgeError, ParameterError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.languages.tree.learning.chow_liu import ChowLiuLearner, ChowLiuParams
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.scores.mutual_information import mutual_information_nats

# mixtures-of-trees.md, fixture F2 of check 15
F2 = DataSet.from_rows(
    Domain.of(dict.fromkeys("abcd", ("0", "1"))),
    ["0000", "0001", "1100", "1110", "1111", "0101", "1011", "0000", "1111", "0010"],
)


def learn(data: DataSet, **settings_: object) -> Finished:
    params = ChowLiuParams(**{"smoothing": 0.0, **settings_})  # type: ignore[arg-type]
    run = ChowLiuLearner().run(data, params, rng=np.random.default_rng(0), cancel=NEVER)
    *_, last = run
    assert isinstance(last, Finished)
    assert isinstance(last.model, Tree)
    return last


def random_rows(seed: int, columns: int, rows: int = 40) -> DataSet:
    rng = np.random.default_rng(seed)
    cards = rng.integers(1, 4, columns)  # 1: a constant column
    domain = Domain.of({f"v{i}": map(str, range(card)) for i, card in enumerate(cards)})
    hidden = rng.integers(0, 6, rows)
    codes = [np.where(rng.random(rows) < 0.4, hidden, rng.integers(0, 6, rows)) % c for c in cards]
    return DataSet(domain, np.array(codes, dtype=np.uint8))


def forests(n: int) -> Iterator[list[tuple[int, int]]]:
    """Every set of edges without a cycle."""
    pairs = list(itertools.combinations(range(n), 2))
    for size in range(n):
        for edges in itertools.combinations(pairs, size):
            group = list(range(n))
            for i, j in edges:
                if group[i] == group[j]:
                    break
                group = [group[j] if g == group[i] else g for g in group]
            else:
                yield list(edges)


FORESTS = {n: list(forests(n)) for n in range(1, 7)}


def test_there_are_as_many_forests_as_there_should_be() -> None:
    assert [len(FORESTS[n]) for n in (4, 5)] == [38, 291]
    assert sum(len(edges) == 5 for edges in FORESTS[6]) == 1296


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.sampled_from([3, 4, 5, 6]))
def test_no_tree_or_forest_is_more_likely(seed: int, columns: int) -> None:
    data = random_rows(seed, columns)
    information = mutual_information_nats(pair_counts(data))
    best = max(sum(information[edge] for edge in edges) for edges in FORESTS[columns])
    learned = learn(data)
    result = sum(
        information[data.domain.index(a), data.domain.index(b)] for a, b in _edges(learned)
    )
    assert result == pytest.approx(best, abs=1e-12)


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.sampled_from([4, 5]), st.sampled_from([0.5, 2.0, 5.0]))
def test_with_a_penalty_no_forest_scores_higher(seed: int, columns: int, beta: float) -> None:
    data = random_rows(seed, columns)
    weights = data.row_count * mutual_information_nats(pair_counts(data)) - beta
    best = max(sum(weights[edge] for edge in edges) for edges in FORESTS[columns])
    learned = learn(data, edge_penalty=beta)
    assert learned.measures["score"] * math.log(2) == pytest.approx(best, abs=1e-9)


def _edges(learned: Finished) -> tuple[tuple[str, str], ...]:
    assert isinstance(learned.model, Tree)
    return learned.model.edges


def test_the_fixture_has_its_edges_and_likelihood() -> None:
    learned = learn(F2)
    edges = {frozenset(edge) for edge in _edges(learned)}
    assert {frozenset("ab"), frozenset("ac")} <= edges
    assert len(edges) == 3
    assert learned.measures["log2_likelihood_per_row"] == pytest.approx(-3.414807, abs=1e-6)
    assert isinstance(learned.model, Tree)
    assert learned.model.log2_probabilities(F2).mean() == pytest.approx(-3.414807, abs=1e-6)


@pytest.mark.parametrize(("beta", "edges"), [(0.2013, 3), (0.2014, 2), (1.9274, 2), (1.9275, 0)])
def test_the_penalty_drops_edges_exactly_at_their_gain(beta: float, edges: int) -> None:
    assert len(_edges(learn(F2, edge_penalty=beta))) == edges


def test_the_bic_penalty_keeps_an_edge_exactly_when_bic_does() -> None:
    # bayesian-networks.md, check 13: BIC prefers the edge on [[30, 10], [20, 40]].
    domain = Domain.of({"x": ("0", "1"), "y": ("0", "1")})
    cells = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.uint8)
    related = DataSet(domain, cells, np.array([30.0, 10, 20, 40]))
    learned = learn(related, penalty="bic")
    assert learned.measures["score"] == pytest.approx(203.738915635 - 194.609718752, abs=1e-6)
    nearly_independent = DataSet(domain, cells, np.array([26.0, 24, 24, 26]))
    assert _edges(learn(nearly_independent, penalty="bic")) == ()


def test_the_root_has_no_parent_and_does_not_change_the_distribution() -> None:
    models = [learn(F2, root=root).model for root in (None, *"abcd")]
    for root, model in zip("abcd", models[1:], strict=True):
        assert isinstance(model, Tree)
        assert model.parents["abcd".index(root)] is None
        expected = models[0].log2_probabilities(F2)  # type: ignore[attr-defined]
        assert model.log2_probabilities(F2) == pytest.approx(expected)


def test_an_unknown_root_is_refused() -> None:
    with pytest.raises(ParameterError, match="root"):
        learn(F2, root="e")


def test_a_constant_column_stays_alone_and_keeps_its_state_certain() -> None:
    domain = Domain.of({"x": ("0", "1"), "same": ("0", "1"), "y": ("0", "1")})
    data = DataSet.from_rows(domain, ["010", "111", "010", "111", "011"])
    learned = learn(data)
    assert {frozenset(edge) for edge in _edges(learned)} == {frozenset(("x", "y"))}
    assert isinstance(learned.model, Tree)
    assert learned.model.tables[1].tolist() == [0.0, 1.0]


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.data())
def test_with_knowledge_no_obedient_tree_is_more_likely(seed: int, draw: st.DataObject) -> None:
    data = random_rows(seed, 4)
    names = data.domain.names
    arcs = [(a, b) for a in names for b in names if a != b]
    forbidden = frozenset(draw.draw(st.sets(st.sampled_from(arcs), max_size=6)))
    order = draw.draw(st.permutations(names))
    required = frozenset(
        arc
        for arc in [(order[0], order[1]), (order[1], order[2])]
        if arc not in forbidden and draw.draw(st.booleans())
    )
    knowledge = Knowledge(required=required, forbidden=forbidden)
    learned = learn(data, knowledge=knowledge)
    assert knowledge.violations(_edges(learned)) == []
    information = mutual_information_nats(pair_counts(data))
    best = -math.inf
    for parents in itertools.product(*[[None, *range(4)] for _ in names]):
        edges = [(names[p], names[c]) for c, p in enumerate(parents) if p is not None]
        if any(c == p for c, p in enumerate(parents)) or knowledge.violations(edges):
            continue
        try:
            Dag.from_edges(names, edges)
        except CycleError:
            continue
        total = sum(information[p, c] for c, p in enumerate(parents) if p is not None)
        best = max(best, float(total))
    result = learned.measures["mutual_information_bits"] * math.log(2)
    assert result == pytest.approx(best, abs=1e-12)


def test_knowledge_that_no_tree_can_obey_is_reported_before_counting() -> None:
    two_parents = Knowledge(required=frozenset({("a", "c"), ("b", "c")}))
    with pytest.raises(KnowledgeError, match="a and b are both required as parents of c"):
        learn(F2, knowledge=two_parents)
    into_root = Knowledge(required=frozenset({("a", "c")}))
    with pytest.raises(KnowledgeError, match="c is to be the root"):
        learn(F2, knowledge=into_root, root="c")


def test_available_cells_are_counted_pair_by_pair_where_that_is_chosen() -> None:
    codes = F2.codes.copy()
    codes[3, :4] = F2.missing_code
    data = DataSet(F2.domain, codes)
    learned = learn(data, missing="available")
    information = mutual_information_nats(pair_counts(data))
    best = max(sum(information[edge] for edge in edges) for edges in FORESTS[4])
    bits = learned.measures["mutual_information_bits"]
    assert bits * math.log(2) == pytest.approx(best)
    assert "log2_likelihood_per_row" not in learned.measures


def test_auto_smoothing_is_reported_and_used() -> None:
    learner = ChowLiuLearner()
    events = list(learner.run(F2, ChowLiuParams(), rng=np.random.default_rng(1), cancel=NEVER))
    last = events[-1]
    assert isinstance(last, Finished)
    assert isinstance(last.model, Tree)
    smoothing = last.measures["smoothing"]
    refitted = fit_tables(F2, last.model.as_bayesian_network.dag, smoothing)
    for table, expected in zip(last.model.tables, refitted.network.tables, strict=True):
        assert np.array_equal(table, expected)
    assert any("10-fold cross-validation between" in str(event) for event in events)
