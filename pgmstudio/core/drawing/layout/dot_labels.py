"""Names beside dots: of a graph that is zoomed out, as many as have space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pgmstudio.core.drawing.diagram import GraphPicture, Point

LABEL_HEIGHT = 17.0
_AIR = (14.0, 5.0)  # between two labels, across and down
_BEYOND = 20.0  # how far labels may reach beyond the outermost dots
_MAX_TRIED = 400
_FEW, _A_PART = 8, 4  # so many names, or one of so many in a small graph, are enough


def by_degree(picture: GraphPicture) -> list[str]:
    """The nodes, those with most neighbours first."""
    return sorted(picture.ids, key=lambda node: -len(picture.neighbours[node]))


def labels_beside(
    dots: Mapping[str, Point], widths: Mapping[str, float], order: Sequence[str], radius: float
) -> dict[str, Point]:
    """Top left corners of labels relative to their dots, as many in this order as find space.

    A label stands right, left, above or below its dot, at the first of these sides where it touches
    no label placed before it, covers no dot and does not reach far beyond the outermost ones. Where
    dots are so dense that hardly one finds space, each may cover one dot.
    """
    if not order:
        return {}
    placed = _placed(dots, widths, order, radius, 0)
    enough = min(_FEW, len(order) // _A_PART)
    return placed if len(placed) >= enough else _placed(dots, widths, order, radius, 1)


def _placed(
    dots: Mapping[str, Point],
    widths: Mapping[str, float],
    order: Sequence[str],
    radius: float,
    may_cover: int,
) -> dict[str, Point]:
    points = np.array([dots[node] for node in order], dtype=np.float64).reshape(-1, 2)
    left, top = points.min(axis=0) - _BEYOND
    right, bottom = points.max(axis=0) + _BEYOND
    taken = np.zeros((0, 4))
    placed: dict[str, Point] = {}
    for number, node in enumerate(order[:_MAX_TRIED]):
        wide, away = widths[node], 1.9 * radius
        corners = np.array(
            [
                (away, -LABEL_HEIGHT / 2),
                (-away - wide, -LABEL_HEIGHT / 2),
                (-wide / 2, -away - LABEL_HEIGHT),
                (-wide / 2, away),
            ]
        )
        low = points[number] + corners
        high = low + np.array([wide, LABEL_HEIGHT])
        inside = (points > low[:, None] - radius) & (points < high[:, None] + radius)
        covers = inside.all(axis=2).sum(axis=1) > may_cover
        is_out = (low < (left, top)).any(axis=1) | (high > (right, bottom)).any(axis=1)
        touches = (
            (low[:, None, 0] < taken[:, 2])
            & (high[:, None, 0] > taken[:, 0])
            & (low[:, None, 1] < taken[:, 3])
            & (high[:, None, 1] > taken[:, 1])
        ).any(axis=1)
        free = ~(is_out | touches | covers)
        if not free.any():
            continue
        best = int(np.argmax(free))
        placed[node] = (float(corners[best, 0]), float(corners[best, 1]))
        room = np.array([[*(low[best] - _AIR), *(high[best] + _AIR)]])
        taken = np.concatenate([taken, room])
    return placed
