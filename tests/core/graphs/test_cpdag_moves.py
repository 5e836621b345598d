"""The neighbours of a class by operators are those by listing (acceptance checks 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import pytest

from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import (
    Pdag,
    cpdag_of,
    member_of,
    parent_choices,
    with_joined,
    with_left,
    with_turned,
)
from pgmstudio.core.scores.family_cache import mask_of
from tests.core.graphs.small_dags import (
    all_classes,
    key_of,
    lower_boundary,
    turned_boundary,
    upper_boundary,
)
from tests.oracles.graphs import can_join, turning_parents

SIZES = [2, 3, 4]


def additions(cpdag: Pdag) -> Iterator[Pdag]:
    nodes = range(len(cpdag.names))
    for node in nodes:
        for clique in parent_choices(cpdag, node):
            for other in nodes:
                if can_join(cpdag, other, node, clique):
                    yield with_joined(cpdag, other, node, clique)


def removals(cpdag: Pdag) -> Iterator[Pdag]:
    nodes = range(len(cpdag.names))
    for node in nodes:
        for clique in parent_choices(cpdag, node):
            for other in nodes:
                if (cpdag.parent_masks[node] | clique) >> other & 1:
                    yield with_left(cpdag, other, node, clique)


def turns(cpdag: Pdag) -> Iterator[Pdag]:
    nodes = range(len(cpdag.names))
    for node in nodes:
        for clique in parent_choices(cpdag, node):
            for other in nodes:
                if turning_parents(cpdag, node, other, clique) is not None:
                    yield with_turned(cpdag, node, other, clique)


def test_an_edge_beside_a_lone_node_has_four_larger_neighbours_and_one_smaller() -> None:
    # Example 3.4: X → Y and Z alone
    names = ("X", "Y", "Z")
    cpdag = cpdag_of(Dag.from_edges(names, [("X", "Y")]))
    larger = {
        cpdag_of(Dag.from_edges(names, edges))
        for edges in (
            [("Y", "X"), ("X", "Z")],
            [("X", "Y"), ("Y", "Z")],
            [("Y", "X"), ("Z", "X")],
            [("X", "Y"), ("Z", "Y")],
        )
    }
    assert len(larger) == 4
    assert set(additions(cpdag)) == larger
    assert set(removals(cpdag)) == {cpdag_of(Dag.empty(names))}


@pytest.mark.parametrize("count", SIZES)
def test_operators_reach_exactly_the_classes_one_edge_away_from_some_member(count: int) -> None:
    for members in all_classes(count).values():
        cpdag = cpdag_of(members[0])
        reached = {key_of(member_of(new)) for new in additions(cpdag)}
        assert reached == upper_boundary(members)
        reached = {key_of(member_of(new)) for new in removals(cpdag)}
        assert reached == lower_boundary(members)
        reached = {key_of(member_of(new)) for new in turns(cpdag)}
        assert reached == turned_boundary(members)


@pytest.mark.long
def test_turns_of_five_nodes_reach_exactly_the_classes_of_members_with_an_edge_turned() -> None:
    for members in all_classes(5).values():
        reached = {key_of(member_of(new)) for new in turns(cpdag_of(members[0]))}
        assert reached == turned_boundary(members)


@pytest.mark.parametrize("count", SIZES)
def test_the_parents_given_for_the_other_end_of_a_turn_are_those_of_a_member(count: int) -> None:
    for members in all_classes(count).values():
        cpdag = cpdag_of(members[0])
        for node, other in permutations(range(count), 2):
            for clique in parent_choices(cpdag, node):
                near = turning_parents(cpdag, node, other, clique)
                if near is not None:
                    own = cpdag.parent_masks[node] | clique
                    above = cpdag.parent_masks[other] | near
                    assert any(
                        mask_of(dag.parent_indices[node]) == own
                        and mask_of(dag.parent_indices[other]) == above
                        for dag in members
                    )


@pytest.mark.parametrize(("count", "total"), [(2, 1), (3, 21), (4, 756)])
def test_adding_and_removing_are_converse_and_as_many_as_is_known(count: int, total: int) -> None:
    classes = [cpdag_of(members[0]) for members in all_classes(count).values()]
    larger = {(cpdag, new) for cpdag in classes for new in additions(cpdag)}
    smaller = {(cpdag, new) for cpdag in classes for new in removals(cpdag)}
    assert len(larger) == total
    assert smaller == {(new, cpdag) for cpdag, new in larger}


def test_of_four_nodes_there_are_1128_additions_and_parent_choices_name_each_once() -> None:
    classes = [cpdag_of(members[0]) for members in all_classes(4).values()]
    assert sum(len(list(additions(cpdag))) for cpdag in classes) == 1128
    assert sum(len(list(removals(cpdag))) for cpdag in classes) == 1128


@pytest.mark.parametrize("count", SIZES)
def test_parent_choices_are_the_parents_that_members_have(count: int) -> None:
    for members in all_classes(count).values():
        cpdag = cpdag_of(members[0])
        for node in range(count):
            listed = {sum(1 << p for p in dag.parent_indices[node]) for dag in members}
            choices = [*parent_choices(cpdag, node)]
            assert {cpdag.parent_masks[node] | clique for clique in choices} == listed
            assert len(choices) == len(set(choices))
