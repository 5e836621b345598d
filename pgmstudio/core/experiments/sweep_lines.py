"""What an experiment found along one setting: a line of means with their spread over repeats."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pgmstudio.core.learning.mixture_scan import MixturePoint, MixtureScan


@dataclass(frozen=True, slots=True)
class SweepMark:
    """The mean over `count` repeats at one value of the setting; ± `spread`, None for one."""

    x: float
    mean: float
    spread: float | None
    count: int


@dataclass(frozen=True, slots=True)
class SweepLine:
    """Marks by rising x."""

    name: str
    marks: tuple[SweepMark, ...]


@dataclass(frozen=True, slots=True)
class Sweep:
    """All lines, and what the two axes are; `is_log` for settings that grow by factors, and
    `is_log_up` for what falls or grows by factors along them: there no spread is drawn."""

    title: str
    x_title: str
    y_title: str
    lines: tuple[SweepLine, ...]
    is_log: bool = False
    is_log_up: bool = False


@dataclass(frozen=True, slots=True)
class Curves:
    """Which quantities of a recipe lie on lines: `pattern` finds the line's name and x in a key."""

    x_title: str
    y_title: str
    pattern: str
    is_log: bool = False
    is_log_up: bool = False

    def place_of(self, key: str) -> tuple[str, float] | None:
        """The line of a quantity and its place on it; None for other quantities."""
        found = re.fullmatch(self.pattern, key)
        return None if found is None else (found["line"], float(found["x"]))


def lines_of(found: Iterable[tuple[str, float, float]]) -> tuple[SweepLine, ...]:
    """Lines through (name, x, value), repeats averaged, in the order of first appearance."""
    values: dict[str, dict[float, list[float]]] = {}
    for name, x, value in found:
        if math.isfinite(value):
            values.setdefault(name, {}).setdefault(x, []).append(value)
    return tuple(
        SweepLine(name, tuple(_mark(x, of_line[x]) for x in sorted(of_line)))
        for name, of_line in values.items()
    )


def _mark(x: float, values: Sequence[float]) -> SweepMark:
    spread = statistics.stdev(values) if len(values) > 1 else None
    return SweepMark(x, statistics.fmean(values), spread, len(values))


def trees_sweep(scan: MixtureScan) -> Sweep:
    """Bits per row against the number of trees, over the starts of a run.

    Where smoothings were compared, each number of trees has the one that is best for it.
    """
    kinds = (
        ("training", lambda p: p.train_bits),
        ("BIC", lambda p: p.bic_bits),
        ("AIC", lambda p: p.aic_bits),
        ("held-out", _held),
    )
    points = scan.points
    if has_smoothings(scan):
        by_trees = smoothing_sweep(scan).lines
        best = {line.name: max(line.marks, key=lambda mark: mark.mean).x for line in by_trees}
        points = tuple(p for p in points if best.get(_trees(p)) == p.smoothing)
    found = ((name, float(p.trees), value(p)) for name, value in kinds for p in points)
    return Sweep("Numbers of trees", "Trees", "Bits per row ↑", lines_of(found))


def has_smoothings(scan: MixtureScan) -> bool:
    """Whether the run compared several smoothings for one number of trees from one start."""
    tried = [(point.trees, point.start) for point in scan.points]
    return len(set(tried)) < len(tried)


def smoothing_sweep(scan: MixtureScan) -> Sweep:
    """What the run chose by against the smoothing α, a line for each number of trees."""
    found = [(_trees(p), p.smoothing, p.value(scan.criterion)) for p in scan.points]
    is_log = all(x > 0 for _, x, _ in found)
    criterion = {
        "held-out": "Held-out bits",
        "bic": "BIC, bits",
        "aic": "AIC, bits",
        "aic-thesis": "AIC (thesis), bits",
    }
    y_title = f"{criterion[scan.criterion]} per row ↑"
    return Sweep("Smoothing", "Smoothing α", y_title, lines_of(found), is_log)


def _trees(point: MixturePoint) -> str:
    return f"{point.trees} trees" if point.trees > 1 else "1 tree"


def _held(point: MixturePoint) -> float:
    return math.nan if point.held_bits is None else point.held_bits
