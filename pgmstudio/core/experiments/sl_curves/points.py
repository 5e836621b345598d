"""Points of SL-curves: one learned model each, its size against its log2-likelihood per row.

Nielsen (2007), §4.1.2. `selection.py` chooses among them. `CurveArrays` holds them as arrays, for
lines of equal score that follow the pointer on the plot.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal

import numpy as np

from pgmstudio.core.analysis.model_comparison import finite, whole
from pgmstudio.core.arrays import Floats
from pgmstudio.core.csv_text import csv_text
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import decimal
from pgmstudio.core.number_format import whole as words_whole

SizeName = Literal["effective_size", "size_as_printed", "size_by_definition", "representation_size"]


@dataclass(frozen=True, eq=False)
class CurvePoint:
    """One learned model; `lambda_` is None when the learner has no penalty to sweep.

    What only some points have: `parameter_size` and the two other sizes of latent classes where the
    language counts them, validation rows where there are any, and of random queries the mean
    log2 P(Q | E), the seconds of updating all beliefs, and how far (in bits) beliefs are from
    those of the true model.
    """

    learner: str
    family: str
    lambda_: float | None
    seed: int
    effective_size: int
    representation_size: int
    train_log2_likelihood_per_row: float
    test_log2_likelihood_per_row: float
    test_standard_error: float | None
    train_rows: float
    seconds: float
    parameters: Mapping[str, object]  # those of the grid and of the sweep
    model: Model | None = field(repr=False, default=None)
    key: str = ""  # of the run, a dash and the number of the model in it
    name: str = ""  # of the curve; the learner where none is given
    parameter_size: int | None = None
    printed_size: int | None = None
    definition_size: int | None = None
    valid_log2_likelihood_per_row: float | None = None
    query_log2: float | None = None
    query_distance: float | None = None
    inference_seconds: float | None = None
    query_values: Floats | None = field(repr=False, default=None)
    model_file: str | None = None

    @property
    def series(self) -> str:
        """The curve that the point belongs to."""
        return self.name or self.learner

    @property
    def size_as_printed(self) -> int:
        """The effective size, latent classes counted as in Tables 5.4 and 5.7 (Nielsen 2007)."""
        return self.effective_size if self.printed_size is None else self.printed_size

    @property
    def size_by_definition(self) -> int:
        """The effective size, latent classes counted by eq. 3.59 (Nielsen 2007)."""
        return self.effective_size if self.definition_size is None else self.definition_size

    def score(self, lambda_: float, size: SizeName = "effective_size") -> float:
        """S_λ = (1−λ)·L·N − λ·size on the training rows."""
        bits = self.train_log2_likelihood_per_row * self.train_rows
        return (1 - lambda_) * bits - lambda_ * float(getattr(self, size))

    def as_dict(self) -> dict[str, Any]:
        """For JSON, without the model and the queries one by one; minus infinity is None."""
        payload: dict[str, Any] = {
            "learner": self.learner,
            "family": self.family,
            "lambda": self.lambda_,
            "seed": self.seed,
            "effective_size": self.effective_size,
            "representation_size": self.representation_size,
            "train_log2_likelihood_per_row": finite(self.train_log2_likelihood_per_row),
            "test_log2_likelihood_per_row": finite(self.test_log2_likelihood_per_row),
            "test_standard_error": self.test_standard_error,
            "train_rows": whole(self.train_rows),
            "seconds": self.seconds,
            "parameters": dict(self.parameters),
        }
        for name in _SOME_HAVE:
            value = getattr(self, name)
            if value is not None and value != "":
                payload[name] = finite(value) if isinstance(value, float) else value
        if self.model_file is not None:
            payload["model"] = self.model_file
        return payload


_SOME_HAVE = (
    *("key", "name", "parameter_size", "printed_size", "definition_size"),
    "valid_log2_likelihood_per_row",
    *("query_log2", "query_distance", "inference_seconds"),
)
LIKELIHOODS = ("train_log2_likelihood_per_row", "test_log2_likelihood_per_row")


def point_of(payload: Mapping[str, Any]) -> CurvePoint:
    """The point from `as_dict`, without its model; None stands for minus infinity there."""
    known = {f.name for f in fields(CurvePoint)} - {"model", "query_values", "model_file"}
    values = {name: value for name, value in payload.items() if name in known}
    for name in LIKELIHOODS:
        values[name] = -math.inf if values[name] is None else float(values[name])
    for name in ("valid_log2_likelihood_per_row", "query_log2", "query_distance"):
        if name in values and values[name] is None:
            values[name] = math.inf if name == "query_distance" else -math.inf
    return CurvePoint(lambda_=payload["lambda"], model_file=payload.get("model"), **values)


def curves_of(points: Iterable[CurvePoint]) -> dict[str, list[CurvePoint]]:
    """The points of each curve, from small to large."""
    result: dict[str, list[CurvePoint]] = {}
    for point in points:
        result.setdefault(point.series, []).append(point)
    return {name: sorted(own, key=lambda p: p.effective_size) for name, own in result.items()}


def points_csv(points: Iterable[CurvePoint]) -> str:
    """One line for each point; parameters stand as name=value in one column."""
    rows = [point.as_dict() for point in points]
    for row in rows:
        settings = row["parameters"].items()
        row["parameters"] = " ".join(f"{name}={value}" for name, value in settings)
    head = list(dict.fromkeys(name for row in rows for name in row))
    return csv_text([head, *([row.get(name, "") for name in head] for row in rows)])


# λ/(1−λ) from nearly no penalty to one that leaves nothing.
_RATIOS = np.geomspace(1e-4, 1e5, 1200)


@dataclass(frozen=True, eq=False)
class CurveArrays:
    """Sizes and bits per training row of many points, in their order."""

    sizes: Floats
    bits: Floats
    rows: Floats

    @classmethod
    def of(cls, points: Iterable[CurvePoint], size: SizeName = "effective_size") -> CurveArrays:
        """Those of these points."""
        rows = [(getattr(p, size), p.train_log2_likelihood_per_row, p.train_rows) for p in points]
        columns = np.array(rows, dtype=float).reshape(-1, 3)
        return cls(columns[:, 0].copy(), columns[:, 1].copy(), columns[:, 2].copy())

    def best_at(self, lambda_: float) -> int | None:
        """The number of the point with the largest S_λ, the first of equals; None without any."""
        usable = np.isfinite(self.bits)
        if not usable.any():
            return None
        scores = (1 - lambda_) * self.bits * self.rows - lambda_ * self.sizes
        return int(np.argmax(np.where(usable, scores, -np.inf)))

    def line_at(self, lambda_: float) -> tuple[float, float] | None:
        """Slope and intercept of the line of equal S_λ that touches the points from above."""
        touched = self.best_at(lambda_)
        if touched is None:
            return None
        slope = lambda_ / ((1 - lambda_) * self.rows[touched])
        return float(slope), float(self.bits[touched] - slope * self.sizes[touched])

    @cached_property
    def _hull(self) -> tuple[Floats, Floats, float]:
        """Sizes and bits of those that some λ selects, and the rows they were learned from."""
        result = sorted({i for r in _RATIOS[::8] if (i := self.best_at(r / (1 + r))) is not None})
        rows = float(self.rows[result[0]]) if result else 1.0
        return self.sizes[result], self.bits[result], rows

    def lambda_through(self, size: float, bits: float) -> float:
        """The λ whose line goes through a point of the plot; where none does, the nearest.

        The height of the line at one size is convex in λ/(1−λ); a larger λ is meant where two fit.
        """
        sizes, own, rows = self._hull
        if not len(sizes):
            return 0.5
        slopes = _RATIOS[:, None] / rows
        heights = (own[None, :] + slopes * (size - sizes[None, :])).max(axis=1)
        low = int(np.argmin(heights))
        index = low + int(np.searchsorted(heights[low:], bits))
        if index <= low:
            ratio = _RATIOS[low]
        elif index >= len(_RATIOS):
            ratio = _RATIOS[-1]
        else:
            before, after = heights[index - 1], heights[index]
            fraction = 0.0 if after <= before else (bits - before) / (after - before)
            ratio = _RATIOS[index - 1] + fraction * (_RATIOS[index] - _RATIOS[index - 1])
        return float(ratio / (1 + ratio))


def measured_texts(point: CurvePoint) -> tuple[str, ...]:
    """Effective size, parameters, train bits, test bits and their standard error."""
    return (
        words_whole(point.effective_size),
        words_whole(point.representation_size),
        decimal(point.train_log2_likelihood_per_row),
        decimal(point.test_log2_likelihood_per_row),
        decimal(point.test_standard_error),
    )
