"""What a run of latent classes saw on the way: every model it passed, with its criteria."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.models.latent_classes import LatentClasses
from pgmstudio.core.params import param

# Tables of so many cells are kept with a run, the smallest models first.
MOST_CELLS = 400_000

CRITERIA = ("held-out", "bic", "aic")


def criterion_param() -> Any:
    """Which model of a scan is kept: one declaration for every learner that scans."""
    return param(
        "held-out",
        title="Choose by",
        choices=CRITERIA,
        help="Which model is kept, higher is better: bits per row of rows held out, or bic or aic, "
        "which weigh fit against parameters on all rows.",
    )


def held_out_param() -> Any:
    """How many rows a scan keeps aside: one declaration for every learner that scans."""
    return param(
        0.1,
        title="Held-out rows",
        low=0,
        high=0.5,
        low_open=True,
        help="Share of the rows on which models are compared; the best is then fitted to all rows.",
    )


class Judged(Protocol):
    """A model of a scan with what may speak for it, in bits per row."""

    @property
    def held_bits(self) -> float | None: ...

    @property
    def bic_bits(self) -> float: ...

    @property
    def aic_bits(self) -> float: ...


def value_by(criterion: str, point: Judged) -> float:
    """What the criterion makes large; BIC where no rows were held out."""
    if criterion == "held-out" and point.held_bits is not None:
        return point.held_bits
    return point.aic_bits if criterion == "aic" else point.bic_bits


@dataclass(frozen=True)
class ScanPoint:
    """One model: bits are per row, higher is better; `held_bits` is None without held-out rows."""

    classes: int
    train_bits: float
    held_bits: float | None
    bic_bits: float
    aic_bits: float
    effective_size: int
    representation_size: int
    empty: int
    duplicates: int
    model: LatentClasses | None = None

    def value(self, criterion: str) -> float:
        """What the criterion makes large."""
        return value_by(criterion, self)


@dataclass(frozen=True)
class ClassScan:
    """The models of one run, in the order they were passed."""

    criterion: str
    points: tuple[ScanPoint, ...] = ()

    kind = "class-scan"

    def with_point(self, point: ScanPoint) -> ClassScan:
        return ClassScan(self.criterion, (*self.points, point))

    def best(self, criterion: str | None = None) -> ScanPoint:
        """The first of the best by the run's criterion, or by another."""
        return max(self.points, key=lambda point: point.value(criterion or self.criterion))

    def plain(self) -> dict[str, Any]:
        """Every point, and the models that fit into the room for them."""
        room, kept = MOST_CELLS, set[int]()
        by_size = sorted(range(len(self.points)), key=lambda i: self.points[i].effective_size)
        for number in by_size:
            model = self.points[number].model
            if model is not None and model.clique_tree_size() <= room:
                room -= model.clique_tree_size()
                kept.add(number)
        domain = next((p.model.domain for p in self.points if p.model is not None), Domain(()))
        return {
            "criterion": self.criterion,
            "variables": [[v.name, list(v.states)] for v in domain],
            "points": [_plain_point(p, i in kept) for i, p in enumerate(self.points)],
        }

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> ClassScan:
        """What `plain` made, as a value again."""
        domain = Domain(tuple(Variable(n, tuple(states)) for n, states in plain["variables"]))
        return cls(plain["criterion"], tuple(_restored_point(p, domain) for p in plain["points"]))

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Head and rows, one row per model."""
        head = (
            "classes",
            "train_bits_per_row",
            "held_out_bits_per_row",
            "bic_bits_per_row",
            "aic_bits_per_row",
            "effective_size",
            "representation_size",
            "empty_classes",
            "duplicate_classes",
        )
        return head, [
            (
                p.classes,
                p.train_bits,
                p.held_bits,
                p.bic_bits,
                p.aic_bits,
                p.effective_size,
                p.representation_size,
                p.empty,
                p.duplicates,
            )
            for p in self.points
        ]


def _plain_point(point: ScanPoint, with_model: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "classes": point.classes,
        "train": point.train_bits,
        "held": point.held_bits,
        "bic": point.bic_bits,
        "aic": point.aic_bits,
        "effective_size": point.effective_size,
        "representation_size": point.representation_size,
        "empty": point.empty,
        "duplicates": point.duplicates,
    }
    if with_model and point.model is not None:
        found["hidden"] = point.model.hidden
        found["weights"] = point.model.weights.tolist()
        found["tables"] = [table.tolist() for table in point.model.tables]
    return found


def _restored_point(plain: Mapping[str, Any], domain: Domain) -> ScanPoint:
    model = None
    if "weights" in plain:
        tables = tuple(np.array(table) for table in plain["tables"])
        model = LatentClasses(domain, np.array(plain["weights"]), tables, plain["hidden"])
    held = plain["held"]
    return ScanPoint(
        int(plain["classes"]),
        float(plain["train"]),
        None if held is None else float(held),
        float(plain["bic"]),
        float(plain["aic"]),
        int(plain["effective_size"]),
        int(plain["representation_size"]),
        int(plain["empty"]),
        int(plain["duplicates"]),
        model,
    )
