"""The trace of a run of mixtures of trees: every model with its criteria."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from pgmstudio.core.learning.artifacts import JudgedPoint, ModelScan, PlainFields


@dataclass(frozen=True)
class MixturePoint(JudgedPoint):
    """One model: bits are per row, higher is better; `held_bits` is None without held-out rows."""

    trees: int
    start: int
    smoothing: float
    train_bits: float
    held_bits: float | None
    bic_bits: float
    aic_bits: float
    effective_size: int
    representation_size: int
    edges: int
    effective_trees: float
    empty: int
    steps: int
    seconds: float = field(compare=False)  # depends on the machine, not on the run


@dataclass(frozen=True)
class MixtureScan(PlainFields, ModelScan[MixturePoint]):
    """The models of one run, in the order they were passed."""

    points: tuple[MixturePoint, ...] = ()

    kind = "mixture-scan"

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Head and rows, one row per model."""
        names = tuple(item.name for item in fields(MixturePoint))
        head = tuple(f"{name}_per_row" if name.endswith("bits") else name for name in names)
        return head, [tuple(getattr(point, name) for name in names) for point in self.points]
