"""NPC: necessary paths, ambiguous regions and their resolution."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.execution.events import NEVER, CancelToken, Note
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.pdag import cpdag_of
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.ambiguity import (
    Paths,
    Separations,
    decide,
    needed,
    regions,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.npc import (
    Edge,
    NpcLearner,
    NpcParams,
    NpcResult,
    _search,
    npc_search,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import (
    PcParams,
    pc_result,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    StatedIndependencies,
)
from pgmstudio.core.scores.independence import Outcome
from tests.core.learning.lecture_data import CORONARY, LECTURE_ORACLE, DagOracle
from tests.strategies import random_dag


def npc_result(
    data: DataSet,
    params: NpcParams,
    chosen: Mapping[Edge, bool] | None = None,
    cancel: CancelToken = NEVER,
) -> NpcResult:
    """The result of NPC on the data with these settings and choices, with the log of every test."""
    return run_to_end(_search(data, params, cancel, chosen))


# Either of B and C makes the other superfluous for A: each edge may go only if the other stays.
EITHER = StatedIndependencies("ABC", [("A", "B", "C"), ("A", "C", "B")])


def edges_of(result: NpcResult) -> set[str]:
    return {"".join(edge) for edge in result.skeleton.edges}


def test_where_tests_explain_each_other_it_finds_what_pc_finds() -> None:
    result = run_to_end(npc_search(LECTURE_ORACLE))
    assert set(result.pdag.directed) == {("A", "C"), ("B", "C"), ("C", "D")}
    assert result.regions == ()


@settings(max_examples=50)
@given(st.integers(0, 2**32), st.integers(2, 7), st.sampled_from([0.3, 0.5, 0.8]))
def test_exact_tests_find_the_class_and_leave_nothing_ambiguous(
    seed: int, nodes: int, density: float
) -> None:
    dag = random_dag(np.random.default_rng(seed), [f"v{i}" for i in range(nodes)], density)
    result = run_to_end(npc_search(DagOracle(dag)))
    assert result.pdag == cpdag_of(dag)
    assert result.regions == ()


def test_two_edges_that_need_each_other_are_an_ambiguous_region() -> None:
    result = run_to_end(npc_search(EITHER))
    (region,) = result.regions
    assert [link.edge for link in region.links] == [("A", "B"), ("A", "C")]
    assert [link.depends_on for link in region.links] == [(("A", "C"),), (("A", "B"),)]
    assert [link.kept for link in region.links] == [True, False]
    assert edges_of(result) == {"AB", "BC"}
    assert str(region) == "Ambiguous region of 2 edges: kept A – B; left out A – C."


def test_a_person_may_choose_in_a_region() -> None:
    assert edges_of(run_to_end(npc_search(EITHER, chosen={("C", "A"): True}))) == {"AC", "BC"}
    assert edges_of(run_to_end(npc_search(EITHER, chosen={("A", "B"): False}))) == {"AC", "BC"}
    both = {("A", "B"): True, ("A", "C"): True}
    assert edges_of(run_to_end(npc_search(EITHER, chosen=both))) == {"AB", "AC", "BC"}
    with pytest.raises(UnknownNameError):
        run_to_end(npc_search(EITHER, chosen={("A", "X"): True}))


def test_a_separation_that_nothing_can_explain_does_not_remove_the_edge() -> None:
    # Z is independent of everything, so no path can lead to it.
    oracle = StatedIndependencies("ABZ", [("A", "B", "Z"), ("A", "Z", ""), ("B", "Z", "")])
    result = run_to_end(npc_search(oracle))
    assert edges_of(result) == {"AB"}
    assert result.regions == ()


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(3, 6))
def test_whatever_tests_say_every_missing_edge_is_explained_by_paths(seed: int, nodes: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(nodes)]
    stated = [
        (a, b, [n for n in names if n not in (a, b) and rng.random() < 0.4])
        for a, b in itertools.combinations(names, 2)
        for _ in range(3)
        if rng.random() < 0.5
    ]
    result = run_to_end(npc_search(StatedIndependencies(names, stated)))
    paths = Paths(result.skeleton.adjacent)
    for a, b in itertools.combinations(range(nodes), 2):
        if not result.skeleton.adjacent[a] >> b & 1:
            given_ = result.skeleton.separated[a, b].given
            assert paths.explain((a, b), sum(1 << names.index(z) for z in given_))
    # Of every region something stays, and each uncertain edge is in one region.
    links = [link.edge for region in result.regions for link in region.links]
    assert len(links) == len({*links})
    for region in result.regions:
        assert any(link.kept for link in region.links)
        for link in region.links:
            assert link.depends_on
            assert {*link.depends_on} <= {other.edge for other in region.links}
            assert link.kept is (
                "-".join(link.edge) in {"-".join(e) for e in result.skeleton.edges}
            )


def test_paths_go_round_the_other_end() -> None:
    # 0 – 1 – 2, and 3 alone.
    paths = Paths((0b0010, 0b0101, 0b0010, 0))
    assert paths.reached(0, 3) == 0b0111
    assert paths.reached(0, 1) == 0b0001
    assert paths.explain((0, 2), 0b0010)
    assert not paths.explain((0, 2), 0b1000)
    assert paths.explain((0, 3), 0)


def test_only_edges_on_a_path_are_needed() -> None:
    # 0 and 1 may be separated by 2, and 0 and 2 by 1; 3 hangs on 2 and 4 on 3.
    everything = tuple((1 << 5) - 1 & ~(1 << i) for i in range(5))
    sets = {(0, 1): [0b00100], (0, 2): [0b00010]} | {
        pair: [0] for pair in ((0, 3), (0, 4), (1, 3), (1, 4), (2, 4))
    }
    result = Separations(everything, sets)
    decision = decide(result, {})
    assert decision.ambiguous == ((0, 1), (0, 2))
    needs = needed(result, decision)
    assert needs == {(0, 1): ((0, 2),), (0, 2): ((0, 1),)}
    assert regions(needs) == [((0, 1), (0, 2))]


def copies(rows: int = 500) -> DataSet:
    """b and c the same, and a a noisy look at them."""
    rng = np.random.default_rng(5)
    b = rng.integers(0, 2, rows)
    a = np.where(rng.random(rows) < 0.2, 1 - b, b)
    return DataSet(Domain.of(dict.fromkeys("abc", ("0", "1"))), np.array([a, b, b], dtype=np.uint8))


def test_copies_do_not_cut_a_column_off_as_they_do_with_pc() -> None:
    data = copies()
    assert {"".join(edge) for edge in pc_result(data, PcParams()).skeleton.edges} == {"bc"}
    result = npc_result(data, NpcParams())
    assert len(result.regions) == 1
    assert len(result.skeleton.edges) == 2
    reported = [
        event.message
        for event in NpcLearner().run(
            data, NpcParams(smoothing=1.0), rng=np.random.default_rng(0), cancel=NEVER
        )
        if isinstance(event, Note)
    ]
    assert reported[0] == str(result.regions[0])


def test_of_an_ambiguous_region_the_edge_with_most_information_stays() -> None:
    class Telling(StatedIndependencies):
        """A and C have more mutual information than A and B."""

        def test(
            self, a: int, b: int, given: Sequence[int], cancel: CancelToken = NEVER
        ) -> Outcome:
            reported = super().test(a, b, given, cancel)
            return dataclasses.replace(reported, bits=0.5 if (a, b) == (0, 2) else 0.3)

    oracle = Telling("ABC", [("A", "B", "C"), ("A", "C", "B")])
    assert edges_of(run_to_end(npc_search(oracle))) == {"AC", "BC"}


def test_every_edge_that_stays_was_tested_against_all_its_neighbours() -> None:
    result = npc_result(CORONARY, NpcParams(alpha=0.01))
    names = result.skeleton.names
    asked = {(t.a, t.b, frozenset(t.given)) for t in result.tests}
    near = {n: {b for a, b in result.skeleton.edges if a == n} for n in names}
    for a, b in result.skeleton.edges:
        near[b].add(a)
    for a, b in result.skeleton.edges:
        for end, other in ((a, b), (b, a)):
            for size in range(4):
                for given_ in itertools.combinations(sorted(near[end] - {other}), size):
                    match = {
                        frozenset(t.given)
                        for t in result.tests_about(a, b)
                        if t.outcome.independent
                    }
                    assert (a, b, frozenset(given_)) in asked or any(
                        smaller <= {*given_} for smaller in match
                    )


def test_required_edges_stay_and_forbidden_pairs_are_apart() -> None:
    rules = Knowledge(
        required=frozenset({("B", "A")}), forbidden=frozenset({("B", "C"), ("C", "B")})
    )
    result = run_to_end(npc_search(EITHER, rules))
    assert edges_of(result) == {"AB"} | {"AC"}
    assert ("B", "A") in result.dag.edges
