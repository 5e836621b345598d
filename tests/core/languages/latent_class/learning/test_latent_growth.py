"""Adding, pruning, splitting and merging latent classes, with the specification's numbers."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.latent_class.learning.growth import (
    centred_on,
    duplicate_classes,
    with_merged_duplicates,
    with_new_classes,
    with_split_classes,
    without_light_classes,
)
from pgmstudio.core.languages.latent_class.model import LatentClasses
from tests.strategies import random_classes

DOMAIN = Domain.of({"x": "012"})


def classes(weights: list[float]) -> LatentClasses:
    rng = np.random.default_rng(len(weights))
    return LatentClasses(DOMAIN, np.array(weights), (rng.dirichlet((1, 1, 1), len(weights)),))


def test_a_new_class_stands_around_the_row_it_came_from() -> None:
    data = DataSet(DOMAIN, np.array([[1]]))
    (table,) = centred_on(data, 0, (np.array([0.5, 0.3, 0.2]),))
    assert table == pytest.approx([0.045454545, 0.936363636, 0.018181818], abs=1e-9)
    assert table.sum() == pytest.approx(1, abs=1e-12)


def test_a_missing_cell_leaves_the_frequencies_as_they_are() -> None:
    data = DataSet(DOMAIN, np.array([[255]]))
    (table,) = centred_on(data, 0, (np.array([0.5, 0.3, 0.2]),))
    assert table == pytest.approx([0.5, 0.3, 0.2])


def test_old_classes_make_room_for_new_ones() -> None:
    data = DataSet(DOMAIN, np.array([[0, 1, 2, 1]]))
    grown = with_new_classes(classes([0.7, 0.3]), data, 2, np.random.default_rng(0))
    assert grown.weights == pytest.approx([0.35, 0.15, 0.25, 0.25])


def test_classes_of_a_thousandth_and_less_are_left_out() -> None:
    model = classes([0.5, 0.001, 0.4981, 0.0009])
    left = without_light_classes(model)
    assert left.class_count == 2
    assert left.weights.sum() == pytest.approx(1)
    assert left.weights[0] == pytest.approx(0.5 / 0.9981)


def test_the_heaviest_class_always_stays() -> None:
    assert without_light_classes(classes([0.6, 0.4]), bound=1.0).class_count == 1


def test_a_heavy_class_becomes_two_halves() -> None:
    model = classes([0.05, 0.95])
    split = with_split_classes(model, np.random.default_rng(0))
    assert sorted(split.weights) == pytest.approx([0.05, 0.475, 0.475])
    assert split.weights.max() < 0.9
    assert np.abs(split.tables[0].sum(axis=1) - 1).max() < 1e-12
    assert with_split_classes(classes([0.5, 0.5]), np.random.default_rng(0)).class_count == 2


def test_the_halves_of_a_class_are_the_same_with_the_columns_in_another_order() -> None:
    one = random_classes(np.random.default_rng(1), variables=4, classes=1)
    reverse = one.domain.restricted_to(reversed(one.domain.names))
    other = LatentClasses(reverse, one.weights, one.tables[::-1])
    halves, turned = (with_split_classes(m, np.random.default_rng(2)) for m in (one, other))
    assert halves.class_count == 2
    for table, again in zip(halves.tables, reversed(turned.tables), strict=True):
        np.testing.assert_array_equal(table, again)


def test_equal_classes_are_found_and_merged_without_changing_the_distribution() -> None:
    model = random_classes(np.random.default_rng(3), 4, 3)
    again = LatentClasses(
        model.domain,
        np.array([0.2, 0.3, 0.1, 0.4]),
        tuple(np.vstack([table, table[1]]) for table in model.tables),
    )
    assert duplicate_classes(again) == [(1, 3)]
    merged = with_merged_duplicates(again)
    assert merged.weights == pytest.approx([0.2, 0.7, 0.1])
    rows = again.sample(50, np.random.default_rng(1))
    assert merged.log2_probabilities(rows) == pytest.approx(again.log2_probabilities(rows))
