"""d-separation: by legal edge pairs, by the moral graph of ancestors, by hand."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest

from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.separation import dsep_set
from tests.oracles.graphs import separated_in_moral_graph
from tests.strategies import random_dag


@pytest.mark.parametrize("seed", range(6))
def test_both_criteria_agree_for_every_source_and_every_known_set(seed: int) -> None:
    # Acceptance check 7: random DAGs of 7 nodes.
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, [f"X{i}" for i in range(7)], density=0.35)
    nodes = range(7)
    for source in nodes:
        others = [n for n in nodes if n != source]
        subsets = chain.from_iterable(combinations(others, size) for size in range(7))
        for known in subsets:
            apart = dsep_set(dag, [source], known)
            for target in others:
                if target not in known:
                    expected = separated_in_moral_graph(dag, [source], [target], known)
                    assert (target in apart) == expected


@pytest.mark.parametrize("seed", range(3))
def test_both_criteria_agree_for_several_sources(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    dag = random_dag(rng, [f"X{i}" for i in range(7)], density=0.3)
    for sources in chain.from_iterable(combinations(range(7), size) for size in range(2, 7)):
        rest = [n for n in range(7) if n not in sources]
        for known in chain.from_iterable(combinations(rest, size) for size in range(len(rest))):
            apart = dsep_set(dag, sources, known)
            for target in set(rest) - set(known):
                expected = separated_in_moral_graph(dag, sources, [target], known)
                assert (target in apart) == expected


def test_a_collider_separates_until_it_or_a_descendant_is_known() -> None:
    dag = Dag.from_edges("xyzd", [("x", "z"), ("y", "z"), ("z", "d")])
    x, y, z, d = range(4)
    assert dsep_set(dag, [x], []) == {y}
    assert dsep_set(dag, [x], [z]) == {d}
    assert dsep_set(dag, [x], [d]) == set()


def test_a_chain_and_a_fork_are_cut_by_their_middle() -> None:
    for edges in ([("x", "z"), ("z", "y")], [("z", "x"), ("z", "y")]):
        dag = Dag.from_edges("xyz", edges)
        assert dsep_set(dag, [0], []) == set()
        assert dsep_set(dag, [0], [2]) == {1}


def test_known_sources_still_reach_their_neighbours() -> None:
    dag = Dag.from_edges("ab", [("a", "b")])
    assert dsep_set(dag, [0], [0]) == set()
