"""Compiled kernels that add the numbers of all components at many positions at once."""

from __future__ import annotations

from typing import Any

from pgmstudio.core.numba_support import PIECES, compiled, gather_piece, scatter_piece


@compiled
def _piece_of(left: int) -> int:
    """The widest piece that fits in what is left, a multiple of 4."""
    for piece in PIECES:
        if piece <= left:
            return piece
    return left


@compiled
def scatter(
    sums: Any, offset: int, width: int, indices: Any, begin: int, end: int, numbers: Any, at: int
) -> None:
    """sums[(offset + place) · width :] += numbers[at : at + width] for the places[begin:end].

    `width` is a multiple of 4.
    """
    lane = 0
    while lane < width:
        piece = _piece_of(width - lane)
        scatter_piece(sums, offset, width, indices, begin, end, numbers, at + lane, lane, piece)
        lane += piece


@compiled
def gather(
    sums: Any, offset: int, width: int, indices: Any, begin: int, end: int, numbers: Any, at: int
) -> None:
    """numbers[at : at + width] += sums[(offset + place) · width :] over the places[begin:end]."""
    lane = 0
    while lane < width:
        piece = _piece_of(width - lane)
        gather_piece(sums, offset, width, indices, begin, end, numbers, at + lane, lane, piece)
        lane += piece


# Smaller responsibilities of a row, relative to a largest of 1, are rounding.
_NOTHING = 1e-16
# exp of less is 0, and would take long.
_LOWEST = -700.0


@compiled
def lower_logs(logs: Any, count: int, choice: Any, begin: int, end: int, tops: Any) -> None:
    """logs[row − begin] −= its largest, which goes to `tops`: ready for exp.

    A row of known choice belongs to that component alone.
    """
    for row in range(end - begin):
        mine, only = logs[row], choice[begin + row]
        if only >= 0:
            tops[row] = mine[only]
            for k in range(count):
                mine[k] = 0.0 if k == only else _LOWEST
            continue
        top = mine[0]
        for k in range(1, count):
            top = max(top, mine[k])
        tops[row] = top
        for k in range(count):
            mine[k] = max(mine[k] - top, _LOWEST)


@compiled
def normalize_rows(parts: Any, count: int, weights: Any, begin: int, end: int, sums: Any) -> None:
    """parts[row − begin] becomes the weight of the row, shared out; sums[row] = Σ parts."""
    for row in range(end - begin):
        mine = parts[row]
        mass = 0.0
        for k in range(count):
            mine[k] = mine[k] if mine[k] > _NOTHING else 0.0
            mass += mine[k]
        sums[row] = mass
        scale = weights[begin + row] / mass
        for k in range(count):
            mine[k] *= scale
