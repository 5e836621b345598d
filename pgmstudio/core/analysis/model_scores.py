"""Scores of a model on rows in bits per row, higher being better, and both sizes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pgmstudio.core.analysis.model_comparison import mean_of
from pgmstudio.core.analysis.tables import Cell
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import fitted_to, rows_over, weights_of
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.likelihood import log2_probabilities
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import Model, ProbabilisticModel
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import AIC_BITS, score_of


@dataclass(frozen=True, slots=True)
class ModelScores:
    """Bits per row; None where a score is not defined for the language or the rows.

    With k free parameters and N rows: BIC = (L − k/2 · log2 N) / N, AIC = (L − k · log2 e) / N.
    BDeu is the marginal likelihood of a graph over families (equivalent sample size 1).
    """

    kind: str
    columns: int  # how many variables of the model the rows have
    representation_size: int
    effective_size: int | None
    log2_per_row: float | None = None
    standard_error: float | None = None
    bic: float | None = None
    aic: float | None = None
    bdeu: float | None = None
    problem: str = ""


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
        return ModelScores(*plain, problem=f"{a_kind(model.kind, 'A')} gives rows no probability.")
    if columns == 0 or data.total_weight <= 0:
        return ModelScores(*plain, problem="The rows have no column of this model.")
    cancel.raise_if_cancelled()
    try:
        logs = log2_probabilities(model, rows_over(data, model.domain))
        mean = mean_of(logs, weights_of(data))
        bdeu = _bdeu(model, data, cancel)
    except PgmStudioError as problem:
        return ModelScores(*plain, problem=str(problem))
    rows = mean.rows
    bic = mean.value - free / 2 * math.log2(max(rows, 1.0)) / rows
    aic = mean.value - AIC_BITS * free / rows
    return ModelScores(*plain, mean.value, mean.standard_error, bic, aic, bdeu)


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


def score_lines(scores: dict[str, ModelScores]) -> list[list[Cell]]:
    """A table for a file: one line per model, a head line first."""
    head: list[Cell] = ["model", "kind", "columns", "log2_likelihood_per_row", "standard_error"]
    head += ["bic_per_row", "aic_per_row", "bdeu_per_row", "free_parameters", "effective_size"]
    lines: list[list[Cell]] = [head]
    for name, one in scores.items():
        first: list[Cell] = [name, one.kind, one.columns, one.log2_per_row, one.standard_error]
        first += [one.bic, one.aic, one.bdeu, one.representation_size, one.effective_size]
        lines.append(first)
    return lines
