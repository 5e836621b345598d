"""Expansion of a plan into runs: every learner, λ, combination of values and seed.

The penalty λ is translated into the parameters that a learner declares: S_λ = (1−λ)·L − λ·size in
bits. A learner that optimises it has `lambda_`. A penalty of β nats for every parameter of an edge
is the same with β = ln 2 · λ/(1−λ).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from pgmstudio.core.analysis.query_benchmark import QueryPlan
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.experiments.plans.plan import LearnerGrid, Plan
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.registry import no_likelihood_reason
from pgmstudio.core.model import Model
from pgmstudio.core.params import params_to_dict, parse_params, specs_of
from pgmstudio.version import __version__

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
        return partial(_settings_at, settings, frozenset(concerned))
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


def _settings_at(settings: Sweep, names: frozenset[str], value: float) -> Settings:
    return {name: entries for name, entries in settings(value).items() if name in names}


# What decides the numbers of a point; a change in any file there makes other points.
_CODE = (
    *("data/**/*.py", "graphs/**/*.py", "scores/**/*.py", "inference/**/*.py"),
    *("learning/**/*.py", "languages/**/*.py", "experiments/plans/**/*.py"),
    *("analysis/model_comparison.py", "analysis/query_benchmark.py"),
)


@dataclass(frozen=True)
class PlannedRun:
    """One learner with all its parameters and a seed; `given` are those of the grid and sweep."""

    learner: str
    name: str
    lambda_: float | None
    seed: int
    given: Mapping[str, object]
    params: Any
    time_limit: float | None = None

    @property
    def title(self) -> str:
        """What is being learned, for progress and notes."""
        penalty = "" if self.lambda_ is None else f", λ = {self.lambda_:.3f}"
        return f"{self.name or learner_of(self.learner).title}{penalty}"


@dataclass(frozen=True, eq=False)
class PlanRows:
    """The rows of an experiment, and the model they come from where that is known."""

    train: DataSet
    test: DataSet
    valid: DataSet | None = None
    reference: Model | None = None

    @property
    def fingerprint(self) -> str:
        """A hash of all rows, part by part."""
        parts = (self.train, self.test, self.valid)
        return "-".join("" if part is None else part.fingerprint for part in parts)


def runs_of(
    learners: Sequence[LearnerGrid],
    lambdas: Sequence[float],
    seeds: Sequence[int],
    time_limit: float | None = None,
) -> list[PlannedRun]:
    """Every run with its parameters checked; one ParameterError names all that is wrong."""
    runs: list[PlannedRun] = []
    problems: dict[str, str] = {}
    for grid in learners:
        learner = learner_of(grid.key)
        if reason := no_likelihood_reason(learner.kind):
            problems[grid.key] = reason
            continue
        params_type = learner.params_type
        own_lambdas = grid.lambdas or tuple(lambdas)
        for lambda_, swept in _settings(grid, params_type, own_lambdas):
            for values in product(*grid.values.values()):
                given = dict(zip(grid.values, values, strict=True)) | dict(swept)
                try:
                    params: Any = parse_params(params_type, _with_one_process(params_type, given))
                except ParameterError as wrong:
                    problems |= {f"{grid.key} {name}": m for name, m in wrong.problems.items()}
                    continue
                penalty = getattr(params, "lambda_", None) if lambda_ is None else lambda_
                limit = grid.time_limit or time_limit
                runs += [
                    PlannedRun(grid.key, grid.name, penalty, seed, given, params, limit)
                    for seed in seeds
                ]
    if problems:
        raise ParameterError(problems)
    return runs


def _settings(
    grid: LearnerGrid, params_type: type, lambdas: tuple[float, ...]
) -> list[tuple[float | None, Mapping[str, object]]]:
    """The λ to run one by one, or the settings of a learner that goes through them by itself."""
    sweep = sweep_of(params_type, grid.values)
    if sweep is not None:
        return [(value, sweep(value)) for value in lambdas]
    entries = {
        name: value
        for name, value in getattr(learner_of(grid.key), "curve_settings", {}).items()
        if name not in grid.values
    }
    return [(None, entries | dict(own_sweep_of(params_type, lambdas, grid.values) or {}))]


def _with_one_process(params_type: type, given: Mapping[str, object]) -> dict[str, object]:
    """Runs fill the cores side by side, so one run need not spread over several."""
    names = {spec.name for spec in specs_of(params_type)}
    one: dict[str, object] = {"processes": 1} if "processes" in names else {}
    return one | dict(given)


def runs_of_plan(plan: Plan, lambdas: Sequence[float]) -> list[PlannedRun]:
    """The runs of a plan; `lambdas` stand in where it names none."""
    return runs_of(plan.learners, plan.lambdas or lambdas, plan.seeds, plan.time_limit)


def run_key(
    run: PlannedRun, rows: PlanRows, queries: QueryPlan | None = None, optima: int = 1
) -> str:
    """The same key for the same rows, learner, parameters, seed, measures and code, else another.

    Neither the name of the curve nor a time limit counts, nor over how many processes it is spread.
    """
    params = params_to_dict(run.params)
    params.pop("processes", None)
    entries = [
        rows.fingerprint,
        None if rows.reference is None or queries is None else _of_object(rows.reference),
        run.learner,
        params,
        run.seed,
        None if queries is None else queries.plain(),
        optima,
        code_version(),
    ]
    text = json.dumps(entries, sort_keys=True, ensure_ascii=False, default=_of_object)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def point_key(run: str, number: int) -> str:
    """The key of one of the points of a run."""
    return f"{run}-{number:03d}"


def _of_object(value: object) -> str:
    """A hash of the content of a value, without its cached results."""
    digest = hashlib.sha256()

    def take(part: object) -> None:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype}{part.shape}".encode() + part.tobytes())
        elif dataclasses.is_dataclass(part) and not isinstance(part, type):
            digest.update(type(part).__name__.encode())
            for declared in dataclasses.fields(part):
                take(getattr(part, declared.name))
        elif isinstance(part, Mapping):
            for key, entry in part.items():
                take(key)
                take(entry)
        elif isinstance(part, list | tuple):
            digest.update(f"({len(part)}".encode())
            for entry in part:
                take(entry)
        elif isinstance(part, frozenset):
            digest.update(repr(sorted(map(repr, part))).encode())
        else:
            digest.update(repr(part).encode())

    take(value)
    return digest.hexdigest()


# Set it to continue with older points when a change of the code does not affect the numbers.
PINNED_VERSION = "PGMSTUDIO_CODE_VERSION"


def code_version() -> str:
    """The version of the program and a hash of the code that learns and measures.

    The environment variable PGMSTUDIO_CODE_VERSION stands in for it.
    """
    return os.environ.get(PINNED_VERSION) or _version_of_files()


@cache
def _version_of_files() -> str:
    core = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    for pattern in _CODE:
        for file in sorted(core.glob(pattern)):
            digest.update(file.name.encode())
            digest.update(file.read_bytes())
    return f"{__version__}+{digest.hexdigest()[:8]}"
