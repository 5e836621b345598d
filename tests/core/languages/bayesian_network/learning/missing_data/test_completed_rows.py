"""Missing cells: what every learner does with them by default, and what must hold of the result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER, Note
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import read_data
from pgmstudio.core.languages.bayesian_network.learning.missing_data import (
    completed_rows as completing,
)
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    completed_rows,
)
from pgmstudio.core.languages.bayesian_network.learning.missing_data.expected_counts import (
    Expectation,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import (
    em_states,
    fit_observed,
    random_tables,
)
from pgmstudio.core.languages.ldag.learning.label_learner import labels_refitted
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.scores import PartitionScore
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.likelihood import log2_likelihood, log2_probabilities
from pgmstudio.core.languages.pdg.learning.em import graph_refitted
from pgmstudio.core.languages.pdg.learning.forest import parse_forest
from pgmstudio.core.languages.pdg.measures import refitted
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.learning.base import AVAILABLE, EM, Finished
from pgmstudio.core.params import parse_params

DOMAIN = Domain.of({"group": "xyz", "test": "pn", "result": "0123", "other": "01", "class": "ab"})
# The columns of these learners' models that no row lacks keep their frequencies exactly.
TREES = ("tree.chow-liu", "tree.chow-liu-sparse", "bn.naive-bayes", "bn.tan")


def clinic(rows: int = 400, seed: int = 0) -> DataSet:
    """A result that is there only if the test was made, and made more often in class b: missing at
    random given what is observed, but nothing like a random part of the rows."""
    rng = np.random.default_rng(seed)
    kind = rng.random(rows) < 0.4
    group = np.where(kind, rng.integers(1, 3, rows), rng.integers(0, 2, rows))
    test = np.where(rng.random(rows) < np.where(kind, 0.9, 0.3), 0, 1)
    result = np.where(kind, rng.integers(2, 4, rows), rng.integers(0, 3, rows))
    other = np.where(rng.random(rows) < 0.8, result % 2, rng.integers(0, 2, rows))
    codes = np.stack([group, test, result, other, kind]).astype(np.uint8)
    codes[2, test == 1] = 255
    codes[3, rng.random(rows) < 0.1] = 255
    return DataSet(DOMAIN, codes)


def learned(key: str, data: DataSet, **settings: Any) -> Any:
    learner = learner_of(key)
    params = parse_params(learner.params_type, settings)
    *_, last = learner.run(data, params, rng=np.random.default_rng(1), cancel=NEVER)
    assert isinstance(last, Finished)
    return last.model


@pytest.mark.parametrize("key", TREES)
def test_columns_that_no_row_lacks_keep_their_frequencies(key: str) -> None:
    data = clinic()
    model = learned(key, data, smoothing=0.0)
    session = open_session(model)
    for name in ("group", "test", "class"):
        counts = np.bincount(data.column(name), minlength=data.domain[name].cardinality)
        belief = session.belief(name).values
        assert belief == pytest.approx(counts / data.row_count, abs=2e-4)


@pytest.mark.parametrize("key", ["tree.chow-liu", "bn.tan", "bn.hill-climb", "bn.k2", "bn.pc"])
def test_no_row_that_a_model_was_learned_from_is_impossible_in_it(key: str) -> None:
    for seed in range(3):
        data = clinic(60, seed)
        codes = data.codes.copy()
        codes[np.random.default_rng(seed).random(codes.shape) < 0.4] = data.missing_code
        data = DataSet(DOMAIN, codes)
        for smoothing in (0.0, "auto"):
            model = learned(key, data, smoothing=smoothing)
            assert np.isfinite(log2_probabilities(model, data)).all()


def test_a_parent_that_is_missing_where_its_child_is_hard_to_predict_is_no_better_for_it() -> None:
    data, unseen = clinic(2000), clinic(2000, seed=9)
    bits = log2_likelihood(learned("bn.hill-climb", data), unseen) / 2000
    available = learned("bn.hill-climb", data, missing=AVAILABLE)
    assert bits > log2_likelihood(available, unseen) / 2000 + 0.05
    assert bits > log2_likelihood(learned("tree.chow-liu", data), unseen) / 2000 - 0.02


def woven(rows: int, seed: int) -> DataSet:
    """Ten columns, each nearly determined by the two before it."""
    tables = np.random.default_rng(5).dirichlet(np.full(5, 0.15), (10, 5, 5)).cumsum(axis=-1)
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 5, (10, rows)).astype(np.uint8)
    for i in range(2, 10):
        below = tables[i, codes[i - 1], codes[i - 2], :-1]
        codes[i] = (rng.random((rows, 1)) > below).sum(axis=1)
    return DataSet(Domain.of({f"v{i}": "abcde" for i in range(10)}), codes)


def test_strong_dependences_are_seen_though_half_of_the_cells_are_missing() -> None:
    codes = woven(800, 0).codes.copy()
    codes[np.random.default_rng(2).random(codes.shape) < 0.5] = 255
    data, unseen = DataSet(woven(1, 0).domain, codes), woven(2000, 1)
    bits = log2_likelihood(learned("bn.hill-climb", data, restarts=0), unseen) / 2000
    available = learned("bn.hill-climb", data, missing=AVAILABLE, restarts=0)
    by_em = fit_observed(data, available.dag, 1.0).network
    assert bits > log2_likelihood(by_em, unseen) / 2000
    tree = learned("tree.chow-liu", data)
    assert bits > log2_likelihood(tree, unseen) / 2000 + 2


def test_independence_tests_find_the_edges_though_some_cells_are_missing() -> None:
    whole = woven(800, 0)
    codes = whole.codes.copy()
    codes[np.random.default_rng(2).random(codes.shape) < 0.1] = 255
    result = learned("bn.pc", DataSet(whole.domain, codes), max_condition=2)
    assert len(result.dag.edges) >= len(learned("bn.pc", whole, max_condition=2).dag.edges) - 2


def test_complete_rows_are_searched_as_they_are_and_nothing_is_drawn() -> None:
    data = clinic().complete_rows()
    rng = np.random.default_rng(4)
    assert run_to_end(completed_rows(data, EM, rng=rng)) is data
    assert rng.bit_generator.state == np.random.default_rng(4).bit_generator.state
    assert rng.spawn(1)[0].random() == np.random.default_rng(4).spawn(1)[0].random()


def test_completed_rows_agree_with_every_observed_cell() -> None:
    data = clinic()
    rows = run_to_end(completed_rows(data, EM, rng=np.random.default_rng(4)))
    assert not rows.has_missing
    assert rows.total_weight == pytest.approx(data.total_weight)
    for name in ("group", "test", "class"):
        result = np.bincount(rows.column(name), rows.weights)
        assert result == pytest.approx(np.bincount(data.column(name)))
    # A row that was not tested has a result like those of the same class that were.
    not_tested = rows.take_rows(rows.column("test") == 1)
    kind = not_tested.take_rows(not_tested.column("class") == 1)
    assert kind.weights is not None
    low = kind.weights[kind.column("result") < 2].sum() / kind.total_weight
    assert low < 0.1


@pytest.mark.parametrize("key", ["tree.chow-liu", "bn.hill-climb"])
def test_a_weighted_row_with_missing_cells_is_as_many_rows(key: str) -> None:
    data = clinic(120)
    twice = DataSet(DOMAIN, np.repeat(data.codes, 2, axis=1))
    weighted = DataSet(DOMAIN, data.codes, np.full(data.row_count, 2.0))
    for other in (weighted, weighted.merged(), twice.take_rows(np.arange(239, -1, -1))):
        one, two = learned(key, twice, smoothing=1.0), learned(key, other, smoothing=1.0)
        assert one.edges == two.edges
        assert log2_likelihood(two, data) == pytest.approx(log2_likelihood(one, data), abs=1e-3)


def test_rows_of_probability_zero_are_a_warning_at_the_run() -> None:
    domain = Domain.of({"x": "01", "m": "01", "y": "01"})
    rows = [("0", "0", "0")] * 5 + [("1", "1", "1")] * 5 + [("0", None, "1")]
    data = DataSet.from_rows(domain, rows)

    def notes(missing: str) -> str:
        learner = learner_of("tree.chow-liu")
        params = parse_params(learner.params_type, {"missing": missing, "smoothing": 0.0})
        events = LearnTask("tree.chow-liu", data, params, 1)(NEVER)
        return " ".join(event.message for event in events if isinstance(event, Note))

    model = learned("tree.chow-liu", data, missing=AVAILABLE, smoothing=0.0)
    assert np.isinf(log2_probabilities(model, data)).sum() == 1
    assert "Warning: 1 row of the data" in notes(AVAILABLE)
    assert "probability 0" not in notes(EM)


def test_a_table_that_is_too_large_to_complete_is_judged_by_its_available_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(completing, "MAX_WORK", 1.0)
    data = clinic()
    events = completed_rows(data, EM, rng=np.random.default_rng(0))
    (note,) = [event for event in events if isinstance(event, Note)]
    assert note.message.startswith("The table is too large, so missing cells are not completed")
    assert "Learn from fewer rows or columns" in note.message


def small_graph(data: DataSet) -> DecisionGraph:
    """Two trees of nodes, fitted to the complete rows."""
    forest = parse_forest(data.domain, "class->group->test, class->result->other")
    names = data.domain.names
    nodes = {"group": 2, "test": 2, "result": 2, "other": 3, "class": 1}
    rng = np.random.default_rng(3)
    successors: list[Any] = []
    for i, above in enumerate(forest):
        if above is None:
            successors.append(None)
            continue
        shape = nodes[names[above]], data.domain.cardinalities[above]
        count = nodes[names[i]]
        successors.append(np.arange(shape[0] * shape[1]).reshape(shape) % count)
    parameters = tuple(
        rng.dirichlet(np.ones(card), nodes[name])
        for name, card in zip(names, data.domain.cardinalities, strict=True)
    )
    return DecisionGraph(data.domain, tuple(forest), parameters, tuple(successors))


def test_em_of_a_decision_graph_needs_one_step_where_no_cell_is_missing() -> None:
    data = clinic().complete_rows()
    graph = small_graph(data)
    result, log2_of_rows = run_to_end(graph_refitted(graph, data, 0.5))
    for one, other in zip(result.parameters, refitted(graph, data, 0.5).parameters, strict=True):
        assert one == pytest.approx(other)
    assert log2_of_rows == pytest.approx(log2_likelihood(result, data))


def test_em_of_a_decision_graph_makes_observed_cells_likelier_and_keeps_complete_columns() -> None:
    data = clinic()
    graph = small_graph(data)
    first = refitted(graph, data.complete_rows(), 0.01)
    result, log2_of_rows = run_to_end(graph_refitted(first, data, 0.0))
    assert log2_of_rows == pytest.approx(log2_likelihood(result, data), rel=1e-4)
    assert log2_of_rows > log2_likelihood(first, data)
    session = open_session(result)
    for name in ("group", "test", "class"):
        counts = np.bincount(data.column(name)) / data.row_count
        assert session.belief(name).values == pytest.approx(counts, abs=1e-3)


def test_a_decision_graph_is_learned_from_rows_of_which_none_is_complete() -> None:
    data = clinic(200)
    codes = data.codes.copy()
    codes[np.arange(200) % 5, np.arange(200)] = data.missing_code
    holed = DataSet(DOMAIN, codes)
    assert holed.complete_rows().row_count == 0
    assert learner_of("pdg.hybrid").refuses(holed) is None
    model = learned("pdg.hybrid", holed, network="tree.chow-liu", smoothing=1.0)
    apart = learned("tree.chow-liu", holed, edge_penalty=1e9, smoothing=1.0)
    assert log2_likelihood(model, clinic(200, 7)) > log2_likelihood(apart, clinic(200, 7))


@pytest.mark.parametrize("score", ["bdeu", "k2"])
def test_rows_of_one_label_stay_the_same_in_em(score: str) -> None:
    data = clinic()
    model = learned("ldag.greedy", data, score=score, kappa=1.0, restarts=0)
    assert isinstance(model, LabelledDag)
    again, log2_of_rows = run_to_end(labels_refitted(model, data, PartitionScore(score)))
    assert again.classes[0].shape == model.classes[0].shape
    for one, other in zip(again.rows, model.rows, strict=True):
        assert one == pytest.approx(other, abs=0.02)
    assert log2_of_rows == pytest.approx(log2_likelihood(again, data), rel=1e-4)
    plain = learned("ldag.greedy", data, score=score, missing=AVAILABLE, restarts=0)
    assert log2_of_rows > log2_likelihood(plain, data)


def test_em_never_makes_the_observed_cells_less_probable() -> None:
    data = clinic()
    dag = Dag.from_edges(
        DOMAIN.names, [("class", "result"), ("test", "result"), ("result", "other")]
    )
    expectation = Expectation(dag, data)
    tables = random_tables(expectation, np.random.default_rng(2))
    values = [state.penalised for state in em_states(expectation, tables, [0.5] * 5)]
    assert len(values) > 3
    assert (np.diff(values) >= -1e-9).all()


def test_many_dependent_columns_are_completed_without_large_cliques() -> None:
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 2, 60)
    codes = np.where(rng.random((120, 60)) < 0.8, hidden, rng.integers(0, 2, (120, 60)))
    codes = np.where(rng.random(codes.shape) < 0.3, 255, codes).astype(np.uint8)
    data = DataSet(Domain.of({f"v{i}": "01" for i in range(120)}), codes)
    rows = run_to_end(completed_rows(data, EM, rng=rng))
    assert not rows.has_missing
    assert rows.total_weight == pytest.approx(60)


def test_columns_of_too_many_states_to_pair_are_searched_over_available_cells() -> None:
    states = [f"s{i}" for i in range(8000)]
    domain = Domain.of({"a": states, "b": states, "c": "01"})
    codes = np.array([[1, 2, 65535], [3, 4, 5], [0, 1, 65535]], dtype=np.uint16)
    data = DataSet(domain, codes)
    search = completed_rows(data, EM, rng=np.random.default_rng(0))
    notes = next(search)
    assert isinstance(notes, Note)
    assert "too large" in notes.message
    assert run_to_end(search) is data


@pytest.mark.parametrize(
    ("key", "at_least", "off"),
    [
        ("tree.chow-liu", -21.2, 0.001),
        pytest.param("bn.tan", -17.9, 0.001, marks=pytest.mark.long),
        # Its graph claims independences that the rows do not quite have, with all cells too.
        pytest.param("bn.hill-climb", -15.0, 0.03, marks=pytest.mark.long),
    ],
)
def test_mushrooms_of_which_a_third_lack_a_cell_are_learned_right(
    key: str, at_least: float, off: float, shared: Path
) -> None:
    data = read_data(shared / "data/seeds/mushroom.csv", ImportOptions())
    model = learned(key, data)
    assert log2_likelihood(model, data) / data.total_weight > at_least
    edible = np.bincount(data.column("class"))[0] / data.row_count
    assert open_session(model).belief("class").values[0] == pytest.approx(edible, abs=off)
