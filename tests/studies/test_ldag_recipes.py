"""The recipes of labelled graphs: their divergence, their truths, and a small run."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER, Note
from pgmstudio.core.experiments.generators.random_models import RandomLdagParams, random_ldag
from pgmstudio.core.experiments.sl_curves.sweep import sweep_svg
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.params import parse_params
from pgmstudio.studies.ldag_recovery import divergence, joint_of_all, key_of
from pgmstudio.studies.ldag_tables import Split
from pgmstudio.studies.recipe import Measured, sweep_of
from pgmstudio.studies.recipe_task import RecipeTask
from pgmstudio.studies.registry import recipe_of
from tests.ldag_tables import coronary


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_divergence_is_that_of_all_states(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kind = RandomLdagParams(variables=5, most_states=3)
    one = random_ldag(kind, rng).as_bayesian_network
    cards = one.domain.cardinalities
    other = LabelledDag.of_network(one)
    truth = joint_of_all(one)
    assert divergence(truth, other.as_bayesian_network) == pytest.approx(0, abs=1e-12)
    states = np.array(np.unravel_index(np.arange(np.prod(cards)), cards), dtype=np.uint8)
    every = DataSet(one.domain, states)
    assert truth.ravel() == pytest.approx(2 ** one.log2_probabilities(every), rel=1e-12)
    tables = tuple(np.full(table.shape, 1 / table.shape[-1]) for table in one.tables)
    even = type(one)(one.domain, one.dag, tables)
    by_hand = truth.ravel() @ (one.log2_probabilities(every) - even.log2_probabilities(every))
    assert divergence(truth, even) == pytest.approx(by_hand, rel=1e-12)


def test_random_truths_are_regular_and_save_about_the_share_of_rows() -> None:
    for share in (0.0, 0.3, 0.6):
        true = random_ldag(RandomLdagParams(variables=12, labels=share), np.random.default_rng(3))
        assert true.is_regular
        assert true.is_labelled
        for classes, rows in zip(true.classes, true.rows, strict=True):
            if classes.ndim > 1:
                saved = (classes.size - len(rows)) / classes.size
                assert saved >= min(share, 0.5)  # two binary parents cannot save more
                assert saved > 0 or share == 0


def test_a_small_recovery_measures_every_kind_of_table() -> None:
    recipe = recipe_of("ldag-recovery")
    given = {"trials": 1, "variables": (5,), "labels": (0.5,), "rows": (400,), "restarts": 0}
    task = RecipeTask(recipe.key, parse_params(recipe.params_type, given), 0, {})
    (measured,) = [event for event in task(NEVER) if isinstance(event, Measured)]
    kinds = {
        name: measured.values[key_of(5, 0.5, 400, name)] for name in ("plain", "tree", "label")
    }
    assert all(value >= 0 for value in kinds.values())
    gain = measured.values[key_of(5, 0.5, 400, "gain")]
    assert gain == pytest.approx(kinds["plain"] - kinds["label"])
    sweep = sweep_of(recipe, [measured])
    assert sweep is not None
    lines = {line.name: line.marks[0] for line in sweep.lines}
    assert lines["labels, 5 variables"].x == 400
    assert lines["labels, 5 variables"].mean == kinds["label"]
    assert "bars" not in sweep_svg(sweep)  # a logarithmic scale has no room below zero
    assert isinstance(measured.model, LabelledDag)


def test_every_split_of_a_table_is_reported_with_the_error_of_its_rows() -> None:
    recipe = recipe_of("ldag-tables")
    given = {"trials": 2, "only": "coronary", "folds": 2, "restarts": 0}
    rows = coronary()
    task = RecipeTask(recipe.key, parse_params(recipe.params_type, given), 0, {"coronary": rows})
    events = list(task(NEVER))
    notes = [event.message for event in events if isinstance(event, Note)]
    result = [event.values for event in events if isinstance(event, Measured)]
    assert len(result) == 2
    assert [note.split(":")[0] for note in notes] == ["Coronary, split 1", "Coronary, split 2"]
    for values, note in zip(result, notes, strict=True):
        gain, error = values["coronary_gain"], values["coronary_error"]
        bits = values["coronary_plain_bits"] - values["coronary_label_bits"]
        assert gain == pytest.approx(bits, abs=1e-12)
        assert values["coronary_lost"] == float(gain < -error)
        assert ("not below" in note) == (gain >= -error)


def test_a_split_is_lost_when_it_is_behind_by_more_than_its_error() -> None:
    four = np.array([1.0, -1.0, 1.0, -1.0])  # standard deviation √(4/3), error 1/√3
    assert Split.of(four).error == pytest.approx(1 / np.sqrt(3))
    assert not Split.of(four - 0.57).is_lost
    assert Split.of(four - 0.58).is_lost
    assert not Split.of(np.zeros(4)).is_lost
