"""Artifacts of runs, shared by learners: plain form, and scans over models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from types import UnionType
from typing import (
    Any,
    Generic,
    Protocol,
    Self,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
    runtime_checkable,
)

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.model import Model
from pgmstudio.core.params import param
from pgmstudio.core.scores.local import AIC_BITS

# Tables of so many cells are stored with a run, the smallest models first.
MAX_CELLS = 400_000

CRITERIA = ("held-out", "bic", "aic", "aic-thesis")
# With fewer rows to hold out than this their likelihood is too uncertain; BIC decides instead.
MIN_HELD_ROWS = 20


def criterion_param(held_out: str = "") -> Any:
    """The criterion that chooses the model of a scan: one declaration for every learner that
    scans; `held_out` adds how held-out rows choose."""
    return param(
        "held-out",
        title="Criterion",
        choices=CRITERIA,
        help="Criterion that selects the model, higher is better: bits per held-out row, or bic or"
        f" aic on all rows (aic-thesis: one bit per parameter instead of one nat).{held_out}",
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


class PlainFields:
    """An artifact, a dataclass, whose plain form has its fields under their names."""

    def plain(self) -> dict[str, Any]:
        result: dict[str, Any] = plain_value(self)
        return result

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> Self:
        """The inverse of `plain`."""
        result: Self = restored_value(cls, plain)
        return result


def plain_value(value: Any) -> Any:
    """The value as texts, numbers, lists and dicts: dataclasses are dicts, tuples are lists."""
    if is_dataclass(value):
        return {one.name: plain_value(getattr(value, one.name)) for one in fields(value)}
    return [plain_value(one) for one in value] if isinstance(value, (tuple, list)) else value


def restored_value(hint: Any, plain: Any) -> Any:
    """The value of the annotated type that `plain_value` encoded; a dataclass may also be a list
    of its fields in order."""
    args = get_args(hint)
    if isinstance(hint, UnionType):  # X | None
        return None if plain is None else restored_value(args[0], plain)
    if get_origin(hint) is tuple:
        hints = args[:1] * len(plain) if args[-1] is Ellipsis else args
        return tuple(restored_value(h, one) for h, one in zip(hints, plain, strict=True))
    if hint in (int, float):
        return hint(plain)
    if not is_dataclass(hint):
        return plain
    make: Any = hint
    types = _field_types(make)
    if not isinstance(plain, Mapping):
        plain = dict(zip(types, plain, strict=True))
    return make(**{name: restored_value(types[name], one) for name, one in plain.items()})


@lru_cache
def _field_types(dataclass_type: Any) -> dict[str, Any]:
    return get_type_hints(dataclass_type)


class HasDomain(Protocol):
    """Whatever is about variables."""

    @property
    def domain(self) -> Domain: ...


class JudgedPoint:
    """A model of a scan with the figures by which it is judged, in bits per row; higher is better.

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
