"""The results of a study on one data set, and measures of its curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pgmstudio.core.experiments.sl_curves.points import LIKELIHOODS, CurvePoint
from pgmstudio.core.experiments.sl_curves.sweep import Sweep, lines_of
from pgmstudio.studies.sl_published import BN, HYBRID, NB, PDG
from pgmstudio.studies.sl_sets import StudySet, Truth

LANGUAGES = (BN, NB, PDG, HYBRID)
# Bits per row that count as no difference.
EQUAL = 0.05
# Likelihoods nearer than this are equal to the last digit that matters.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Answers:
    """A model's answers to random queries: mean log2 P(Q | E), seconds of an update."""

    query_log2: float
    seconds: float | None


@dataclass(frozen=True, eq=False)
class Trail:
    """A network and the graphs compiled from it, from large to small."""

    network: CurvePoint
    graphs: tuple[CurvePoint, ...]

    @property
    def best(self) -> CurvePoint | None:
        """The smallest graph whose training likelihood is no lower than the network's; where all
        are lower, the likeliest."""
        least = self.network.train_log2_likelihood_per_row - _ROUNDING
        fit = [g for g in self.graphs if g.train_log2_likelihood_per_row >= least]
        if fit:
            return min(fit, key=lambda g: g.effective_size)
        return max(self.graphs, key=lambda g: g.train_log2_likelihood_per_row, default=None)

    def smallest_as_good(self, tolerance: float = EQUAL) -> CurvePoint | None:
        """The smallest graph with the test likelihood of the network, up to a tolerance."""
        least = self.network.test_log2_likelihood_per_row - tolerance
        fit = [g for g in self.graphs if g.test_log2_likelihood_per_row >= least]
        return min(fit, key=lambda g: g.effective_size, default=None)


@dataclass(frozen=True, eq=False)
class SetResult:
    """One data set: all points, the trails of its networks, the answers of its models."""

    data_set: StudySet
    counts: tuple[int, int]
    ceiling: float | None
    truth: Truth | None
    points: tuple[CurvePoint, ...]
    trails: tuple[Trail, ...] = ()
    answers: Mapping[str, Answers] = field(default_factory=dict)
    seconds: float = 0.0

    def curve(self, language: str) -> list[CurvePoint]:
        """The points of a language from small to large."""
        points = [p for p in self.points if p.series == language]
        return sorted(points, key=lambda p: p.effective_size)


def query_sweeps(result: SetResult) -> dict[str, Sweep]:
    """Accuracy of random queries and time of an update against effective size, for each language
    (Nielsen 2007, figures 5.8, 5.9 and A.11 to A.15); none without answers."""
    asked = [(p, answers) for p in result.points if (answers := result.answers.get(p.key))]
    lines = {
        "queries": ("log2 P(Q | E) ↑", [(p, a.query_log2) for p, a in asked]),
        "updates": (
            "Milliseconds of an update ↓",
            [(p, 1000 * a.seconds) for p, a in asked if a.seconds is not None],
        ),
    }
    return {
        name: Sweep(
            result.data_set.title,
            "Effective size",
            y_title,
            lines_of((p.series, float(counted_size(p)), value) for p, value in points),
            is_log=True,
            is_log_up=name == "updates",
        )
        for name, (y_title, points) in lines.items()
        if points
    }


def counted_size(point: CurvePoint) -> int:
    """The effective size as published: latent classes have one more cell each there."""
    return point.representation_size + 1 if point.series == NB else point.effective_size


def dominated_fraction(
    curve: Sequence[CurvePoint], others: Sequence[CurvePoint], *, on_test: bool
) -> float:
    """The fraction of points of a curve that have a point in `others` no larger and more likely."""
    name = LIKELIHOODS[on_test]
    if not curve:
        return 0.0
    beaten = sum(
        any(
            one.effective_size <= point.effective_size and getattr(one, name) > getattr(point, name)
            for one in others
        )
        for point in curve
    )
    return beaten / len(curve)


def height_above(
    curve: Sequence[CurvePoint], other: Sequence[CurvePoint], *, on_test: bool = False
) -> float:
    """Mean bits by which a curve is above another over the sizes that both have, evenly by their
    logarithm; at a size each counts with its best model that is no larger. NaN without such sizes.
    """
    name = LIKELIHOODS[on_test]
    if not curve or not other:
        return math.nan
    low = max(min(p.effective_size for p in points) for points in (curve, other))
    high = min(max(p.effective_size for p in points) for points in (curve, other))
    if low > high:
        return math.nan
    sizes = [low * (high / low) ** (step / 24) for step in range(25)]

    def best(points: Sequence[CurvePoint], size: float) -> float:
        return max(float(getattr(p, name)) for p in points if p.effective_size <= size + 0.5)

    heights = [best(curve, size) - best(other, size) for size in sizes]
    return sum(heights) / len(heights)


def fall_after_peak(curve: Sequence[CurvePoint]) -> float:
    """Bits per test row that are lost from the best model to the largest."""
    if not curve:
        return math.nan
    last = max(curve, key=lambda p: p.effective_size)
    return max(p.test_log2_likelihood_per_row for p in curve) - last.test_log2_likelihood_per_row


def fall_per_doubling(curve: Sequence[CurvePoint]) -> float:
    """Bits per test row lost for each doubling of the size beyond the best model; NaN when the best
    is the largest."""
    if not curve:
        return math.nan
    best = max(curve, key=lambda p: p.test_log2_likelihood_per_row)
    last = max(curve, key=lambda p: p.effective_size)
    if last.effective_size <= best.effective_size:
        return math.nan
    return fall_after_peak(curve) / math.log2(last.effective_size / best.effective_size)


def rises(curve: Sequence[CurvePoint], *, on_test: bool = False) -> float:
    """The fraction of steps to the next larger model that do not lose likelihood."""
    name = LIKELIHOODS[on_test]
    steps = [
        getattr(after, name) >= getattr(before, name) - _ROUNDING
        for before, after in pairwise(curve)
        if after.effective_size > before.effective_size
    ]
    return sum(steps) / len(steps) if steps else 1.0
