"""What a run of decision graphs saw on the way: a model for every λ, with its measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.learning.class_scan import MOST_CELLS, value_by
from pgmstudio.core.models.decision_graph import DecisionGraph


@dataclass(frozen=True)
class PdgPoint:
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

    def value(self, criterion: str) -> float:
        """What the criterion makes large."""
        return value_by(criterion, self)


@dataclass(frozen=True)
class PdgScan:
    """The models of one run, from the largest λ to the smallest."""

    criterion: str
    points: tuple[PdgPoint, ...] = ()

    kind = "pdg-scan"

    def with_point(self, point: PdgPoint) -> PdgScan:
        """With the model of one λ, in place of the one it had."""
        others = (other for other in self.points if other.lambda_ != point.lambda_)
        return PdgScan(
            self.criterion, tuple(sorted((*others, point), key=lambda p: p.lambda_, reverse=True))
        )

    def best(self, criterion: str | None = None) -> PdgPoint:
        """The first of the best by the run's criterion, or by another."""
        return max(self.points, key=lambda point: point.value(criterion or self.criterion))

    def plain(self) -> dict[str, Any]:
        """Every point, and the models that fit into the room for them, the smallest first."""
        room, kept = MOST_CELLS, set[int]()
        for number in sorted(range(len(self.points)), key=lambda i: self.points[i].parameter_size):
            if self.points[number].parameter_size <= room:
                room -= self.points[number].parameter_size
                kept.add(number)
        domain = next((p.model.domain for p in self.points if p.model is not None), Domain(()))
        return {
            "criterion": self.criterion,
            "variables": [[v.name, list(v.states)] for v in domain],
            "points": [_plain_point(p, i in kept) for i, p in enumerate(self.points)],
        }

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> PdgScan:
        """What `plain` made, as a value again."""
        domain = Domain(tuple(Variable(n, tuple(states)) for n, states in plain["variables"]))
        return cls(plain["criterion"], tuple(_restored_point(p, domain) for p in plain["points"]))

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Head and rows, one row per λ."""
        rows = [{k: v for k, v in vars(p).items() if k != "model"} for p in self.points]
        head = tuple(rows[0]) if rows else ()
        return tuple(name.rstrip("_") for name in head), [tuple(row.values()) for row in rows]


def _plain_point(point: PdgPoint, with_model: bool) -> dict[str, Any]:
    found = asdict(replace(point, model=None))
    model = found.pop("model")
    if with_model and (model := point.model) is not None:
        found["nodes_above"] = list(model.forest)
        found["parameters"] = [rows.tolist() for rows in model.parameters]
        found["successors"] = [None if e is None else e.tolist() for e in model.successors]
    return found


def _restored_point(plain: Mapping[str, Any], domain: Domain) -> PdgPoint:
    told = {**plain}
    forest = told.pop("nodes_above", None)
    parameters, successors = told.pop("parameters", ()), told.pop("successors", ())
    if forest is not None:
        told["model"] = DecisionGraph(
            domain,
            tuple(forest),
            tuple(np.array(rows) for rows in parameters),
            tuple(None if edges is None else np.array(edges) for edges in successors),
        )
    return PdgPoint(**told)
