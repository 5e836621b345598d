"""Edges of trees come, go and are exchanged; measures of components."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.errors import GraphError
from pgmstudio.core.inference.information_measures import mutual_information_bits
from pgmstudio.core.languages.components import choice_information
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.languages.tree.edits import (
    path_between,
    rooted_at,
    with_tree_edge,
    without_tree_edge,
)
from pgmstudio.core.languages.tree.model import edge_information
from pgmstudio.core.languages.tree_mixture.edits import TreeEdit, edited, joining, joint_in_tree
from pgmstudio.core.languages.tree_mixture.model import effective_count, nearly_empty
from tests.strategies import all_cases, random_classes, random_mixture, random_tree, with_missing

SEEDS = st.integers(0, 10_000)


@given(seed=SEEDS)
@settings(max_examples=20)
def test_another_root_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 5, zeros=0.2)
    name = tree.domain.names[int(rng.integers(5))]
    turned = rooted_at(tree, name)
    assert turned.parents[tree.domain.index(name)] is None
    rows = all_cases(tree.domain)
    before, after = (np.exp2(t.log2_probabilities(rows)) for t in (tree, turned))
    assert after == pytest.approx(before, abs=1e-12)


@given(seed=SEEDS)
@settings(max_examples=20)
def test_an_edge_without_rows_says_nothing_and_leaves_everything_as_it_was(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 5)
    if not tree.edges:
        return
    apart = without_tree_edge(tree, *tree.edges[0])
    joined = with_tree_edge(apart, *tree.edges[0])
    rows = all_cases(tree.domain)
    assert joined.log2_probabilities(rows) == pytest.approx(apart.log2_probabilities(rows))
    assert {frozenset(e) for e in joined.edges} == {frozenset(e) for e in tree.edges}


def test_an_edge_that_would_close_a_cycle_names_the_way() -> None:
    tree = random_tree(np.random.default_rng(8), 6)
    ends = next(
        (a, b)
        for a in tree.domain.names
        for b in tree.domain.names
        if len(path_between(tree, a, b)) > 2
    )
    way = path_between(tree, *ends)
    with pytest.raises(GraphError, match=" – ".join(way)):
        with_tree_edge(tree, *ends)
    with pytest.raises(GraphError, match="No edge"):
        without_tree_edge(tree, *ends)


@given(seed=SEEDS)
@settings(max_examples=20)
def test_joining_two_makes_room_by_the_weakest_edge_between_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mixture = random_mixture(rng, 6, 2)
    one, other = rng.choice(mixture.domain.names, 2, replace=False).tolist()
    way = path_between(mixture.trees[1], one, other)
    if len(way) == 2:
        with pytest.raises(GraphError, match="already"):
            joining(mixture, 1, one, other)
        return
    edit = joining(mixture, 1, one, other)
    after = edited(mixture, edit, mixture.sample(50, rng))
    assert after.trees[0] is mixture.trees[0]
    edges = {frozenset(edge) for edge in after.trees[1].edges}
    assert frozenset((one, other)) in edges
    before = {frozenset(edge) for edge in mixture.trees[1].edges}
    gone = set() if edit.removed is None else {frozenset(edit.removed)}
    assert edges == (before - gone) | {frozenset((one, other))}
    assert bool(way) == (edit.removed is not None)
    cases = np.exp2(after.log2_probabilities(all_cases(after.domain)))
    assert cases.sum() == pytest.approx(1)


def test_an_edge_taken_away_costs_its_information() -> None:
    """log2 of P over P without the edge is, on average, I of the two ends."""
    tree = random_tree(np.random.default_rng(11), 5)
    bits = edge_information(tree)
    rows = all_cases(tree.domain)
    p = np.exp2(tree.log2_probabilities(rows))
    for edge, value in bits.items():
        less = without_tree_edge(tree, *edge).log2_probabilities(rows)
        lost = float(np.sum(p[p > 0] * (np.log2(p[p > 0]) - less[p > 0])))
        assert lost == pytest.approx(value, abs=1e-9)


def test_the_table_of_a_new_edge_comes_from_the_rows_of_its_tree() -> None:
    rng = np.random.default_rng(2)
    mixture = random_mixture(rng, 4, 2)
    rows = with_missing(rng, mixture.sample(4000, rng), 0.05)
    names = mixture.domain.names
    joint = joint_in_tree(mixture, 1, names[0], names[1], rows)
    assert joint.sum() == pytest.approx(1)
    session = open_session(mixture.trees[1])
    expected = session.joint([names[0], names[1]])  # type: ignore[attr-defined]
    assert joint == pytest.approx(expected, abs=0.05)


def test_an_edit_shows_what_it_does() -> None:
    assert TreeEdit(1, ("a", "b"), ("c", "d")).text() == (
        "Join a and b in tree 2, in place of c – d"
    )
    assert TreeEdit(0, removed=("a", "b")).text() == "Remove a – b from tree 1"


@pytest.mark.parametrize("seed", range(4))
def test_information_about_the_component_is_that_of_its_joint_table(seed: int) -> None:
    model = random_classes(np.random.default_rng(seed), 4, 3)
    result = choice_information(model)
    for name, table in zip(model.domain.names, model.tables, strict=True):
        joint = model.weights[:, None] * table
        assert result[name] == pytest.approx(mutual_information_bits(joint), abs=1e-12)
    assert list(result.values()) == sorted(result.values(), reverse=True)


def test_components_are_counted_by_their_weights() -> None:
    assert effective_count(np.array([0.25] * 4)) == pytest.approx(4)
    assert effective_count(np.array([1.0, 0.0])) == pytest.approx(1)
    assert nearly_empty(np.array([0.95, 0.05])).tolist() == [False, True]
