"""The trace of a run of decision graphs: a model for every λ, with its measures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.learning.artifacts import (
    CollectedModels,
    JudgedPoint,
    ModelScan,
    plain_variables,
    restored_domain,
    smallest_within,
)
from pgmstudio.core.model import ProbabilisticModel
from pgmstudio.core.scores.local import AIC_BITS
from pgmstudio.core.scores.row_means import mean_of

# A likelihood that is lower by this many bits per row is lower by rounding.
ROUNDING = 1e-9


def bits_per_row(model: ProbabilisticModel, data: DataSet) -> float:
    """Mean log2 P(row), by the weights of the rows."""
    logs = model.log2_probabilities(data)
    weights = data.row_weights
    return float(weights @ logs / weights.sum())


@dataclass(frozen=True)
class PdgPoint(JudgedPoint):
    """The model of one λ; bits are per row, `held_bits` is None without held-out rows.

    `score` is S_λ with the likeliest parameters, `smoothing` the α of the model's own. `forest`
    counts from 1; `is_reused` when the model came from a smaller λ and was merged.
    """

    lambda_: float
    score: float
    forest: int
    nodes: int
    effective_size: int
    representation_size: int
    parameter_size: int
    train_bits: float
    held_bits: float | None
    bic_bits: float
    aic_bits: float
    smoothing: float
    is_reused: bool
    model: DecisionGraph | None = None

    @classmethod
    def of(
        cls,
        model: DecisionGraph,
        train: DataSet,
        held: DataSet | None,
        *,
        lambda_: float,
        score: float,
        smoothing: float,
        forest: int = 1,
        is_reused: bool = False,
    ) -> PdgPoint:
        """The model of a λ, judged on the rows it was fitted to and on those held out."""
        rows, bits = train.total_weight, bits_per_row(model, train)
        free = model.representation_size()
        return cls(
            lambda_=lambda_,
            score=score,
            forest=forest,
            nodes=sum(model.node_counts),
            effective_size=model.effective_size(),
            representation_size=free,
            parameter_size=model.parameter_size(),
            train_bits=bits,
            held_bits=None if held is None else bits_per_row(model, held),
            bic_bits=bits - 0.5 * math.log2(max(rows, 2)) * free / rows,
            aic_bits=bits - AIC_BITS * free / rows,
            smoothing=smoothing,
            is_reused=is_reused,
            model=model,
        )


@dataclass(frozen=True)
class PdgScan(ModelScan[PdgPoint]):
    """The models of one run, from the largest λ to the smallest."""

    kind = "pdg-scan"
    is_growing = False
    chosen: float | None = None  # its λ, once all are known and held-out rows choose

    def best(self, criterion: str | None = None) -> PdgPoint:
        """The chosen model; before the choice, or by another criterion, the best."""
        if criterion is None:
            for point in self.points:
                if point.lambda_ == self.chosen:
                    return point
        return super().best(criterion)

    def with_choice(self, train: DataSet, held: DataSet) -> PdgScan:
        """With the choice among the models: the smallest graph within one standard error of the
        most likely on the held-out rows (Breiman et al. 1984).

        The differences are paired, over all rows: the held-out rows alone are few, and would
        accept graphs without dependences that are plain in the others. A training row pays its
        part of AIC's penalty, which makes it an estimate for new rows too (Vuong 1989).
        """
        best = super().best()
        bits = _expected_bits(best, train, held)
        weights = np.concatenate([train.row_weights, held.row_weights])
        smaller = (p for p in self.points if p.effective_size < best.effective_size)
        for point in sorted(smaller, key=lambda point: point.effective_size):
            with np.errstate(invalid="ignore"):  # rows that both rule out
                ahead = mean_of(bits - _expected_bits(point, train, held), weights)
            error = ahead.standard_error
            if error is not None and ahead.value <= error + ROUNDING:
                return replace(self, chosen=point.lambda_)
        return replace(self, chosen=best.lambda_)

    def collected(self) -> list[CollectedModels]:
        """The models of all λ, the last one first."""
        return [
            CollectedModels(point.model, point.lambda_)
            for point in reversed(self.points)
            if point.model is not None
        ]

    def with_point(self, point: PdgPoint) -> PdgScan:
        """The scan with the model of one λ added or replaced."""
        others = (other for other in self.points if other.lambda_ != point.lambda_)
        return PdgScan(
            self.criterion, tuple(sorted((*others, point), key=lambda p: p.lambda_, reverse=True))
        )

    def plain(self) -> dict[str, Any]:
        """Every point, and the models that fit into the size limit, the smallest first."""
        with_models = smallest_within([point.parameter_size for point in self.points])
        return {
            "criterion": self.criterion,
            "chosen": self.chosen,
            "variables": plain_variables([point.model for point in self.points]),
            "points": [_plain_point(p, i in with_models) for i, p in enumerate(self.points)],
        }

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> PdgScan:
        """The scan that `plain` encoded."""
        domain = restored_domain(plain)
        points = tuple(_restored_point(p, domain) for p in plain["points"])
        return cls(plain["criterion"], points, plain.get("chosen"))

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Head and rows, one row per λ."""
        rows = [{k: v for k, v in vars(p).items() if k != "model"} for p in self.points]
        head = tuple(rows[0]) if rows else ()
        return tuple(name.rstrip("_") for name in head), [tuple(row.values()) for row in rows]


def _expected_bits(point: PdgPoint, train: DataSet, held: DataSet) -> Floats:
    """log2 P of every row, of training rows less AIC's penalty per row."""
    assert point.model is not None
    penalty = point.train_bits - point.aic_bits
    parts = (point.model.log2_probabilities(rows) for rows in (train, held))
    return np.concatenate([next(parts) - penalty, next(parts)])


def _plain_point(point: PdgPoint, with_model: bool) -> dict[str, Any]:
    result = asdict(replace(point, model=None))
    model = result.pop("model")
    if with_model and (model := point.model) is not None:
        result["nodes_above"] = list(model.forest)
        result["parameters"] = [rows.tolist() for rows in model.parameters]
        result["successors"] = [None if e is None else e.tolist() for e in model.successors]
    return result


def _restored_point(plain: Mapping[str, Any], domain: Domain) -> PdgPoint:
    fields = {**plain}
    forest = fields.pop("nodes_above", None)
    parameters, successors = fields.pop("parameters", ()), fields.pop("successors", ())
    if forest is not None:
        fields["model"] = DecisionGraph(
            domain,
            tuple(forest),
            tuple(np.array(rows) for rows in parameters),
            tuple(None if edges is None else np.array(edges) for edges in successors),
        )
    return PdgPoint(**fields)
