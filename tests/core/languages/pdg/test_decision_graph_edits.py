"""One operator at a time on a decision graph: worked numbers, laws, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.pdg.measures import (
    Change,
    change_between,
    fitted_log2_likelihood,
    in_flows,
    merge_change,
    merge_score,
    node_cost,
    node_counts,
    numbers_change,
    refitted,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.operators import (
    merged,
    moved,
    redirected,
    split,
    with_parameters,
)
from tests.decision_graphs import medical, random_graph, two_trees
from tests.strategies import all_cases


def edge_masses(graph: DecisionGraph, variable: str) -> Floats | None:
    """γ(ν' –h→ ·) = ifl(ν')·p^ν'_h for every edge to the variable's nodes (eq. 4.43)."""
    above = graph.forest[graph.domain.index(variable)]
    if above is None:
        return None
    return np.asarray(in_flows(graph)[above][:, None] * graph.parameters[above])


def split_potential(graph: DecisionGraph, variable: str, node: int) -> float:
    """ifl(ν)·H(γ(e)/ifl(ν)) / log|inc(ν)|, between 0 and ifl(ν); 0 with one edge (eq. 4.44)."""
    masses, edges = edge_masses(graph, variable), graph.successors[graph.domain.index(variable)]
    if masses is None or edges is None:
        return 0.0
    arriving = masses[edges == node]
    total = arriving.sum()
    if arriving.size < 2 or total <= 0:
        return 0.0
    fractions = arriving[arriving > 0] / total
    return float(total * -(fractions @ np.log2(fractions)) / np.log2(arriving.size))


seeds = st.integers(0, 2**32)


def drawn(seed: int, rows: int = 300) -> tuple[DecisionGraph, DataSet]:
    """A random graph with as many rows from it, its parameters fitted to them."""
    rng = np.random.default_rng(seed)
    graph = random_graph(rng)
    data = graph.sample(rows, rng)
    return refitted(graph, data), data


def in_degrees(graph: DecisionGraph, i: int) -> list[int]:
    edges = graph.successors[i]
    return [] if edges is None else np.bincount(edges.ravel()).tolist()


def mergeable_pairs(graph: DecisionGraph, i: int) -> list[tuple[int, int]]:
    """Pairs of nodes whose edges lead to the same nodes."""
    pairs = []
    for a in range(graph.node_counts[i]):
        for b in range(a + 1, graph.node_counts[i]):
            rows = [graph.successors[c] for c in graph.children[i]]
            if all(e is not None and (e[a] == e[b]).all() for e in rows):
                pairs.append((a, b))
    return pairs


def test_in_flows_of_the_worked_example() -> None:
    flows = np.concatenate(in_flows(two_trees())).tolist()
    expected = [1, 0.9, 0.1, 0.9, 0.1, 0.27, 0.64, 0.09, 1, 0.8, 0.2, 0.64, 0.36, 0.78, 0.22]
    assert flows == pytest.approx(expected)


@pytest.mark.parametrize(
    ("variable", "node", "potential"),
    [("X3", 1, 0.07431365), ("X6", 1, 0.33631430), ("X7", 0, 0.52958404), ("X7", 1, 0.18597721)],
)
def test_split_potentials_of_the_worked_example(variable: str, node: int, potential: float) -> None:
    assert split_potential(two_trees(), variable, node) == pytest.approx(potential, abs=5e-9)


@pytest.mark.parametrize(
    ("variable", "a", "b", "lost", "from_lambda"),
    [
        ("X6", 0, 1, 0.19120710, 0.998955),
        ("X3", 0, 1, 0.01053433, 0.981368),
        ("X7", 0, 1, 0.04857030, 0.995899),
        ("X2", 0, 1, 0.00261638, 0.928987),
        ("X3", 0, 2, 0.04326530, 0.995399),
    ],
)
def test_merge_scores_of_the_worked_example_and_where_merging_begins_to_pay(
    variable: str, a: int, b: int, lost: float, from_lambda: float
) -> None:
    graph = two_trees()
    result = merge_score(graph, variable, a, b)
    assert result == pytest.approx(lost, abs=5e-9)
    change = Change(-10_000 * result, -node_cost(graph, variable))
    assert change.score(from_lambda - 2e-6) < 0 < change.score(from_lambda + 2e-6)


def test_merged_nodes_have_the_mean_distribution_by_in_flow() -> None:
    assert merged(two_trees(), "X6", 0, 1).parameters[6][0] == pytest.approx([0.42, 0.58])
    assert merged(two_trees(), "X2", 1, 0).parameters[2][0] == pytest.approx([0.49, 0.51])
    assert merged(two_trees(), "X3", 2, 0).parameters[3][0] == pytest.approx([0.8, 0.2])


def test_the_redirected_edge_of_the_medical_example_leaves_a_node_out() -> None:
    graph = redirected(medical(), "D", 2, 1, 1)
    assert graph.effective_size() == 17
    assert graph.node_counts == (1, 3, 4)


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_a_merge_costs_what_was_forecast(seed: int) -> None:
    graph, data = drawn(seed)
    counts = node_counts(graph, data)
    for i, variable in enumerate(graph.domain.names):
        for a, b in mergeable_pairs(graph, i):
            after = merged(graph, variable, a, b)
            computed, true = (
                merge_change(graph, counts, variable, a, b),
                change_between(graph, after, data),
            )
            assert computed.log2_likelihood == pytest.approx(true.log2_likelihood, abs=1e-6)
            assert computed.effective_size == true.effective_size
            by_flow = -data.row_count * merge_score(graph, variable, a, b)
            assert by_flow == pytest.approx(true.log2_likelihood, abs=1e-6)
            # Fitted by flow: exactly what fitting to the rows gives.
            assert (
                after.parameters[i] == pytest.approx(refitted(after, data).parameters[i], abs=1e-9)
                or (counts[i].sum(axis=1) == 0).any()
            )


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_another_distribution_brings_what_was_forecast(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng)
    data = graph.sample(200, rng)
    i = int(rng.integers(len(graph.domain)))
    node = int(rng.integers(graph.node_counts[i]))
    numbers = rng.dirichlet(np.ones(graph.domain.cardinalities[i]))
    after = with_parameters(graph, graph.domain.names[i], node, numbers)
    true = after.log2_probabilities(data).sum() - graph.log2_probabilities(data).sum()
    counts = node_counts(graph, data)[i][node]
    computed = numbers_change(counts, graph.parameters[i][node], after.parameters[i][node])
    assert computed == pytest.approx(true, abs=1e-6)


def test_a_distribution_that_makes_rows_impossible_costs_all() -> None:
    counts, before = np.array([3.0, 1.0]), np.array([0.75, 0.25])
    assert numbers_change(counts, before, np.array([1.0, 0.0])) == -np.inf
    assert numbers_change(np.array([3.0, 0.0]), before, np.array([1.0, 0.0])) > 0


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_a_split_gives_every_edge_its_node_and_merging_them_gives_the_graph_back(
    seed: int,
) -> None:
    graph, data = drawn(seed)
    cases = all_cases(graph.domain)
    for i, variable in enumerate(graph.domain.names):
        for node, degree in enumerate(in_degrees(graph, i)):
            potential, flow = split_potential(graph, variable, node), in_flows(graph)[i][node]
            assert -1e-12 <= potential <= flow + 1e-12
            if degree < 2:
                assert potential == 0
                with pytest.raises(GraphError, match="Only one edge leads"):
                    split(graph, variable, node)
                continue
            after = split(graph, variable, node)
            change = change_between(graph, after, data)
            assert change.effective_size == (degree - 1) * node_cost(graph, variable)
            assert change.log2_likelihood >= -1e-9
            degrees = in_degrees(after, i)
            assert degrees[node] == 1
            assert degrees[graph.node_counts[i] :] == [1] * (degree - 1)
            assert after.log2_probabilities(cases) == pytest.approx(graph.log2_probabilities(cases))
            for _ in range(degree - 1):
                after = merged(after, variable, node, graph.node_counts[i])
            assert after.parameters[i] == pytest.approx(graph.parameters[i])
            assert np.array_equal(after.successors[i], graph.successors[i])  # type: ignore[arg-type]


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_a_redirected_edge_leaves_no_node_without_an_edge_and_never_grows(seed: int) -> None:
    graph, data = drawn(seed)
    rng = np.random.default_rng(seed)
    for i, variable in enumerate(graph.domain.names):
        above, edges = graph.forest[i], graph.successors[i]
        if above is None or edges is None or graph.node_counts[i] == 1:
            continue
        upper = int(rng.integers(edges.shape[0]))
        state = int(rng.integers(edges.shape[1]))
        node = (int(edges[upper, state]) + 1) % graph.node_counts[i]
        after = redirected(graph, variable, upper, state, node)
        assert after.effective_size() <= graph.effective_size()
        assert all(0 not in in_degrees(after, j) for j in range(len(graph.domain)))
        assert sum(counts.sum() for counts in node_counts(after, data)) == data.row_count * len(
            graph.domain
        )


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_a_moved_variable_changes_nothing_where_the_move_is_exact(seed: int) -> None:
    graph, data = drawn(seed)
    rng = np.random.default_rng(seed)
    cases = all_cases(graph.domain)
    for variable in graph.domain.names:
        target = [None, *graph.domain.names][int(rng.integers(len(graph.domain) + 1))]
        try:
            done = moved(graph, variable, target, data)
        except GraphError:
            continue
        above = done.graph.forest[graph.domain.index(variable)]
        assert above == (None if target is None else graph.domain.index(target))
        if done.is_exact:
            assert done.graph.log2_probabilities(cases) == pytest.approx(
                graph.log2_probabilities(cases)
            )
        else:  # fitted anew: as likely as these nodes can be
            assert fitted_log2_likelihood(done.graph, data) == pytest.approx(
                done.graph.log2_probabilities(data).sum()
            )


def test_moving_downwards_is_always_exact_and_lifting_back_is_too() -> None:
    graph = two_trees()
    lower = moved(graph, "X2", "X1")
    assert lower.is_exact
    assert moved(lower.graph, "X2", "X0").is_exact
    with pytest.raises(GraphError, match="has to be fitted to data"):
        moved(graph, "X3", "X0")
    with pytest.raises(GraphError, match="stands below"):
        moved(graph, "X0", "X3")
    with pytest.raises(GraphError, match="already"):
        moved(graph, "X1", "X0")


def test_what_cannot_be_done_is_refused_with_the_reason() -> None:
    graph = two_trees()
    with pytest.raises(GraphError, match="lead to different nodes of X3"):
        merged(graph, "X1", 0, 1)
    with pytest.raises(GraphError, match="two different nodes"):
        merged(graph, "X1", 0, 0)
    with pytest.raises(GraphError, match="no node 4"):
        merged(graph, "X3", 0, 3)
    with pytest.raises(GraphError, match="root"):
        split(graph, "X0", 0)
    with pytest.raises(GraphError, match="already"):
        redirected(graph, "X1", 0, 0, 0)
    with pytest.raises(GraphError, match="no state number 3"):
        redirected(graph, "X1", 0, 2, 1)
    with pytest.raises(GraphError, match="needs 2 numbers"):
        with_parameters(graph, "X1", 0, [1.0])
    with pytest.raises(GraphError, match="do not sum to 1"):
        with_parameters(graph, "X1", 0, [0.5, 0.6])
    assert with_parameters(graph, "X1", 1, [0.5, 0.5]).parameters[1][1].tolist() == [0.5, 0.5]
