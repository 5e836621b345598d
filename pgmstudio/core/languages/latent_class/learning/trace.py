"""The trace of a latent-class run: every model it fitted, with its criteria."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.learning.artifacts import (
    CollectedModels,
    JudgedPoint,
    ModelScan,
    plain_variables,
    restored_domain,
    restored_value,
    smallest_within,
)


@dataclass(frozen=True)
class ScanPoint(JudgedPoint):
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


@dataclass(frozen=True)
class ClassScan(ModelScan[ScanPoint]):
    """The models of one run, in the order they were fitted."""

    kind = "class-scan"
    is_growing = True

    def collected(self) -> list[CollectedModels]:
        """The models of all numbers of classes."""
        return [
            CollectedModels(point.model, setting=(("components", point.classes),), is_final=True)
            for point in self.points
            if point.model is not None
        ]

    def plain(self) -> dict[str, Any]:
        """Every point, and the models that fit into the size limit."""
        models = [point.model for point in self.points]
        kept = smallest_within([0 if m is None else m.effective_size() for m in models])
        return {
            "criterion": self.criterion,
            "variables": plain_variables(models),
            "points": [_plain_point(p, i in kept) for i, p in enumerate(self.points)],
        }

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> ClassScan:
        """The inverse of `plain`."""
        domain = restored_domain(plain)
        return cls(plain["criterion"], tuple(_restored_point(p, domain) for p in plain["points"]))

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Head and rows, one row per model."""
        head = tuple(column for _, column in _NAMES.values())
        return head, [tuple(getattr(point, name) for name in _NAMES) for point in self.points]


# Of each field of a point, its name in files and in tables.
_NAMES = {
    "classes": ("classes", "classes"),
    "train_bits": ("train", "train_bits_per_row"),
    "held_bits": ("held", "held_out_bits_per_row"),
    "bic_bits": ("bic", "bic_bits_per_row"),
    "aic_bits": ("aic", "aic_bits_per_row"),
    "effective_size": ("effective_size", "effective_size"),
    "representation_size": ("representation_size", "representation_size"),
    "empty": ("empty", "empty_classes"),
    "duplicates": ("duplicates", "duplicate_classes"),
}


def _plain_point(point: ScanPoint, with_model: bool) -> dict[str, Any]:
    result = {key: getattr(point, name) for name, (key, _) in _NAMES.items()}
    if with_model and point.model is not None:
        result["hidden"] = point.model.hidden
        result["weights"] = point.model.weights.tolist()
        result["tables"] = [table.tolist() for table in point.model.tables]
    return result


def _restored_point(plain: Mapping[str, Any], domain: Domain) -> ScanPoint:
    model = None
    if "weights" in plain:
        tables = tuple(np.array(table) for table in plain["tables"])
        model = LatentClasses(domain, np.array(plain["weights"]), tables, plain["hidden"])
    values = {name: plain[key] for name, (key, _) in _NAMES.items()}
    point: ScanPoint = restored_value(ScanPoint, values)
    return replace(point, model=model)
