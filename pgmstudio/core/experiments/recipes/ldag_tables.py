"""Real tables: held-out rows under graphs with labels, with trees, and without.

The design of Pensar et al. (2015, 2016) for real data, by cross-validation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.experiments.recipes.ldag_recovery import KINDS, kappa_param, settings_of
from pgmstudio.core.experiments.recipes.recipe import (
    Measured,
    Quantity,
    Recipe,
    RecipeEvent,
    RecipeWork,
    Source,
)
from pgmstudio.core.experiments.recipes.trials import Steps, only_param, trials_param, wanted
from pgmstudio.core.learning.ldag import fold_rows, unit_rows
from pgmstudio.core.models.labelled_dag import LabelledDag
from pgmstudio.core.params import param

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
    restarts: int = param(5, title="Restarts", low=0, help="Of every search.")


def run(work: RecipeWork) -> Iterator[RecipeEvent]:
    params: TablesParams = work.params
    names = wanted(params.only, TITLES)
    steps = Steps(params.trials * len(names) * params.folds * len(KINDS), work.cancel)
    for trial in range(params.trials):
        for name in names:
            data: DataSet = unit_rows(work.sources[name])
            place = list(TITLES).index(name)
            bits: dict[str, list[float]] = {kind: [] for kind, *_ in KINDS}
            sizes: dict[str, list[float]] = {kind: [] for kind, *_ in KINDS}
            parts = fold_rows(data, params.folds, work.rng(trial, place))
            for fold, (train, held) in enumerate(parts):
                for kind, words, key, given in KINDS:
                    told = f"{TITLES[name]}, fold {fold + 1} of {params.folds}, {words}"
                    settings = settings_of(params.kappa, params.restarts, given)
                    own = work.rng(trial, place, fold)
                    model = yield from steps.learned(told, key, train, own, **settings)
                    assert isinstance(model, LabelledDag)
                    logs = model.log2_probabilities(held)
                    bits[kind].append(-float(logs.mean()))
                    sizes[kind].append(model.representation_size())
            yield Measured(trial, _values(name, bits, sizes), model, data, TITLES[name])


def _values(
    name: str, bits: dict[str, list[float]], sizes: dict[str, list[float]]
) -> dict[str, float]:
    """Bits a row and parameters of each kind; and how much labels gain, with its error."""
    found: dict[str, float] = {}
    for kind, folds in bits.items():
        found[f"{name}_{kind}_bits"] = float(np.mean(folds))
        found[f"{name}_{kind}_size"] = float(np.mean(sizes[kind]))
    # Rows of one part share their models, so the parts and not the rows tell the error.
    gains = np.array(bits["plain"]) - np.array(bits["label"])
    found[f"{name}_gain"] = float(gains.mean())
    found[f"{name}_error"] = float(gains.std(ddof=1) / np.sqrt(gains.size))
    return found


def _quantities() -> Iterator[Quantity]:
    for name, title in TITLES.items():
        for kind, words, *_ in KINDS:
            yield Quantity(f"{name}_{kind}_bits", f"{title}, {words}, test bits", digits=4)
            yield Quantity(f"{name}_{kind}_size", f"{title}, {words}, parameters", digits=0)
        yield Quantity(f"{name}_gain", f"{title}, labels − plain, bits gained", digits=4)
        yield Quantity(f"{name}_error", f"{title}, standard error of that", digits=4)


LDAG_TABLES = Recipe(
    "ldag-tables",
    "Labelled graphs, real rows",
    "Pensar et al. 2015 and 2016, real data",
    "Do labels and trees predict held-out rows of six tables better than plain graphs?",
    TablesParams,
    tuple(_quantities()),
    run,
    "about 2 minutes",
    SOURCES,
    (
        "The source prints no table of numbers, so there is no published value beside these.",
        "Ten parts of the rows are held out in turn; the standard error is that of the mean gain "
        "over the parts.",
        "κ is the usual one; the source chose it by cross-validation.",
    ),
)
