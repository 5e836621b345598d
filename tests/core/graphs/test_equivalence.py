"""Reversing covered edges, listing classes, distances."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.errors import GraphError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import Pdag, cpdag_of, hamming_distance, members_of, pattern_of
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import score_of
from tests.core.graphs.small_dags import all_classes, all_dags
from tests.oracles.graphs import covered_edges, with_covered_reversed
from tests.strategies import random_dag, small_networks

NAMES = tuple("ABCDEFGH")


@st.composite
def dags(draw: st.DrawFn) -> Dag:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return random_dag(rng, NAMES[: draw(st.integers(1, 8))], draw(st.sampled_from([0.2, 0.6])))


def test_reversing_keeps_the_class_exactly_for_covered_edges() -> None:
    # Lemma 3.3
    for dag in all_dags(4):
        for source, target in dag.edges:
            if (source, target) in covered_edges(dag):
                turned = with_covered_reversed(dag, source, target)
                assert turned.has_edge(target, source)
                assert turned.is_equivalent_to(dag)
            else:
                with pytest.raises(GraphError, match="cannot be reversed"):
                    with_covered_reversed(dag, source, target)
                without = dag.without_edge(source, target)
                if source not in without.ancestors(target):
                    assert not without.with_edge(target, source).is_equivalent_to(dag)


def test_an_edge_that_is_not_there_cannot_be_reversed() -> None:
    with pytest.raises(GraphError):
        with_covered_reversed(Dag.empty("AB"), "A", "B")


@pytest.mark.parametrize("count", [2, 3, 4])
def test_the_members_of_a_class_are_listed_once_each(count: int) -> None:
    for members in all_classes(count).values():
        listed = list(members_of(cpdag_of(members[0])))
        assert len(listed) == len(members)
        assert set(listed) == set(members)


def test_a_large_class_can_be_listed_in_part() -> None:
    names = [f"v{i}" for i in range(40)]
    star = Dag.from_edges(names, [("v0", name) for name in names[1:]])
    some = list(islice(members_of(cpdag_of(star)), 7))
    assert len(set(some)) == 7
    assert all(dag.is_equivalent_to(star) for dag in some)


@settings(max_examples=40)
@given(
    small_networks(),
    st.integers(0, 2**32),
    st.sampled_from(["bic", "aic", "bdeu", "lambda"]),
    st.floats(0, 1),
)
def test_all_members_of_a_class_score_equally(
    network: BayesianNetwork, seed: int, name: str, lambda_: float
) -> None:
    # acceptance check 6; λ = 0 is the likelihood
    data = network.sample(80, np.random.default_rng(seed))
    scores = FamilyScores(data, score_of(name, 80, lambda_=lambda_), max_table_cells=10**9)
    expected = scores.total(network.dag.parent_indices)
    for dag in islice(members_of(cpdag_of(network.dag)), 20):
        assert abs(scores.total(dag.parent_indices) - expected) <= 1e-9 * abs(expected)
        sizes = {BayesianNetwork.uniform(network.domain, d) for d in (dag, network.dag)}
        assert len({model.representation_size() for model in sizes}) == 1


@given(dags(), dags())
def test_distance_is_one_of_a_metric_space(one: Dag, other: Dag) -> None:
    graphs: list[Dag | Pdag] = [one, other, cpdag_of(one), pattern_of(other)]
    for a in graphs:
        assert hamming_distance(a, a) == 0
        for b in graphs:
            assert hamming_distance(a, b) == hamming_distance(b, a)
            for c in graphs:
                assert hamming_distance(a, c) <= hamming_distance(a, b) + hamming_distance(b, c)


def test_distance_counts_each_pair_once() -> None:
    chain = Dag.from_edges("ABC", [("A", "B"), ("B", "C")])
    turned = Dag.from_edges("ABC", [("B", "A"), ("A", "C")])
    # A–B reversed, B–C gone, A–C new
    assert hamming_distance(chain, turned) == 3
    assert hamming_distance(chain, cpdag_of(chain)) == 2
    collider = Dag.from_edges("ABC", [("A", "B"), ("C", "B")])
    assert hamming_distance(cpdag_of(chain), cpdag_of(collider)) == 2


def test_distance_goes_by_names_not_by_places() -> None:
    edges = [("A", "B"), ("C", "B"), ("B", "D")]
    one, other = Dag.from_edges("ABCD", edges), Dag.from_edges("DCBA", edges)
    assert hamming_distance(one, other) == 0
    assert hamming_distance(cpdag_of(one), cpdag_of(other)) == 0
