"""Decision graphs out of networks: nothing is lost by compiling, little by merging."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import Cancelled, ParameterError
from pgmstudio.core.execution.events import NEVER, Progress, StopSwitch
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.junction_tree import clique_tree_of
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.pdg.from_network import Indices, compiled_graph, graph_of_rows
from pgmstudio.core.languages.pdg.learning.hybrid import (
    CompiledState,
    HybridParams,
    HybridPdgLearner,
)
from pgmstudio.core.languages.pdg.learning.state import PdgRows
from pgmstudio.core.languages.pdg.learning.trace import PdgScan, bits_per_row
from pgmstudio.core.languages.pdg.measures import (
    fitted_log2_likelihood,
    node_counts,
    refitted,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.learning.base import ArtifactSaved, Finished, ImprovedModel
from tests.strategies import random_network


def without_idle_nodes(graph: DecisionGraph, data: DataSet) -> DecisionGraph:
    """The same graph with all nodes that no row reaches replaced by one garbage node a variable.

    It is uniform, stands last, and leads on to the garbage nodes below, which are made where they
    are missing, so that unseen rows follow a separate path.
    """
    reached = [counts.sum(axis=1) > 0 for counts in node_counts(graph, data)]
    has_garbage = [False] * len(graph.domain)
    parameters, successors = list(graph.parameters), list(graph.successors)
    numbers: dict[int, Indices] = {}
    for i in graph.order:
        above = graph.forest[i]
        representatives = (
            np.flatnonzero(reached[i]) if above is not None else np.zeros(1, dtype=np.intp)
        )
        has_garbage[i] = representatives.size < reached[i].size and above is not None
        has_garbage[i] |= above is not None and has_garbage[above]
        numbers[i] = np.full(reached[i].size, representatives.size, dtype=np.int64)
        numbers[i][representatives] = np.arange(representatives.size)
        rows = graph.parameters[i][representatives]
        if has_garbage[i]:
            rows = np.vstack([rows, np.full(rows.shape[1], 1 / rows.shape[1])])
        parameters[i] = rows
        edges = graph.successors[i]
        if above is not None and edges is not None:
            stay = np.flatnonzero(reached[above]) if graph.forest[above] is not None else [0]
            mine = numbers[i][edges[stay]]
            if has_garbage[above]:
                mine = np.vstack(
                    [mine, np.full(mine.shape[1], representatives.size, dtype=np.int64)]
                )
            successors[i] = mine
    return DecisionGraph(graph.domain, graph.forest, tuple(parameters), tuple(successors))


def rows_of(seed: int, count: int = 400) -> tuple[BayesianNetwork, DataSet]:
    rng = np.random.default_rng(seed)
    network = random_network(rng, 6, density=0.5, zeros=0.2)
    return network, network.sample(count, rng)


@pytest.mark.parametrize("seed", range(6))
def test_fitting_a_compiled_graph_again_loses_nothing(seed: int) -> None:
    network, data = rows_of(seed)
    fitted = fit_tables(data, network.dag, 0.0, rng=np.random.default_rng(0), cancel=NEVER).network
    graph = refitted(compiled_graph(fitted), data)
    wanted = bits_per_row(fitted, data) * data.total_weight
    assert fitted_log2_likelihood(graph, data) >= wanted - 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_collapsing_what_no_row_reaches_changes_no_likelihood(seed: int) -> None:
    network, data = rows_of(seed, 40)
    graph = refitted(compiled_graph(network), data)
    smaller = without_idle_nodes(graph, data)
    before, after = (g.log2_probabilities(data) for g in (graph, smaller))
    assert after == pytest.approx(before, abs=1e-9)
    assert smaller.effective_size() <= graph.effective_size()
    for counts, rows in zip(node_counts(smaller, data), smaller.parameters, strict=True):
        idle = np.flatnonzero(counts.sum(axis=1) == 0)
        assert idle.size <= 1  # the garbage node, which is uniform and stands last
        if idle.size:
            assert idle[0] == counts.shape[0] - 1
            assert np.ptp(rows[idle[0]]) == 0


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rows", [5, 40, 400])
def test_a_graph_made_for_the_rows_is_the_compiled_one_without_idle_nodes(
    seed: int, rows: int
) -> None:
    network, data = rows_of(seed, rows)
    wanted = refitted(without_idle_nodes(compiled_graph(network), data), data)
    result = graph_of_rows(network.clique_tree, data)
    assert result.forest == wanted.forest
    for mine, theirs in zip(result.parameters, wanted.parameters, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    for edges, others in zip(result.successors, wanted.successors, strict=True):
        assert (edges is None) == (others is None)
        if edges is not None:
            np.testing.assert_array_equal(edges, others)


@pytest.mark.parametrize("seed", range(6))
def test_cliques_that_hang_early_fit_the_rows_just_as_well(seed: int) -> None:
    network, data = rows_of(seed)
    tree = network.clique_tree
    last, early = (graph_of_rows(tree, data, is_early=is_early) for is_early in (False, True))
    wanted = fitted_log2_likelihood(last, data)
    assert fitted_log2_likelihood(early, data) == pytest.approx(wanted, abs=1e-7)


def test_cliques_far_too_large_for_a_table_are_compiled_all_the_same() -> None:
    """40 columns in one clique have 2^40 combinations, of which 50 rows show 50."""
    names = tuple(f"X{i}" for i in range(40))
    rng = np.random.default_rng(0)
    data = DataSet(
        Domain.of(dict.fromkeys(names, ("0", "1"))), rng.integers(2, size=(40, 50), dtype=np.uint8)
    )
    tree = clique_tree_of([tuple(range(i)) for i in range(40)], (2,) * 40)
    assert tree.table_cells == 2**40
    graph = graph_of_rows(tree, data)
    assert max(graph.node_counts) <= 51
    assert fitted_log2_likelihood(graph, data) == pytest.approx(-50 * np.log2(50))


def test_the_data_situation_of_the_source_saves_one_node() -> None:
    """No row has (X3, X5) = (0, 1) nor (1, 0): two of the four nodes of X6 become one (38 → 36)."""
    names = tuple(f"X{i}" for i in range(1, 7))
    domain = Domain.of(dict.fromkeys(names, ("0", "1")))
    edges = [("X1", "X2"), ("X1", "X3"), ("X2", "X3"), ("X1", "X4")]
    dag = Dag.from_edges(names, [*edges, ("X3", "X5"), ("X3", "X6"), ("X5", "X6")])
    network = BayesianNetwork.uniform(domain, dag)
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=(6, 500), dtype=np.uint8)
    codes[4] = codes[2]
    data = DataSet(domain, codes)
    root = network.clique_tree.cliques.index((0, 1, 2))
    graph = compiled_graph(network, root)
    assert graph.effective_size() == 38
    assert without_idle_nodes(graph, data).effective_size() == 36


def run(data: DataSet, **chosen: object) -> list[object]:
    params = HybridParams(network="bn.hill-climb", **chosen)  # type: ignore[arg-type]
    rng = np.random.default_rng(1)
    return list(HybridPdgLearner().run(data, params, rng=rng, cancel=NEVER))


def scan_of(events: list[object]) -> PdgScan:
    scan = [e.artifact for e in events if isinstance(e, ArtifactSaved)][-1]
    assert isinstance(scan, PdgScan)
    return scan


@pytest.mark.parametrize("seed", range(3))
def test_sizes_and_likelihoods_only_fall_along_the_sequence(seed: int) -> None:
    # acceptance check 15
    network, data = rows_of(seed, 1_000)
    points = scan_of(run(data, start=network, smoothing=0.0)).points[::-1]  # λ ascending
    compiled = fitted_log2_likelihood(graph_of_rows(network.clique_tree, data), data)
    assert points[0].lambda_ == 0.0
    assert points[0].train_bits == pytest.approx(compiled / 1_000, abs=1e-9)
    sizes = [point.effective_size for point in points]
    bits = [point.train_bits for point in points]
    assert sizes == sorted(sizes, reverse=True)
    assert all(later <= earlier + 1e-9 for earlier, later in itertools.pairwise(bits))


@pytest.mark.parametrize("seed", range(8))
def test_without_a_penalty_no_merge_loses_anything(seed: int) -> None:
    # acceptance check 15; few rows, so that some nodes have equal parameters
    network, data = rows_of(seed, 60)
    graph = graph_of_rows(network.clique_tree, data)
    state = CompiledState(PdgRows(data), graph.forest, start=graph)
    before = state.log2_likelihood()
    for _ in state.merge_for(0.0):
        pass
    assert state.log2_likelihood() == pytest.approx(before, abs=1e-9)
    assert state.graph().log2_probabilities(data) == pytest.approx(
        graph.log2_probabilities(data), abs=1e-9
    )


def test_the_lossless_graph_is_the_smallest_that_fits_no_worse_than_the_network() -> None:
    _, data = rows_of(4, 2_000)
    events = run(data, smoothing=0.0)
    last = events[-1]
    assert isinstance(last, Finished)
    network_bits = last.measures["network_log2_likelihood_per_row"]
    fitting = [p for p in scan_of(events).points if p.train_bits >= network_bits - 1e-9]
    assert isinstance(last.model, DecisionGraph)
    assert last.model.effective_size() == min(p.effective_size for p in fitting)
    scores = [e.measures["score"] for e in events if isinstance(e, ImprovedModel)]
    assert scores == sorted(set(scores))  # each better than all before


def test_an_open_network_is_compiled_as_it_is_drawn() -> None:
    network, data = rows_of(5)
    events = run(data, start=network, smoothing=0.0, lambdas=(0.5,))
    first = scan_of(events).points[-1]
    assert first.train_bits >= bits_per_row(
        fit_tables(data, network.dag, 0.0, rng=np.random.default_rng(0), cancel=NEVER).network, data
    )
    strange = random_network(np.random.default_rng(0), 3)
    names = Domain.of({f"other {i}": v.states for i, v in enumerate(strange.domain)})
    renamed = BayesianNetwork(names, Dag(names.names, strange.dag.parent_indices), strange.tables)
    if renamed.edges:
        with pytest.raises(ParameterError, match="not a column"):
            run(data, start=renamed)


def test_every_larger_penalty_merges_on_and_idle_nodes_stay_apart() -> None:
    _, data = rows_of(2, 1_000)
    points = scan_of(run(data, smoothing=0.0, lambdas=(0.05, 0.9, 0.999))).points[::-1]
    sizes = [point.effective_size for point in points]
    assert sizes == sorted(set(sizes), reverse=True)  # smaller each time
    network, few = rows_of(2, 30)
    for point in scan_of(run(few, start=network, smoothing=0.0, lambdas=(0.05, 0.9))).points:
        assert point.model is not None
        both = zip(node_counts(point.model, few), point.model.parameters, strict=True)
        idle = [rows[counts.sum(axis=1) == 0] for counts, rows in both]
        assert any(rows.size for rows in idle)
        assert all(np.ptp(rows) == 0 for rows in idle if rows.size)


def test_smoothed_graphs_are_compared_with_the_smoothed_network() -> None:
    _, data = rows_of(4, 2_000)
    events = run(data)
    last = events[-1]
    assert isinstance(last, Finished)
    assert isinstance(last.model, DecisionGraph)
    network = last.measures["network_log2_likelihood_per_row"]
    assert bits_per_row(last.model, data) >= network - 1e-9
    alphas = {point.smoothing for point in scan_of(events).points}
    assert last.measures["smoothing"] in alphas


def test_merging_reports_how_far_it_is_and_can_be_stopped() -> None:
    network, data = rows_of(0, 1_000)
    params = HybridParams(start=network, smoothing=0.0)
    rng = np.random.default_rng(1)
    events = list(HybridPdgLearner().run(data, params, rng=rng, cancel=NEVER))
    fractions = [e.fraction for e in events if isinstance(e, Progress) and e.fraction is not None]
    assert fractions[-1] == 1.0
    assert fractions == sorted(fractions)
    switch, seen = StopSwitch(), 0

    def follow() -> None:
        nonlocal seen
        for event in HybridPdgLearner().run(data, params, rng=rng, cancel=switch):
            seen += isinstance(event, Progress)
            if seen == 4:
                switch.cancel()

    with pytest.raises(Cancelled):
        follow()
    assert seen < len(fractions)
