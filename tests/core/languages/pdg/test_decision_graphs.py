"""Decision graphs as values: what they refuse, their sizes, their probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError, GraphError
from pgmstudio.core.languages.pdg.model import DecisionGraph, minimal_graph
from tests.decision_graphs import graph_of, medical, parity, random_graph, two_trees
from tests.strategies import all_cases, domain_of, with_missing

ROW = np.array([[0], [1], [1], [0], [0], [1], [1], [1]])


def test_sizes_of_the_worked_examples() -> None:
    graph = two_trees()
    sizes = (graph.effective_size(), graph.representation_size(), graph.parameter_size())
    assert sizes == (36, 15, 30)
    assert (medical().effective_size(), medical().representation_size()) == (19, 10)


@pytest.mark.parametrize("count", range(2, 13))
def test_parity_grows_linearly(count: int) -> None:
    assert parity(count).effective_size() == 4 * (count - 1) + 2


def test_parity_gives_half_of_the_states_the_same_probability() -> None:
    cases = all_cases(domain_of([2] * 6))
    logs = parity(6).log2_probabilities(cases)
    even = cases.codes.sum(axis=0) % 2 == 0
    assert logs[even] == pytest.approx(-5)
    assert (logs[~even] == -np.inf).all()


def test_the_worked_row_reaches_its_nodes() -> None:
    graph = two_trees()
    data = DataSet(graph.domain, ROW)
    assert graph.reached_nodes(data)[:, 0].tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
    assert 2 ** graph.log2_probabilities(data)[0] == pytest.approx(0.0052488, abs=1e-12)


def test_paths_to_a_node() -> None:
    graph = two_trees()
    cases = all_cases(graph.domain)
    there = cases.codes[:2, graph.reached_nodes(cases)[3] == 1]
    assert {tuple(pair) for pair in there.T.tolist()} == {(0, 0), (1, 0)}


@pytest.mark.parametrize("seed", range(12))
def test_probabilities_sum_to_one_and_reach_one_node_of_each_variable(seed: int) -> None:
    # acceptance check 3; half of them with twelve binary variables
    binary = [2] * 12 if seed % 2 else None
    graph = random_graph(np.random.default_rng(seed), 9, cardinalities=binary)
    cases = all_cases(graph.domain)
    assert np.exp2(graph.log2_probabilities(cases)).sum() == pytest.approx(1, abs=1e-12)
    reached = graph.reached_nodes(cases)
    for i, count in enumerate(graph.node_counts):
        assert set(np.unique(reached[i])) == set(range(count))  # a partition without empty parts


@pytest.mark.parametrize("seed", range(3))
def test_samples_have_the_frequencies_of_the_graph(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 4)
    cases = all_cases(graph.domain)
    merged = graph.sample(40_000, rng).merged()
    seen = {tuple(row): w for row, w in zip(merged.codes.T.tolist(), merged.weights, strict=True)}
    wanted = np.exp2(graph.log2_probabilities(cases))
    got = np.array([seen.get(tuple(row), 0.0) for row in cases.codes.T.tolist()]) / 40_000
    assert np.abs(got - wanted).max() < 4 * 0.5 / np.sqrt(40_000)
    assert got[wanted == 0].sum() == 0


def test_the_minimal_graph_knows_no_dependence() -> None:
    graph = minimal_graph(domain_of([2, 3, 2]), (None, 0, 0))
    assert graph.node_counts == (1, 1, 1)
    assert np.allclose(graph.log2_probabilities(all_cases(graph.domain)), -np.log2(12))


def test_incomplete_rows_reach_no_single_node() -> None:
    graph = two_trees()
    data = with_missing(np.random.default_rng(0), DataSet(graph.domain, ROW), 0.9)
    with pytest.raises(DataError, match="missing cells"):
        graph.reached_nodes(data)


@pytest.mark.parametrize("seed", range(5))
def test_missing_cells_are_summed_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 6)
    rows = with_missing(rng, graph.sample(40, rng), 0.4)
    cases = all_cases(graph.domain)
    joint = np.exp2(graph.log2_probabilities(cases))
    for row, log2 in enumerate(graph.log2_probabilities(rows)):
        seen = rows.codes[:, row, None]
        agree = ((cases.codes == seen) | (seen == rows.missing_code)).all(axis=0)
        assert 2**log2 == pytest.approx(joint[agree].sum(), rel=1e-12)


def test_a_small_flow_beside_a_large_one_is_not_lost() -> None:
    """Out-flows of two nodes lie 1 000 variables of halves apart, and the small one counts."""
    names = [f"X{i}" for i in range(1_500)]
    cautious: dict[str, list[list[float]]] = {n: [[1.0, 0.0], [0.5, 0.5]] for n in names[1:]}
    graph = graph_of(
        domain_of([2] * len(names)),
        dict(zip(names[1:], names, strict=False)),
        {"X0": [[0.5, 0.5]]} | cautious,
        {"X1": [[0, 1]]} | {n: [[0, 0], [1, 1]] for n in names[2:]},
    )
    codes = np.zeros((len(names), 1), dtype=np.uint8)
    codes[0] = 1
    codes[-1] = 255
    logs = graph.log2_probabilities(DataSet(graph.domain, codes))
    assert logs[0] == pytest.approx(-1_499, abs=1e-9)


BINARY = domain_of([2, 2])
HALF = [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("above", "parameters", "successors", "message"),
    [
        ({}, {"X0": HALF * 2, "X1": HALF}, {}, "a root has one"),
        ({"X1": "X0"}, {"X0": HALF, "X1": HALF}, {"X1": [[0]]}, "needs one edge"),
        ({"X1": "X0"}, {"X0": HALF, "X1": HALF * 2}, {"X1": [[0, 0]]}, "No edge leads to node 2"),
        ({"X1": "X0"}, {"X0": HALF, "X1": HALF}, {"X1": [[0, 1]]}, "does not have"),
        ({}, {"X0": [[0.5, 0.5 + 2e-9]], "X1": HALF}, {}, "do not sum to 1"),
        ({}, {"X0": [[1.5, -0.5]], "X1": HALF}, {}, "not a probability"),
        ({}, {"X0": [[1.0]], "X1": HALF}, {}, "each with 2 numbers"),
        (
            {"X1": "X0", "X0": "X1"},
            {"X0": HALF, "X1": HALF},
            {"X1": [[0, 0]], "X0": [[0, 0]]},
            "above itself",
        ),
    ],
)
def test_a_structure_that_is_none_is_refused(
    above: dict[str, str],
    parameters: dict[str, list[list[float]]],
    successors: dict[str, list[list[int]]],
    message: str,
) -> None:
    with pytest.raises(GraphError, match=message):
        graph_of(BINARY, above, parameters, successors)


def test_arrays_cannot_be_changed() -> None:
    graph: DecisionGraph = two_trees()
    with pytest.raises(ValueError, match="read-only"):
        graph.parameters[0][0, 0] = 1.0
