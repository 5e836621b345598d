"""The description length of mixtures: codes worked by hand, and laws of the shortest message."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.experiments.generators.hidden_variable_models import TreeHParams, tree_h_model
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.description_length import (
    PUBLISHED,
    Precision,
    data_bits,
    decode,
    edge_penalty_bits,
    empirical_length,
    encode,
    rounded,
    shape_of,
)
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from tests.strategies import with_missing


def code_bits(states: int, precision: Precision) -> float:
    """log2 r + (b_m + b_M)(r − 1): the cost of one distribution (eq. 6.14)."""
    return math.log2(states) + precision.bits * (states - 1)


def h_model(rng: np.random.Generator, cards: tuple[int, ...], count: int = 3) -> TreeMixture:
    """Trees over pairs of neighbours: 0-1, 2-3, …"""
    domain = Domain.of({f"v{i}": map(str, range(card)) for i, card in enumerate(cards)})
    parents = tuple(i - 1 if i % 2 else None for i in range(len(cards)))
    trees = tuple(
        Tree(
            domain,
            parents,
            tuple(
                rng.dirichlet(np.ones(card), None if p is None else cards[p])
                for card, p in zip(cards, parents, strict=True)
            ),
        )
        for _ in range(count)
    )
    return TreeMixture(domain, rng.dirichlet(np.ones(count)), trees)


@pytest.mark.parametrize(
    ("precision", "codes", "decoded", "bits"),
    [
        (Precision(3, 2), [0, 10, 16], [0.703314, 0.201503, 0.095183], 11.58496),
        (Precision(0, 1), [0, 1, 2], [0.665241, 0.244728, 0.090031], 3.58496),
    ],
)
def test_a_distribution_is_coded_as_worked_by_hand(
    precision: Precision, codes: list[float], decoded: list[float], bits: float
) -> None:
    result, largest = encode(np.array([0.7, 0.2, 0.1]), precision)
    assert result.tolist() == codes
    assert int(largest) == 0
    assert decode(result, precision) == pytest.approx(decoded, abs=5e-7)
    assert code_bits(3, precision) == pytest.approx(bits, abs=5e-6)


@settings(max_examples=40)
@given(
    theta=st.lists(st.floats(0, 1), min_size=2, max_size=6).filter(lambda t: sum(t) > 1e-3),
    fine=st.integers(0, 8),
    reach=st.integers(0, 5),
)
def test_what_is_decoded_is_a_positive_distribution_with_the_same_code(
    theta: list[float], fine: int, reach: int
) -> None:
    precision = Precision(fine, reach)
    codes, largest = encode(np.array(theta) / sum(theta), precision)
    result = decode(codes, precision)
    assert result.sum() == pytest.approx(1)
    assert (result > 0).all()
    again, _ = encode(result, precision)
    assert again.tolist() == codes.tolist()
    assert result[largest] == result.max()


def test_finer_codes_come_as_near_as_one_likes() -> None:
    theta = np.array([0.6, 0.399, 0.001])
    fine = Precision(20, 6)
    assert decode(encode(theta, fine)[0], fine) == pytest.approx(theta, abs=1e-6)


def test_the_model_of_the_source_has_the_lengths_worked_by_hand() -> None:
    # 12 ternary variables in three parts, so 9 edges, and a hidden variable of three states.
    shape = shape_of(tree_h_model(TreeHParams(), np.random.default_rng(0)))
    assert (shape.components, shape.parameters) == (3, 60)
    precision = Precision(4, 3)
    assert shape.bits(2000, precision) == pytest.approx(1413.6124, abs=5e-5)
    assert shape.bits(2000, precision, PUBLISHED) == pytest.approx(1313.7598, abs=5e-5)
    assert 0.5 * 2 * math.log2(2000) == pytest.approx(10.96578, abs=5e-6)


def test_the_shape_of_a_model_roots_every_part_at_its_widest_variable() -> None:
    model = h_model(np.random.default_rng(0), (2, 4, 3, 3), count=2)
    shape = shape_of(model)
    assert shape.components == 2
    assert shape.parameters == 1 * 3 + 2 * 2 + (1 + 3 + 2 + 2)
    # v1 of four states is the root of the first part, so v0 has four rows of one bit.
    assert shape.edge_state_bits == pytest.approx(4 * 1 + 3 * math.log2(3))
    assert shape.state_bits == pytest.approx(2 + 4 + math.log2(3) + 3 * math.log2(3))
    assert model.representation_size() == 1 + 2 * shape.parameters
    assert shape.bic_bits(1000) == pytest.approx(0.5 * math.log2(1000) * (1 + 2 * 15))
    masses = np.array([1000.0, 0.0])
    assert shape.bic_h_bits(1000, masses) == pytest.approx(0.5 * math.log2(1000) * (1 + 15))


def test_what_an_edge_must_gain() -> None:
    assert float(edge_penalty_bits(2000, 3, 4)) == pytest.approx(65.7947, abs=5e-5)
    assert float(edge_penalty_bits(2000, 3, 4)) / 2000 == pytest.approx(0.0328974, abs=5e-8)
    masses = np.array([1000.0, 600.0, 400.0])
    assert float(edge_penalty_bits(2000, 3, 4, masses)) == pytest.approx(55.6769, abs=5e-5)


@pytest.mark.parametrize("has_gaps", [False, True])
def test_the_empirical_length_is_the_least_of_its_grid(has_gaps: bool) -> None:
    rng = np.random.default_rng(3)
    model = h_model(rng, (2, 3, 4, 2))
    data = model.sample(300, rng)
    if has_gaps:
        data = with_missing(rng, data, 0.1)
    result = empirical_length(model, data, fine_bits=4, range_bits=3)
    assert len(result.grid) == 5 * 4
    assert all(result.bits <= bits for _, _, bits, _ in result.grid)
    shape = shape_of(model)
    for fine, reach, bits, data_length in result.grid[::7]:
        precision = Precision(fine, reach)
        coded = data_bits(rounded(model, precision), data)
        assert data_length == pytest.approx(coded)
        assert bits == pytest.approx(coded + shape.bits(data.total_weight, precision))
    assert result.exact_data_bits == pytest.approx(data_bits(model, data))


def test_rounding_never_shortens_rows_at_a_maximum_of_the_likelihood() -> None:
    rng = np.random.default_rng(4)
    model = h_model(rng, (2, 2), count=1)
    data = model.sample(400, rng)
    a, b = (data.column(name).astype(int) for name in ("v0", "v1"))
    counts = np.zeros((2, 2))
    np.add.at(counts, (a, b), 1)
    fitted = Tree(
        model.domain,
        (None, 0),
        (counts.sum(axis=1) / 400, counts / counts.sum(axis=1, keepdims=True)),
    )
    best = TreeMixture(model.domain, np.ones(1), (fitted,))
    assert empirical_length(best, data).gained_by_rounding == 0
    # A model that is not fitted may gain by rounding, which is then reported.
    off = Tree(model.domain, (None, 0), (np.array([0.02, 0.98]), np.full((2, 2), 0.5)))
    poor = TreeMixture(model.domain, np.ones(1), (off,))
    assert empirical_length(poor, data).gained_by_rounding > 1
