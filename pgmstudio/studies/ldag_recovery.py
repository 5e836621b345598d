"""Labelled DAGs on synthetic data: the divergence from random true models.

The design of Pensar et al. (2015), whose figures are not printed in numbers: random true models,
growing numbers of rows, with and without labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.experiments.generators.random_models import RandomLdagParams, random_ldag
from pgmstudio.core.experiments.sl_curves.sweep import Curves
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.ldag.learning.label_learner import USUAL
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.params import AUTO, param
from pgmstudio.studies.recipe import (
    Measured,
    Quantity,
    RecipeContext,
    RecipeEvent,
    load_recipe,
    trials_param,
)

Joint = NDArray[np.float64]

# Name, title, learner and settings other than its defaults.
KINDS: tuple[tuple[str, str, str, dict[str, object]], ...] = (
    ("plain", "plain graph", "ldag.greedy", {"structure": "full"}),
    ("tree", "trees", "bn.csi-tree", {}),
    ("label", "labels", "ldag.greedy", {}),
)
TRIED = (0.5, 0.1, 0.01, 0.0)
VARIABLES, LABELS, ROWS = (10, 20), (0.3, 0.5, 0.7), (250, 1000, 4000, 16_000)


def kappa_param() -> Any:
    """The prior of labels and trees in these experiments."""
    return param(
        None,
        title="κ",
        low=0,
        low_open=True,
        high=1,
        none_label=USUAL,
        help="Prior of labels and of trees; auto chooses it by cross-validation, which takes 20 "
        "times as long.",
    )


def settings_of(
    kappa: float | Literal["auto"] | None, restarts: int, given: dict[str, object]
) -> dict[str, object]:
    """The settings of a learner; without labels there is no κ to choose."""
    if kappa != AUTO or "structure" in given:
        return {"kappa": None if kappa == AUTO else kappa, "restarts": restarts} | given
    return {"kappa": AUTO, "kappas": TRIED, "folds": 5, "restarts": restarts} | given


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryParams:
    """The settings of the experiment."""

    trials: int = trials_param(5)
    variables: tuple[int, ...] = param(
        VARIABLES, title="Variables", low=2, high=20, help="Columns of the true models, all binary."
    )
    labels: tuple[float, ...] = param(
        LABELS,
        title="Shares of labels",
        low=0,
        high=1,
        help="Fractions of labelled rows in the true tables.",
    )
    rows: tuple[int, ...] = param(ROWS, title="Rows", low=10, help="Rows to learn from.")
    max_parents: int = param(
        4, title="Most parents", low=0, high=8, help="Maximum parents in the true models."
    )
    kappa: float | Literal["auto"] | None = kappa_param()
    restarts: int = param(5, title="Restarts", low=0, help="Restarts of every search.")


def joint_of_all(network: BayesianNetwork) -> Joint:
    """The probability of every state, an axis per variable."""
    n = len(network.domain)
    whole: Joint = np.ones((1,) * n)
    for child, parents in enumerate(network.dag.parent_indices):
        members = (*parents, child)
        shape = [network.domain.cardinalities[v] if v in members else 1 for v in range(n)]
        whole = whole * network.tables[child].transpose(np.argsort(members)).reshape(shape)
    return whole


def divergence(truth: Joint, model: BayesianNetwork) -> float:
    """KL(truth ‖ model) in bits: cross entropy, table by table, minus the entropy of the truth."""
    seen = truth[truth > 0]
    value = float(seen @ np.log2(seen))
    for child, parents in enumerate(model.dag.parent_indices):
        members = (*parents, child)
        others = tuple(v for v in range(truth.ndim) if v not in members)
        margin = truth.sum(axis=others).ravel()
        table = model.tables[child].transpose(np.argsort(members)).ravel()
        with np.errstate(divide="ignore"):
            value -= float(margin[margin > 0] @ np.log2(table[margin > 0]))
    return value


def run(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: RecoveryParams = context.params
    cells = [(n, fraction) for n in params.variables for fraction in params.labels]
    context.expect_models(params.trials * len(cells) * len(params.rows) * len(KINDS))
    for trial in context.trial_numbers:
        for n, fraction in cells:
            rng = context.rng(trial, n, round(1000 * fraction))
            kind = RandomLdagParams(variables=n, max_parents=params.max_parents, labels=fraction)
            true = random_ldag(kind, rng)
            truth = joint_of_all(true.as_bayesian_network)
            for count in params.rows:
                rows = true.sample(count, rng)
                values: dict[str, float] = {}
                for name, kind_title, key, given in KINDS:
                    message = f"{n} variables, {count} rows, {kind_title}, trial {trial + 1}"
                    settings = settings_of(params.kappa, params.restarts, given)
                    rng_of_search = context.rng(trial, n, round(1000 * fraction), count)
                    model = yield from context.learn_model(
                        LabelledDag, message, key, rows, rng_of_search, **settings
                    )
                    cell_key = key_of(n, fraction, count, name)
                    values[cell_key] = divergence(truth, model.as_bayesian_network)
                    values[f"{kind_title}, {n} variables, {count} rows"] = values[cell_key]
                plain, label = (values[key_of(n, fraction, count, k)] for k in ("plain", "label"))
                values[key_of(n, fraction, count, "gain")] = plain - label
                yield Measured(trial, values, model, rows, f"{n} variables, {count} rows")


def key_of(variables: int, fraction: float, rows: int, name: str) -> str:
    """The key of one cell of the table."""
    return f"{name}_{variables}_{fraction:g}_{rows}"


def _quantities() -> Iterator[Quantity]:
    for n in VARIABLES:
        for fraction in LABELS:
            for count in ROWS:
                for name, kind_title, _, _ in KINDS:
                    title = f"{n} variables, {fraction:.0%} labels, {count} rows, {kind_title}"
                    yield Quantity(key_of(n, fraction, count, name), title, digits=4)
                title = f"{n} variables, {fraction:.0%} labels, {count} rows, plain − labels"
                yield Quantity(key_of(n, fraction, count, "gain"), title, digits=4)


LDAG_RECOVERY = load_recipe(
    "ldag-recovery",
    RecoveryParams,
    run,
    quantities=tuple(_quantities()),
    curves=Curves(
        "Rows",
        "KL(truth ‖ learned) in bits, mean over all shares of labels ↓",
        r"(?P<line>.+, \d+ variables), (?P<x>\d+) rows",
        is_log=True,
        is_log_up=True,
    ),
)
