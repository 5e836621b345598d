"""What is shown of a Markov network: scores, gains of contexts, classes of a blanket."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.inference.junction_tree.query import joint_of
from pgmstudio.core.languages.markov_network.log_linear import (
    element_rows,
    parameter_symbol,
    restriction_text,
)
from pgmstudio.core.languages.markov_network.strata import strata_checks
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.languages.markov_network.summaries import (
    blanket_classes,
    context_changes,
    edge_change,
    given_blanket,
    pseudo_likelihood_of,
    structure_scores,
    total_nats,
)
from tests.core.learning.lecture_data import CORONARY
from tests.markov_networks import (
    FIGURE_3,
    graph,
    random_markov_network,
    random_structure,
    structure_of,
)


def test_scores_of_the_coronary_model_with_three_contexts_are_those_of_the_specification() -> None:
    structure = structure_of(CORONARY, "AC AD AE BC DE", AD="E=1", AE="D=0", DE="A=0")
    scores = pseudo_likelihood_of(structure, CORONARY)
    assert scores is not None
    summary = structure_scores(scores, structure)
    assert summary.log_mpl_nats == pytest.approx(-6371.686562, abs=1e-5)
    assert summary.fitted is not None
    assert summary.fitted.bic_nats == pytest.approx(-6721.645408, abs=1e-4)
    assert sum(summary.variable_nats) == pytest.approx(summary.log_mpl_nats)
    # The three edges with contexts of the clique ADE share no variable: no closed form.
    assert summary.stratified_nats is None


def test_a_decomposable_graph_with_strata_has_the_marginal_likelihood_of_the_specification() -> (
    None
):
    structure = structure_of(CORONARY, "AC AE BC CE DE", CE="A=0", AE="C=1")
    scores = pseudo_likelihood_of(structure, CORONARY)
    assert scores is not None
    assert structure_scores(scores, structure).stratified_nats == pytest.approx(-6730.069762)
    assert all(not check.problems for check in strata_checks(structure))


def test_the_change_of_a_context_is_that_of_the_whole_score() -> None:
    structure = structure_of(CORONARY, "AC AD AE BC DE", AD="E=1", AE="D=0", DE="A=0")
    edge = (3, 4)
    scores = pseudo_likelihood_of(structure, CORONARY)
    assert scores is not None
    changes = context_changes(scores, structure, edge)
    rows, change = changes[0,]
    without = total_nats(scores, structure.without_context(edge, (0,)))
    assert rows == 961
    assert change == pytest.approx(without + 6371.686562, abs=1e-5)
    assert np.isnan(changes[1,][1])  # with both the edge would have no effect


def test_classes_of_blankets_are_those_of_figure_11() -> None:
    structure = MarkovStructure.of_names(
        FIGURE_3.domain,
        [tuple(FIGURE_3.domain.names[v] for v in edge) for edge in FIGURE_3.edges],
        {("2", "5"): [{"3": "1"}]},
    )
    counts = [int(blanket_classes(structure, v).max()) + 1 for v in range(5)]
    assert counts == [4, 6, 4, 4, 6]
    classes = blanket_classes(structure, 1)  # over 1, 3, 5
    assert classes[0, 1, 0] == classes[0, 1, 1]
    assert classes[0, 0, 0] != classes[0, 0, 1]


def test_probabilities_given_the_blanket_are_those_of_the_joint_and_equal_in_a_class() -> None:
    rng = np.random.default_rng(3)
    model = random_markov_network(rng, random_structure(rng, [2, 3, 2, 2], 0.8, 0.5))
    assert model.structure.contexts
    everything = joint_of(model, range(4), {})
    for variable in range(4):
        members = sorted(model.structure.neighbours[variable])
        others = tuple(v for v in range(4) if v not in (*members, variable))
        joint = np.moveaxis(everything, variable, -1)
        joint = joint.sum(axis=tuple(v - (v > variable) for v in others))
        wanted = joint / joint.sum(axis=-1, keepdims=True)
        table = given_blanket(model, variable)
        assert table == pytest.approx(wanted)
        classes = blanket_classes(model.structure, variable)
        for number in range(int(classes.max()) + 1):
            rows = table[classes == number]
            assert rows == pytest.approx(np.broadcast_to(rows[0], rows.shape))


def test_restrictions_are_written_with_the_numbers_of_variables() -> None:
    triangle = graph("12 13 23", 3)
    (row,) = element_rows(triangle, (1, 2), (1,))
    assert restriction_text(triangle.domain, row, parameter_symbol) == "φ₂₃ + φ₁₂₃ = 0"
    (row,) = element_rows(triangle, (1, 2), (0,))
    assert restriction_text(triangle.domain, row, parameter_symbol) == "φ₂₃ = 0"


def test_the_change_by_an_edge_is_that_of_the_whole_score() -> None:
    structure = structure_of(CORONARY, "AC AD AE BC DE", AD="E=1", AE="D=0", DE="A=0")
    scores = pseudo_likelihood_of(structure, CORONARY)
    assert scores is not None
    for edge in ((0, 1), (2, 4), (1, 5)):  # A – B closes a triangle, C – E one with a context
        after = total_nats(scores, structure.with_edge(*edge))
        change = edge_change(structure, CORONARY, edge)
        assert change == pytest.approx(after - total_nats(scores, structure))


def test_standard_errors_of_a_saturated_table_are_those_of_log_odds() -> None:
    structure = structure_of(CORONARY, "AB")
    scores = pseudo_likelihood_of(structure, CORONARY)
    assert scores is not None
    errors = structure_scores(scores, structure).standard_errors
    assert errors is not None
    model = structure_scores(scores, structure).fitted
    assert model is not None
    result = dict(zip(model.network.log_linear.parameters, errors, strict=True))
    counts = joint_counts(CORONARY, (0, 1))
    assert result[(0, 1), (1, 1)] == pytest.approx(np.sqrt((1 / counts).sum()), rel=1e-4)
    assert result[(0,), (1,)] == pytest.approx(
        np.sqrt(1 / counts[0, 0] + 1 / counts[1, 0]), rel=1e-4
    )
    lone = joint_counts(CORONARY, (5,))
    assert result[(5,), (1,)] == pytest.approx(np.sqrt((1 / lone).sum()), rel=1e-4)


def test_standard_errors_respect_contexts_and_need_finite_estimates() -> None:
    structure = structure_of(CORONARY, "AD AE DE", DE="A=1")
    scores = pseudo_likelihood_of(structure, CORONARY)
    assert scores is not None
    summary = structure_scores(scores, structure)
    assert summary.fitted is not None
    assert summary.standard_errors is not None
    terms = summary.fitted.network.log_linear.parameters
    result = dict(zip(terms, summary.standard_errors, strict=True))
    # φ_DE + φ_ADE = 0: one estimate, one error.
    assert result[(3, 4), (1, 1)] == pytest.approx(result[(0, 3, 4), (1, 1, 1)], rel=1e-6)
    empty = CORONARY.take_rows(np.arange(5))
    few = pseudo_likelihood_of(structure, empty)
    assert few is not None
    assert structure_scores(few, structure).standard_errors is None
