"""Labelled DAGs on real data: cross-validated likelihood with labels, with trees, and without.

The design of Pensar et al. (2015, 2016) for real data, by cross-validation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import folds
from pgmstudio.core.execution.events import Note
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.number_format import signed
from pgmstudio.core.params import param
from pgmstudio.studies.ldag_recovery import KINDS, kappa_param, settings_of
from pgmstudio.studies.recipe import (
    Measured,
    Quantity,
    RecipeContext,
    RecipeEvent,
    Source,
    load_recipe,
    only_param,
    selected_names,
    trials_param,
)

TITLES = {
    "coronary": "Coronary",
    "mushroom": "Mushroom",
    "car": "Car",
    "tic-tac-toe": "Tic-tac-toe",
    "vote": "Vote",
    "solar-flare": "Solar flare",
}
SOURCES = (
    Source("coronary", "seeds/coronary.csv"),
    Source("mushroom", "seeds/mushroom.csv", missing_as_state=True),
    Source("car", "uci/car.csv"),
    Source("tic-tac-toe", "uci/tic_tac_toe.csv"),
    Source("vote", "uci/vote.csv", missing_as_state=True),
    Source("solar-flare", "uci/solar_flare2.csv"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesParams:
    """The settings of the experiment."""

    trials: int = trials_param(1)
    only: str | None = only_param()
    folds: int = param(10, title="Folds", low=2, high=20, help="Parts, each held out once.")
    kappa: float | Literal["auto"] | None = kappa_param()
    restarts: int = param(5, title="Restarts", low=0, help="Restarts of every search.")


@dataclass(frozen=True, slots=True)
class Split:
    """The gain of labels on the held-out rows of one split, in bits per row, with its standard
    error from paired differences."""

    gain: float
    error: float

    @classmethod
    def of(cls, differences: Floats) -> Split:
        error = differences.std(ddof=1) / np.sqrt(differences.size)
        return cls(float(differences.mean()), float(error))

    @property
    def is_lost(self) -> bool:
        """Whether the plain graph is ahead by more than one standard error."""
        return self.gain < -self.error

    def describe(self, title: str, number: int) -> str:
        verdict = "below −1 standard error" if self.is_lost else "not below −1 standard error"
        gain = signed(self.gain, 4)
        return f"{title}, split {number}: labels − plain {gain} ± {self.error:.4f} bits, {verdict}."


def run(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: TablesParams = context.params
    names = selected_names(params.only, TITLES)
    context.expect_models(params.trials * len(names) * params.folds * len(KINDS))
    for trial, name, rng in context.trials(TITLES):
        data: DataSet = context.sources[name]
        set_number = list(TITLES).index(name)
        logs: dict[str, list[Floats]] = {kind: [] for kind, *_ in KINDS}
        sizes: dict[str, list[float]] = {kind: [] for kind, *_ in KINDS}
        for fold, (train, held) in enumerate(folds(data, params.folds, rng)):
            for kind, kind_title, key, given in KINDS:
                message = f"{TITLES[name]}, fold {fold + 1} of {params.folds}, {kind_title}"
                settings = settings_of(params.kappa, params.restarts, given)
                rng_of_search = context.rng(trial, set_number, fold)
                model = yield from context.learn_model(
                    LabelledDag, message, key, train, rng_of_search, **settings
                )
                logs[kind].append(model.log2_probabilities(held))
                sizes[kind].append(model.representation_size())
        rows = {kind: np.concatenate(held) for kind, held in logs.items()}
        split = Split.of(rows["label"] - rows["plain"])
        yield Note(split.describe(TITLES[name], trial + 1))
        yield Measured(trial, _values(name, rows, sizes, split), model, data, TITLES[name])


def _values(
    name: str, rows: dict[str, Floats], sizes: dict[str, list[float]], split: Split
) -> dict[str, float]:
    """Bits per row and parameters of each kind; the gain of labels and its error."""
    values: dict[str, float] = {}
    for kind, logs in rows.items():
        values[f"{name}_{kind}_bits"] = -float(logs.mean())
        values[f"{name}_{kind}_size"] = float(np.mean(sizes[kind]))
    values[f"{name}_gain"] = split.gain
    values[f"{name}_error"] = split.error
    values[f"{name}_lost"] = float(split.is_lost)
    return values


def _quantities() -> Iterator[Quantity]:
    for name, title in TITLES.items():
        for kind, kind_title, *_ in KINDS:
            yield Quantity(f"{name}_{kind}_bits", f"{title}, {kind_title}, test bits", digits=4)
            yield Quantity(f"{name}_{kind}_size", f"{title}, {kind_title}, parameters", digits=0)
        yield Quantity(f"{name}_gain", f"{title}, labels − plain, bits gained", digits=4)
        yield Quantity(f"{name}_error", f"{title}, standard error of that", digits=4)
        yield Quantity(f"{name}_lost", f"{title}, share of splits below −1 standard error")


LDAG_TABLES = load_recipe(
    "ldag-tables",
    TablesParams,
    run,
    sources=SOURCES,
    quantities=tuple(_quantities()),
    names=TITLES,
)
