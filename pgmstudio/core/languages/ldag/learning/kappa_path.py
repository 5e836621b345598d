"""The path of models over κ: size, score and held-out likelihood of each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.learning.artifacts import CollectedModels, plain_variables, restored_domain

HEAD = (
    "kappa",
    "edges",
    "labels",
    "parameters",
    "parameters_without_labels",
    "score",
    "log2_marginal_likelihood",
    "held_out_bits_per_row",
    "standard_error",
)


@dataclass(frozen=True)
class KappaPoint:
    """One κ on all rows; κ = 0 is without labels. Held-out bits are log2-probabilities per row by
    cross-validation, higher is better, with the standard error of their mean over the folds."""

    kappa: float
    edges: int
    labels: int
    parameters: int
    unlabelled_parameters: int
    score: float
    log2_likelihood: float  # marginal, or BIC
    model: LabelledDag
    held_bits: float | None = None
    standard_error: float | None = None

    @classmethod
    def of(cls, kappa: float, model: LabelledDag, measures: Mapping[str, float]) -> KappaPoint:
        """The point of a model learned with that κ."""
        name = "bic" if "bic" in measures else "log2_marginal_likelihood"
        return cls(
            kappa,
            len(model.edges),
            model.label_count,
            model.representation_size(),
            model.unlabelled_size(),
            measures["score"],
            measures[name],
            model,
        )

    def value(self, criterion: str) -> float:
        """The criterion of the choice; −inf before any fold."""
        return -math.inf if self.held_bits is None else self.held_bits

    def row(self) -> tuple[object, ...]:
        """The numbers of `HEAD`."""
        return tuple(getattr(self, name) for name in _FIELDS)


_FIELDS = tuple(item.name for item in fields(KappaPoint) if item.name != "model")


@dataclass(frozen=True)
class KappaPath:
    """The points from the smallest κ to the largest; `folds` are those of the cross-validation."""

    folds: int
    points: tuple[KappaPoint, ...] = ()

    kind = "kappa-path"
    is_growing = False

    def collected(self) -> list[CollectedModels]:
        """The models of all κ."""
        return [
            CollectedModels(point.model, setting=(("kappa", point.kappa),)) for point in self.points
        ]

    def with_point(self, point: KappaPoint) -> KappaPath:
        """The path with one more point."""
        return replace(self, points=(*self.points, point))

    def with_held_out(self, bits: Mapping[float, list[float]]) -> KappaPath:
        """With the held-out bits of every fold so far, by κ."""
        points = []
        for point in self.points:
            values = np.array(bits.get(point.kappa, ()))
            if values.size:
                error = (
                    float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else None
                )
                point = replace(point, held_bits=float(values.mean()), standard_error=error)
            points.append(point)
        return replace(self, points=tuple(points))

    criterion = "held-out rows"

    def best(self) -> KappaPoint:
        """The point whose held-out rows are the most probable, of equal ones the smallest κ; before
        any fold the one that scores best."""
        tried = [point for point in self.points if point.held_bits is not None]
        if not tried:
            return max(self.points, key=lambda point: point.score)
        return max(tried, key=lambda point: point.value(self.criterion))

    def plain(self) -> dict[str, Any]:
        """Every point with its model."""
        return {
            "folds": self.folds,
            "variables": plain_variables([point.model for point in self.points]),
            "points": [
                {
                    **dict(zip(HEAD, point.row(), strict=True)),
                    "parents": [list(parents) for parents in point.model.dag.parent_indices],
                    "classes": [classes.ravel().tolist() for classes in point.model.classes],
                    "rows": [rows.tolist() for rows in point.model.rows],
                }
                for point in self.points
            ],
        }

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> KappaPath:
        """The path that `plain` encoded."""
        domain = restored_domain(plain)
        points = []
        for payload in plain["points"]:
            dag = Dag(domain.names, tuple(tuple(parents) for parents in payload["parents"]))
            shapes = [tuple(domain.cardinalities[p] for p in ps) for ps in dag.parent_indices]
            model = LabelledDag(
                domain,
                dag,
                tuple(
                    np.array(classes, dtype=np.int64).reshape(shape)
                    for classes, shape in zip(payload["classes"], shapes, strict=True)
                ),
                tuple(np.array(rows, dtype=np.float64) for rows in payload["rows"]),
            )
            values = dict(zip(_FIELDS, map(payload.get, HEAD), strict=True))
            points.append(KappaPoint(model=model, **values))
        return cls(int(plain["folds"]), tuple(points))

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Head and rows, one row per κ."""
        return HEAD, [point.row() for point in self.points]
