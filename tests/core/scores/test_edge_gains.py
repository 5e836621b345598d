"""What adding, removing and reversing an edge changes, against the score of whole graphs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.errors import CycleError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.scores.edge_gains import edge_gains, moves_between
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import SCORES, score_of
from tests.strategies import random_dag, random_network


def scores(seed: int, name: str) -> tuple[FamilyScores, Dag]:
    rng = np.random.default_rng(seed)
    network = random_network(rng, 5, cardinalities=[2, 3, 2, 2, 3])
    data = network.sample(150, rng)
    return (
        FamilyScores(data, score_of(name, data.total_weight)),
        random_dag(rng, network.domain.names, 0.5),
    )


@given(st.integers(0, 10_000), st.sampled_from(SCORES))
@settings(max_examples=25)
def test_a_gain_is_the_difference_of_the_scores_of_both_graphs(seed: int, name: str) -> None:
    family, dag = scores(seed, name)
    before = family.total(dag.parent_indices)
    steps = {
        "add": lambda a, b: dag.with_edge(a, b),
        "remove": lambda a, b: dag.without_edge(a, b),
        "reverse": lambda a, b: dag.with_reversed(a, b),
    }
    for one in dag.names:
        for other in dag.names:
            if one >= other:
                continue
            joined = dag.has_edge(one, other) or dag.has_edge(other, one)
            moves = moves_between(dag, one, other, family)
            assert [move.action for move in moves] == (
                ["remove", "reverse"] if joined else ["add", "add"]
            )
            for move in moves:
                if move.gain is None:
                    with pytest.raises(CycleError) as refused:
                        steps[move.action](move.source, move.target)
                    assert move.path == refused.value.path
                else:
                    after = family.total(
                        steps[move.action](move.source, move.target).parent_indices
                    )
                    assert move.gain == pytest.approx(after - before, abs=1e-6)


@given(st.integers(0, 10_000))
@settings(max_examples=15)
def test_an_edge_is_worth_what_removing_it_would_lose(seed: int) -> None:
    family, dag = scores(seed, "bic")
    worth = dict(edge_gains(dag, family))
    assert set(worth) == set(dag.edges)
    for edge, bits in worth.items():
        removal, _ = moves_between(dag, *edge, family)
        assert removal.gain == pytest.approx(-bits)


def test_a_table_that_would_be_too_large_has_no_gain() -> None:
    family, _ = scores(1, "bic")
    small = FamilyScores(family.counter.data, family.score, max_table_cells=5)
    dag = Dag.empty(family.counter.data.domain.names)
    (there, _) = moves_between(dag, "X0", "X1", small)
    assert there.gain is None
    assert there.is_too_large
