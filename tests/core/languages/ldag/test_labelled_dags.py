"""Labels, partitions and contexts: worked examples, counts, and laws on random graphs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.errors import GraphError
from pgmstudio.core.graphs.separation import dsep_set
from pgmstudio.core.languages.ldag.contexts import (
    context_graph,
    separation,
    shortened,
    vanished_edges,
)
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import (
    Split,
    class_count,
    full_partition,
    is_implied,
    is_label_partition,
    is_regular,
    is_same_partition,
    label_partitions,
    labels_of,
    partition_of,
    star_rows,
    tree_of,
    with_context,
    without_context,
)
from tests.labelled_dags import four, labelled, random_labelled, three
from tests.oracles.brute_force import joint_table
from tests.strategies import all_cases, domain_of, random_network


def is_equivalent(one: LabelledDag, other: LabelledDag, most_states: int = 4096) -> bool | None:
    """Whether both imply the same independences: True, False, or None if undecided.

    Different skeletons of regular graphs differ; where in every context of all variables the two
    graphs are Markov equivalent, the labelled ones are too.
    """
    from pgmstudio.core.graphs.pdag import cpdag_of

    one, other = one.regular(), other.regular()
    if one.domain != other.domain:
        return False
    skeletons = [{frozenset(edge) for edge in model.edges} for model in (one, other)]
    if skeletons[0] != skeletons[1]:
        return False
    if one.domain.joint_states() > most_states:
        return None
    for states in itertools.product(*(range(c) for c in one.domain.cardinalities)):
        context = dict(enumerate(states))
        if cpdag_of(context_graph(one, context)) != cpdag_of(context_graph(other, context)):
            return None
    return True


SEEDS = st.integers(0, 10_000)


def test_parameters_of_the_three_factorisations() -> None:
    full = labelled(three().domain, three().edges, {})
    fork = labelled(three().domain, [("X1", "X2"), ("X1", "X3")], {})
    sizes = [model.representation_size() for model in (full, fork, three())]
    assert sizes == [7, 5, 6]
    assert three().unlabelled_size() == 7


def test_the_thesis_example_has_four_classes() -> None:
    model = four()
    classes = model.classes[3]
    assert classes.ravel().tolist() == [0, 0, 1, 2, 3, 3, 3, 3]
    assert model.representation_size() == 3 + 4
    assert star_rows(classes) == [
        (0, (0, 0, None)),
        (1, (0, 1, 0)),
        (2, (0, 1, 1)),
        (3, (1, None, None)),
    ]
    fewer = without_context(classes, 1, (1, 1))
    assert is_same_partition(fewer, classes)  # the others imply it
    assert is_implied(classes, 1, (1, 1))
    assert not is_implied(classes, 2, (0, 0))
    assert tree_of(classes) == Split(0, (Split(1, (0, Split(2, (1, 2)))), 3))


@pytest.mark.parametrize(
    ("cards", "partitions", "regular", "trees"),
    [((2, 2), 12, 9, 8), ((2, 2, 2), 958, 927, 146), ((2, 3), 24, 21, 12), ((3, 3), 52, 49, 16)],
)
def test_partitions_are_counted(
    cards: tuple[int, ...], partitions: int, regular: int, trees: int
) -> None:
    result = list(label_partitions(cards))
    assert len(result) == partitions
    assert sum(is_regular(classes) for classes in result) == regular
    assert sum(tree_of(classes) is not None for classes in result) == trees


def test_labels_and_partitions_are_one_to_one() -> None:
    for classes in label_partitions((2, 2, 2)):
        assert is_same_partition(partition_of((2, 2, 2), labels_of(classes)), classes)


@settings(max_examples=60)
@given(seed=SEEDS)
def test_labels_of_random_partitions_come_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = [int(c) for c in rng.integers(2, 4, size=int(rng.integers(1, 5)))]
    classes = full_partition(cards)
    for _ in range(int(rng.integers(0, 6))):
        axis = int(rng.integers(len(cards)))
        others = [c for a, c in enumerate(cards) if a != axis]
        classes = with_context(classes, axis, tuple(int(rng.integers(c)) for c in others))
    labels = labels_of(classes)
    assert is_label_partition(classes)
    again = partition_of(cards, labels)
    assert is_same_partition(again, classes)
    assert all((one == other).all() for one, other in zip(labels_of(again), labels, strict=True))


def test_a_graph_that_no_tree_shows() -> None:
    names = {f"X{i}": ("0", "1") for i in (1, 2, 3, 4)}
    model = labelled(
        four().domain,
        [("X1", "X4"), ("X2", "X4"), ("X3", "X4")],
        {("X1", "X4"): [(0, 1)], ("X2", "X4"): [(1, 0)], ("X3", "X4"): [(0, 1)]},
    )
    assert model.domain.names == tuple(names)
    assert class_count(model.classes[3]) == 5
    assert model.is_regular
    assert tree_of(model.classes[3]) is None


def test_a_label_that_covers_everything_is_an_edge_too_many() -> None:
    model = labelled(three().domain, three().edges, {("X2", "X3"): [(0,), (1,)]})
    assert model.idle_edges == (("X2", "X3"),)
    smaller = model.regular()
    assert smaller.edges == (("X1", "X2"), ("X1", "X3"))
    cases = all_cases(model.domain)
    same = smaller.log2_probabilities(cases)
    assert same == pytest.approx(model.log2_probabilities(cases), abs=1e-12)


def test_the_three_variables_in_context() -> None:
    model = three()
    assert vanished_edges(model, {0: 1}) == (("X2", "X3"),)
    assert vanished_edges(model, {0: 0}) == ()

    def holds(given: list[str], context: dict[str, str]) -> bool:
        return separation(model, ["X2"], ["X3"], given, context).holds

    assert holds([], {"X1": "1"})
    assert not holds([], {"X1": "0"})
    assert not holds(["X1"], {})


def test_the_thesis_example_in_context() -> None:
    model = four()
    assert vanished_edges(model, {0: 1}) == (("X2", "X4"), ("X3", "X4"))
    assert vanished_edges(model, {0: 0}) == ()
    assert vanished_edges(model, {0: 0, 1: 0}) == (("X3", "X4"),)


def test_a_variable_named_twice_is_refused() -> None:
    with pytest.raises(GraphError, match="X1 is named in two sets"):
        separation(three(), ["X1"], ["X3"], ["X1"])


def test_cases_prove_what_one_graph_does_not() -> None:
    """Each state of the given variable takes away one of two ways from A to B."""
    domain = domain_of([2, 2, 2, 2])  # C, A, M, B with A → M, M → B
    edges = [("X0", "X2"), ("X1", "X2"), ("X0", "X3"), ("X2", "X3")]
    model = labelled(domain, edges, {("X1", "X2"): [(0,)], ("X2", "X3"): [(1,)]})
    assert not separation(model, ["X1"], ["X3"], ["X0"], most_cases=0).holds
    by_cases = separation(model, ["X1"], ["X3"], ["X0"])
    assert by_cases.holds
    assert by_cases.cases == ("X0",)


@settings(max_examples=40)
@given(seed=SEEDS)
def test_every_statement_read_off_holds_in_the_numbers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = random_labelled(rng, 4, merges=0.7)
    joint = joint_table(model)
    names = model.domain.names
    for one, other in itertools.combinations(range(4), 2):
        rest = [v for v in range(4) if v not in (one, other)]
        kinds = [rng.integers(3) for _ in rest]  # left out, given, in the context
        given_ = [v for v, kind in zip(rest, kinds, strict=True) if kind == 1]
        context = {
            v: int(rng.integers(model.domain.cardinalities[v]))
            for v, kind in zip(rest, kinds, strict=True)
            if kind == 2
        }
        result = separation(
            model,
            [names[one]],
            [names[other]],
            [names[v] for v in given_],
            {names[v]: model.domain.variables[v].states[s] for v, s in context.items()},
        )
        if result.holds:
            assert is_independent(joint, one, other, given_, context)


def is_independent(
    joint: np.ndarray,  # type: ignore[type-arg]
    one: int,
    other: int,
    given_: list[int],
    context: dict[int, int],
) -> bool:
    """Whether P(a, b | s, c) = P(a | s, c) P(b | s, c) in the table of all joint states."""
    chosen = (slice(context[v], context[v] + 1) if v in context else slice(None) for v in range(4))
    table = joint[tuple(chosen)]
    away = tuple(v for v in range(joint.ndim) if v not in (one, other, *given_))
    pair = table.sum(axis=away, keepdims=True)
    total = pair.sum(axis=(one, other), keepdims=True)
    product = pair.sum(axis=one, keepdims=True) * pair.sum(axis=other, keepdims=True)
    return bool(np.allclose(pair * total, product, atol=1e-12))


@settings(max_examples=25)
@given(seed=SEEDS)
def test_without_labels_the_answers_are_those_of_d_separation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = LabelledDag.of_network(random_network(rng, 5))
    assert model.label_count == 0
    for one, other in itertools.combinations(range(5), 2):
        given_ = [v for v in range(5) if v not in (one, other) and rng.random() < 0.4]
        names = model.domain.names
        result = separation(model, [names[one]], [names[other]], [names[v] for v in given_])
        assert result.holds == (other in dsep_set(model.dag, [one], given_))


@settings(max_examples=25)
@given(seed=SEEDS)
def test_the_expanded_network_has_the_same_numbers_and_more_parameters(seed: int) -> None:
    model = random_labelled(np.random.default_rng(seed), 5)
    network = model.as_bayesian_network
    assert network.representation_size() == model.unlabelled_size() >= model.representation_size()
    for i, classes in enumerate(model.classes):
        assert (network.tables[i] == model.rows[i][classes]).all()


def test_reversing_the_edge_between_children_is_equivalent() -> None:
    other = labelled(
        three().domain, [("X1", "X2"), ("X1", "X3"), ("X3", "X2")], {("X3", "X2"): [(1,)]}
    )
    assert is_equivalent(three(), other) is True
    fork = labelled(three().domain, [("X1", "X2"), ("X1", "X3")], {})
    assert is_equivalent(three(), fork) is False


def test_labels_are_written_short() -> None:
    assert shortened(four().label("X3", "X4")) == [(0, 0), (1, None)]
    assert shortened(four().label("X2", "X4")) == [(1, None)]


def test_contexts_keep_graphs_without_labels() -> None:
    model = LabelledDag.of_network(random_network(np.random.default_rng(0), 5))
    assert context_graph(model, {0: 0, 1: 1}) == model.dag
