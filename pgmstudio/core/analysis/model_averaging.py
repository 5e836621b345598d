"""The average of several models, weighted by their posterior on rows (Meilă 1999, eq. 4.3).

Pr[x] = Σ_Q Q(x) Pr[Q | D] over a finite set of models, the weights being normalised over this set.
The average of trees, latent class models and mixtures of trees is a mixture of all their trees, so
that everything that can be asked of a mixture can be asked of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from pgmstudio.core.analysis.model_comparison import Comparison, compare
from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError, ParameterError, PgmStudioError
from pgmstudio.core.languages.conversions import converted, not_converted_reason
from pgmstudio.core.languages.registry import kind_noun
from pgmstudio.core.languages.tree_mixture.averaging import averaged
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.model import Model

MIXTURE = TreeMixture.kind
POSTERIOR, LIKELIHOOD, EQUAL = "posterior", "likelihood", "equal"
WEIGHTINGS = {
    POSTERIOR: "Posterior of the models as BIC approximates it; for the rows they were learned "
    "from.",
    LIKELIHOOD: "Posterior of the models as they are, with equal prior probabilities; for rows "
    "they were not learned from.",
    EQUAL: "Equal weights, which need no rows.",
}
# A model below this weight changes no digit of the average and is left out.
MIN_WEIGHT = 1e-12


@dataclass(frozen=True, eq=False)
class Average:
    """A mixture, the weight of every model in it, and how they fit the rows, if there were any."""

    model: TreeMixture
    weights: Mapping[str, float]
    comparison: Comparison | None

    @property
    def left_out(self) -> tuple[str, ...]:
        """The models that have no weight."""
        return tuple(name for name, weight in self.weights.items() if weight < MIN_WEIGHT)


def average_models(
    models: Mapping[str, Model],
    data: DataSet | None = None,
    weights: str | Sequence[float] = POSTERIOR,
) -> Average:
    """The average of two or more models; `weights` is one of `WEIGHTINGS` or a number for each."""
    mixtures = {name: _as_mixture(name, model) for name, model in models.items()}
    if len(mixtures) < 2:
        raise DataError("Two different models are needed at least for an average.")
    _refuse_unlike({name: mixture.domain for name, mixture in mixtures.items()})
    comparison = None if data is None else compare(models, data)
    fractions = model_weights(models, comparison, weights)
    counted = [name for name, fraction in fractions.items() if fraction >= MIN_WEIGHT]
    model = averaged(
        [mixtures[name] for name in counted], np.array([fractions[name] for name in counted])
    )
    return Average(model, fractions, comparison)


def model_weights(
    models: Mapping[str, Model], comparison: Comparison | None, weights: str | Sequence[float]
) -> dict[str, float]:
    """The weight of every model; they sum to 1."""
    if not isinstance(weights, str):
        fractions = _given_weights(weights, len(models))
    elif weights == EQUAL:
        fractions = np.full(len(models), 1 / len(models))
    elif weights not in WEIGHTINGS:
        known = ", ".join(WEIGHTINGS)
        raise ParameterError({"weights": f"must be {known}, or a number for each model"})
    elif comparison is None:
        raise ParameterError({"weights": f"{weights!r} needs rows of data; {EQUAL!r} does not"})
    else:
        fractions = _posterior([_log2_evidence(comparison, name, weights) for name in models])
    return dict(zip(models, fractions.tolist(), strict=True))


def no_average_reason(model: Model) -> str | None:
    """Why a model cannot be a part of an average, as far as its structure shows at once."""
    if _is_close(model):
        return None
    reason = not_converted_reason(model, "tree")
    return None if reason is None else f"{kind_noun(model.kind)}: {reason}"


def _is_close(model: Model) -> bool:
    """Whether the model is a mixture of trees or becomes one directly, not as a tree."""
    return model.kind == MIXTURE or not_converted_reason(model, MIXTURE) is None


def _as_mixture(name: str, model: Model) -> TreeMixture:
    if (reason := no_average_reason(model)) is not None:
        raise DataError(
            f"{name} cannot be averaged ({reason.rstrip('.')}). Trees, latent class models and "
            "mixtures of trees can, as their average is a mixture of trees."
        )
    close = model if _is_close(model) else converted(model, "tree")
    return cast(TreeMixture, converted(close, MIXTURE))


def _refuse_unlike(domains: Mapping[str, Domain]) -> None:
    """DataError unless all models have the same variables with the same states."""
    (first, domain), *others = domains.items()
    states = {variable.name: {*variable.states} for variable in domain}
    problems = []
    for name, other in others:
        own = {variable.name: {*variable.states} for variable in other}
        if unlike := sorted(own.keys() ^ states.keys()):
            problems.append(f"{name} and {first} differ in {', '.join(unlike)}.")
        elif unlike := [key for key in own if own[key] != states[key]]:
            problems.append(f"{name} and {first} have other states of {', '.join(unlike)}.")
    if problems:
        raise DataError(" ".join([*problems, "Average models over the same variables."]))


def _given_weights(weights: Sequence[float], count: int) -> Floats:
    fractions = np.array(weights, dtype=np.float64)
    if fractions.size != count:
        raise ParameterError({"weights": f"has {fractions.size} numbers for {count} models"})
    if not np.isfinite(fractions).all() or (fractions < 0).any() or fractions.sum() <= 0:
        raise ParameterError({"weights": "must be at least 0, and one of them above 0"})
    return np.asarray(fractions / fractions.sum())


def _log2_evidence(comparison: Comparison, name: str, weights: str) -> float:
    """log2 Pr[D | Q], up to a constant of all models."""
    one = comparison[name]
    return one.bic if weights == POSTERIOR else one.log2_likelihood_per_row * comparison.rows


def _posterior(log2_evidence: Sequence[float]) -> Floats:
    best = max(log2_evidence)
    if math.isinf(best) or math.isnan(best):
        raise PgmStudioError(
            "Every model gives a row probability 0, so that none has a posterior. Learn with "
            "smoothing, or choose equal weights."
        )
    fractions = np.exp2(np.array(log2_evidence) - best)
    return np.asarray(fractions / fractions.sum())
