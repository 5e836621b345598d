"""Edges without direction in data: reasons, strengths, next moves and bootstrap frequencies."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.analysis.edge_explanation import as_dict, explanation_lines
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER, Note
from pgmstudio.core.experiments.bootstrap import BootstrapParams, BootstrapPlan
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.languages.bayesian_network.edge_analysis import data_tests, removal_bits
from pgmstudio.core.languages.conversions import same_distribution
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.markov_network.edge_analysis import (
    EdgeScores,
    moved,
    undirected_divergences,
    undirected_scores,
    undirected_strengths,
    why_undirected_edge,
)
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.pseudo_likelihood import MPL
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.learning.base import ArtifactSaved, Finished
from pgmstudio.core.learning.edge_moves import MoveList
from pgmstudio.core.learning.undirected_rules import UndirectedRules
from tests.ldag_tables import coronary
from tests.markov_networks import (
    figure_9,
    random_markov_network,
    random_structure,
    structure_of,
)

BITS = 1 / np.log(2)
CONTEXTS = {"AD": "E=1", "AE": "D=0", "DE": "A=0"}


def listed(data: DataSet, structure: MarkovStructure, **rules: Knowledge) -> MoveList:
    allowed = UndirectedRules.of(data.domain.names, rules.get("knowledge"))
    return EdgeScores(data, MPL).moves(structure, allowed, top=40)


def test_the_best_graph_of_the_coronary_table_has_no_better_neighbour() -> None:
    """Specification §7.1: the MPL optimum, and its distance to the second and third graph."""
    data = coronary()
    result = listed(data, structure_of(data, "AC AE BC DE"))
    assert result.score == pytest.approx(-6389.939906 * BITS, abs=1e-5)
    gains = {str(move): move.gain for move in result.moves}
    assert gains["Remove D – E"] == pytest.approx((-6392.077704 + 6389.939906) * BITS, abs=1e-5)
    assert gains["Remove A – E"] == pytest.approx((-6394.317699 + 6389.939906) * BITS, abs=1e-5)
    assert gains["Add B – F"] == pytest.approx((-6396.150629 + 6389.939906) * BITS, abs=1e-5)
    assert result.is_optimum


def test_the_first_move_from_the_empty_graph_is_the_strongest_pair() -> None:
    data = coronary()
    result = listed(data, structure_of(data, ""))
    best = result.moves[0]
    assert str(best) == "Add B – C"
    assert best.parameters == 1
    assert result.legal == 15
    assert [move.gain for move in result.moves] == sorted(
        (move.gain for move in result.moves), reverse=True
    )


def test_contexts_are_moves_too() -> None:
    """Specification §7.3: in the triangle A, D, E three contexts raise the score."""
    data = coronary()
    plain = structure_of(data, "AC BC AD AE DE")
    start = listed(data, plain)
    contexts = {str(move) for move in start.moves if move.gain > 0 and move.key.context}
    assert "Add the context A = 0 of D – E" in contexts
    full = listed(data, structure_of(data, "AC BC", **CONTEXTS))
    assert full.score == pytest.approx(-6371.686562 * BITS, abs=1e-5)
    assert full.is_optimum
    removed = next(m for m in full.moves if str(m) == "Remove the context A = 0 of D – E")
    assert removed.parameters == 1
    assert removed.gain < 0


def test_the_gain_of_a_move_is_the_difference_of_two_scores() -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        structure = random_structure(rng, [2, 3, 2, 2, 2], 0.7, 0.3)
        rows = MarkovNetwork.uniform(structure).sample(200, rng)
        scores = EdgeScores(rows, MPL)
        for move in scores.moves(structure, UndirectedRules(5), 60).moves:
            after = EdgeScores(rows, MPL).total(moved(structure, move.key))
            assert after - scores.total(structure) == pytest.approx(move.gain, abs=1e-8)


def test_moves_obey_the_rules() -> None:
    data = coronary()
    rules = Knowledge(
        required=frozenset({("B", "C")}), forbidden=frozenset({("A", "E"), ("E", "A")})
    )
    moves = listed(data, structure_of(data, "BC"), knowledge=rules).moves
    assert {frozenset("BC"), frozenset("AE")}.isdisjoint(
        frozenset((move.key.source, move.key.target)) for move in moves
    )


def test_an_edge_is_explained_by_scores_tests_and_contexts() -> None:
    data = coronary()
    model = MarkovNetwork.uniform(structure_of(data, "AC BC", **CONTEXTS))
    why = why_undirected_edge(model, undirected_scores(data), data_tests(data), "E", "D")
    assert why.is_edge
    assert (why.source, why.target) == ("D", "E")
    assert [test.given for test in why.tests] == [(), ("A",)]
    text = "\n".join(explanation_lines(why))
    assert "Removing D – E changes PIC by" in text
    assert "Removing the context A = 0 changes log2 MPL by" in text
    assert "→" not in text
    assert {entry["context"] for entry in as_dict(why)["contexts"]} == {"A = 0"}
    absent = why_undirected_edge(model, undirected_scores(data), data_tests(data), "A", "F")
    assert not absent.is_edge
    assert "Adding A – F changes PIC by" in "\n".join(explanation_lines(absent))


def test_the_weakest_edge_comes_first_and_is_tested_given_a_blanket() -> None:
    data = coronary()
    model = MarkovNetwork.uniform(structure_of(data, "AC AE BC DE"))
    links = undirected_strengths(model, data)
    assert [link.edge for link in links][-1] == ("B", "C")
    assert [link.bic_gain for link in links] == sorted(link.bic_gain for link in links)
    by_edge = {link.edge: link for link in links}
    # D has no other neighbour than E: nothing to condition on.
    assert by_edge["D", "E"].added_bits == by_edge["D", "E"].information_bits


@pytest.mark.parametrize("key", ["mn.mpl", "mn.chordal"])
def test_a_bootstrap_counts_edges_without_direction(key: str) -> None:
    data = coronary()
    params = learner_of(key).params_type()
    plan = BootstrapPlan(key, data, params, 1, BootstrapParams(replicates=4))
    events = list(plan(NEVER))
    (end,) = [event for event in events if isinstance(event, Finished)]
    saved = [e.artifact for e in events if isinstance(e, ArtifactSaved)][-1]
    assert isinstance(saved, EdgeFrequencies)
    assert not saved.has_directions
    assert saved.graphs == 4
    assert saved.of_pair("B", "C").undirected == 1
    assert isinstance(end.model, MarkovNetwork)
    frequent = {frozenset((e.source, e.target)) for e in saved.edges if e.joined >= 0.5}
    assert {frozenset(edge) for edge in end.model.undirected_edges} == frequent
    assert any("no contexts" in e.message for e in events if isinstance(e, Note))
    assert EdgeFrequencies.restored(saved.plain()) == saved
    assert saved.table()[0] == ("one", "other", "any")


def test_the_averaged_graph_may_have_a_cycle_without_chord() -> None:
    """No directed graph has these edges without a new v-structure; none is needed."""
    rows = figure_9().sample(10, np.random.default_rng(1))
    square = [("1", "2"), ("2", "3"), ("3", "4"), ("1", "4")]
    frequencies = EdgeFrequencies(
        rows.domain.names, 1, {}, dict.fromkeys(square, 1), {"has_directions": False}
    )
    averaged = frequencies.averaged(0.5)
    assert averaged.is_exact
    assert {frozenset(edge) for edge in averaged.dag.edges} == set(map(frozenset, square))


def test_the_divergence_of_removal_is_that_of_the_nearest_network_without_the_edge() -> None:
    rng = np.random.default_rng(6)
    for model in (figure_9(), random_markov_network(rng, random_structure(rng, [2, 3, 2, 2]))):
        result = dict(undirected_divergences(model, model.undirected_edges))
        assert set(result) == set(model.undirected_edges)
        for edge, bits in result.items():
            after = model.without_edge(*edge)
            assert bits == pytest.approx(same_distribution(model, after).bits, abs=1e-9)
    triangle = random_markov_network(rng, structure_of(coronary(), "AB AC BC"))
    (between,) = (bits for edge, bits in undirected_divergences(triangle, [("B", "C")]))
    joint = open_session(triangle).joint(["B", "A", "C"])
    assert between == pytest.approx(removal_bits(joint, 0), abs=1e-7)  # I(B; C | A)
