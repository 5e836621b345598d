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
    """All lines, and what the two axes are; `is_log` for settings that grow by factors."""

    title: str
    x_title: str
    y_title: str
    lines: tuple[SweepLine, ...]
    is_log: bool = False


@dataclass(frozen=True, slots=True)
class Curves:
    """Which quantities of a recipe lie on lines: `pattern` finds the line's name and x in a key."""

    x_title: str
    y_title: str
    pattern: str
    is_log: bool = False

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
    """Bits per row against the number of trees, over the starts of a run."""
    kinds = (
        ("training", lambda p: p.train_bits),
        ("BIC", lambda p: p.bic_bits),
        ("AIC", lambda p: p.aic_bits),
        ("held-out", _held),
    )
    found = ((name, float(p.trees), value(p)) for name, value in kinds for p in scan.points)
    return Sweep("Numbers of trees", "Trees", "Bits per row ↑", lines_of(found))


def _held(point: MixturePoint) -> float:
    return math.nan if point.held_bits is None else point.held_bits
