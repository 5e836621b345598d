"""Relational networks: the worked example of the lecture, laws, and counting by enumeration."""

from __future__ import annotations

import contextlib
import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.relation import Relation
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import Cancelled, GraphError, ImpossibleEvidenceError, ParameterError
from pgmstudio.core.execution.events import NEVER, StopSwitch
from pgmstudio.core.inference.base import Excluded, Finding, Likelihood, Observed
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.languages.relational_network.decomposition import (
    all_decompositions,
    decompose,
    fit_measures,
    joined_count,
    spurious_tuples,
)
from pgmstudio.core.languages.relational_network.learning.exhaustive import (
    RelationalExhaustiveLearner,
)
from pgmstudio.core.languages.relational_network.learning.spanning_tree import (
    RelationalAugmentedTreeLearner,
    RelationalCliqueLearner,
    RelationalTreeLearner,
)
from pgmstudio.core.languages.relational_network.learning.tests import (
    RelationalTestLearner,
    RelationTester,
)
from pgmstudio.core.languages.relational_network.model import RelationalNetwork, open_session
from pgmstudio.core.learning.base import ArtifactSaved, Finished, ImprovedModel, Learner
from pgmstudio.core.learning.graph_ranking import GraphRanking
from pgmstudio.core.learning.kruskal import SpanningTreeSteps
from pgmstudio.core.params import parse_params
from pgmstudio.core.scores.association_measures import Setting, measures_of
from tests.core.learning.lecture_data import GEOMETRIC

NINE = GEOMETRIC.take_rows(np.delete(np.arange(10), 8))  # without green, triangle, medium
R10, R9 = Relation.of(GEOMETRIC), Relation.of(NINE)
CS, CZ, SZ = (0, 1), (0, 2), (1, 2)  # color–shape, color–size, shape–size
# §3.3 and §13, 5: the eight graphs, and what each adds to the ten and to the nine objects.
GRAPHS = [(), (CS,), (SZ,), (CZ,), (CS, SZ), (CS, CZ), (CZ, SZ), (CS, CZ, SZ)]
TUPLES = [36, 18, 20, 24, 10, 13, 16]
ADDED_TO_TEN, ADDED_TO_NINE = [26, 8, 10, 14, 0, 3, 6, 0], [27, 9, 11, 15, 1, 4, 7, 0]


def learn(learner: Learner[Any], data: DataSet, **chosen: object) -> tuple[Any, dict[str, Any]]:
    """The learned network and the artifacts of the run by kind."""
    params = parse_params(learner.params_type, chosen)
    events = list(learner.run(data, params, rng=np.random.default_rng(0), cancel=NEVER))
    artifacts = {e.artifact.kind: e.artifact for e in events if isinstance(e, ArtifactSaved)}
    assert isinstance(events[-1], Finished)
    return events[-1].model, artifacts


def edges_of(network: RelationalNetwork) -> set[frozenset[str]]:
    return {frozenset(edge) for edge in network.undirected_edges}


CHAIN = {frozenset(("color", "shape")), frozenset(("shape", "size"))}


def random_relation(rng: np.random.Generator, count: int, tuples: int) -> Relation:
    cards = rng.integers(1, 4, count)
    domain = Domain.of({f"v{i}": map(str, range(card)) for i, card in enumerate(cards)})
    codes = np.array([rng.integers(0, card, tuples) for card in cards], dtype=np.uint8)
    return Relation.of(DataSet(domain, codes))


def random_edges(rng: np.random.Generator, count: int) -> list[tuple[int, int]]:
    return [e for e in itertools.combinations(range(count), 2) if rng.random() < 0.5]


def cylinder_join(relation: Relation, structure: MarkovStructure) -> np.ndarray[Any, Any]:
    """Every joint state, and whether its part over each clique occurs."""
    joint = np.ones(relation.domain.cardinalities, dtype=bool)
    indices = np.indices(joint.shape)
    for clique in structure.maximal_cliques:
        joint &= relation.occurs(clique)[tuple(indices[list(clique)])]
    return joint


@pytest.mark.parametrize("number", range(8))
def test_the_eight_graphs_add_the_tuples_of_the_lecture(number: int) -> None:
    ten, nine = decompose(R10, GRAPHS[number]), decompose(R9, GRAPHS[number])
    assert (ten.additional, nine.additional) == (ADDED_TO_TEN[number], ADDED_TO_NINE[number])
    if number < 7:
        assert ten.tuples == nine.tuples == TUPLES[number]
    expected = math.log2(10 + ADDED_TO_TEN[number]) - math.log2(10)
    assert ten.divergence_bits == pytest.approx(expected)


def test_all_graphs_at_once_give_the_same_numbers() -> None:
    by_edges = {frozenset(one.edges): one.additional for one in all_decompositions(R10)}
    assert by_edges == {
        frozenset(edges): added for edges, added in zip(GRAPHS, ADDED_TO_TEN, strict=True)
    }


def test_the_three_pairs_together_have_ten_tuples() -> None:
    # §3.3, extra: a family that is no graph.
    assert joined_count(R10, [CS, CZ, SZ]) == 10
    assert joined_count(R9, [CS, CZ, SZ]) == 10


def test_the_spurious_tuples_are_listed() -> None:
    network = RelationalNetwork.of_relation(MarkovStructure(R10.domain, frozenset({CS, CZ})), R10)
    states = [
        tuple(v.states[code] for v, code in zip(R10.domain, one, strict=True))
        for one in spurious_tuples(R10, network)
    ]
    assert set(states) == {
        ("red", "circle", "large"),
        ("red", "triangle", "small"),
        ("green", "square", "large"),
    }


def test_projections_of_the_ten_objects() -> None:
    # §13, 2 and 3
    occurring = [R10.project(pair).shape[1] for pair in (CS, SZ, CZ)]
    assert occurring == [6, 5, 8]
    parts = [n / R10.occurs(pair).size for n, pair in zip(occurring, (CS, SZ, CZ), strict=True)]
    assert parts == pytest.approx([0.5, 0.5556, 0.6667], abs=1e-4)
    assert R10.hartley_bits([0]) + R10.hartley_bits([1]) == pytest.approx(3.584963, abs=1e-6)
    assert R10.hartley_bits(CS) == pytest.approx(2.584963, abs=1e-6)


@pytest.mark.parametrize("measure", measures_of(Setting.RELATIONAL, symmetric=True))
def test_kruskal_joins_color_shape_and_size(measure: str) -> None:
    # §13, 3 and 4
    network, artifacts = learn(RelationalTreeLearner(), GEOMETRIC, measure=measure)
    assert edges_of(network) == CHAIN
    steps = artifacts["spanning-tree"]
    assert isinstance(steps, SpanningTreeSteps)
    assert [step.result for step in steps.steps] == ["added", "added", "closes a cycle"]
    if measure == "hartley_gain":
        weights = [step.weight for step in steps.steps]
        assert weights == pytest.approx([1.0, 0.847997, 0.584963], abs=1e-6)
    assert SpanningTreeSteps.restored(steps.plain()) == steps


def test_a_tree_that_is_not_unique_is_reported() -> None:
    codes = np.indices((2, 2)).reshape(2, -1)
    rows = np.concatenate((codes, codes.sum(axis=0, keepdims=True) % 2))
    parity = DataSet(Domain.of(dict.fromkeys("abc", "01")), rows.astype(np.uint8))
    _, artifacts = learn(RelationalTreeLearner(), parity, measure="rel_relative")
    assert not artifacts["spanning-tree"].is_unique


@pytest.mark.parametrize(
    ("relation", "given_color", "given_shape", "given_size"),
    [(R9, 0.396241, 0.138346, 0.421011), (R10, 0.25, 0.0, 1 / 3)],
)
def test_conditional_gains_of_the_lecture(
    relation: Relation, given_color: float, given_shape: float, given_size: float
) -> None:
    # §13, 7, as the next
    tester = RelationTester(relation, 0.0)
    result = [tester.gain(1, 2, [0]), tester.gain(0, 2, [1]), tester.gain(0, 1, [2])]
    assert result == pytest.approx([given_color, given_shape, given_size], abs=1e-6)


def test_tests_with_a_threshold_find_the_graphs_of_the_lecture() -> None:
    complete = CHAIN | {frozenset(("color", "size"))}
    for data, epsilon, expected in (
        (NINE, 0.2, CHAIN),
        (NINE, 0.0, complete),
        (GEOMETRIC, 0.0, CHAIN),
    ):
        network, artifacts = learn(RelationalTestLearner(), data, epsilon=epsilon)
        assert edges_of(network) == expected
        log = artifacts["tests"]
        assert log.made >= 6
        assert {row[6] for row in log.table()[1]} == {None}  # a gain has no p-value
        if expected == CHAIN:
            assert log.why("color", "size").endswith("bits.")


def test_the_exhaustive_search_finds_the_sparsest_exact_graph_and_ranks_all() -> None:
    network, artifacts = learn(RelationalExhaustiveLearner(), GEOMETRIC)
    assert edges_of(network) == CHAIN
    ranking = artifacts["graph-ranking"]
    assert isinstance(ranking, GraphRanking)
    assert [one.additional for one in ranking.ranking] == sorted(ADDED_TO_TEN)
    assert GraphRanking.restored(ranking.plain()) == ranking
    learner = RelationalExhaustiveLearner()
    for one in ranking.ranking:
        fitted = learner.fit_graph(GEOMETRIC, learner.params_type(), one.edges)
        assert fitted.tuple_count == one.total == 10 + one.additional
    with pytest.raises(ParameterError, match="max-variables"):
        learn(RelationalExhaustiveLearner(), GEOMETRIC, max_variables=2)


def test_stopping_an_exhaustive_search_keeps_the_best_graph() -> None:
    # §13, 23; tests/contracts/test_learners.py stops every learner
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (5, 12)).astype(np.uint8)
    data = DataSet(Domain.of(dict.fromkeys("abcde", "01")), codes)
    switch = StopSwitch()
    best: list[ImprovedModel] = []
    learner = RelationalExhaustiveLearner()
    run = learner.run(data, learner.params_type(), rng=rng, cancel=switch)
    with contextlib.suppress(Cancelled):
        for event in run:
            assert not isinstance(event, Finished)
            if isinstance(event, ImprovedModel):
                best.append(event)
                if len(best) == 4:
                    switch.cancel()
    result = decompose(Relation.of(data), best[-1].model.structure.edges)  # type: ignore[attr-defined]
    start = decompose(Relation.of(data), ())
    assert result.rank < start.rank


@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_counting_equals_enumeration_on_graphs_of_up_to_seven_variables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 8))
    relation = random_relation(rng, count, int(rng.integers(1, 30)))
    structure = MarkovStructure(relation.domain, frozenset(random_edges(rng, count)))
    network = RelationalNetwork.of_relation(structure, relation)
    joint = cylinder_join(relation, structure)
    assert network.tuple_count == int(joint.sum())
    assert decompose(relation, structure.edges).additional == int(joint.sum()) - len(relation)
    assert sorted(network.join_tree.tuples()) == [*map(tuple, np.argwhere(joint).tolist())]


@given(st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_an_edge_never_adds_tuples_and_the_complete_graph_adds_none(seed: int) -> None:
    # §13, 6
    rng = np.random.default_rng(seed)
    relation = random_relation(rng, 4, int(rng.integers(1, 25)))
    edges = list(itertools.combinations(range(4), 2))
    rng.shuffle(edges)
    added = [
        decompose(relation, [(int(a), int(b)) for a, b in edges[:k]]).additional
        for k in range(len(edges) + 1)
    ]
    assert added == sorted(added, reverse=True)
    assert min(added) >= 0
    assert added[-1] == 0


def random_finding(rng: np.random.Generator, variable: Variable) -> Finding:
    states = rng.permutation(variable.states)
    match rng.integers(3):
        case 0:
            return Observed(str(states[0]))
        case 1:
            return Excluded(frozenset(map(str, states[: max(0, variable.cardinality - 1)])))
        case _:
            return Likelihood(tuple((str(s), float(rng.random())) for s in states))


@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_possible_states_are_those_of_the_listed_tuples(seed: int) -> None:
    rng = np.random.default_rng(seed)
    relation = random_relation(rng, 5, int(rng.integers(1, 20)))
    structure = MarkovStructure(relation.domain, frozenset(random_edges(rng, 5)))
    session = open_session(RelationalNetwork.of_relation(structure, relation))
    joint = cylinder_join(relation, structure)
    for position in rng.permutation(5)[:2]:
        variable = relation.domain.variables[position]
        finding = random_finding(rng, variable)
        match finding:
            case Observed(state):
                kept = np.array([s == state for s in variable.states])
            case Excluded(states):
                kept = np.array([s not in states for s in variable.states])
            case _:
                kept = np.ones(variable.cardinality, dtype=bool)
        shape = [1] * 5
        shape[position] = variable.cardinality
        narrowed = joint & kept.reshape(shape)
        if not narrowed.any():
            with pytest.raises(ImpossibleEvidenceError):
                session.set_evidence(variable.name, finding)
            continue
        session.set_evidence(variable.name, finding)
        joint = narrowed
        for v, name in enumerate(relation.domain.names):
            others = tuple(axis for axis in range(5) if axis != v)
            assert session.belief(name).values.tolist() == joint.any(axis=others).tolist()
        row = session.most_probable()
        codes = tuple(relation.domain[name].code(state) for name, state in row.items())
        assert joint[codes]


def test_edits_keep_the_relation_or_the_smallest_one_above_it() -> None:
    network = RelationalNetwork.of_relation(MarkovStructure(R10.domain, frozenset({CS, SZ})), R10)
    more = network.with_edge("size", "color")
    assert more.tuple_count == network.tuple_count == 10
    less = more.without_edge("color", "shape")
    assert less.tuple_count == 16  # the graph color–size, shape–size of the lecture
    without = network.without_variable("color")
    assert without.domain.names == ("shape", "size")
    assert without.tuple_count == 5
    assert network.with_variable(Variable("price", ("low", "high"))).tuple_count == 20
    with pytest.raises(GraphError):
        network.with_edge("color", "color")


def test_a_tree_over_many_variables_is_counted_exactly() -> None:
    # 70 independent binary variables: 2^70 tuples, more than 64 bits hold.
    domain = Domain.of({f"v{i}": "01" for i in range(70)})
    codes = np.random.default_rng(0).integers(0, 2, (70, 50)).astype(np.uint8)
    relation = Relation.of(DataSet(domain, codes))
    assert decompose(relation, ()).tuples == 2**70


def test_a_tree_over_100_000_tuples_is_learned_and_counted_exactly() -> None:
    # 20 attributes in a chain: each state is followed by itself or the next one.
    rng = np.random.default_rng(7)
    steps = rng.integers(0, 2, (19, 100_000))
    start = rng.integers(0, 4, 100_000)
    codes = np.vstack((start, start + np.cumsum(steps, axis=0))) % 4
    domain = Domain.of({f"v{i}": "0123" for i in range(20)})
    data = DataSet(domain, codes.astype(np.uint8))
    tree, _ = learn(RelationalTreeLearner(), data)
    assert tree.structure.edges == {(i, i + 1) for i in range(19)}
    assert tree.tuple_count == 4 * 2**19
    assert fit_measures(tree, data)["additional_tuples"] == 4 * 2**19 - len(Relation.of(data))


def test_augmented_trees_and_cliques_never_add_more_tuples_than_the_tree() -> None:
    rng = np.random.default_rng(5)
    base = rng.integers(0, 3, 40)
    codes = [(base + rng.integers(0, 2, 40)) % 3 for _ in range(5)]
    domain = Domain.of({f"v{i}": "012" for i in range(5)})
    data = DataSet(domain, np.array(codes, dtype=np.uint8))
    relation = Relation.of(data)
    tree, _ = learn(RelationalTreeLearner(), data)
    augmented, _ = learn(RelationalAugmentedTreeLearner(), data)
    assert edges_of(tree) < edges_of(augmented)
    assert augmented.structure.is_chordal
    assert max(map(len, augmented.structure.maximal_cliques)) == 3
    assert len(relation) <= augmented.tuple_count <= tree.tuple_count
    cliques, _ = learn(RelationalCliqueLearner(), data, max_clique_size=4)
    assert cliques.structure.is_chordal
    assert max(map(len, cliques.structure.maximal_cliques)) <= 4
    whole, _ = learn(RelationalCliqueLearner(), data, max_clique_size=5)
    assert whole.tuple_count == len(relation)


def test_a_network_is_compared_with_other_rows() -> None:
    chain = MarkovStructure(R9.domain, frozenset({CS, SZ}))
    assert fit_measures(RelationalNetwork.of_relation(chain, R9), NINE) == {
        "tuples_of_the_data": 9,
        "tuples": 10,
        "additional_tuples": 1,
        "impossible_tuples": 0,
        "hartley_divergence": pytest.approx(math.log2(10 / 9)),
    }
    # The complete graph of the nine objects does not have the tenth.
    complete = MarkovStructure(R9.domain, frozenset({CS, CZ, SZ}))
    ten = fit_measures(RelationalNetwork.of_relation(complete, R9), GEOMETRIC)
    assert (ten["additional_tuples"], ten["impossible_tuples"]) == (0, 1)
