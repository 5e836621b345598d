"""The trace of a run of decision graphs: a model for every λ, with its measures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

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
            "variables": plain_variables([point.model for point in self.points]),
            "points": [_plain_point(p, i in with_models) for i, p in enumerate(self.points)],
        }

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> PdgScan:
        """The scan that `plain` encoded."""
        domain = restored_domain(plain)
        return cls(plain["criterion"], tuple(_restored_point(p, domain) for p in plain["points"]))

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Head and rows, one row per λ."""
        rows = [{k: v for k, v in vars(p).items() if k != "model"} for p in self.points]
        head = tuple(rows[0]) if rows else ()
        return tuple(name.rstrip("_") for name in head), [tuple(row.values()) for row in rows]


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
