"""Chordal graphs, strata and their closed-form marginal likelihood."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import KnowledgeError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.languages.markov_network.learning.chordal_search import (
    ChordalScores,
    ChordalSearch,
    changed_graph,
    chordal_start,
)
from pgmstudio.core.languages.markov_network.pseudo_likelihood import (
    MPL,
    PseudoLikelihood,
    edges_of,
    neighbour_masks,
    pseudo_score,
)
from pgmstudio.core.languages.markov_network.strata import (
    chordal_total,
    elimination,
    strata_problems,
    stratified_total,
)
from pgmstudio.core.learning.undirected_rules import UndirectedRules
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import score_of
from tests.ldag_tables import coronary
from tests.markov_networks import structure_of

LN2 = math.log(2)


def scores_of(data: DataSet) -> PseudoLikelihood:
    return PseudoLikelihood(data, pseudo_score(MPL, data.total_weight))


def text_of(data: DataSet, masks: tuple[int, ...]) -> str:
    names = data.domain.names
    return " ".join(sorted(names[i] + names[j] for i, j in edges_of(masks)))


# Check 17


@pytest.mark.parametrize("seed", range(6))
def test_the_score_is_bdeu_of_the_dag_of_any_perfect_elimination(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = (2, 3, 2, 2, 3)
    domain = Domain.of({f"v{i}": map(str, range(card)) for i, card in enumerate(cards)})
    codes = np.stack([rng.integers(card, size=300) for card in cards]).astype(np.uint8)
    data = DataSet(domain, codes)
    masks: tuple[int, ...] = (0,) * 5
    rules = UndirectedRules(5)
    for _ in range(40):
        edge = list(rules.pairs())[int(rng.integers(10))]
        masks = changed_graph(masks, edge, rules) or masks
    assert elimination(masks) is not None
    bdeu = FamilyScores(data, score_of("bdeu", 300.0))
    total = chordal_total(scores_of(data), masks)
    orders = 0
    for order in itertools.permutations(range(5)):
        later = {
            node: [v for v in order[n:] if masks[node] >> v & 1] for n, node in enumerate(order)
        }
        if all(
            masks[a] >> b & 1 for near in later.values() for a, b in itertools.combinations(near, 2)
        ):
            orders += 1
            dag_score = sum(bdeu.local(node, near) for node, near in later.items())
            assert dag_score == pytest.approx(total, abs=1e-9)
    assert orders > 0


def test_single_edge_changes_keep_graphs_chordal_and_reach_all_of_them() -> None:
    rules = UndirectedRules(5)
    for number in range(1 << 10):
        edges = [edge for k, edge in enumerate(rules.pairs()) if number >> k & 1]
        masks = tuple(neighbour_masks(5, edges))
        if elimination(masks) is None:
            continue
        for i, j in rules.pairs():
            changed = list(masks)
            changed[i] ^= 1 << j
            changed[j] ^= 1 << i
            is_chordal = elimination(changed) is not None
            assert (changed_graph(masks, (i, j), rules) is not None) == is_chordal


def test_all_chordal_graphs_of_the_coronary_table_are_ranked() -> None:
    data = coronary()
    search = ChordalSearch(ChordalScores(scores_of(data)), UndirectedRules(6), NEVER)
    list(search.enumerate_all())
    assert len(search.models) == 18154
    ranked = sorted(search.models.items(), key=lambda item: -item[1])[:3]
    assert [text_of(data, key) for key, _ in ranked] == [
        "AC AE BC CE DE",
        "AC AD AE BC CE DE",
        "AC AD AE BC CE",
    ]
    assert [score * LN2 for _, score in ranked] == pytest.approx(
        [-6732.459258, -6733.331602, -6733.356773], abs=1e-5
    )


def test_chains_find_the_best_chordal_graph_of_the_coronary_table() -> None:
    data = coronary()
    search = ChordalSearch(ChordalScores(scores_of(data)), UndirectedRules(6), NEVER)
    list(search.run_chains((0,) * 6, chains=2, iterations=2000, seed=1))
    assert text_of(data, search.best) == "AC AE BC CE DE"
    assert search.best_score == pytest.approx(chordal_total(scores_of(data), search.best), abs=1e-9)


# Check 18


@pytest.mark.parametrize(
    ("strata", "value"),
    [
        ({}, -6732.459258),
        ({"CE": "A=0"}, -6733.111967),
        ({"CE": "A=1"}, -6733.506522),
        ({"AE": "C=0"}, -6733.890309),
        ({"AE": "C=1"}, -6733.092522),
        ({"AC": "E=0"}, -6737.442672),
        ({"AC": "E=1"}, -6734.571926),
        ({"CE": "A=0", "AE": "C=1"}, -6730.069762),
        ({"CE": "A=1", "AE": "C=0"}, -6730.793300),
        ({"CE": "A=0", "AE": "C=0"}, -6743.009319),
        ({"CE": "A=1", "AE": "C=1"}, -6743.033529),
    ],
)
def test_strata_of_the_best_chordal_graph(strata: dict[str, str], value: float) -> None:
    data = coronary()
    plain = " ".join(e for e in ("AC", "AE", "BC", "CE", "DE") if e not in strata)
    structure = structure_of(data, plain, **strata)
    assert list(strata_problems(structure)) == []
    assert stratified_total(scores_of(data), structure) * LN2 == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("edge", ["AB", "AC", "BC"])
def test_a_single_stratum_scores_the_same_whichever_end_is_last(edge: str) -> None:
    data = coronary("ABC")
    (given,) = set("ABC") - set(edge)
    scores = scores_of(data)
    third = data.domain.index(given)
    i, j = (data.domain.index(name) for name in edge)
    values = []
    for last, other in ((i, j), (j, i)):
        blanket = 0b111 ^ 1 << last
        merges = frozenset({(other, (third,), (0,))})
        first = chordal_total(scores, [0b110, 0b101, 0b011]) - scores.local(last, blanket)
        values.append(first + scores.local(last, blanket, merges))
    assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_structures_without_a_closed_form_are_refused_with_a_message() -> None:
    data = coronary()
    separator = structure_of(data, "AB AC BD CD", BC="A=0,D=0")
    assert any("separator" in problem for problem in strata_problems(separator))
    apart = structure_of(data, "AC AD BC BD", AB="C=0,D=0", CD="A=0,B=0")
    assert any("share no variable" in problem for problem in strata_problems(apart))
    cycle = structure_of(data, "AB BC CD AD")
    assert any("not chordal" in problem for problem in strata_problems(cycle))


# Check 19


def test_a_triangle_with_a_context_scores_as_the_ldag_with_its_label() -> None:
    data = coronary("ABC")
    structure = structure_of(data, "AC BC", AB="C=0")
    assert stratified_total(scores_of(data), structure) * LN2 == pytest.approx(
        -3470.168023, abs=1e-5
    )


def test_strata_are_found_where_they_pay_and_priced_by_the_parameters_they_save() -> None:
    data = coronary()
    masks = neighbour_masks(6, [(0, 2), (0, 4), (1, 2), (2, 4), (3, 4)])
    plain = chordal_total(scores_of(data), masks) * LN2
    for kappa in (1.0, 0.5):
        scores = ChordalScores(scores_of(data), kappa=kappa)
        strata = scores.strata(masks, NEVER)
        assert set(strata) == {(0, 4), (2, 4)}
        gain = scores.strata_gain(masks, NEVER) * LN2
        assert gain == pytest.approx(-6730.069762 - plain + 2 * math.log(kappa), abs=1e-5)
    assert ChordalScores(scores_of(data), kappa=0.0).strata(masks, NEVER) == {}


def test_the_search_with_strata_scores_at_least_as_well_as_without() -> None:
    data = coronary()
    search = ChordalSearch(ChordalScores(scores_of(data), kappa=1.0), UndirectedRules(6), NEVER)
    run_to_end(search.climb((0,) * 6))
    scores = ChordalScores(scores_of(data), kappa=1.0)
    structure = scores.structure(data.domain, search.best, UndirectedRules(6), NEVER)
    assert list(strata_problems(structure)) == []
    assert stratified_total(scores_of(data), structure) == pytest.approx(search.best_score)
    assert search.best_score >= chordal_total(scores_of(data), search.best)


# Knowledge


def test_required_edges_are_made_chordal_or_refused() -> None:
    ring = frozenset({(0, 1), (1, 2), (2, 3), (0, 3)})
    assert elimination(chordal_start(UndirectedRules(4, ring))) is not None
    with pytest.raises(KnowledgeError, match="without a chord"):
        chordal_start(UndirectedRules(4, ring, frozenset({(0, 2), (1, 3)})))
