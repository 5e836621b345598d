"""Parallel lines along one edge, such as those of several trees: widths, dashes and offsets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from pgmstudio.core.drawing.diagram import Strand

# Tree 1 solid, 2 dashed, 3 dotted, 4 dash-dot, 5 dash-dot-dot; in px at a width of 2.
DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (7.0, 4.0),
    (2.0, 3.0),
    (8.0, 3.0, 2.0, 3.0),
    (8.0, 3.0, 2.0, 3.0, 2.0, 3.0),
)


_APART = 5.0


def dash_of(component: int | None, width: float) -> tuple[float, ...]:
    """The dashes of a tree's line; gaps grow a little with it, so that they stay in sight."""
    if component is None:
        return ()
    grown = 0.75 + width / 8
    return tuple(part * grown for part in DASHES[component % len(DASHES)])


def strand_width(bits: float) -> float:
    """1 + 5 · MI, and never wider than for one bit."""
    return 1 + 5 * min(1.0, bits)


def strand_offsets(strands: Sequence[Strand]) -> tuple[float, ...]:
    """Offset of each line from the middle: 5 px apart, thick ones as far as they need."""
    gaps = [max(_APART, (a.width + b.width) / 2 + 1.5) for a, b in pairwise(strands)]
    positions = list(accumulate(gaps, initial=0.0))
    return tuple(position - positions[-1] / 2 for position in positions)
