"""Equivalence search with many restarts (Nielsen 2007, §4.3.4, figures 4.6 to 4.9).

The figures show the BIC scores of 1 000 runs for each greediness in ascending order. Here a line
has the quantiles of these scores, as a difference to the score of GES (k = 1, all neighbours).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.experiments.generators.textbook import FourCycleParams, four_cycle
from pgmstudio.core.experiments.sl_curves.sweep import Curves
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.params import param
from pgmstudio.core.scores.local import bic_bits
from pgmstudio.studies.alarm import ALARM_FILE
from pgmstudio.studies.measures import undirected
from pgmstudio.studies.nb_synthetic import HAILFINDER_FILE
from pgmstudio.studies.recipe import (
    Measured,
    RecipeContext,
    RecipeEvent,
    load_recipe,
)
from pgmstudio.studies.sl_study import GREEDINESS

_QUANTILES = tuple(range(0, 101, 10))
_ROUNDING = 0.01  # bits; runs of one class differ by less


COPIES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class KesRestartsParams:
    """The settings of the experiment."""

    trials: int = param(
        1, title="Trials", low=1, high=1000, help="Data sets that are drawn; one in the source."
    )
    restarts: int = param(
        1000, title="Runs per k", low=1, high=100_000, help="Searches for each greediness."
    )
    greediness: tuple[float, ...] = param(
        GREEDINESS, title="Greediness k", low=0, high=1, help="1 is run besides these."
    )
    rows: int = param(20_000, title="Rows", low=100, help="Rows to learn from.")
    neighbourhood: str = param(
        "exact",
        title="Neighbours",
        choices=("exact", "sampled"),
        help="exact: all neighbouring classes. sampled: random ones, as in the source.",
    )
    penalty: float = param(
        1.0,
        title="Penalty",
        low=0,
        low_open=True,
        help="Multiple of the penalty of BIC for each parameter; 1 is BIC.",
    )


Draw = Callable[[RecipeContext, np.random.Generator, int], DataSet]


def _cycles(context: RecipeContext, rng: np.random.Generator, count: int) -> DataSet:
    return four_cycle(FourCycleParams(copies=COPIES), rng, count)


def _sampled_from(name: str) -> Draw:
    def draw(context: RecipeContext, rng: np.random.Generator, count: int) -> DataSet:
        rows: DataSet = context.sources[name].sample(count, rng)
        return rows

    return draw


def runs_of(draw: Draw) -> Callable[[RecipeContext], Iterator[RecipeEvent]]:
    """GES, then the runs for each greediness, on each data set."""

    def run(context: RecipeContext) -> Iterator[RecipeEvent]:
        params: KesRestartsParams = context.params
        context.expect_models(2 * params.trials)
        is_exact = params.neighbourhood == "exact"
        for trial in context.trial_numbers:
            rng = context.rng(trial)
            rows = draw(context, rng, params.rows)
            cost = params.penalty * bic_bits(rows.total_weight)
            settings: dict[str, Any] = {
                "score": "lambda",
                "lambda_": cost / (1 + cost),  # in units of 1 + cost bits
                "phases": "full",
                "processes": 1,
            }
            message = f"trial {trial + 1} of {params.trials}"
            network = yield from context.learn_model(
                BayesianNetwork,
                f"{message}, GES",
                "bn.kes",
                rows,
                rng,
                greediness=(1.0,),
                **settings,
            )
            ges = _optima(context).best.score
            yield from context.learn(
                message,
                "bn.kes",
                rows,
                rng,
                greediness=tuple(k for k in params.greediness if k < 1 or not is_exact),
                restarts=params.restarts,
                neighbourhood=params.neighbourhood,
                **settings,
            )
            optima = _optima(context)
            gains = {
                k: (np.array(optima.sorted_scores(k)) - ges) * (1 + cost)
                for k in optima.greedinesses
            }
            values = summary_of(gains) | _lines_of(gains) | _copies_of(network)
            yield Measured(trial, values, network, rows)

    return run


def _optima(context: RecipeContext) -> KesOptima:
    optima = context.artifacts[KesOptima.kind]
    assert isinstance(optima, KesOptima)
    return optima


def summary_of(gains: Mapping[float, Floats]) -> dict[str, float]:
    """How runs compare with GES, from their gains in bits for each greediness."""
    random = {k: values for k, values in gains.items() if k < 1}
    values = {f"mean, k = {k:g}": float(each.mean()) for k, each in gains.items()}
    values["ges_best"] = float(all(each.max() <= _ROUNDING for each in random.values()))
    values["best"] = max((float(each.max()) for each in random.values()), default=math.nan)
    for name, low, high in (("low", 0.0, 0.1), ("middle", 0.2, 0.4), ("high", 0.5, 0.9)):
        among = [each for k, each in random.items() if low - 1e-9 <= k <= high + 1e-9]
        if among:
            values[f"better_{name}"] = float((np.concatenate(among) > _ROUNDING).mean())
    if len(random) > 1:
        means = [float(random[k].mean()) for k in sorted(random)]
        rises = np.sign(np.subtract.outer(means, means))[np.tril_indices(len(means), -1)]
        values["greedier"] = float((rises > 0).mean())
    return values


def _lines_of(gains: Mapping[float, Floats]) -> dict[str, float]:
    return {
        f"k = {k:g}, {percent} %": float(np.percentile(each, percent))
        for k, each in gains.items()
        for percent in _QUANTILES
    }


def _copies_of(network: BayesianNetwork) -> dict[str, float]:
    """The fractions of four-cycles that GES completed as the global and as the local optimum."""
    pairs = undirected(network.dag.edges)
    copies = [str(copy + 1) for copy in range(COPIES)]
    if not {f"X{copy}" for copy in copies} <= set(network.domain.names):
        return {}
    across = [frozenset((f"Y{copy}", f"U{copy}")) in pairs for copy in copies]
    along = [frozenset((f"X{copy}", f"Z{copy}")) in pairs for copy in copies]
    states = list(zip(across, along, strict=True))
    return {
        "global": states.count((True, False)) / COPIES,
        "local": states.count((False, True)) / COPIES,
    }


_CURVES = Curves(
    "Runs in ascending order, %",
    "BIC − BIC of GES, bits ↑",
    r"(?P<line>k = [\d.]+), (?P<x>\d+) %",
)

KES_FOUR_CYCLE = load_recipe("kes-four-cycle", KesRestartsParams, runs_of(_cycles), curves=_CURVES)
KES_ALARM = load_recipe(
    "kes-alarm",
    KesRestartsParams,
    runs_of(_sampled_from("alarm")),
    sources=(ALARM_FILE,),
    curves=_CURVES,
)
KES_HAILFINDER = load_recipe(
    "kes-hailfinder",
    KesRestartsParams,
    runs_of(_sampled_from("hailfinder")),
    sources=(HAILFINDER_FILE,),
    curves=_CURVES,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KesSecondsParams:
    """The settings of the experiment."""

    trials: int = param(1, title="Trials", low=1, high=1000, help="Data sets that are drawn.")
    restarts: int = param(
        100, title="Runs per k", low=1, high=100_000, help="Searches for each greediness."
    )
    greediness: tuple[float, ...] = param(
        GREEDINESS, title="Greediness k", low=0, high=1, help="The x values of the curves."
    )
    rows: int = param(20_000, title="Rows", low=100, help="Rows to learn from.")


def run_seconds(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: KesSecondsParams = context.params
    kinds = ("sampled", "exact")
    context.expect_models(params.trials * len(kinds))
    for trial in context.trial_numbers:
        rng = context.rng(trial)
        rows = context.sources["alarm"].sample(params.rows, rng)
        for kind in kinds:
            model = yield from context.learn(
                f"{kind} neighbours, trial {trial + 1}",
                "bn.kes",
                rows,
                rng,
                greediness=params.greediness,
                restarts=params.restarts,
                neighbourhood=kind,
                phases="full",
                processes=1,
            )
            optima = _optima(context)
            values = {
                f"{kind}, k = {k:g}, seconds": optima.mean_seconds(k) for k in optima.greedinesses
            }
            below = [seconds for key, seconds in values.items() if "k = 1," not in key]
            full = values.get(f"{kind}, k = 1, seconds")
            if below and full is not None:
                values[f"{kind}, ratio of seconds"] = full * len(below) / sum(below)
            yield Measured(trial, values, model, rows, kind)


KES_SECONDS = load_recipe(
    "kes-seconds",
    KesSecondsParams,
    run_seconds,
    sources=(ALARM_FILE,),
    is_timed=True,
    curves=Curves("Greediness k", "Seconds a run ↓", r"(?P<line>\w+), k = (?P<x>[\d.]+), seconds"),
)
