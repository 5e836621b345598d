"""Trails: active ones are witnesses of connection, and blocked ones say what blocks them."""

from __future__ import annotations

from itertools import chain, combinations, pairwise

import networkx
import numpy as np
import pytest

from pgmstudio.core.errors import GraphError, UnknownNameError
from pgmstudio.core.graphs import separation as trails
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.separation import Meeting, separation_of
from tests.oracles.graphs import separated_in_moral_graph
from tests.strategies import random_dag

ASIA = [
    ("asia", "tub"),
    ("smoke", "lung"),
    ("smoke", "bronc"),
    ("tub", "either"),
    ("lung", "either"),
    ("either", "xray"),
    ("either", "dysp"),
    ("bronc", "dysp"),
]
NAMES = ("asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp")


@pytest.fixture
def asia() -> Dag:
    return Dag.from_edges(NAMES, ASIA)


def test_a_collider_is_opened_by_itself_or_by_a_descendant(asia: Dag) -> None:
    apart = separation_of(asia, "asia", "smoke")
    assert apart.is_separated
    assert apart.sentence == "asia ⟂ smoke"
    assert {block.node for trail in apart.blocked for block in trail.blocks} == {"either", "dysp"}
    assert all(b.meeting is Meeting.COLLIDER for trail in apart.blocked for b in trail.blocks)
    joined = separation_of(asia, "asia", "smoke", ["xray"])
    assert joined.sentence == "asia and smoke are connected given xray"
    assert [str(trail) for trail in joined.active] == ["asia → tub → either ← lung ← smoke"]


def test_a_known_fork_blocks_and_is_named(asia: Dag) -> None:
    result = separation_of(asia, "lung", "bronc", ["smoke"])
    assert result.is_separated
    through_smoke = next(trail for trail in result.blocked if "smoke" in trail.nodes)
    assert [str(block) for block in through_smoke.blocks] == ["smoke is known"]
    below = next(trail for trail in result.blocked if "dysp" in trail.nodes)
    assert "neither it nor a descendant" in str(below.blocks[0])


def test_what_is_irrelevant_is_everything_separated_from_the_first(asia: Dag) -> None:
    result = separation_of(asia, "xray", "dysp", ["either"])
    assert result.irrelevant == {"asia", "tub", "smoke", "lung", "bronc", "dysp"}


@pytest.mark.parametrize("seed", range(8))
def test_trails_agree_with_separation_in_the_moral_graph_of_ancestors(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"X{i}" for i in range(6)]
    dag = random_dag(rng, names, density=0.45)
    skeleton = networkx.Graph(dag.edges)
    skeleton.add_nodes_from(names)
    for a, b in combinations(range(6), 2):
        rest = [n for n in range(6) if n not in (a, b)]
        every = {tuple(p) for p in networkx.all_simple_paths(skeleton, names[a], names[b])}
        for known in chain.from_iterable(combinations(rest, size) for size in range(5)):
            given = [names[k] for k in known]
            result = separation_of(dag, names[a], names[b], given)
            assert result.is_separated == separated_in_moral_graph(dag, [a], [b], known)
            assert (names[b] in result.irrelevant) == result.is_separated
            # Every trail is listed once, either active or blocked.
            listed = [trail.nodes for trail in (*result.active, *result.blocked)]
            assert sorted(listed) == sorted(every)
            assert all(not trail.blocks for trail in result.active)
            assert all(trail.blocks for trail in result.blocked)
            lengths = [len(trail.nodes) for trail in result.active]
            assert lengths == sorted(lengths)


def test_arrows_of_a_trail_are_those_of_the_graph(asia: Dag) -> None:
    for trail in separation_of(asia, "asia", "bronc", ["dysp"]).active:
        for (a, b), arrow in zip(pairwise(trail.nodes), trail.arrows, strict=True):
            assert asia.has_edge(a, b) if arrow == "→" else asia.has_edge(b, a)


def test_more_trails_than_can_be_listed_are_admitted(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"X{i}" for i in range(8)]
    dag = Dag.from_edges(names, list(combinations(names, 2)))
    result = separation_of(dag, "X0", "X7")
    assert result.has_more
    assert len(result.active) == trails.MAX_TRAILS
    assert str(result.active[0]) == "X0 → X7"  # the shortest come first
    monkeypatch.setattr(trails, "MAX_STEPS", 3)
    assert separation_of(dag, "X0", "X7").has_more


def test_a_variable_cannot_be_asked_about_twice(asia: Dag) -> None:
    with pytest.raises(GraphError, match="itself"):
        separation_of(asia, "asia", "asia")
    with pytest.raises(GraphError, match="both queried and known"):
        separation_of(asia, "asia", "dysp", ["dysp"])
    with pytest.raises(UnknownNameError, match="Did you mean"):
        separation_of(asia, "asia", "dyspp")
