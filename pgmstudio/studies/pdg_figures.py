"""Figures on decision graphs: parity for several λ (Jaeger, Nielsen and Silander 2006, figure 4),
smoothing on Abalone and the two sizes (Nielsen 2007, figures 4.3 and 5.7)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import folds
from pgmstudio.core.experiments.generators.textbook import ParityParams, parity
from pgmstudio.core.experiments.sl_curves.sweep import Curves
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.pdg.learning.learner import tuned_smoothing
from pgmstudio.core.languages.pdg.learning.trace import PdgScan
from pgmstudio.core.languages.pdg.measures import refitted
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.learning.smoothing import FOLDS
from pgmstudio.core.params import param
from pgmstudio.core.scores.local import spaced_lambdas
from pgmstudio.studies.measures import bits
from pgmstudio.studies.nb_real import SETS, both_parts
from pgmstudio.studies.recipe import (
    Measured,
    RecipeContext,
    RecipeEvent,
    load_recipe,
    only_param,
    selected_names,
    trials_param,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParityRecipe:
    """The settings of the experiment."""

    trials: int = trials_param(10)
    variables: int = param(8, title="Variables", low=2, high=20, help="Bits with the parity bit.")
    rows: int = param(10_000, title="Rows", low=10, help="Rows to learn from.")
    test_rows: int = param(5000, title="Test rows", low=10, help="Rows for the likelihood.")
    models: int = param(8, title="Models", low=2, high=100, help="Number of λ.")
    population: int = param(6, title="Forests", low=1, high=500, help="How many are learned.")


def _scan(context: RecipeContext) -> PdgScan:
    scan = context.artifacts[PdgScan.kind]
    assert isinstance(scan, PdgScan)
    return scan


def run_parity(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: ParityRecipe = context.params
    context.expect_models(params.trials)
    kind = ParityParams(variables=params.variables)
    optimum = 4 * (params.variables - 1) + 2
    for trial in context.trial_numbers:
        rng = context.rng(trial)
        rows, test = parity(kind, rng, params.rows), parity(kind, rng, params.test_rows)
        odd = DataSet(test.domain, np.vstack([test.codes[:-1], 1 - test.codes[-1:]]))
        lambdas = spaced_lambdas(0.05, 5 * math.log2(params.rows), params.models)
        model = yield from context.learn(
            f"trial {trial + 1} of {params.trials}",
            "pdg.learn",
            rows,
            rng,
            lambdas=lambdas,
            population=params.population,
            levels=tuple(np.geomspace(1e-6, 0.999, params.population)),
        )
        values, is_parity = {}, []
        for number, point in enumerate(_scan(context).points, start=1):  # from the largest λ
            assert point.model is not None
            graph = refitted(point.model, rows)
            size = graph.effective_size()
            values[f"size, λ {number}"] = float(size)
            values[f"test bits, λ {number}"] = bits(refitted(point.model, rows, 0.01), test)
            is_exact = bool(np.isneginf(graph.log2_probabilities(odd)).all())
            is_parity.append((is_exact, size))
        values["optimal"] = float((True, optimum) in is_parity)
        values["near"] = float(any(exact and size <= optimum + 2 for exact, size in is_parity))
        values["parity"] = sum(exact for exact, _ in is_parity) / len(is_parity)
        values["largest"] = max(size for _, size in is_parity) / optimum
        yield Measured(trial, values, model, rows)


PDG_PARITY = load_recipe(
    "pdg-parity",
    ParityRecipe,
    run_parity,
    curves=Curves("λ, from the largest", "Effective size", r"(?P<line>size), λ (?P<x>\d+)"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothingRecipe:
    """The settings of the experiment."""

    trials: int = trials_param(5)
    population: int = param(6, title="Forests", low=1, high=500, help="How many are learned.")
    models: int = param(20, title="Models", low=2, high=100, help="Number of λ of the search.")
    smoothings: tuple[float, ...] = param(
        tuple(float(f"{value:.2g}") for value in np.geomspace(0.001, 30, 19)),
        title="Smoothings α",
        low=0,
        low_open=True,
        help="The x values of the curves.",
    )


def cv_bits(graph: DecisionGraph, parts: Sequence[tuple[DataSet, DataSet]], alpha: float) -> float:
    """Mean log2-likelihood of a held-out row, with the nodes of the graph fitted to the others."""
    logs = [refitted(graph, rows, alpha).log2_probabilities(held) for rows, held in parts]
    return float(np.concatenate(logs).mean())


def run_smoothing(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: SmoothingRecipe = context.params
    context.expect_models(params.trials)
    for trial in context.trial_numbers:
        rng = context.rng(trial)
        rows, test = both_parts("abalone", context.sources["abalone"], rng)
        graph = yield from context.learn_model(
            DecisionGraph,
            f"trial {trial + 1} of {params.trials}",
            "pdg.learn",
            rows,
            rng,
            population=params.population,
            lambdas=spaced_lambdas(0.05, 5 * math.log2(rows.row_count), params.models),
        )
        parts = list(folds(rows, FOLDS, rng))
        held = {alpha: cv_bits(graph, parts, alpha) for alpha in params.smoothings}
        tested = {alpha: -bits(refitted(graph, rows, alpha), test) for alpha in params.smoothings}
        values = {f"CV score, α = {alpha:g}": value for alpha, value in held.items()}
        values |= {f"test rows, α = {alpha:g}": value for alpha, value in tested.items()}
        values["peak_cv"] = max(held, key=lambda alpha: held[alpha])
        values["peak_test"] = max(tested, key=lambda alpha: tested[alpha])
        tuned = tuned_smoothing(graph, rows, rng, context.cancel)
        values["tuned"] = tuned
        values["lost"] = max(tested.values()) + bits(refitted(graph, rows, tuned), test)
        values["peaks"] = float(_peaks([*held.values()]))
        yield Measured(trial, values, graph, rows)


def _peaks(values: list[float]) -> int:
    """How many values are higher than both neighbours; 1 for a unimodal curve."""
    padded = [-math.inf, *values, -math.inf]
    return sum(padded[i - 1] < padded[i] >= padded[i + 1] for i in range(1, len(padded) - 1))


SMOOTHING_CURVE = load_recipe(
    "smoothing-curve",
    SmoothingRecipe,
    run_smoothing,
    sources=(SETS["abalone"].source,),
    curves=Curves(
        "Smoothing α",
        "Log2-likelihood per row ↑",
        r"(?P<line>CV score|test rows), α = (?P<x>[\d.e+-]+)",
        is_log=True,
    ),
)

BN_RESTARTS = 50  # for every network of the sizes
_SIZE_SETS = ("page-blocks", "letter")


@dataclass(frozen=True, slots=True, kw_only=True)
class SizesRecipe:
    """The settings of the experiment."""

    only: str | None = only_param()
    trials: int = trials_param(1)
    models: int = param(12, title="Models", low=2, high=100, help="λ of each language.")
    population: int = param(3, title="Forests", low=1, high=500, help="How many are learned.")
    patience: int = param(3, title="Patience", low=1, help="Sweeps without a better graph.")


def run_sizes(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: SizesRecipe = context.params
    names = selected_names(params.only, _SIZE_SETS)
    context.expect_models(params.trials * len(names) * (params.models + 1))
    for trial, name, rng in context.trials(_SIZE_SETS):
        rows, _ = both_parts(name, context.sources[name], rng)
        title = SETS[name].title
        sizes: dict[str, list[tuple[int, int]]] = {"BN": [], "PDG": []}
        unit = math.log2(rows.row_count)
        for lambda_ in spaced_lambdas(5 * unit, 0.1, params.models):
            network = yield from context.learn_model(
                BayesianNetwork,
                f"{title}, λ {lambda_:.3f}",
                "bn.hill-climb",
                rows,
                rng,
                score="lambda",
                lambda_=lambda_,
                restarts=BN_RESTARTS,
            )
            sizes["BN"].append((network.effective_size(), network.representation_size()))
        graph = yield from context.learn(
            f"{title}, decision graphs",
            "pdg.learn",
            rows,
            rng,
            lambdas=spaced_lambdas(0.05, 5 * unit, params.models),
            population=params.population,
            patience=params.patience,
        )
        sizes["PDG"] = [
            (point.effective_size, point.representation_size) for point in _scan(context).points
        ]
        values = {
            f"{title}, {language}, size {effective}": float(represented)
            for language, of_language in sizes.items()
            for effective, represented in of_language
        }
        for language, of_language in sizes.items():
            slope = slope_of(of_language)
            if not math.isnan(slope):
                values[f"{name}_{language}_slope"] = slope
        yield Measured(trial, values, graph, rows, title)


def slope_of(points: list[tuple[int, int]]) -> float:
    """The exponent b of representation = a · effective^b, by least squares of the logarithms."""
    distinct = sorted(set(points))
    if len({size for size, _ in distinct}) < 2:
        return math.nan
    logs = np.log(np.array(distinct, dtype=float))
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


PDG_SIZES = load_recipe(
    "pdg-sizes",
    SizesRecipe,
    run_sizes,
    sources=tuple(SETS[name].source for name in _SIZE_SETS),
    names=_SIZE_SETS,
    curves=Curves(
        "Effective size",
        "Representational size",
        r"(?P<line>[\w-]+, (?:BN|PDG)), size (?P<x>\d+)",
        is_log=True,
        is_log_up=True,
    ),
)
