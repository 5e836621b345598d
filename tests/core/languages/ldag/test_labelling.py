"""Labels from similar rows and by hand: rows are merged and separated, and refusals have a
reason."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.conversions import converted
from pgmstudio.core.languages.ldag.labels import (
    labelled_from_rows,
    labelled_less,
    labelled_more,
    mean_rows,
)
from pgmstudio.core.languages.ldag.model import LabelledDag
from tests.labelled_dags import four, random_labelled, three
from tests.strategies import all_cases, random_network


@pytest.mark.parametrize("seed", range(10))
def test_written_out_rows_give_the_labels_back(seed: int) -> None:
    model = random_labelled(np.random.default_rng(seed), 5, merges=0.6).regular()
    again = labelled_from_rows(model.as_bayesian_network)
    assert again.edges == model.edges
    for one, other in zip(again.classes, model.classes, strict=True):
        assert (one == other).all()
    cases = all_cases(model.domain)
    assert again.log2_probabilities(cases) == pytest.approx(model.log2_probabilities(cases))


def test_a_larger_tolerance_merges_more_and_never_further_than_it_says() -> None:
    network = random_network(np.random.default_rng(2), 6, density=0.8)
    counts = []
    for tolerance in (0.0, 0.1, 0.3, 0.6):
        model = labelled_from_rows(network, tolerance)
        counts.append(model.representation_size())
        written = model.as_bayesian_network
        for table, other in zip(network.tables, written.tables, strict=True):
            assert np.abs(table - other).max() <= tolerance + 1e-12
        assert model.is_regular
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] < counts[0]


def test_a_context_more_merges_two_rows() -> None:
    plain = LabelledDag.of_network(three().as_bayesian_network)
    model = labelled_more(plain, "X2", "X3", (0,))
    assert model.label("X2", "X3").tolist() == [True, False]
    assert model.representation_size() == plain.representation_size() - 1
    wanted = plain.rows[2][:2].mean(axis=0)
    assert model.rows[2][0] == pytest.approx(wanted)


def test_weights_decide_what_a_merged_row_is() -> None:
    rows = np.array([[0.9, 0.1], [0.1, 0.9]])
    classes = np.zeros(2, dtype=np.int64)
    assert mean_rows(classes, rows, np.array([3.0, 1.0]))[0] == pytest.approx([0.7, 0.3])
    assert mean_rows(classes, rows, np.zeros(2))[0] == pytest.approx([0.5, 0.5])


def test_the_last_context_is_refused_with_the_edge_to_delete() -> None:
    with pytest.raises(GraphError, match="delete the edge X2 → X3 instead"):
        labelled_more(three(), "X2", "X3", (0,))


def test_an_implied_context_cannot_be_taken_out_alone() -> None:
    with pytest.raises(GraphError, match="imply"):
        labelled_less(four(), "X2", "X4", (1, 1))
    less = labelled_less(four(), "X3", "X4", (0, 0))
    assert less.representation_size() == four().representation_size() + 1
    cases = all_cases(less.domain)
    assert less.log2_probabilities(cases) == pytest.approx(four().log2_probabilities(cases))


@pytest.mark.parametrize(
    ("source", "target", "context", "message"),
    [
        ("X3", "X2", (0,), "no edge X3 → X2"),
        ("X2", "X3", (), "needs a state of X1"),
        ("X2", "X3", (7,), "X1 has no state number 8"),
    ],
)
def test_what_is_not_there_is_named(
    source: str, target: str, context: tuple[int, ...], message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        labelled_more(three(), source, target, context)


def test_a_network_becomes_a_labelled_graph_and_back() -> None:
    network = random_network(np.random.default_rng(6), 5)
    model = converted(network, "ldag")
    again = converted(model, "bayesian-network")
    cases = all_cases(network.domain)
    wanted = network.log2_probabilities(cases)
    assert again.log2_probabilities(cases) == pytest.approx(wanted)  # type: ignore[attr-defined]
