"""The path of contextual Markov networks over κ, of which BIC selects one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.learning.artifacts import CollectedModels, plain_variables, restored_domain

HEAD = (
    "kappa",
    "start",
    "edges",
    "contexts",
    "parameters",
    "score",
    "log_mpl_nats",
    "log_likelihood_nats",
    "bic_nats",
    "pic_nats",
)


@dataclass(frozen=True)
class ContextPoint:
    """The model of one κ; κ = 0 is without contexts. `score` is in bits and has the priors.

    The log-likelihood and BIC are not numbers where the cliques are too large for them.
    """

    kappa: float
    start: str  # of the two searches the one that scored higher
    edges: int
    contexts: int
    parameters: int
    score: float
    log_mpl_nats: float
    log_likelihood_nats: float
    bic_nats: float
    pic_nats: float  # the pseudo-likelihood less its cost of parameters
    model: MarkovNetwork

    def row(self) -> tuple[object, ...]:
        """The numbers of `HEAD`."""
        return tuple(getattr(self, name) for name in HEAD)

    def value(self, criterion: str) -> float:
        """BIC or PIC in natural logarithms."""
        return float(getattr(self, f"{criterion.lower()}_nats"))


@dataclass(frozen=True)
class ContextPath:
    """The points in the order in which they were found, from the smallest κ to the largest."""

    points: tuple[ContextPoint, ...] = ()

    kind = "markov-kappa-path"
    is_growing = False

    def with_point(self, point: ContextPoint) -> ContextPath:
        """The path with one more point."""
        return replace(self, points=(*self.points, point))

    @property
    def criterion(self) -> str:
        """What selects the point: BIC, or PIC where the likelihood of a model is too costly."""
        return "PIC" if any(math.isnan(point.bic_nats) for point in self.points) else "BIC"

    def best(self) -> ContextPoint:
        """The point that the criterion selects, of equal ones the smallest κ."""
        criterion = self.criterion
        return max(self.points, key=lambda point: round(point.value(criterion), 6))

    def collected(self) -> list[CollectedModels]:
        """The models of all κ."""
        return [
            CollectedModels(point.model, setting=(("kappa", point.kappa),)) for point in self.points
        ]

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Head and rows, one row per κ."""
        return HEAD, [point.row() for point in self.points]

    def plain(self) -> dict[str, Any]:
        """Every point with its model."""
        points = []
        for point in self.points:
            structure = point.model.structure
            points.append(
                dict(zip(HEAD, point.row(), strict=True))
                | {
                    "graph": [list(edge) for edge in sorted(structure.edges)],
                    "vanishing": [
                        [list(edge), [list(states) for states in sorted(elements)]]
                        for edge, elements in structure.contexts.items()
                    ],
                    "potentials": [table.ravel().tolist() for table in point.model.potentials],
                }
            )
        return {"variables": plain_variables([p.model for p in self.points]), "points": points}

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> ContextPath:
        """The path that `plain` encoded."""
        domain = restored_domain(plain)
        points = []
        for payload in plain["points"]:
            structure = MarkovStructure(
                domain,
                frozenset((i, j) for i, j in payload["graph"]),
                {
                    (edge[0], edge[1]): frozenset(tuple(states) for states in elements)
                    for edge, elements in payload["vanishing"]
                },
            )
            potentials = tuple(
                np.array(values).reshape([domain.cardinalities[v] for v in clique])
                for values, clique in zip(
                    payload["potentials"], structure.maximal_cliques, strict=True
                )
            )
            numbers: dict[str, Any] = {
                name: math.nan if payload[name] is None else payload[name] for name in HEAD
            }
            points.append(ContextPoint(**numbers, model=MarkovNetwork(structure, potentials)))
        return cls(tuple(points))
