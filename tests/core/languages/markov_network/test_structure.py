"""Structures of Markov networks: graphs, contexts and ranks."""

from __future__ import annotations

from itertools import combinations, compress, product

import numpy as np
import pytest

from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.markov_network.log_linear import (
    Restrictions,
    element_rows,
    free_parameters,
    normalised,
    parameter_count,
    parameters_of,
    restrictions_of,
)
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from tests.markov_networks import FIGURE_3, binary, graph, random_structure


def test_figure_3_has_thirteen_free_parameters_and_twelve_with_a_context() -> None:
    assert parameter_count(FIGURE_3) == free_parameters(FIGURE_3) == 13
    figure_11b = FIGURE_3.with_context((1, 4), (1,))
    assert parameter_count(figure_11b) == 13
    assert free_parameters(figure_11b) == 12


def test_a_context_restricts_the_parameters_of_the_triangle() -> None:
    triangle = graph("12 13 23", 3)
    assert free_parameters(triangle) == 7
    one = triangle.with_context((1, 2), (1,))
    assert free_parameters(one) == 6
    (row,) = element_rows(one, (1, 2), (1,))
    assert row == {((1, 2), (1, 1)): 1, ((0, 1, 2), (1, 1, 1)): 1}  # φ23 + φ123 = 0
    (row,) = element_rows(one, (1, 2), (0,))
    assert row == {((1, 2), (1, 1)): 1}  # φ23 = 0


def test_figure_3_is_not_chordal_and_one_more_edge_makes_it_so() -> None:
    assert not FIGURE_3.is_chordal
    assert FIGURE_3.chordless_cycle == (0, 1, 4, 3)
    for edge in ((0, 4), (1, 3)):
        assert FIGURE_3.with_edge(*edge).is_chordal
        assert FIGURE_3.with_edge(*edge).chordless_cycle is None


@pytest.mark.parametrize(("count", "chordal"), [(4, 61), (5, 822), (6, 18_154)])
def test_chordal_graphs_are_counted(count: int, chordal: int) -> None:
    pairs = list(combinations(range(count), 2))
    domain = binary(count)
    chosen = (compress(pairs, bits) for bits in product((0, 1), repeat=len(pairs)))
    assert sum(MarkovStructure(domain, frozenset(edges)).is_chordal for edges in chosen) == chordal


def test_common_neighbours_decide_which_edges_may_have_contexts() -> None:
    assert FIGURE_3.common_neighbours(1, 4) == (2,)
    for edge in ((0, 1), (0, 3), (3, 4)):
        assert FIGURE_3.common_neighbours(*edge) == ()
        with pytest.raises(GraphError, match="no common neighbour"):
            FIGURE_3.with_context(edge, (1,))


def test_contexts_that_cover_all_states_are_refused() -> None:
    one = FIGURE_3.with_context((1, 4), (1,))
    with pytest.raises(GraphError, match="Remove the edge instead"):
        one.with_context((1, 4), (0,))
    with pytest.raises(GraphError, match="needs one state of each common neighbour"):
        FIGURE_3.with_context((1, 4), (2,))
    with pytest.raises(GraphError, match="no edge 1 – 6"):
        FIGURE_3.with_context((0, 5), (1,))


def test_maximality_is_decided_by_the_rank() -> None:
    four = graph("12 13 14 23 24 34", 4)
    assert parameter_count(four) == 15
    first = four.with_context((0, 1), (0, 0)).with_context((0, 1), (1, 0))
    both = first.with_context((0, 2), (0, 0))
    assert restrictions_of(both).rank == 3
    implied = both.with_context((0, 2), (1, 0))
    assert restrictions_of(implied).rank == 3
    assert restrictions_of(both.with_context((1, 2), (0, 0))).rank == 4
    assert normalised(both) == implied
    assert normalised(implied) == implied


def test_an_edge_whose_contexts_are_all_implied_is_left_out() -> None:
    # φ12 = φ123 = 0 by the edge 12 would need both states of 3; it follows from three others.
    triangle = graph("12 13 23", 3)
    labelled = triangle.with_context((0, 1), (0,)).with_context((0, 2), (0,))
    labelled = labelled.with_context((1, 2), (1,))  # φ12 = φ13 = φ23 + φ123 = 0
    assert restrictions_of(labelled).rank == 3
    assert normalised(labelled) == labelled
    rng = np.random.default_rng(5)
    for cards in ([2, 2, 2, 2], [2, 3, 2, 2], [2, 2, 2, 2, 2]):
        for _ in range(20):
            given = random_structure(rng, cards, 0.9, 0.5)
            result = normalised(given)
            assert free_parameters(result) == free_parameters(given)
            assert normalised(result) == result


def test_exact_ranks_agree_with_those_of_numpy() -> None:
    rng = np.random.default_rng(6)
    for _ in range(30):
        structure = random_structure(rng, [2, 3, 2, 3, 2], 0.8, 0.4)
        index = {parameter: n for n, parameter in enumerate(parameters_of(structure))}
        assert len(index) == parameter_count(structure)
        rows = [
            row
            for edge, elements in structure.contexts.items()
            for element in elements
            for row in element_rows(structure, edge, element)
        ]
        matrix = np.zeros((max(1, len(rows)), len(index)))
        restrictions = Restrictions()
        for n, row in enumerate(rows):
            restrictions.add(row)
            for parameter, coefficient in row.items():
                matrix[n, index[parameter]] = coefficient
        assert restrictions.rank == np.linalg.matrix_rank(matrix)
        assert not any(restrictions.reduced(row) for row in rows)


def test_in_a_context_edges_vanish_whose_contexts_hold_for_all_completions() -> None:
    four = graph("12 13 14 23 24 34", 4)
    labelled = four.with_context((0, 1), (1, 0)).with_context((0, 1), (1, 1))
    assert labelled.vanished_edges({2: 1}) == {(0, 1)}
    assert labelled.vanished_edges({2: 0}) == set()
    assert labelled.vanished_edges({3: 1}) == set()
    assert labelled.context_neighbours({2: 1})[0] == {2, 3}


def test_edges_come_and_go_and_contexts_stay_where_they_can_be_stated() -> None:
    triangle = graph("12 13 23", 4).with_context((1, 2), (1,))
    more = triangle.with_edge(3, 1).with_edge(3, 2)
    assert more.contexts == {(1, 2): {(1, 0), (1, 1)}}
    assert more.without_edge(3, 1).contexts == triangle.contexts
    assert triangle.without_edge(0, 1).contexts == {}
    with pytest.raises(GraphError, match="no edge"):
        triangle.without_edge(0, 3)
    with pytest.raises(GraphError, match="already"):
        triangle.with_edge(1, 0)


def test_cliques_and_separators_of_figure_3() -> None:
    assert FIGURE_3.maximal_cliques == ((0, 1), (0, 3), (1, 2, 4), (3, 4), (5,))
    chordal = FIGURE_3.with_edge(1, 3)
    assert chordal.maximal_cliques == ((0, 1, 3), (1, 2, 4), (1, 3, 4), (5,))
    assert sorted(chordal.separators) == [(1, 3), (1, 4)]
    assert chordal.junction_tree.fill_ins == ()
