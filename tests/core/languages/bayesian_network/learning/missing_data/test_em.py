"""EM: what every step keeps to, worked out by listing all completions, and hidden variables."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import Cancelled, DataError, ParameterError
from pgmstudio.core.execution.events import NEVER, Note, Progress, StopSwitch
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network import missing_cells
from pgmstudio.core.languages.bayesian_network.learning.missing_data.em import (
    EmLearner,
    EmParams,
    family_beliefs,
    sample_sizes,
)
from pgmstudio.core.languages.bayesian_network.learning.missing_data.expected_counts import (
    Expectation,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import (
    em_states,
    first_tables,
    fit_tables,
    random_tables,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.languages.likelihood import log2_likelihood
from pgmstudio.core.languages.markov_network.fitting import fit
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.learning.base import Finished, ImprovedModel, LearnEvent
from pgmstudio.core.params import parse_params, specs_of
from tests.strategies import random_network, small_networks, with_missing

seeds = st.integers(0, 2**32 - 1)
Tables = tuple[np.ndarray[Any, np.dtype[np.float64]], ...]


def incomplete(
    network: BayesianNetwork, seed: int, rows: int = 40, fraction: float = 0.4
) -> DataSet:
    rng = np.random.default_rng(seed)
    return with_missing(rng, network.sample(rows, rng), fraction)


def learn(data: DataSet, seed: int = 1, **chosen: Any) -> Finished:
    *_, last = events(data, seed, **chosen)
    assert isinstance(last, Finished)
    return last


def events(
    data: DataSet, seed: int = 1, cancel: Any = NEVER, **chosen: Any
) -> Iterable[LearnEvent]:
    rng = np.random.default_rng(seed)
    return EmLearner().run(data, EmParams(**chosen), rng=rng, cancel=cancel)


def expected_by_listing(network: BayesianNetwork, data: DataSet) -> tuple[list[Any], float]:
    """Expected counts and log2-likelihood, completion by completion.

    Per row only the variables that are observed or have an observed descendant are completed.
    """
    counts = [np.zeros(table.shape) for table in network.tables]
    total = 0.0
    cards, dag = network.domain.cardinalities, network.dag
    for row in range(data.row_count):
        codes = [int(c) for c in data.codes[:, row]]
        weight = 1.0 if data.weights is None else float(data.weights[row])
        seen = {v for v, code in enumerate(codes) if code != data.missing_code}
        kept = sorted(dag.ancestral_indices(seen))
        choices = [[codes[v]] if v in seen else range(cards[v]) for v in kept]
        completions = []
        for states in itertools.product(*choices):
            full = dict(zip(kept, states, strict=True))
            cells = [tuple(full[u] for u in (*dag.parent_indices[v], v)) for v in kept]
            chance = math.prod(network.tables[v][c] for v, c in zip(kept, cells, strict=True))
            completions.append((chance, cells))
        probability = math.fsum(chance for chance, _ in completions)
        total += weight * math.log2(probability)
        for chance, cells in completions:
            for v, cell in zip(kept, cells, strict=True):
                counts[v][cell] += weight * chance / probability
    return counts, total


@settings(max_examples=40)
@given(seeds, st.sampled_from([0.0, 0.7]))
def test_every_step_is_that_of_listing_all_completions(seed: int, smoothing: float) -> None:
    rng = np.random.default_rng(seed)
    network = random_network(rng, cardinalities=[2, 2, 2, 2], density=0.6)
    data = incomplete(network, seed, rows=12)
    expectation = Expectation(network.dag, data)
    begin = random_tables(expectation, rng)
    states = em_states(expectation, begin, [smoothing] * 4, most=4, tolerance=0.0)
    now = BayesianNetwork(network.domain, network.dag, begin)
    for state in states:
        assert all(
            np.allclose(a, b, atol=1e-9) for a, b in zip(state.tables, now.tables, strict=True)
        )
        counts, total = expected_by_listing(now, data)
        assert state.log2_likelihood == pytest.approx(total, abs=1e-9)
        fitted = []
        for table in counts:
            sums = (table + smoothing).sum(axis=-1, keepdims=True)
            uniform = np.full(table.shape, 1 / table.shape[-1])
            fitted.append(
                np.where(sums > 0, (table + smoothing) / np.where(sums > 0, sums, 1), uniform)
            )
        now = BayesianNetwork(network.domain, network.dag, tuple(fitted))


@settings(max_examples=60)
@given(small_networks(), seeds, st.sampled_from([0.0, 0.5]), st.sampled_from([0.1, 0.5, 0.9]))
def test_the_penalised_likelihood_never_falls(
    network: BayesianNetwork, seed: int, smoothing: float, fraction: float
) -> None:
    data = incomplete(network, seed, fraction=fraction)
    expectation = Expectation(network.dag, data)
    begin = random_tables(expectation, np.random.default_rng(seed))
    pseudo = [smoothing] * len(network.domain)
    values = [s.penalised for s in em_states(expectation, begin, pseudo, most=8, tolerance=0.0)]
    for before, after in itertools.pairwise(values):
        assert after >= before - 1e-9 * (1 + abs(before))


@settings(max_examples=40)
@given(small_networks(), seeds, st.sampled_from([0.2, 0.8]))
def test_large_parts_in_the_clique_tree_count_as_listed_ones_do(
    network: BayesianNetwork, seed: int, fraction: float
) -> None:
    data = incomplete(network, seed, fraction=fraction)
    listed = Expectation(network.dag, data)
    tables = random_tables(listed, np.random.default_rng(seed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(missing_cells, "_too_large", lambda _layout, sizes: sizes > 1)
        by_tree = Expectation(network.dag, data)
    assert by_tree.parts.whole.size or not by_tree.parts.cases.states.max(initial=1) > 1
    one, other = listed.step(tables), by_tree.step(tables)
    assert one.log2_likelihood == pytest.approx(other.log2_likelihood, rel=1e-9)
    for a, b in zip(one.counts, other.counts, strict=True):
        assert a == pytest.approx(b, abs=1e-9)


@settings(max_examples=25)
@given(small_networks(), seeds)
def test_the_likelihood_reported_is_that_of_summing_missing_cells_out(
    network: BayesianNetwork, seed: int
) -> None:
    data = incomplete(network, seed)
    last = learn(data, start=network, smoothing=0.5)
    reported = last.measures["log2_likelihood_per_row"] * data.row_count
    assert reported == pytest.approx(log2_likelihood(last.model, data), rel=1e-9)  # type: ignore[arg-type]


@settings(max_examples=25)
@given(small_networks(), seeds, st.sampled_from([0.0, 1.0]))
def test_complete_data_give_relative_frequencies_in_one_step(
    network: BayesianNetwork, seed: int, smoothing: float
) -> None:
    data = network.sample(30, np.random.default_rng(seed))
    reported = list(events(data, start=network, smoothing=smoothing, begin="random", restarts=5))
    expected = fit_tables(data, network.dag, smoothing).network
    last = reported[-1]
    assert isinstance(last, Finished)
    for a, b in zip(last.model.tables, expected.tables, strict=True):  # type: ignore[attr-defined]
        assert a == pytest.approx(b, abs=1e-12)
    assert sum(isinstance(event, Progress) for event in reported) == 2  # the start and one step


@settings(max_examples=20)
@given(small_networks(), seeds)
def test_a_weighted_row_is_as_many_rows(network: BayesianNetwork, seed: int) -> None:
    data = incomplete(network, seed, rows=15)
    weights = np.random.default_rng(seed).integers(0, 4, data.row_count)
    if not weights.any():
        weights[0] = 1
    weighted = DataSet(data.domain, data.codes, weights.astype(np.float64))
    expanded = data.take_rows(np.repeat(np.arange(data.row_count), weights))
    one = learn(weighted, start=network, smoothing=0.3, begin="random", iterations=5)
    other = learn(expanded, start=network, smoothing=0.3, begin="random", iterations=5)
    for a, b in zip(one.model.tables, other.model.tables, strict=True):  # type: ignore[attr-defined]
        assert a == pytest.approx(b, abs=1e-9)


def hidden_class(rows: int = 2000) -> tuple[BayesianNetwork, DataSet]:
    """A hidden variable with two states above four that show it."""
    rng = np.random.default_rng(5)
    domain = random_network(rng, cardinalities=[2] * 5).domain
    dag = Dag.from_edges(domain.names, [("X0", f"X{i}") for i in range(1, 5)])
    clear = np.array([[0.9, 0.1], [0.15, 0.85]])
    network = BayesianNetwork(domain, dag, (np.array([0.6, 0.4]), clear, clear, clear, clear))
    codes = network.sample(rows, rng).codes.copy()
    codes[0] = 255
    return network, DataSet(domain, codes)


def test_a_hidden_variable_is_found_up_to_the_names_of_its_states() -> None:
    network, data = hidden_class()
    last = learn(data, start=network, smoothing=0.0)
    model: Any = last.model
    assert last.measures["starts"] == 11  # auto: a variable is hidden
    assert log2_likelihood(model, data) >= log2_likelihood(network, data)
    result = model.tables[1] if model.tables[0][0] > 0.5 else model.tables[1][::-1]
    assert result == pytest.approx(network.tables[1], abs=0.06)


def test_a_variable_without_a_column_is_hidden_and_another_column_left_out() -> None:
    network, data = hidden_class(200)
    shown = data.select_columns(["X4", "X1", "X2", "X3"])
    other = DataSet(
        type(data.domain)((*shown.domain.variables, Variable("extra", ("a", "b")))),
        np.concatenate([shown.codes, np.zeros((1, 200), dtype=np.uint8)]),
    )
    reported = list(events(other, start=network, restarts=0, smoothing=1.0))
    notes = [event.message for event in reported if isinstance(event, Note)]
    assert notes == [
        "Not in the model, so left out: extra.",
        "Hidden in every row: X0.",
    ]
    last = reported[-1]
    assert isinstance(last, Finished)
    assert last.model.domain == network.domain
    assert rows_over(other, network.domain).codes == pytest.approx(data.codes)


def test_states_are_matched_by_name_not_by_place() -> None:
    network = random_network(np.random.default_rng(2), cardinalities=[2, 3])
    data = network.sample(50, np.random.default_rng(3))
    turned = [[data.domain.variables[v].states[c] for v, c in enumerate(r)] for r in data.codes.T]
    states = {v.name: v.states[::-1] for v in data.domain}
    other = DataSet.from_rows(type(data.domain).of(states), turned)
    one, two = learn(data, start=network), learn(other, start=network)
    for a, b in zip(one.model.tables, two.model.tables, strict=True):  # type: ignore[attr-defined]
        assert a == pytest.approx(b)


def test_only_the_chosen_nodes_are_learned() -> None:
    network = random_network(np.random.default_rng(7), variables=5)
    data = incomplete(network, 8, rows=200)
    model: Any = learn(data, start=network, nodes="X1, X3", smoothing=1.0).model
    for i, (before, after) in enumerate(zip(network.tables, model.tables, strict=True)):
        assert np.array_equal(before, after) == (i not in (1, 3))


def test_a_prior_of_many_rows_keeps_the_model_and_each_node_may_have_its_own() -> None:
    network = random_network(np.random.default_rng(9), variables=4, density=0.8)
    data = incomplete(random_network(np.random.default_rng(9), variables=4, density=0.8), 1)
    sure: Any = learn(data, start=network, prior="model", ess=1e9).model
    for before, after in zip(network.tables, sure.tables, strict=True):
        assert after == pytest.approx(before, abs=1e-5)
    mixed: Any = learn(data, start=network, prior="model", ess=1e9, node_ess="X2=0").model
    for i, (before, after) in enumerate(zip(network.tables, mixed.tables, strict=True)):
        assert np.allclose(before, after, atol=1e-5) == (i != 2)


def test_bdeu_pseudo_counts_spread_the_sample_size_over_a_table() -> None:
    network = random_network(np.random.default_rng(3), cardinalities=[2, 3, 2], density=1.0)
    data = network.sample(25, np.random.default_rng(4))
    model: Any = learn(data, start=network, prior="bdeu", ess=6.0).model
    counts = Expectation(network.dag, data).observed
    for table, seen in zip(model.tables, counts, strict=True):
        expected = seen + 6.0 / table.size
        assert table == pytest.approx(expected / expected.sum(axis=-1, keepdims=True))


def test_sample_sizes_of_nodes_are_read_and_every_problem_is_named() -> None:
    assert sample_sizes("b=3, c = 0.5", 2.0, ("a", "b", "c")) == {"a": 2.0, "b": 3.0, "c": 0.5}
    with pytest.raises(ParameterError, match=r"“d”.*'x' of a is not a number.*b needs a number"):
        sample_sizes("d=1, a=x, b=-1", 1.0, ("a", "b", "c"))
    network = random_network(np.random.default_rng(3), variables=3)
    with pytest.raises(ParameterError, match="nodes: No variable is called “X9”"):
        learn(network.sample(5, np.random.default_rng(0)), start=network, nodes="X0, X9")


@pytest.mark.parametrize(
    "chosen",
    [{"prior": "model"}, {"begin": "model"}, {"nodes": "X0"}, {"node_ess": "X0=1"}],
)
def test_settings_that_need_others_say_so(chosen: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match="choose one"):
        EmParams(**chosen)  # type: ignore[arg-type]


def test_rows_that_fixed_tables_make_impossible_are_refused_with_the_table() -> None:
    network = random_network(np.random.default_rng(1), cardinalities=[2, 2], density=0.0)
    zero = network.with_table("X0", np.array([1.0, 0.0]))
    data = incomplete(network, 3)
    with pytest.raises(DataError, match="impossible by the table of X0"):
        learn(data, start=zero, nodes="X1")


def test_the_same_seed_gives_the_same_curve_and_another_seed_another() -> None:
    _, data = hidden_class(300)
    dag_model = hidden_class(1)[0]

    def curve(seed: int) -> list[float]:
        reported = events(data, seed, start=dag_model, restarts=2, smoothing=0.1, iterations=20)
        points = [e.counters for e in reported if isinstance(e, Progress)]
        return [counters["score"] for counters in points if "score" in counters]

    assert curve(1) == curve(1)
    assert curve(1) != curve(2)


def test_stopping_keeps_the_best_tables_so_far() -> None:
    network, data = hidden_class(500)
    switch = StopSwitch()
    result: list[ImprovedModel] = []

    def run_until_the_third_restart() -> None:
        for event in events(data, cancel=switch, start=network, restarts=50, smoothing=0.0):
            if isinstance(event, ImprovedModel):
                result.append(event)
            if isinstance(event, Progress) and event.counters["restart"] == 3:
                switch.cancel()

    with pytest.raises(Cancelled):
        run_until_the_third_restart()
    scores = [event.measures["score"] for event in result]
    assert scores == sorted(scores)
    best = result[-1]
    reported = best.measures["log2_likelihood_per_row"] * 500
    assert reported == pytest.approx(log2_likelihood(best.model, data))  # type: ignore[arg-type]


def test_a_cell_without_information_is_not_counted() -> None:
    # X1 is below X0 and missing: the row has no information on P(X1 | X0).
    network = random_network(np.random.default_rng(0), cardinalities=[2, 2], density=0.0)
    network = BayesianNetwork.uniform(network.domain, Dag.from_edges(("X0", "X1"), [("X0", "X1")]))
    data = DataSet.from_rows(network.domain, [("s0", "s1"), ("s0", None), ("s1", None)])
    counts = Expectation(network.dag, data).step(network.tables).counts
    assert counts[0].tolist() == [2, 1]
    assert counts[1].tolist() == [[0, 1], [0, 0]]


@pytest.mark.slow
def test_a_fifth_of_the_cells_of_alarm_missing_costs_little(shared: Path) -> None:
    from pgmstudio.core.io.data.options import ImportOptions
    from pgmstudio.core.io.data.reader import import_data
    from pgmstudio.core.io.models.files import read_model

    truth: Any = read_model(shared / "data/networks/alarm.bif").model
    options = ImportOptions(domain=truth.domain)
    full = import_data(shared / "data/seeds/alarm_20000.csv.gz", options).data
    full = full.select_columns(truth.domain.names)
    holed = with_missing(np.random.default_rng(0), full, 0.2)
    for smoothing in (0.5, 1.0):
        best: Any = fit_tables(full, truth.dag, smoothing).network
        by_em: Any = learn(holed, start=truth, smoothing=smoothing).model
        available: Any = fit_tables(holed, truth.dag, smoothing).network
        assert divergence_bits(truth, by_em) < 1.5 * divergence_bits(truth, best)
        assert divergence_bits(truth, by_em) < divergence_bits(truth, available)


def divergence_bits(truth: BayesianNetwork, other: BayesianNetwork) -> float:
    """KL(truth ‖ other) of networks with one graph: Σ over families of the expected divergence of
    the child's row, under the true joint of the family."""
    total = 0.0
    families = zip(family_beliefs(truth), truth.tables, other.tables, strict=True)
    for joint, true_table, other_table in families:
        seen = joint > 0
        total += float(joint[seen] @ np.log2(true_table[seen] / other_table[seen]))
    return total


def test_the_first_tables_have_no_zeros_and_differ_where_nothing_was_seen() -> None:
    network, data = hidden_class(100)
    tables = first_tables(Expectation(network.dag, data), np.random.default_rng(1))
    assert all((table > 0).all() for table in tables)
    assert not np.allclose(tables[1][0], tables[1][1])


@pytest.mark.parametrize(
    "learner",
    [
        learner
        for learner in all_learners().values()
        if {"missing", "smoothing"} <= {spec.name for spec in specs_of(learner.params_type)}
    ],
    ids=lambda learner: learner.key,
)
def test_a_learner_fits_its_tables_by_em_by_default(learner: Any) -> None:
    rng = np.random.default_rng(11)
    truth = random_network(rng, cardinalities=[2, 3, 2, 2], density=0.7)
    data = with_missing(rng, truth.sample(400, rng), 0.3)

    params = parse_params(learner.params_type, {"smoothing": 0.1})
    *_, last = learner.run(data, params, rng=np.random.default_rng(1), cancel=NEVER)
    model: Any = last.model
    if isinstance(model, MarkovNetwork):  # has no tables of available cells
        available = run_to_end(fit(model.structure, data.complete_rows(), smoothing=0.1)).network
    else:
        dag = Dag.from_edges(data.domain.names, model.edges)
        available = fit_tables(data, dag, 0.1).network
    assert log2_likelihood(model, data) > log2_likelihood(available, data)
    per_row = log2_likelihood(model, data) / data.total_weight
    assert last.measures["log2_likelihood_per_row"] == pytest.approx(per_row, abs=1e-4)
