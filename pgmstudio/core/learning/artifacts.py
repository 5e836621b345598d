"""Scans over models, shared by learners: the criterion, and which models are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, Self, TypeVar, runtime_checkable

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.model import Model
from pgmstudio.core.params import param
from pgmstudio.core.scores.local import AIC_BITS

# Tables of so many cells are stored with a run, the smallest models first.
MAX_CELLS = 400_000

CRITERIA = ("held-out", "bic", "aic", "aic-thesis")


def criterion_param() -> Any:
    """The criterion that chooses the model of a scan: one declaration for every learner that
    scans."""
    return param(
        "held-out",
        title="Criterion",
        choices=CRITERIA,
        help="Criterion that selects the model, higher is better: bits per held-out row, or bic or"
        " aic on all rows (aic-thesis: one bit per parameter instead of one nat).",
    )


def held_out_param() -> Any:
    """The fraction of rows that a scan holds out: one declaration for every learner that scans."""
    return param(
        0.1,
        title="Held-out rows",
        low=0,
        high=0.5,
        low_open=True,
        help="Fraction of the rows for comparing models; the best is then fitted to all rows.",
    )


class HasDomain(Protocol):
    """Whatever speaks about variables."""

    @property
    def domain(self) -> Domain: ...


class JudgedPoint:
    """A model of a scan with what may speak for it, in bits per row; higher is better.

    A child is a frozen dataclass that has these fields; `held_bits` is None without held-out rows.
    """

    train_bits: float
    held_bits: float | None
    bic_bits: float
    aic_bits: float

    def value(self, criterion: str) -> float:
        """What the criterion makes large; BIC where no rows were held out."""
        if criterion == "held-out" and self.held_bits is not None:
            return self.held_bits
        if criterion == "aic-thesis":
            return self.train_bits + (self.aic_bits - self.train_bits) / AIC_BITS
        return self.aic_bits if criterion == "aic" else self.bic_bits


P = TypeVar("P", bound=JudgedPoint)


@dataclass(frozen=True)
class ModelScan(Generic[P]):
    """The models of one run, in the order they were passed."""

    criterion: str
    points: tuple[P, ...] = ()

    def with_point(self, point: P) -> Self:
        return replace(self, points=(*self.points, point))

    def best(self, criterion: str | None = None) -> P:
        """The first of the best by the run's criterion, or by another."""
        return max(self.points, key=lambda point: point.value(criterion or self.criterion))


def smallest_within(sizes: Sequence[int], capacity: int = MAX_CELLS) -> set[int]:
    """The indices of the models that fit into the capacity together, smallest first."""
    chosen = set[int]()
    for index in sorted(range(len(sizes)), key=sizes.__getitem__):
        if sizes[index] <= capacity:
            capacity -= sizes[index]
            chosen.add(index)
    return chosen


def plain_variables(models: Sequence[HasDomain | None]) -> list[list[Any]]:
    """Names and states of what the models are about; empty when none was stored."""
    domain = next((model.domain for model in models if model is not None), Domain(()))
    return [[variable.name, list(variable.states)] for variable in domain]


def restored_domain(plain: Mapping[str, Any]) -> Domain:
    """The variables of a scan that was written down."""
    return Domain(tuple(Variable(name, tuple(states)) for name, states in plain["variables"]))


@dataclass(frozen=True, eq=False)
class CollectedModels:
    """One model of a run; `setting` are parameters that differ from those of the run.

    `is_final`: more time would not have changed it.
    """

    model: Model
    lambda_: float | None = None
    setting: tuple[tuple[str, object], ...] = ()
    is_final: bool = False


@runtime_checkable
class ModelSequence(Protocol):
    """An artifact that holds many models of a run, each of them a result.

    `is_growing`: a model is final as soon as it is in the artifact. Otherwise all models are taken
    at the end, the last model of the run among them.
    """

    @property
    def is_growing(self) -> bool: ...

    def collected(self) -> list[CollectedModels]: ...
