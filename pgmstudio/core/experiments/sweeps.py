"""How a penalty λ is told to a learner, read from the parameters it declares.

S_λ = (1−λ)·L − λ·size in bits. A learner that optimises it has `lambda_`. A penalty of β nats for
every parameter of an edge is the same thing with β = ln 2 · λ/(1−λ).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from functools import partial

from pgmstudio.core.params import specs_of

Settings = Mapping[str, object]
Sweep = Callable[[float], Settings]

# By the parameter that carries the penalty. Settings the learner does not have are left out.
SWEEPS: Mapping[str, Sweep] = {
    "lambda_": lambda value: {"lambda_": value, "score": "lambda"},
    "edge_penalty": lambda value: {
        "edge_penalty": math.log(2) * value / (1 - value),
        "penalty": "mdl",
        "augment": "forest",
    },
}

# Learners whose every model is a point: fitted to all rows, since a curve has test rows of its own.
ALL_ROWS: Mapping[str, Settings] = {"nb.latent": {"criterion": "aic-thesis"}}


def sweep_of(params_type: type, taken: Collection[str] = ()) -> Sweep | None:
    """The sweep for a learner with these parameters, None when it has nothing to sweep or one of
    the parameters concerned is already `taken`."""
    specs = {spec.name: spec for spec in specs_of(params_type)}
    for carrier, settings in SWEEPS.items():
        if carrier not in specs:
            continue
        concerned = {
            name
            for name, value in settings(0.5).items()
            if name in specs and (not specs[name].choices or value in specs[name].choices)
        }
        spoken_for = concerned | {specs[name].option for name in concerned}
        if spoken_for.intersection(taken):
            return None
        return partial(_told, settings, frozenset(concerned))
    return None


def own_sweep_of(
    params_type: type, lambdas: tuple[float, ...], taken: Collection[str] = ()
) -> Settings | None:
    """The settings of a learner that goes through a list of λ in one run; None for all others.

    All its rows are learned from, since the curve has test rows of its own.
    """
    names = {spec.name for spec in specs_of(params_type)}
    if "lambdas" not in names or "lambdas" in taken:
        return None
    settings: dict[str, object] = {"lambdas": lambdas}
    if "criterion" in names - {*taken}:
        settings["criterion"] = "bic"
    return settings


def _told(settings: Sweep, names: frozenset[str], value: float) -> Settings:
    return {name: told for name, told in settings(value).items() if name in names}
