"""Edits of data sets: what changes, what stays, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.data import transforms as editing
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError, UnknownNameError
from tests.core.data.small_data import data_sets


@pytest.fixture
def weather() -> DataSet:
    domain = Domain.of({"sky": ("clear", "grey", "black"), "rain": ("no", "yes")})
    rows = [("clear", "no"), ("clear", "no"), ("grey", "yes"), ("black", "yes"), (None, "no")]
    return DataSet.from_rows(domain, rows)


def cells(data: DataSet, column: str) -> list[str | None]:
    states = data.domain[column].states
    return [None if c == data.missing_code else states[c] for c in data.column(column)]


def test_renaming_states_changes_names_and_no_cell(weather: DataSet) -> None:
    renamed = editing.rename_states(weather, "sky", {"clear": "blue", "grey": "clear"})
    assert cells(renamed, "sky") == ["blue", "blue", "clear", "black", None]
    assert np.array_equal(renamed.codes, weather.codes)


def test_renaming_a_state_to_another_ones_name_is_refused(weather: DataSet) -> None:
    with pytest.raises(DataError, match="merge"):
        editing.rename_states(weather, "sky", {"clear": "grey"})


def test_merged_states_stand_where_the_first_stood(weather: DataSet) -> None:
    merged = editing.merge_states(weather, "sky", ["grey", "black"], "dark")
    assert merged.domain["sky"].states == ("clear", "dark")
    assert cells(merged, "sky") == ["clear", "clear", "dark", "dark", None]


def test_merging_into_a_state_that_exists_takes_it_along(weather: DataSet) -> None:
    merged = editing.merge_states(weather, "sky", ["clear"], "black")
    assert merged.domain["sky"].states == ("black", "grey")
    assert cells(merged, "sky") == ["black", "black", "grey", "black", None]


def test_states_rarer_than_the_limit_become_one(weather: DataSet) -> None:
    merged = editing.merge_rare_states(weather, "sky", 2)
    assert merged.domain["sky"].states == ("clear", "other")
    assert editing.merge_rare_states(weather, "sky", 1) is weather


def test_rarity_is_a_matter_of_weight(weather: DataSet) -> None:
    heavy = DataSet(weather.domain, weather.codes, np.array([0.1, 0.1, 9, 9, 1]))
    assert editing.merge_rare_states(heavy, "sky", 2).domain["sky"].states == (
        "other",
        "grey",
        "black",
    )


@given(data_sets(), st.data())
def test_reordering_states_changes_no_cell(data: DataSet, draw: st.DataObject) -> None:
    order = draw.draw(st.permutations(data.domain["X0"].states))
    reordered = editing.reorder_states(data, "X0", order)
    assert reordered.domain["X0"].states == tuple(order)
    assert cells(reordered, "X0") == cells(data, "X0")


@given(data_sets())
def test_declared_states_come_last_and_occur_nowhere(data: DataSet) -> None:
    declared = editing.declare_states(data, "X0", ["new", "s0"])
    assert declared.domain["X0"].states == (*data.domain["X0"].states, "new")
    assert cells(declared, "X0") == cells(data, "X0")


def test_more_than_255_states_widen_every_column(weather: DataSet) -> None:
    wide = editing.declare_states(weather, "rain", [f"r{i}" for i in range(300)])
    assert wide.codes.dtype == np.uint16
    assert cells(wide, "sky") == cells(weather, "sky")


@given(data_sets())
def test_missing_as_a_state_leaves_nothing_missing(data: DataSet) -> None:
    full = editing.missing_as_state(data)
    assert not full.has_missing
    for name in data.domain.names:
        assert cells(full, name) == [c if c is not None else "missing" for c in cells(data, name)]


@given(data_sets(), st.integers(0, 99))
def test_filling_cells_touches_only_those_that_are_missing(data: DataSet, seed: int) -> None:
    for name in data.domain.names:
        if editing.weighted_counts(data, name).sum() == 0:
            return
    for filled in (
        editing.impute_mode(data),
        editing.impute_random(data, np.random.default_rng(seed)),
    ):
        assert not filled.has_missing
        known = data.codes != data.missing_code
        assert np.array_equal(filled.codes[known], data.codes[known])


def test_random_filling_follows_the_marginal(weather: DataSet) -> None:
    codes = np.array([[0] * 600 + [1] * 400 + [255] * 20_000], dtype=np.uint8)
    data = DataSet(Domain.of({"x": "ab"}), codes)
    filled = editing.impute_random(data, np.random.default_rng(0))
    drawn = filled.codes[0, 1000:]
    assert drawn.mean() == pytest.approx(0.4, abs=0.02)


def test_a_column_without_any_cell_cannot_be_filled() -> None:
    data = DataSet(Domain.of({"x": "ab"}), np.full((1, 3), 255, dtype=np.uint8))
    with pytest.raises(DataError, match="missing in every row"):
        editing.impute_mode(data)


def test_setting_a_cell_changes_that_cell_alone(weather: DataSet) -> None:
    changed = editing.set_cell(weather, 4, "sky", "grey")
    assert cells(changed, "sky") == ["clear", "clear", "grey", "black", "grey"]
    assert cells(editing.set_cell(changed, 0, "rain", None), "rain")[0] is None
    assert cells(weather, "sky")[4] is None
    with pytest.raises(DataError, match="no row 6"):
        editing.set_cell(weather, 5, "sky", None)


def test_rows_and_columns_can_be_dropped(weather: DataSet) -> None:
    assert cells(editing.drop_rows(weather, [0, 4]), "sky") == ["clear", "grey", "black"]
    assert editing.drop_columns(weather, ["sky"]).domain.names == ("rain",)
    with pytest.raises(UnknownNameError):
        editing.drop_columns(weather, ["wind"])


def test_fitting_to_a_wider_domain_matches_states_by_name(weather: DataSet) -> None:
    domain = Domain.of({"rain": ("yes", "hail", "no"), "sky": ("black", "grey", "clear")})
    fitted = editing.fitted_to(weather, domain)
    assert fitted.domain == domain
    assert cells(fitted, "sky") == cells(weather, "sky")
    assert cells(fitted, "rain") == cells(weather, "rain")


def test_fitting_to_a_domain_without_an_occurring_state_is_refused(weather: DataSet) -> None:
    domain = Domain.of({"sky": ("clear", "grey")})
    with pytest.raises(DataError, match=r"“black”.*row 4"):
        editing.fitted_to(weather, domain)


@given(data_sets())
def test_stacking_a_data_set_on_itself_doubles_every_count(data: DataSet) -> None:
    twice = editing.stacked([data, data])
    for name in data.domain.names:
        once = editing.weighted_counts(data, name)
        assert editing.weighted_counts(twice, name) == pytest.approx(2 * once)
