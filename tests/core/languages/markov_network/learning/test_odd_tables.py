"""Tables that are small or odd: every learner of Markov networks gives the right answer."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.learning.base import Finished

EVERY = pytest.mark.parametrize("key", ["mn.mpl", "mn.contextual", "mn.chordal", "mn.stratified"])


def learned(key: str, data: DataSet) -> MarkovNetwork:
    """Without smoothing, so that fitted probabilities are frequencies."""
    learner = learner_of(key)
    params = learner.params_type(smoothing=0.0)
    events = learner.run(data, params, rng=np.random.default_rng(1), cancel=NEVER)
    (end,) = [event for event in events if isinstance(event, Finished)]
    assert isinstance(end.model, MarkovNetwork)
    return end.model


def rows(*columns: list[int], states: int = 2) -> DataSet:
    names = {f"V{i}": [f"s{k}" for k in range(states)] for i in range(len(columns))}
    return DataSet(Domain.of(names), np.array(columns, dtype=np.uint8))


def chain(count: int, seed: int = 0) -> list[list[int]]:
    """Each column copies the one before in 85 % of the rows."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, 300)]
    while len(columns) < count:
        is_other = rng.random(300) > 0.85
        columns.append(np.where(is_other, 1 - columns[-1], columns[-1]))
    return [column.tolist() for column in columns]


def edges_of(model: MarkovNetwork) -> set[frozenset[str]]:
    return set(map(frozenset, model.undirected_edges))


@EVERY
def test_one_column_is_its_frequencies(key: str) -> None:
    model = learned(key, rows([0, 0, 0, 1]))
    assert 2 ** model.log2_probabilities(rows([0, 1])) == pytest.approx([0.75, 0.25])


@EVERY
def test_two_columns_are_joined_if_they_depend_on_each_other(key: str) -> None:
    together = learned(key, rows(*chain(2)))
    assert edges_of(together) == {frozenset(("V0", "V1"))}
    rng = np.random.default_rng(3)
    apart = rows(rng.integers(0, 2, 300).tolist(), rng.integers(0, 2, 300).tolist())
    assert edges_of(learned(key, apart)) == set()


@EVERY
def test_the_order_of_the_columns_does_not_matter(key: str) -> None:
    data = rows(*chain(4))
    model = learned(key, data)
    assert edges_of(model) >= {frozenset((f"V{i}", f"V{i + 1}")) for i in range(3)}
    for order in (("V3", "V1", "V0", "V2"), ("V2", "V3", "V1", "V0")):
        other = learned(key, data.select_columns(order))
        assert edges_of(other) == edges_of(model)
        assert other.log2_probabilities(data) == pytest.approx(model.log2_probabilities(data))


@EVERY
def test_a_constant_column_has_no_edge(key: str) -> None:
    model = learned(key, rows(*chain(2), [0] * 300))
    assert edges_of(model) == {frozenset(("V0", "V1"))}


@EVERY
def test_states_never_seen_leave_the_rows_possible(key: str) -> None:
    data = rows(*chain(3), states=3)
    model = learned(key, data)
    assert edges_of(model) >= {frozenset(("V0", "V1")), frozenset(("V1", "V2"))}
    assert np.isfinite(model.log2_probabilities(data)).all()


@EVERY
def test_counts_are_copies_of_rows(key: str) -> None:
    data = rows(*chain(3))
    distinct, counts = np.unique(data.codes, axis=1, return_counts=True)
    model = learned(key, DataSet(data.domain, distinct, weights=counts.astype(np.float64)))
    plain = learned(key, data)
    assert edges_of(model) == edges_of(plain)
    assert model.log2_probabilities(data) == pytest.approx(plain.log2_probabilities(data))
