"""The compiled boundary against listing, the sampled one against the exact one."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import (
    Pdag,
    bits_of,
    cpdag_of,
    member_of,
    parent_choices,
    with_joined,
    with_left,
    with_turned,
)
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.neighbourhood import (
    ADDITIONS,
    FIRST_ROOM,
    REMOVALS,
    TURNS,
    ClassRules,
    ExactBoundary,
    GainRows,
    Proposal,
    SampledBoundary,
    draws_needed,
)
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import score_of
from tests.core.graphs.small_dags import (
    ClassKey,
    all_classes,
    key_of,
    lower_boundary,
    turned_boundary,
    upper_boundary,
)
from tests.oracles.graphs import can_join, turning_parents
from tests.strategies import domain_of, random_dag, random_network

BOTH = ADDITIONS | REMOVALS


def gains_on(data: DataSet, score: str = "bic") -> GainRows:
    rules = ClassRules(EdgeRules.of(data.domain.names, None, None))
    return GainRows(FamilyScores(data, score_of(score, data.total_weight)), rules)


def rows(seed: int, variables: int, count: int = 100) -> DataSet:
    rng = np.random.default_rng(seed)
    return random_network(rng, variables, density=0.6).sample(count, rng)


def all_of(
    boundary: ExactBoundary, cpdag: Pdag, greediness: float, kinds: int = BOTH, least: float = 1e-7
) -> list[Proposal]:
    rng = np.random.default_rng(0)
    return list(boundary.proposals(cpdag, least, greediness, kinds, rng, NEVER))


def test_the_sampled_boundary_scores_more_families_than_there_is_room_for_at_first() -> None:
    """The array of gains grows while a gain is read from it."""
    data = rows(3, 8)
    gains = gains_on(data)
    rng = np.random.default_rng(0)
    boundary = SampledBoundary(gains)
    for _ in range(60):
        start = cpdag_of(random_dag(rng, data.domain.names))
        list(boundary.proposals(start, math.inf, 0.0, BOTH, rng, NEVER))
        if len(gains.values) > FIRST_ROOM:
            return
    pytest.fail("there was room for all")


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([BOTH, TURNS]))
def test_each_better_neighbour_comes_once_with_what_it_gains(
    seed: int, greediness: float, kinds: int
) -> None:
    rng = np.random.default_rng(seed)
    data = rows(seed, 4)
    keys = list(all_classes(4))
    boundary = ExactBoundary(gains_on(data))
    scores = boundary.gains.scores
    # The boundary keeps what it can from class to class, so several in a row.
    for key in (keys[k] for k in rng.integers(len(keys), size=3)):
        members = all_classes(4)[key]
        own = scores.total(members[0].parent_indices)
        known = {
            near: scores.total(all_classes(4)[near][0].parent_indices) - own
            for near in boundary_of(members, kinds)
        }
        expected = {near: gain for near, gain in known.items() if gain > 1e-7}
        names = data.domain.names
        reported = all_of(boundary, Pdag(names, *_masks(cpdag_of(members[0]))), greediness, kinds)
        result = {
            key_of(Dag(tuple("ABCD"), member_of(proposal.cpdag).parent_indices)): proposal.gain
            for proposal in reported
        }
        assert len(reported) == len(result)
        assert result == pytest.approx(expected)


def boundary_of(members: tuple[Dag, ...], kinds: int) -> set[ClassKey]:
    if kinds == TURNS:
        return turned_boundary(members)
    return upper_boundary(members) | lower_boundary(members)


def _masks(graph: Pdag) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return graph.parent_masks, graph.neighbour_masks


@pytest.mark.parametrize("seed", range(2))
def test_more_nodes_than_a_word_has_bits_make_no_difference(seed: int) -> None:
    """70 nodes take two words; compared with the same rules on whole numbers."""
    rng = np.random.default_rng(seed)
    n = 70
    domain = domain_of([2] * n)
    data = DataSet(domain, rng.integers(0, 2, (n, 12)).astype(np.uint8))
    cpdag = cpdag_of(random_dag(rng, domain.names, density=2.2 / n))
    boundary = ExactBoundary(gains_on(data, "aic"))
    result = Counter(p.cpdag for p in all_of(boundary, cpdag, 0.0))
    turned = Counter(p.cpdag for p in all_of(boundary, cpdag, 0.0, TURNS))
    expected: set[Pdag] = set()
    expected_turned: set[Pdag] = set()
    gains = boundary.gains
    for node in range(n):
        for clique in parent_choices(cpdag, node):
            above = cpdag.parent_masks[node] | clique
            row = gains.values[gains.row(node, above, NEVER)]
            better = set(np.flatnonzero(row > 1e-7).tolist())
            for other in better & set(bits_of(above)):
                expected.add(with_left(cpdag, other, node, clique))
            for other in better - set(bits_of(above)):
                if can_join(cpdag, other, node, clique):
                    expected.add(with_joined(cpdag, other, node, clique))
            for other in range(n):
                near = turning_parents(cpdag, node, other, clique)
                if near is not None:
                    below = gains.row(other, cpdag.parent_masks[other] | near, NEVER)
                    if row[other] + gains.values[below, node] > 1e-7:
                        expected_turned.add(with_turned(cpdag, node, other, clique))
    assert max(result.values()) == max(turned.values()) == 1
    assert set(result) == expected
    assert set(turned) == expected_turned


def test_additions_and_removals_can_be_asked_for_alone() -> None:
    data = rows(2, 6)
    boundary = ExactBoundary(gains_on(data, "aic"))
    cpdag = cpdag_of(random_dag(np.random.default_rng(1), data.domain.names))
    more = {p.cpdag for p in all_of(boundary, cpdag, 0.0, ADDITIONS)}
    fewer = {p.cpdag for p in all_of(boundary, cpdag, 0.0, REMOVALS)}
    assert {graph.edge_count for graph in more} == {cpdag.edge_count + 1}
    assert {graph.edge_count for graph in fewer} == {cpdag.edge_count - 1}
    assert {p.cpdag for p in all_of(boundary, cpdag, 0.0)} == more | fewer


def test_greediness_1_proposes_in_order_of_gain() -> None:
    data = rows(3, 7)
    boundary = ExactBoundary(gains_on(data, "aic"))
    reported = [p.gain for p in all_of(boundary, cpdag_of(Dag.empty(data.domain.names)), 1.0)]
    assert reported == sorted(reported, reverse=True)


def test_greediness_0_takes_every_better_neighbour_equally_often() -> None:
    data = rows(5, 5)
    boundary = ExactBoundary(gains_on(data, "aic"))
    start = cpdag_of(Dag.empty(data.domain.names))
    better = len(all_of(boundary, start, 0.0))
    rng = np.random.default_rng(7)
    draws = 200 * better
    first = Counter(
        next(boundary.proposals(start, 1e-7, 0.0, BOTH, rng, NEVER)).cpdag for _ in range(draws)
    )
    assert len(first) == better
    for times in first.values():
        assert times == pytest.approx(200, abs=5 * math.sqrt(200))


def test_a_share_takes_the_best_of_that_many_neighbours() -> None:
    """The chance that the best of B is among ⌊kB⌋ of them is ⌊kB⌋ / B."""
    data = rows(6, 5)
    boundary = ExactBoundary(gains_on(data, "aic"))
    start = cpdag_of(Dag.empty(data.domain.names))
    every = all_of(boundary, start, 1.0)
    size = math.floor(0.5 * len(every))
    rng = np.random.default_rng(8)
    first = Counter(
        next(boundary.proposals(start, 1e-7, 0.5, BOTH, rng, NEVER)).cpdag for _ in range(800)
    )
    fraction = size / len(every)
    spread = math.sqrt(fraction * (1 - fraction) / 800)
    assert first[every[0].cpdag] / 800 == pytest.approx(fraction, abs=5 * spread)
    worst = {p.cpdag for p in every[len(every) - size + 1 :]}
    assert not worst & first.keys()


@pytest.mark.parametrize(
    ("greediness", "draws"), [(0.0, 1), (0.1, 11), (0.5, 69), (0.8, 161), (0.9, 230), (1.0, 688)]
)
def test_draws_needed_are_the_smallest_number_that_is_expected_to_cover_the_share(
    greediness: float, draws: int
) -> None:
    assert draws_needed(greediness, 100) == draws  # acceptance check 17
    fraction = min(greediness, 0.999)
    # Eq. 4.30 as printed sums to R − 1, and so quotes 162 and 231; eq. B.3 sums to R.
    printed = draws_needed(greediness, 100, as_printed=True)
    assert {0.8: 162, 0.9: 231}.get(greediness, printed) == printed
    for wanted, left_out in ((draws, 0), (printed, 1)):
        expected = [sum(0.99**i for i in range(r - left_out)) / 100 for r in range(1, wanted + 1)]
        assert expected[-1] >= fraction
        assert all(value < fraction for value in expected[:-1])


@pytest.mark.parametrize("index", range(0, 185, 23))
def test_sampling_draws_every_neighbour_and_nothing_else(index: int) -> None:
    # Algorithm 4.4
    members = list(all_classes(4).values())[index]
    cpdag = cpdag_of(members[0])
    data = rows(1, 4)
    gains = gains_on(DataSet(domain_of([2] * 4), data.codes % 2))
    boundary = SampledBoundary(gains)
    names = gains.rules.names
    rng = np.random.default_rng(0)
    drawn: set[object] = set()
    for kinds in (ADDITIONS, REMOVALS, TURNS):
        for _ in range(30):
            # Everything counts as better, so that every draw is proposed.
            reported = boundary.proposals(
                Pdag(names, *_masks(cpdag)), -math.inf, 0.0, kinds, rng, NEVER
            )
            graphs = [member_of(proposal.cpdag) for proposal in reported]
            edges = {len(dag.edges) - cpdag.edge_count for dag in graphs}
            assert edges <= {{ADDITIONS: 1, REMOVALS: -1, TURNS: 0}[kinds]}
            drawn |= {key_of(Dag(tuple("ABCD"), dag.parent_indices)) for dag in graphs}
    assert drawn == boundary_of(members, BOTH) | boundary_of(members, TURNS)


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.sampled_from([BOTH, TURNS]))
def test_what_is_sampled_is_among_the_better_neighbours(seed: int, kinds: int) -> None:
    data = rows(seed, 5)
    gains = gains_on(data)
    cpdag = cpdag_of(random_dag(np.random.default_rng(seed), data.domain.names))
    exact = {p.cpdag: p.gain for p in all_of(ExactBoundary(gains), cpdag, 0.0, kinds)}
    rng = np.random.default_rng(seed)
    reported = list(SampledBoundary(gains).proposals(cpdag, 1e-7, 0.2, kinds, rng, NEVER))
    assert all(p.gain == pytest.approx(exact[p.cpdag]) for p in reported)


def test_gains_stay_right_when_more_are_kept_than_there_was_room_for() -> None:
    gains = gains_on(rows(9, 8, count=60))
    families = [
        (child, parents)
        for child in range(8)
        for parents in range(256)
        if not parents >> child & 1 and parents.bit_count() <= 3
    ]
    assert len(families) > FIRST_ROOM
    indices = [gains.row(child, parents, NEVER) for child, parents in families]
    for (child, parents), index in zip(families, indices, strict=True):
        other = (child + 1) % 8
        own = gains.scores.local(child, bits_of(parents))
        changed = gains.scores.local(child, bits_of(parents ^ 1 << other))
        assert gains.values[index, other] == pytest.approx(changed - own)


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_a_class_obeys_rules_exactly_when_one_of_its_members_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    allowed = (rng.random((4, 4)) < 0.75).astype(np.uint8)
    np.fill_diagonal(allowed, 0)
    required = np.zeros_like(allowed)
    if allowed[0, 2]:
        required[0, 2] = rng.random() < 0.5
    names = ("A", "B", "C", "D")
    rules = ClassRules(EdgeRules(names, allowed, required, 4))
    for members in all_classes(4).values():
        obeying = [
            dag
            for dag in members
            if all(
                (allowed[p, c] or p not in dag.parent_indices[c])
                and (not required[p, c] or p in dag.parent_indices[c])
                for p, c in product(range(4), repeat=2)
            )
        ]
        cpdag = cpdag_of(members[0])
        assert (rules.narrowed(cpdag) is not None) == bool(obeying)
        if obeying:
            assert rules.member(cpdag) in obeying
        else:
            with pytest.raises(ValueError, match="no member"):
                rules.member(cpdag)
