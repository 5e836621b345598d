"""Comparison of models of any languages on the same rows, by paired differences in bits per row.

The likelihoods of two models on one row are correlated, so the mean difference per row is known far
better than either mean; verdicts rest on the paired differences alone. Means come with standard
errors; a weight counts as that many equal rows.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.analysis.fit_comparison import fit_of, refuse_unlike
from pgmstudio.core.analysis.tables import Cell
from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.chunked import Arrays, ChunkedData
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import fitted_to, rows_over
from pgmstudio.core.errors import DataError, PgmStudioError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.likelihood import log2_probabilities
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import Model, ProbabilisticModel
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import AIC_BITS, bic_bits, score_of
from pgmstudio.core.scores.row_means import Mean, mean_of

Verdict = Literal["best", "worse", "not distinguishable", "not judged"]


@dataclass(frozen=True, eq=False)
class RowSplits:
    """Of rows that were tested by models of several splits: the split of each row, and how many
    test rows there are for each training row."""

    of_row: NDArray[np.intp]
    ratio: float

    def take_rows(self, chosen: NDArray[np.bool_]) -> RowSplits:
        """The same for some of the rows."""
        return RowSplits(self.of_row[chosen], self.ratio)


def interval_of(
    values: Floats,
    weights: Floats | None,
    splits: RowSplits | None = None,
) -> tuple[float, float] | None:
    """The 95 % confidence interval of the mean of paired differences, by Student's t over rows.

    With several splits, models learned from other rows differ too: where it is wider, the interval
    of the corrected resampled t-test counts, with the variance s² of the k means of the splits,
    √((1/k + n_test/n_train) s²) and k − 1 degrees of freedom (Nadeau and Bengio 2003).
    """
    mean = mean_of(values, weights)
    interval = mean.interval()
    if splits is None or interval is None:
        return interval
    each = [
        mean_of(values[own], None if weights is None else weights[own]).value
        for own in (splits.of_row == split for split in np.unique(splits.of_row))
    ]
    known = [value for value in each if math.isfinite(value)]
    if len(known) < 2:
        return interval
    from scipy.special import stdtrit

    error = math.sqrt((1 / len(known) + splits.ratio) * float(np.var(known, ddof=1)))
    reach = max(float(stdtrit(len(known) - 1, 0.975)) * error, (interval[1] - interval[0]) / 2)
    return mean.value - reach, mean.value + reach


@dataclass(frozen=True, eq=False)
class Scored:
    """What a comparison needs of one model: its sizes and its log2-probability of every row."""

    kind: str
    representation_size: float
    effective_size: float
    row_log2: Floats


@dataclass(frozen=True, slots=True)
class ComparedModel:
    """One row of the table; `difference` is to the best model, negative is worse.

    It is None when the model rules out rows that the best one does not: no number can make up for
    that. `interval` is the 95 % confidence interval of the difference. `bic` and `aic` are in bits
    on these rows: L − ½ log2 N · size_rep and L − log2 e · size_rep; higher is better.
    `bic_effective`, experimental, has the effective size in place of the free parameters
    (Nielsen 2007, §4.3.3), so that languages are scored by one measure of size.
    """

    name: str
    kind: str
    log2_likelihood_per_row: float
    standard_error: float | None
    zero_probability_rows: float
    representation_size: float
    effective_size: float
    bic: float
    aic: float
    bic_effective: float
    difference: float | None
    interval: tuple[float, float] | None
    verdict: Verdict

    def as_dict(self) -> dict[str, Any]:
        """For JSON; minus infinity is None."""
        return {
            "name": self.name,
            "kind": self.kind,
            "log2_likelihood_per_row": finite(self.log2_likelihood_per_row),
            "standard_error": self.standard_error,
            "zero_probability_rows": whole(self.zero_probability_rows),
            "representation_size": whole(self.representation_size),
            "effective_size": whole(self.effective_size),
            "bic": finite(self.bic),
            "aic": finite(self.aic),
            "bic_effective": finite(self.bic_effective),
            "difference": self.difference,
            "interval": None if self.interval is None else list(self.interval),
            "verdict": self.verdict,
        }


@dataclass(frozen=True, eq=False)
class Comparison:
    """Models in the order given; `rows` is the total weight; `row_log2` has every row of each."""

    rows: float
    best: str
    models: tuple[ComparedModel, ...]
    row_log2: Mapping[str, Floats] = field(repr=False)

    def __getitem__(self, name: str) -> ComparedModel:
        return next(model for model in self.models if model.name == name)

    def as_dict(self) -> dict[str, Any]:
        """For JSON, without the rows."""
        models = [model.as_dict() for model in self.models]
        return {"rows": whole(self.rows), "best": self.best, "models": models}


def compare(models: Mapping[str, Model], data: DataSet) -> Comparison:
    """Every model on the same rows; missing cells are summed out, weights count as rows."""
    refuse_unlike(models, data, need_probabilities=True)
    return comparison_of(
        {
            name: Scored(
                model.kind,
                model.representation_size(),
                model.effective_size(),
                row_log2(model, data),
            )
            for name, model in models.items()
        },
        data.weights,
    )


def row_log2(model: Model, data: DataSet) -> Floats:
    """log2 P(row) for each row, missing cells summed out; DataError for models that are no
    distribution."""
    if not isinstance(model, ProbabilisticModel):
        raise DataError(f"{a_kind(model.kind, 'A')} gives rows no probability.")
    if data.domain != model.domain:  # the same states may stand in another order
        data = fitted_to(data, model.domain)
    return log2_probabilities(model, data)


@dataclass(frozen=True, slots=True)
class Likelihood:
    """log2-likelihood of weighted rows; −inf when a row of positive weight is impossible."""

    log2_likelihood: float
    per_row: float
    zero_probability_rows: int


def likelihood_of(model: Model, data: DataSet) -> Likelihood:
    """Σ w log2 P(row), missing cells summed out."""
    if isinstance(data, ChunkedData):
        total, zero = map(float, data.sums(_LikelihoodOfChunk(model)))
        return Likelihood(total, total / data.total_weight, int(zero))
    logs = row_log2(model, data)
    weights = data.row_weights
    counted = weights > 0  # a row of weight 0 does not count, even if it is impossible
    total = float(logs[counted] @ weights[counted])
    zero = int(np.isneginf(logs[counted]).sum())
    per_row = total / data.total_weight if data.total_weight > 0 else float("nan")
    return Likelihood(total, per_row, zero)


@dataclass(frozen=True)
class _LikelihoodOfChunk:
    model: Model

    def __call__(self, chunk: DataSet, _first_row: int) -> Arrays:
        one = likelihood_of(self.model, chunk)
        return np.array(one.log2_likelihood), np.array(one.zero_probability_rows)


def comparison_of(
    scored: Mapping[str, Scored],
    weights: Floats | None,
    splits: RowSplits | None = None,
    judged: Collection[str] = (),
) -> Comparison:
    """The comparison of models whose rows are already scored.

    The best model gives the fewest rows probability 0 and, among those, has the most bits on the
    other rows. Where some models are named in `judged`, only these can be best, and the others are
    compared with the best but not judged.
    """
    judged = judged or tuple(scored)
    ruled_out = {name: np.isneginf(one.row_log2) for name, one in scored.items()}
    count = {name: _weight(rows, weights) for name, rows in ruled_out.items()}

    def rank(name: str) -> tuple[float, float]:
        possible = ~ruled_out[name]
        return -count[name], _mean(scored[name].row_log2, possible, weights).value

    best = max((name for name in scored if name in judged), key=rank)
    total = _weight(np.ones_like(ruled_out[best]), weights)
    compared = []
    for name, one in scored.items():
        mean = mean_of(one.row_log2, weights)
        total_bits = mean.value * total
        difference: Mean | None = None
        interval: tuple[float, float] | None = None
        if count[name] == count[best]:
            # The difference is not finite on rows that either model excludes.
            both = ~(ruled_out[name] | ruled_out[best])
            change = np.subtract(
                one.row_log2, scored[best].row_log2, out=np.zeros(len(both)), where=both
            )
            difference = _mean(change, both, weights)
            interval = interval_of(
                change[both],
                None if weights is None else weights[both],
                None if splits is None else splits.take_rows(both),
            )
        compared.append(
            ComparedModel(
                name,
                one.kind,
                mean.value,
                mean.standard_error,
                count[name],
                one.representation_size,
                one.effective_size,
                total_bits - bic_bits(total) * one.representation_size,
                total_bits - AIC_BITS * one.representation_size,
                total_bits - bic_bits(total) * one.effective_size,
                None if difference is None else finite(difference.value),
                interval,
                _verdict(name == best, difference, interval) if name in judged else "not judged",
            )
        )
    rows = {name: one.row_log2 for name, one in scored.items()}
    return Comparison(total, best, tuple(compared), rows)


def _verdict(
    is_best: bool, difference: Mean | None, interval: tuple[float, float] | None
) -> Verdict:
    if is_best:
        return "best"
    if difference is None or (interval is not None and interval[1] < 0):
        return "worse"
    return "not distinguishable"


def _weight(rows: NDArray[np.bool_], weights: Floats | None) -> float:
    return float(rows.sum() if weights is None else weights[rows].sum())


def _mean(values: Floats, rows: NDArray[np.bool_], weights: Floats | None) -> Mean:
    return mean_of(values[rows], None if weights is None else weights[rows])


def finite(value: float) -> float | None:
    """The number, or None where JSON has none for it."""
    return value if math.isfinite(value) else None


def whole(value: float) -> int | float:
    """A count as people write it: 12, not 12.0; weights may make it 12.5."""
    return int(value) if float(value).is_integer() else value


# Scores of a model on rows in bits per row, higher being better, and both sizes.


@dataclass(frozen=True, slots=True)
class ModelScores:
    """Bits per row; None where a score is not defined for the language or the rows.

    With k free parameters and N rows: BIC = (L − k/2 · log2 N) / N, AIC = (L − k · log2 e) / N.
    `bic_effective`, experimental, is BIC with the effective size in place of k.
    BDeu is the marginal likelihood of a graph over families (equivalent sample size 1). `measures`
    are those of a language without probabilities.
    """

    kind: str
    columns: int  # how many variables of the model the rows have
    representation_size: int
    effective_size: int | None
    log2_per_row: float | None = None
    standard_error: float | None = None
    bic: float | None = None
    aic: float | None = None
    bic_effective: float | None = None
    bdeu: float | None = None
    problem: str = ""
    measures: Mapping[str, float] = field(default_factory=dict)


def model_scores(model: Model, data: DataSet, cancel: CancelToken = NEVER) -> ModelScores:
    """All scores of a model on these rows; missing cells are summed out."""
    columns = sum(name in data.domain for name in model.domain.names)
    free = model.representation_size()
    try:
        effective: int | None = model.effective_size()
    except PgmStudioError:  # too large to be triangulated
        effective = None
    plain = (model.kind, columns, free, effective)
    if not isinstance(model, ProbabilisticModel):
        try:
            return ModelScores(*plain, measures=fit_of(model, data))
        except PgmStudioError as problem:
            return ModelScores(*plain, problem=str(problem))
    if columns == 0 or data.total_weight <= 0:
        return ModelScores(*plain, problem="The rows have no column of this model.")
    cancel.raise_if_cancelled()
    try:
        logs = log2_probabilities(model, rows_over(data, model.domain))
        mean = mean_of(logs, data.row_weights)
        bdeu = _bdeu(model, data, cancel)
    except PgmStudioError as problem:
        return ModelScores(*plain, problem=str(problem))
    rows = mean.rows
    bic = mean.value - bic_bits(rows) * free / rows
    aic = mean.value - AIC_BITS * free / rows
    by_cells = None if effective is None else mean.value - bic_bits(rows) * effective / rows
    return ModelScores(*plain, mean.value, mean.standard_error, bic, aic, by_cells, bdeu)


def _bdeu(model: Model, data: DataSet, cancel: CancelToken) -> float | None:
    network = as_network(model)
    if network is None:
        return None
    if any(name not in data.domain for name in network.domain.names):
        return None
    rows = fitted_to(data, network.domain)
    result = FamilyScores(rows, score_of("bdeu", rows.total_weight))
    total = result.total(network.dag.parent_indices, cancel)
    return total / rows.total_weight if math.isfinite(total) else None


def sizes_of(scores: ModelScores) -> tuple[Cell, Cell]:
    return scores.representation_size, scores.effective_size


def score_lines(scores: dict[str, ModelScores]) -> list[list[Cell]]:
    """A table for a file: one line per model of a scale, a head line first."""
    measures = list(dict.fromkeys(name for one in scores.values() for name in one.measures))
    if measures:
        return [
            ["model", "kind", *measures, "representation_size", "effective_size"],
            *(
                [name, one.kind, *map(one.measures.get, measures), *sizes_of(one)]
                for name, one in scores.items()
            ),
        ]
    head: list[Cell] = ["model", "kind", "columns", "log2_likelihood_per_row", "standard_error"]
    head += ["bic_per_row", "aic_per_row", "bic_effective_per_row", "bdeu_per_row"]
    head += ["free_parameters", "effective_size"]
    lines: list[list[Cell]] = [head]
    for name, one in scores.items():
        first: list[Cell] = [name, one.kind, one.columns, one.log2_per_row, one.standard_error]
        first += [one.bic, one.aic, one.bic_effective, one.bdeu, *sizes_of(one)]
        lines.append(first)
    return lines
