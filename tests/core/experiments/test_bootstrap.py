"""The bootstrap of a structure: frequencies, averaged graphs, weights, rules, runners."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import bootstrap_rows
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import Cancelled, DataError
from pgmstudio.core.execution.events import NEVER, StopSwitch
from pgmstudio.core.experiments.bootstrap import (
    BootstrapParams,
    BootstrapPlan,
    Counted,
    bootstrap,
    class_under,
    no_bootstrap_reason,
)
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies, EdgeFrequency
from pgmstudio.core.graphs.pdag import Pdag, cpdag_of
from pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing import (
    HillClimbParams,
)
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.learning.base import ArtifactSaved, Finished, ImprovedModel
from pgmstudio.core.model import DirectedModel
from tests.strategies import random_dag, random_network

NAMES = tuple("ABCDE")
some_graphs = st.builds(
    lambda seed, count, as_class: [
        cpdag_of(dag) if as_class else dag
        for rng in [np.random.default_rng(seed)]
        for dag in [random_dag(rng, NAMES, 0.5, 4) for _ in range(count)]
    ],
    st.integers(0, 2**32 - 1),
    st.integers(1, 12),
    st.booleans(),
)


def rows(count: int = 300, seed: int = 4, variables: int = 5) -> DataSet:
    rng = np.random.default_rng(seed)
    return random_network(rng, variables, cardinalities=[2] * variables, density=0.6).sample(
        count, rng
    )


def plan(data: DataSet, replicates: int = 6, **settings: Any) -> BootstrapPlan:
    params = HillClimbParams(restarts=0, tabu=0, **settings.pop("params", {}))
    return BootstrapPlan(
        "bn.hill-climb", data, params, 3, BootstrapParams(replicates=replicates, **settings)
    )


def counted(some: BootstrapPlan, processes: int = 1) -> EdgeFrequencies:
    events = list(bootstrap(replace(some, processes=processes), cancel=NEVER))
    result = [event.frequencies for event in events if isinstance(event, Counted)]
    assert [each.graphs for each in result] == list(range(1, len(result) + 1))
    return result[-1]


# -- frequencies


@given(some_graphs)
@settings(max_examples=50)
def test_the_shares_of_a_pair_sum_to_how_often_it_is_joined(graphs: list[Pdag | Dag]) -> None:
    result = EdgeFrequencies.of(graphs, NAMES)
    for edge in result.edges:
        assert edge.forward + edge.backward + edge.undirected == pytest.approx(edge.joined)
        assert 0 < edge.joined <= 1 + 1e-9
        assert edge.forward >= edge.backward  # its own orientation
        assert result.of_pair(edge.source, edge.target) == edge
        assert result.of_pair(edge.target, edge.source) == edge.turned()
    edges = sum(len(g.edges) if isinstance(g, Dag) else g.edge_count for g in graphs)
    assert sum(edge.joined for edge in result.edges) * len(graphs) == pytest.approx(edges)


@given(some_graphs)
@settings(max_examples=40)
def test_neither_order_nor_file_changes_the_frequencies(graphs: list[Pdag | Dag]) -> None:
    result = EdgeFrequencies.of(graphs, NAMES)
    grown = EdgeFrequencies(NAMES)
    for graph in reversed(graphs):
        grown = grown.joined_by(graph)
    assert grown == result
    assert EdgeFrequencies.restored(result.plain()) == result
    head, table = result.table()
    assert len(result.as_csv().splitlines()) == len(table) + 1
    assert all(len(row) == len(head) for row in table)


@given(some_graphs, st.sampled_from([0.01, 0.3, 0.5, 0.8, 1.0]))
@settings(max_examples=60)
def test_the_averaged_graph_has_the_frequent_edges_that_close_no_cycle(
    graphs: list[Pdag | Dag], threshold: float
) -> None:
    result = EdgeFrequencies.of(graphs, NAMES)
    averaged = result.averaged(threshold)
    frequent = {
        frozenset((e.source, e.target)) for e in result.edges if e.joined >= threshold - 1e-9
    }
    left_out = {frozenset((e.source, e.target)) for e in averaged.left_out}
    assert {frozenset(edge) for edge in averaged.dag.edges} == frequent - left_out
    for edge in averaged.left_out:
        assert averaged.dag.path(edge.target, edge.source) is not None
    for source, target in averaged.pdag.directed:
        assert averaged.dag.has_edge(source, target)


def test_one_graph_is_its_own_average_and_a_class_stays_a_class() -> None:
    star = Dag.from_edges("ABCH", [("H", "A"), ("H", "B"), ("H", "C")])
    assert EdgeFrequencies.of([star], star.names).averaged(0.5).dag == star
    averaged = EdgeFrequencies.of([cpdag_of(star)] * 3, star.names).averaged(0.5)
    # All edges are free; directing them one by one from A, B and C would meet in H.
    assert averaged.dag.is_equivalent_to(star)
    assert averaged.is_exact


def test_an_edge_that_would_close_a_cycle_is_left_out_and_reported() -> None:
    edges = [[("A", "B"), ("B", "C")], [("A", "B"), ("C", "A")], [("B", "C"), ("C", "A")]]
    graphs = [Dag.from_edges("ABC", some) for some in edges]
    averaged = EdgeFrequencies.of(graphs, "ABC").averaged(0.6)
    assert averaged.dag.edges == (("A", "B"), ("B", "C"))
    assert [(e.source, e.target) for e in averaged.left_out] == [("C", "A")]


def test_free_edges_that_close_a_ring_do_not_direct_the_others_towards_a_hub() -> None:
    names = (*"ABCDEFGHIJ", "hub")
    star = [("hub", leaf) for leaf in "EFGHIJ"]
    ring = [("A", "B"), ("B", "C"), ("C", "D"), ("A", "D")]
    graphs = [Pdag.from_edges(names, (), star + ring[:k] + ring[k + 1 :]) for k in range(4)]
    averaged = EdgeFrequencies.of(graphs, names).averaged(0.5)
    assert not averaged.is_exact  # a ring of four has a v-structure whatever its directions
    assert len(averaged.dag.edges) == len(star) + len(ring)
    assert max(map(len, averaged.dag.parent_indices)) == 2


def test_a_table_that_would_not_fit_loses_its_rarest_edges_and_reports_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pgmstudio.core.experiments.bootstrap.MAX_TABLE_CELLS", 8)
    data = rows()
    names = data.domain.names
    all_edges = [(name, "X4") for name in names[:-1]]
    graphs = [Dag.from_edges(names, all_edges[: 2 + number]) for number in range(3)]
    result = EdgeFrequencies.of(graphs, names)
    some = plan(data, threshold=0.3, orientation="graph")
    model, measures = some.averaged(result)
    assert isinstance(model, DirectedModel)
    assert model.edges == (("X0", "X4"), ("X1", "X4"))  # type: ignore[attr-defined]
    assert measures["edges"] == 2
    assert measures["left_out_for_size"] == 2
    omissions = list(some.omissions(result))
    assert [text.split(" was")[0] for text in omissions] == ["X2 → X4", "X3 → X4"]


def test_a_threshold_is_reached_by_exactly_that_share() -> None:
    with_edge, without = Dag.from_edges("AB", [("A", "B")]), Dag.empty("AB")
    result = EdgeFrequencies.of([with_edge] * 3 + [without] * 7, "AB")
    assert result.averaged(0.3).dag == with_edge
    assert result.averaged(0.31).dag == without
    with pytest.raises(DataError, match="threshold"):
        result.averaged(0)


def test_a_free_edge_counts_half_for_either_direction() -> None:
    assert EdgeFrequency("A", "B", 0.5, 0.1, 0.4).direction == pytest.approx(0.7)


# -- drawing rows


def test_rows_are_drawn_with_replacement_and_all_weight_is_kept() -> None:
    data = rows(200)
    drawn = bootstrap_rows(data, np.random.default_rng(0))
    assert drawn.total_weight == 200
    distinct = {tuple(row) for row in data.codes.T.tolist()}
    assert {tuple(row) for row in drawn.codes.T.tolist()} <= distinct


def test_whole_weights_are_rows_and_others_shares() -> None:
    domain = Domain.of({"x": ["a", "b", "c"]})
    codes = np.array([[0, 1, 2]], dtype=np.uint8)
    grouped = DataSet(domain, codes, np.array([50.0, 0.0, 150.0]))
    drawn = [bootstrap_rows(grouped, np.random.default_rng(seed)) for seed in range(200)]
    assert {each.total_weight for each in drawn} == {200.0}
    assert not any((each.codes == 1).any() for each in drawn)
    first = [float(each.row_weights[each.codes[0] == 0].sum()) for each in drawn]
    # Binomial with n = 200 and p = 1/4: mean 50, deviation 6.1; of 200 means it is 0.43.
    assert np.mean(first) == pytest.approx(50, abs=2)
    assert np.std(first) == pytest.approx(6.1, abs=1)
    fractions = DataSet(domain, codes, np.array([0.25, 0.5, 0.25]))
    drawn_share = bootstrap_rows(fractions, np.random.default_rng(1))
    assert drawn_share.total_weight == pytest.approx(1.0)


def test_rows_without_weight_cannot_be_drawn() -> None:
    domain = Domain.of({"x": ["a"]})
    nothing = DataSet(domain, np.zeros((1, 2), dtype=np.uint8), np.zeros(2))
    with pytest.raises(DataError, match="weight"):
        bootstrap_rows(nothing, np.random.default_rng(0))


# -- runs


@pytest.mark.slow
def test_the_same_seed_gives_the_same_frequencies_in_line_and_in_processes() -> None:
    some = plan(rows(), 7)
    assert counted(some) == counted(some, processes=3)


def test_more_replicates_keep_the_first_ones() -> None:
    data = rows()
    first = [plan(data, 3).replicate(number, NEVER) for number in range(3)]
    again = [plan(data, 50).replicate(number, NEVER) for number in range(3)]
    assert first == again


def test_knowledge_holds_in_every_replicate() -> None:
    rules = Knowledge(required=frozenset({("X3", "X0")}), forbidden=frozenset({("X1", "X2")}))
    result = counted(plan(rows(), 5, orientation="graph", params={"knowledge": rules}))
    assert result.of_pair("X3", "X0").forward == 1
    assert result.of_pair("X1", "X2").forward == 0
    # Also as a class: rules make directions known that the data do not tell.
    result = counted(plan(rows(), 5, orientation="class", params={"knowledge": rules}))
    assert result.of_pair("X3", "X0").forward == 1
    assert result.of_pair("X1", "X2").forward == 0
    assert result.of_pair("X1", "X2").undirected == 0


def test_classes_leave_free_what_graphs_direct() -> None:
    data = rows()
    graphs, classes = (counted(plan(data, 5, orientation=how)) for how in ("graph", "class"))
    assert all(edge.undirected == 0 for edge in graphs.edges)
    for edge in classes.edges:
        same = graphs.of_pair(edge.source, edge.target)
        assert same.joined == pytest.approx(edge.joined)
        assert edge.forward <= same.forward + 1e-9


def test_a_rule_directs_the_free_edge_of_a_class() -> None:
    chain = Dag.from_edges("ABC", [("A", "B"), ("B", "C")])
    assert class_under(chain, None).directed == ()
    rules = Knowledge(forbidden=frozenset({("B", "A")}))
    assert class_under(chain, rules).directed == chain.edges  # else B would become a collider


def test_a_run_keeps_frequencies_and_ends_with_the_averaged_network() -> None:
    data = rows()
    events = list(plan(data, 6)(NEVER))
    assert isinstance(events[-1], Finished)
    kept = [event.artifact for event in events if isinstance(event, ArtifactSaved)]
    assert kept[-1] == counted(plan(data, 6))
    model = events[-1].model
    assert isinstance(model, DirectedModel)
    assert model.edges == kept[-1].averaged(0.5).dag.edges  # type: ignore[attr-defined]


def test_stopping_a_run_keeps_the_replicates_that_are_done() -> None:
    switch = StopSwitch()
    kept: list[EdgeFrequencies] = []
    result = []

    def listen() -> None:
        for event in plan(rows(), 500)(switch):
            if isinstance(event, ArtifactSaved) and isinstance(event.artifact, EdgeFrequencies):
                kept.append(event.artifact)
                if event.artifact.graphs >= 5:
                    switch.cancel()
            elif isinstance(event, ImprovedModel):
                result.append(event.model)

    with pytest.raises(Cancelled):
        listen()
    assert result
    assert 5 <= kept[-1].graphs < 500


@pytest.mark.parametrize("learner", all_learners().values(), ids=lambda learner: learner.key)
def test_any_learner_of_models_with_edges_can_be_asked_again(learner: Any) -> None:
    data = rows(120, variables=4)
    try:
        params = learner.params_type()
    except TypeError:  # a parameter without a default has no place in this test
        pytest.skip("needs a parameter")
    if no_bootstrap_reason(learner) is not None:
        pytest.skip("has no edges to count")
    if learner.key == "bn.em":  # it keeps the edges of a model
        params = replace(params, start=random_network(np.random.default_rng(0), 4))
    some = BootstrapPlan(learner.key, data, params, 0, BootstrapParams(replicates=2))
    assert counted(some).graphs == 2
