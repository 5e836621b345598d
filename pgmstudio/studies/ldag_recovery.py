"""Rows of random labelled graphs: how near do models with and without labels come to the truth?

The design of Pensar et al. (2015), whose figures are not printed in numbers: random truths, rows
of growing number, and the divergence of what was learned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.experiments.generators.random_ldags import RandomLdagParams, random_ldag
from pgmstudio.core.experiments.sl_curves.sweep import Curves
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.ldag.learning.common_params import USUAL
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

# Name, words, learner and what differs from its defaults.
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
    """What a learner is told; without labels there is no κ to choose."""
    if kappa != AUTO or "structure" in given:
        return {"kappa": None if kappa == AUTO else kappa, "restarts": restarts} | given
    return {"kappa": AUTO, "kappas": TRIED, "folds": 5, "restarts": restarts} | given


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryParams:
    """The settings of the experiment."""

    trials: int = trials_param(5)
    variables: tuple[int, ...] = param(
        VARIABLES, title="Variables", low=2, high=20, help="Columns of the truths, all binary."
    )
    labels: tuple[float, ...] = param(
        LABELS, title="Shares of labels", low=0, high=1, help="Of the rows of the true tables."
    )
    rows: tuple[int, ...] = param(ROWS, title="Rows", low=10, help="Rows to learn from.")
    max_parents: int = param(4, title="Most parents", low=0, high=8, help="Of the truths.")
    kappa: float | Literal["auto"] | None = kappa_param()
    restarts: int = param(5, title="Restarts", low=0, help="Of every search.")


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
    """KL(truth ‖ model) in bits, table by table: the truth's entropy and what the model codes."""
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
    cells = [(n, share) for n in params.variables for share in params.labels]
    context.expect_models(params.trials * len(cells) * len(params.rows) * len(KINDS))
    for trial in range(params.trials):
        for n, share in cells:
            rng = context.rng(trial, n, round(1000 * share))
            kind = RandomLdagParams(variables=n, max_parents=params.max_parents, labels=share)
            true = random_ldag(kind, rng)
            truth = joint_of_all(true.as_bayesian_network)
            for count in params.rows:
                rows = true.sample(count, rng)
                found: dict[str, float] = {}
                for name, words, key, given in KINDS:
                    told = f"{n} variables, {count} rows, {words}, trial {trial + 1}"
                    settings = settings_of(params.kappa, params.restarts, given)
                    own = context.rng(trial, n, round(1000 * share), count)
                    model = yield from context.learn(told, key, rows, own, **settings)
                    assert isinstance(model, LabelledDag)
                    place = key_of(n, share, count, name)
                    found[place] = divergence(truth, model.as_bayesian_network)
                    found[f"{words}, {n} variables, {count} rows"] = found[place]
                plain, label = (found[key_of(n, share, count, k)] for k in ("plain", "label"))
                found[key_of(n, share, count, "gain")] = plain - label
                yield Measured(trial, found, model, rows, f"{n} variables, {count} rows")


def key_of(variables: int, share: float, rows: int, name: str) -> str:
    """The key of one cell of the table."""
    return f"{name}_{variables}_{share:g}_{rows}"


def _quantities() -> Iterator[Quantity]:
    for n in VARIABLES:
        for share in LABELS:
            for count in ROWS:
                for name, words, _, _ in KINDS:
                    title = f"{n} variables, {share:.0%} labels, {count} rows, {words}"
                    yield Quantity(key_of(n, share, count, name), title, digits=4)
                title = f"{n} variables, {share:.0%} labels, {count} rows, plain − labels"
                yield Quantity(key_of(n, share, count, "gain"), title, digits=4)


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
