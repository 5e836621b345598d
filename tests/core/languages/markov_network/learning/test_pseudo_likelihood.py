"""Marginal pseudo-likelihood, blankets and the graphs that come of them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError, KnowledgeError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.markov_network.learning.blankets import BlanketSearch
from pgmstudio.core.languages.markov_network.learning.context_search import ContextSearch
from pgmstudio.core.languages.markov_network.pseudo_likelihood import (
    MPL,
    PIC,
    PseudoLikelihood,
    bits_of,
    edges_of,
    merges_of,
    neighbour_masks,
    pseudo_score,
)
from pgmstudio.core.languages.markov_network.structure import Edge, MarkovStructure
from pgmstudio.core.learning.undirected_rules import UndirectedRules
from pgmstudio.core.scores.local import score_of
from tests.ldag_tables import coronary, t3
from tests.markov_networks import random_structure, structure_of

LN2 = math.log(2)


def scores_of(data: DataSet, name: str = MPL, ess: float = 1.0) -> PseudoLikelihood:
    return PseudoLikelihood(data, pseudo_score(name, data.total_weight, ess=ess))


def total_nats(scores: PseudoLikelihood, structure: MarkovStructure) -> float:
    masks = neighbour_masks(len(structure.domain), structure.edges)
    return scores.total(masks, structure.contexts) * LN2


def searched(data: DataSet, name: str = MPL, max_neighbours: int = 8) -> BlanketSearch:
    search = BlanketSearch(scores_of(data, name), UndirectedRules(len(data.domain)), max_neighbours)
    run_to_end(search.find_blankets(NEVER))
    return search


def text_of(data: DataSet, edges: frozenset[Edge]) -> str:
    names = data.domain.names
    return " ".join(sorted(names[i] + names[j] for i, j in edges))


def random_rows(rng: np.random.Generator, cards: tuple[int, ...], count: int = 200) -> DataSet:
    domain = Domain.of({f"v{i}": map(str, range(card)) for i, card in enumerate(cards)})
    codes = np.stack([rng.integers(card, size=count) for card in cards]).astype(np.uint8)
    return DataSet(domain, codes)


# Check 4


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ess", [1.0, 3.5])
def test_the_score_is_the_sum_of_local_bdeu_scores_with_blankets_as_parents(
    seed: int, ess: float
) -> None:
    rng = np.random.default_rng(seed)
    data = random_rows(rng, (2, 3, 2, 4))
    edges = [e for e in itertools.combinations(range(4), 2) if rng.random() < 0.6]
    masks = neighbour_masks(4, edges)
    bdeu = score_of("bdeu", data.total_weight, ess=ess)
    expected = sum(
        bdeu.local(joint_counts(data, (*bits_of(mask), node))) for node, mask in enumerate(masks)
    )
    assert scores_of(data, ess=ess).total(masks) == pytest.approx(expected, abs=1e-9)


def test_the_factors_of_figure_11a_are_variables_given_their_neighbours() -> None:
    edges = [(0, 1), (0, 3), (1, 2), (1, 4), (2, 4), (3, 4)]
    blankets = [tuple(v + 1 for v in bits_of(mask)) for mask in neighbour_masks(6, edges)]
    assert blankets == [(2, 4), (1, 3, 5), (2, 5), (1, 5), (2, 3, 4), ()]


# Check 5


def test_without_edges_it_is_the_bdeu_score_of_the_empty_dag() -> None:
    data = coronary()
    assert total_nats(scores_of(data), structure_of(data, "")) == pytest.approx(
        -7089.021984, abs=1e-5
    )
    complete = " ".join(map("".join, itertools.combinations("ABCDEF", 2)))
    assert total_nats(scores_of(data), structure_of(data, complete)) == pytest.approx(
        -7104.011525, abs=1e-5
    )


def test_of_two_variables_it_is_two_conditional_scores_and_no_joint_likelihood() -> None:
    data = coronary("AB")
    scores = scores_of(data)
    total = scores.total([0b10, 0b01])
    assert total == pytest.approx(scores.local(0, 0b10) + scores.local(1, 0b01), abs=1e-9)
    joint = scores.local(0, 0) + scores.local(1, 0b01)
    assert abs(total - joint) > 1e-3


# Check 6


@pytest.mark.parametrize("seed", range(5))
def test_changing_an_edge_changes_two_local_scores(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_rows(rng, (2, 3, 2, 2, 3))
    search = BlanketSearch(scores_of(data), UndirectedRules(5), 8, math.log2(0.3))
    edges = {e for e in itertools.combinations(range(5), 2) if rng.random() < 0.5}
    for edge in itertools.combinations(range(5), 2):
        before, after = search.total(edges, NEVER), search.total(edges ^ {edge}, NEVER)
        gain = search.gain(neighbour_masks(5, edges), edge, NEVER)
        assert gain == pytest.approx(after - before, abs=1e-9)


# Checks 7 and 8


@pytest.mark.parametrize(
    ("name", "ranking"),
    [
        (
            MPL,
            [
                ("AC AE BC DE", -6389.939906),
                ("AC AE BC", -6392.077704),
                ("AC BC DE", -6394.317699),
                ("AC AE BC BF DE", -6396.150629),
            ],
        ),
        (
            PIC,
            [
                ("AC AE BC DE", -6381.935401),
                ("AC AE BC", -6386.222211),
                ("AC AD AE BC DE", -6387.179603),
            ],
        ),
    ],
)
def test_all_graphs_of_the_coronary_table_are_ranked(
    name: str, ranking: list[tuple[str, float]]
) -> None:
    data = coronary()
    search = searched(data, name)
    candidates = search.exhaustive_candidates()
    assert candidates is not None
    assert len(candidates) == 15
    result = run_to_end(search.best_of_all(candidates, len(ranking), NEVER))
    assert [text_of(data, edges) for edges, _ in result] == [text for text, _ in ranking]
    assert [score * LN2 for _, score in result] == pytest.approx(
        [score for _, score in ranking], abs=1e-5
    )


def test_blankets_of_the_coronary_table_and_the_graphs_that_combine_them() -> None:
    data = coronary()
    search = searched(data)
    expected = {
        "A": (-1278.286431, "CE", -1266.789414, "+C +E"),
        "B": (-1257.919931, "C", -919.003443, "+C"),
        "C": (-1280.023019, "AB", -937.893180, "+B +A"),
        "D": (-1260.638981, "E", -1258.526353, "+E"),
        "E": (-1258.539728, "AB", -1252.805503, "+B +A"),
        "F": (-753.613893, "", -753.613893, ""),
    }
    for blanket, (empty, members, score, path) in zip(
        search.blankets, expected.values(), strict=True
    ):
        names = data.domain.names
        assert "".join(names[v] for v in bits_of(blanket.members)) == members
        assert blanket.empty_score * LN2 == pytest.approx(empty, abs=1e-5)
        assert blanket.score * LN2 == pytest.approx(score, abs=1e-5)
        assert " ".join(f"+{names[step.variable]}" for step in blanket.steps) == path
        assert all(step.is_added for step in blanket.steps)
    node = data.domain.index("E")
    optimum = search.scores.local(node, 0b101) * LN2  # {A, C}: the climb is not optimal
    assert optimum == pytest.approx(-1252.438819, abs=1e-5)
    assert text_of(data, search.and_edges()) == "AC AE BC"
    assert text_of(data, search.or_edges()) == "AC AE BC BE DE"
    assert search.total(search.and_edges(), NEVER) * LN2 == pytest.approx(-6392.077704, abs=1e-5)
    assert search.total(search.or_edges(), NEVER) * LN2 == pytest.approx(-6404.074403, abs=1e-5)
    climbed = run_to_end(search.climb((), search.or_edges(), NEVER))
    assert text_of(data, climbed) == "AC AE BC DE"
    assert search.total(climbed, NEVER) * LN2 == pytest.approx(-6389.939906, abs=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_the_climb_stays_inside_the_or_graph_and_never_ends_below_no_edges(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_rows(rng, (2, 2, 3, 2, 2, 2), 60)
    search = searched(data)
    climbed = run_to_end(search.climb((), search.or_edges(), NEVER))
    assert search.and_edges() <= search.or_edges()
    assert climbed <= search.or_edges()
    assert search.total(climbed, NEVER) >= search.total((), NEVER)


# Check 9


def test_a_context_merges_configurations_of_both_ends_only() -> None:
    rng = np.random.default_rng(0)
    data = random_rows(rng, (2,) * 6)
    masks = neighbour_masks(6, [(0, 1), (0, 3), (1, 2), (1, 4), (2, 4), (3, 4)])
    contexts = {(1, 4): frozenset({(1,)})}
    scores = scores_of(data)
    counts = [
        len(np.unique(scores.classes(node, masks[node], merges_of(node, masks, contexts))))
        for node in range(6)
    ]
    assert counts == [4, 6, 4, 4, 6, 1]


# Check 10


def test_instead_of_covering_all_contexts_the_edge_is_deleted_and_scores_as_the_smaller_graph() -> (
    None
):
    data = coronary()
    triangle = structure_of(data, "AD AE DE", DE="A=1")
    scores = scores_of(data)
    with pytest.raises(GraphError, match="Remove the edge instead"):
        triangle.with_context((3, 4), (0,))
    # The specification scores the sub-table of A, D and E; B, C and F are alone here.
    alone = sum(scores.local(v, 0) for v in (1, 2, 5))
    smaller = triangle.without_edge(3, 4)
    assert not smaller.contexts
    assert (total_nats(scores, smaller) - alone * LN2) == pytest.approx(-3788.320503, abs=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_a_context_changes_the_scores_of_the_ends_of_its_edge(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_rows(rng, (2, 3, 2, 3, 2))
    edges = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4)]
    masks = neighbour_masks(5, edges)
    scores = scores_of(data)
    assert scores.total(masks, {}) == scores.total(masks)
    contexts = {(1, 2): frozenset({(1, 0)})}
    for node in range(5):
        local = scores.local(node, masks[node], merges_of(node, masks, contexts))
        is_end = node in (1, 2)
        assert (abs(local - scores.local(node, masks[node])) > 1e-12) == is_end


@pytest.mark.parametrize("name", [MPL, PIC])
@pytest.mark.parametrize("seed", range(4))
def test_gains_of_contexts_are_differences_of_scores(seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    data = random_rows(rng, (2, 3, 2, 3, 2))
    structure = random_structure(rng, [2, 3, 2, 3, 2])
    masks = neighbour_masks(5, structure.edges)
    scores = scores_of(data, name)
    cards = data.domain.cardinalities
    for i, j in structure.edges:
        common = bits_of(masks[i] & masks[j])
        for node, other in ((i, j), (j, i)):
            merges = merges_of(node, masks, structure.contexts)
            gains = scores.merge_gains(node, masks[node], merges, other, common)
            before = scores.local(node, masks[node], merges)
            for gain, states in zip(
                gains, itertools.product(*(range(cards[v]) for v in common)), strict=True
            ):
                after = scores.local(node, masks[node], merges | {(other, common, states)})
                assert gain == pytest.approx(after - before, abs=1e-9)


# Check 11


def labelled_triangles(data: DataSet) -> list[MarkovStructure]:
    """All 34 structures of three binary variables."""
    edges = list(itertools.combinations(range(3), 2))
    plain = [
        MarkovStructure(data.domain, frozenset(chosen))
        for size in range(3)
        for chosen in itertools.combinations(edges, size)
    ]
    for states in itertools.product((None, 0, 1), repeat=3):
        contexts = {
            edge: frozenset({(state,)})
            for edge, state in zip(edges, states, strict=True)
            if state is not None
        }
        plain.append(MarkovStructure(data.domain, frozenset(edges), contexts))
    return plain


def test_of_all_structures_of_t3_the_generating_one_is_best() -> None:
    data = t3()
    names = data.domain.names
    structures = labelled_triangles(data)
    assert len(structures) == 34
    scores = scores_of(data)
    ranked = sorted(((total_nats(scores, one), n) for n, one in enumerate(structures)))[::-1]
    first = structures[ranked[0][1]]
    assert len(first.edges) == 3
    assert first.contexts == {(1, 2): frozenset({(1,)})}
    assert [value for value, _ in ranked[:4]] == pytest.approx(
        [-1885.157679, -1893.714815, -1893.920979, -1895.709511], abs=1e-5
    )
    assert structures[ranked[1][1]].contexts == {}
    plain = {
        "23 13": -1945.189366,
        "12 23": -1957.227019,
        "23": -1984.515714,
        "12 13": -1991.059018,
        "13": -2018.347713,
        "12": -2030.385366,
        "": -2033.488206,
    }
    assert len(names) == 3
    for text, value in plain.items():
        edges = frozenset((int(a) - 1, int(b) - 1) for a, b in text.split())
        structure = MarkovStructure(data.domain, frozenset((min(e), max(e)) for e in edges))
        assert total_nats(scores, structure) == pytest.approx(value, abs=1e-5)


def test_the_best_labelled_triangle_of_pressure_smoking_and_lipoproteins() -> None:
    data = coronary("ADE")
    scores = scores_of(data)
    ranked = sorted((total_nats(scores, one) for one in labelled_triangles(data)), reverse=True)
    assert ranked[:5] == pytest.approx(
        [-3767.789017, -3773.672217, -3775.861172, -3776.624895, -3780.674312], abs=1e-5
    )
    plain = {
        "": -3797.465140,
        "AD": -3795.034916,
        "AE": -3788.663271,
        "DE": -3793.239885,
        "AD AE": -3788.320503,
        "AD DE": -3792.897117,
        "AE DE": -3786.525472,
        "AD AE DE": -3788.270161,
    }
    for edges, value in plain.items():
        assert total_nats(scores, structure_of(data, edges)) == pytest.approx(value, abs=1e-5)
    best = structure_of(data, "", AD="E=1", AE="D=0", DE="A=0")
    masks = neighbour_masks(3, best.edges)
    merges = merges_of(0, masks, best.contexts)
    classes = scores.classes(0, masks[0], merges)
    assert classes.tolist() == [[0, 0], [1, 0]]
    assert scores.local(0, masks[0], merges) * LN2 == pytest.approx(-1268.239388, abs=1e-5)


# Check 22


def test_more_rows_keep_the_winner_and_widen_its_lead() -> None:
    data = t3()
    gaps = []
    for factor in (1, 10, 100):
        counts = joint_counts(data, range(3)).ravel() * factor
        codes = np.indices((2, 2, 2), dtype=np.uint8).reshape(3, -1)
        scores = scores_of(DataSet(data.domain, codes, counts))
        ranked = sorted(
            ((total_nats(scores, one), n) for n, one in enumerate(labelled_triangles(data))),
            reverse=True,
        )
        (best, winner), (second, _) = ranked[:2]
        assert labelled_triangles(data)[winner].contexts == {(1, 2): frozenset({(1,)})}
        gaps.append(best - second)
    assert gaps == pytest.approx([8.557136, 10.861594, 13.164366], abs=1e-5)


# Checks 12 and 13: the searches

WITH_CONTEXTS = ("AC AD AE BC DE", {"AD": "E=1", "AE": "D=0", "DE": "A=0"})
FROM_NOTHING = ("AC AE BC CE", {"CE": "A=0", "AE": "C=1", "AC": "E=1"})
PLAIN = ("AC AE BC DE", dict[str, str]())


def climbed(
    data: DataSet, kappa: float, start: str, *, is_incremental: bool = False
) -> tuple[MarkovStructure, float]:
    search = searched(data)
    contexts = ContextSearch(
        search, data.domain, kappa=kappa, max_common=4, is_incremental=is_incremental
    )
    begin = run_to_end(search.climb((), search.or_edges(), NEVER)) if start == "mpl" else ()
    score = run_to_end(contexts.climb(begin, search.rules.pairs(), NEVER))
    return contexts.structure(), score * LN2


@pytest.mark.parametrize(
    ("kappa", "start", "score", "found"),
    [
        (1.0, "mpl", -6371.686562, WITH_CONTEXTS),
        (1.0, "empty", -6389.867144, FROM_NOTHING),
        *((0.5, start, -6373.766004, WITH_CONTEXTS) for start in ("mpl", "empty")),
        *((0.1, start, -6378.594318, WITH_CONTEXTS) for start in ("mpl", "empty")),
        *((0.01, start, -6385.502073, WITH_CONTEXTS) for start in ("mpl", "empty")),
        *((0.001, start, -6389.939906, PLAIN) for start in ("mpl", "empty")),
        *((0.0001, start, -6389.939906, PLAIN) for start in ("mpl", "empty")),
        (0.0, "empty", -6389.939906, PLAIN),
    ],
)
def test_contextual_networks_of_the_coronary_table(
    kappa: float, start: str, score: float, found: tuple[str, dict[str, str]]
) -> None:
    data = coronary()
    structure, value = climbed(data, kappa, start)
    edges, contexts = found
    plain = " ".join(edge for edge in edges.split() if edge not in contexts)
    assert structure == structure_of(data, plain, **contexts)
    assert value == pytest.approx(score, abs=1e-5)


@pytest.mark.parametrize("is_incremental", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_search_from_a_graph_never_ends_below_it(seed: int, is_incremental: bool) -> None:
    rng = np.random.default_rng(seed)
    data = random_rows(rng, (2, 2, 3, 2, 2), 80)
    search = searched(data)
    start = [e for e in itertools.combinations(range(5), 2) if rng.random() < 0.5]
    contexts = ContextSearch(
        search, data.domain, kappa=1.0, max_common=4, is_incremental=is_incremental
    )
    score = run_to_end(contexts.climb(start, search.rules.pairs(), NEVER))
    assert score >= search.total(start, NEVER) - 1e-9
    assert score == pytest.approx(
        contexts.scores.total(contexts.masks, contexts.contexts), abs=1e-9
    )
    contexts.structure()  # regular, or it would be refused


# Rules


def test_rules_about_edges_have_no_direction() -> None:
    names = ("a", "b", "c")
    both = frozenset({("a", "c"), ("c", "a"), ("b", "c")})
    rules = UndirectedRules.of(names, Knowledge(required=frozenset({("b", "a")}), forbidden=both))
    assert rules.required == {(0, 1)}
    assert rules.forbidden == {(0, 2)}
    assert list(rules.pairs()) == [(1, 2)]


def test_tiers_are_refused_with_a_sentence() -> None:
    with pytest.raises(KnowledgeError, match="Tiers order the directions of edges"):
        UndirectedRules.of(("a", "b"), Knowledge(tiers=(("a",), ("b",))))


def test_required_edges_are_in_every_graph_and_forbidden_ones_in_none() -> None:
    data = coronary()
    rules = UndirectedRules(6, frozenset({(1, 5)}), frozenset({(0, 2)}))
    search = BlanketSearch(scores_of(data), rules, 8)
    run_to_end(search.find_blankets(NEVER))
    climbed_edges = run_to_end(search.climb((), search.or_edges(), NEVER))
    contexts = ContextSearch(search, data.domain, kappa=1.0, max_common=4)
    run_to_end(contexts.climb((), rules.pairs(), NEVER))
    candidates = search.exhaustive_candidates()
    assert candidates is not None
    best, _ = run_to_end(search.best_of_all(candidates, 1, NEVER))[0]
    for edges in (
        search.and_edges(),
        search.or_edges(),
        climbed_edges,
        best,
        frozenset(edges_of(contexts.masks)),
    ):
        assert (1, 5) in edges
        assert (0, 2) not in edges
