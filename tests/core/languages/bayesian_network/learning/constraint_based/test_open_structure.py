"""What tests leave open: choices typed and clicked, and what follows from them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.graphs.pdag import cpdag_of, members_of
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.ambiguity import (
    Choices,
    OpenStructure,
    read_choices,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.npc import (
    NpcLearner,
    NpcParams,
    npc_search,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import (
    PcLearner,
    PcParams,
    pc_search,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    StatedIndependencies,
    TestLog,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.learners import restored
from pgmstudio.core.learning.base import ArtifactSaved, Finished, LearnEvent
from pgmstudio.core.learning.edge_constraints import EdgeRules
from tests.core.learning.lecture_data import CORONARY, K2_DEMO, DagOracle
from tests.strategies import random_dag

# Either of B and C makes the other superfluous for A: each edge may go only if the other stays.
EITHER = StatedIndependencies("ABC", [("A", "B", "C"), ("A", "C", "B")])


def rules_of(names: tuple[str, ...]) -> EdgeRules:
    return EdgeRules.of(names, None, None)


def noisy(seed: int, columns: int = 6, count: int = 60) -> DataSet:
    """Few rows of columns that depend on each other: tests contradict each other."""
    rng = np.random.default_rng(seed)
    hidden = rng.integers(0, 2, (2, count))
    flipped = rng.random((columns, count)) < 0.25
    codes = [np.where(f, 1 - hidden[i % 2], hidden[i % 2]) for i, f in enumerate(flipped)]
    domain = Domain.of({f"v{i}": "01" for i in range(columns)})
    return DataSet(domain, np.array(codes, dtype=np.uint8))


def events(data: DataSet, choose: str | None = None, *, npc: bool = True) -> list[LearnEvent]:
    learner = NpcLearner() if npc else PcLearner()
    params = (NpcParams if npc else PcParams)(smoothing=1.0, choose=choose)
    rng = np.random.default_rng(1)
    return list(learner.run(data, params, rng=rng, cancel=NEVER))  # type: ignore[arg-type]


def model_of(reported: list[LearnEvent]) -> BayesianNetwork:
    last = reported[-1]
    assert isinstance(last, Finished)
    assert isinstance(last.model, BayesianNetwork)
    return last.model


def open_of(reported: list[LearnEvent]) -> OpenStructure:
    (result,) = (
        event.artifact
        for event in reported
        if isinstance(event, ArtifactSaved) and isinstance(event.artifact, OpenStructure)
    )
    return result


def test_a_region_asks_which_edge_is_needed_with_the_p_values() -> None:
    result = run_to_end(npc_search(EITHER)).open
    (region,) = result.resolved(Choices(), rules_of(result.names)).regions
    assert region.question == "Either A – B (p = 1) or A – C (p = 1) is needed."


def test_keeping_one_edge_of_a_region_lets_the_other_go() -> None:
    result = run_to_end(npc_search(EITHER)).open
    for kept, gone in ((("A", "B"), ("A", "C")), (("A", "C"), ("A", "B"))):
        after = result.resolved(Choices({kept: True}), rules_of(result.names))
        assert kept in after.skeleton.edges
        assert gone not in after.skeleton.edges
        assert after.regions == ()


def test_a_choice_about_an_edge_that_is_not_uncertain_is_refused_with_the_reason() -> None:
    result = run_to_end(npc_search(EITHER)).open
    with pytest.raises(ParameterError, match="B – C is certain"):
        result.resolved(Choices({("B", "C"): False}), rules_of(result.names))
    passed_over = result.resolved(
        Choices({("B", "C"): False}), rules_of(result.names), lenient=True
    )
    assert passed_over.choices.is_empty


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(3, 7), st.sampled_from([0.3, 0.6]))
def test_a_direction_leaves_exactly_the_members_that_have_it(
    seed: int, nodes: int, density: float
) -> None:
    dag = random_dag(np.random.default_rng(seed), [f"v{i}" for i in range(nodes)], density)
    result = run_to_end(pc_search(DagOracle(dag)))
    outcome = OpenStructure.of_skeleton(result.skeleton)
    rules = rules_of(outcome.names)
    members = list(members_of(cpdag_of(dag)))
    for one, other in outcome.resolved(Choices(), rules).free_edges:
        for edge in ((one, other), (other, one)):
            after = outcome.resolved(Choices(directions=(edge,)), rules)
            left = [m for m in members if m.has_edge(*edge)]
            assert after.orientation.dag in left
            # Directed are exactly the edges common to all of them.
            shared = set.intersection(*(set(m.edges) for m in left))
            assert set(after.orientation.pdag.directed) == shared


def test_a_direction_that_the_rest_excludes_is_refused() -> None:
    # A – B – C without a v-structure at B: A → B leaves only B → C.
    oracle = StatedIndependencies("ABC", [("A", "C", "B")])
    result = OpenStructure.of_skeleton(run_to_end(pc_search(oracle)).skeleton)
    rules = rules_of(result.names)
    after = result.resolved(Choices(directions=(("A", "B"),)), rules)
    assert after.orientation.dag.edges == (("A", "B"), ("B", "C"))
    assert not after.is_open
    with pytest.raises(ParameterError, match="C → B is impossible: the other edges imply B → C"):
        result.resolved(Choices(directions=(("A", "B"), ("C", "B"))), rules)
    with pytest.raises(ParameterError, match="There is no edge A – C to direct"):
        result.resolved(Choices(directions=(("A", "C"),)), rules)


@settings(max_examples=15)
@given(st.integers(0, 2**32))
def test_what_is_kept_resolves_as_a_whole_run_with_the_same_choices(seed: int) -> None:
    """The window decides from the artifact of the run, the command line from the data."""
    data = noisy(seed)
    reported = events(data)
    result = open_of(reported)
    rules = rules_of(result.names)
    before = result.resolved(Choices(), rules)
    choices = Choices()
    for region in before.regions[:1]:
        link = region.links[-1]
        choices = choices.with_edge(link.edge, not link.kept)
    after = result.resolved(choices, rules)
    for edge in after.free_edges[:1]:
        choices = choices.with_direction((edge[1], edge[0]))
    after = result.resolved(choices, rules)
    assert set(model_of(reported).edges) == set(before.orientation.dag.edges)
    assert set(model_of(events(data, str(choices) or None)).edges) == set(
        after.orientation.dag.edges
    )


def test_deciding_everything_as_it_is_drawn_changes_nothing_and_leaves_nothing_open() -> None:
    for seed in range(12):
        result = open_of(events(noisy(seed)))
        rules = rules_of(result.names)
        before = result.resolved(Choices(), rules)
        choices = Choices()
        for region in before.regions:
            for link in region.links:
                choices = choices.with_edge(link.edge, link.kept)
        dag = before.orientation.dag
        for one, other in before.free_edges:
            way = (one, other) if dag.has_edge(one, other) else (other, one)
            choices = choices.with_direction(way)
        after = result.resolved(choices, rules)
        assert after.orientation.dag == dag
        assert not after.is_open


@pytest.mark.parametrize("npc", [True, False])
def test_the_log_and_what_is_open_come_back_from_plain_values(npc: bool) -> None:
    kept = [
        event.artifact for event in events(CORONARY, npc=npc) if isinstance(event, ArtifactSaved)
    ]
    assert [artifact.kind for artifact in kept] == ["tests", "open", *([] if npc else ["pc"])]
    for artifact in kept:
        assert restored(artifact.kind, artifact.plain()) == artifact
        head, rows = artifact.table()
        assert all(len(row) == len(head) for row in rows)


def test_the_demo_of_the_lecture_is_directed_by_one_choice() -> None:
    # Check 15: L–KA, L–KV, KA–KV, L–M, all without direction; M → L decides all but KA – KV.
    network = model_of(events(K2_DEMO, "M -> L", npc=False))
    assert {("M", "L"), ("L", "KA"), ("L", "KV")} <= set(network.edges)
    result = open_of(events(K2_DEMO, npc=False))
    after = result.resolved(Choices(directions=(("M", "L"),)), rules_of(result.names))
    assert after.free_edges == (("KA", "KV"),)


def test_the_log_reports_why_there_is_no_edge_and_what_decides() -> None:
    (log,) = (
        event.artifact
        for event in events(K2_DEMO, npc=False)
        if isinstance(event, ArtifactSaved) and isinstance(event.artifact, TestLog)
    )
    assert log.threshold == "independent when p > α = 0.05"
    assert log.why("KA", "M").startswith("There is no edge: KA ⊥ M | L")
    assert log.why("L", "M").startswith("There is an edge")
    assert len(log.tests) == log.made
    assert {frozenset((t.a, t.b)) for t in log.about("M")} == {
        frozenset((name, "M")) for name in ("L", "KA", "KV")
    }


def test_a_long_log_keeps_the_test_that_decided_each_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    from pgmstudio.core.languages.bayesian_network.learning.constraint_based import (
        skeleton as pc_log,
    )

    monkeypatch.setattr(pc_log, "MAX_TESTS", 5)
    log, *_ = (
        event.artifact for event in events(K2_DEMO, npc=False) if isinstance(event, ArtifactSaved)
    )
    assert isinstance(log, TestLog)
    pairs = [frozenset((test.a, test.b)) for test in log.tests]
    assert len(pairs) == len(set(pairs)) == 6 < log.made
    assert log.why("KA", "M").startswith("There is no edge: KA ⊥ M | L")


NAMES = ("A", "B", "x-y", "a, b", "not me", "C->D", 'say "so"')


@given(
    st.dictionaries(
        st.sampled_from([(a, b) for a, b in product(NAMES, NAMES) if a < b]), st.booleans()
    ),
    st.lists(st.sampled_from([(a, b) for a, b in product(NAMES, NAMES) if a != b]), unique=True),
)
def test_choices_are_read_as_they_are_written(
    edges: dict[tuple[str, str], bool], directions: list[tuple[str, str]]
) -> None:
    choices = Choices(edges, tuple(directions))
    assert read_choices(str(choices), NAMES) == choices


def test_choices_of_unknown_names_are_refused_with_all_of_them() -> None:
    with pytest.raises(ParameterError, match=r"“A - Q” names no two columns.*“A ~ B”"):
        read_choices("A - Q, A ~ B, A - B", NAMES)
    assert read_choices("A–B", NAMES) == read_choices("A -- B", NAMES) == read_choices("A-B", NAMES)
    assert read_choices("A→B", NAMES).directions == (("A", "B"),)
