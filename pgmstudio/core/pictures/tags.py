"""Where the tags of labelled edges stand: at the middle of their lines, aside where it is taken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.pictures.boxes import text_width
from pgmstudio.core.pictures.picture import Size
from pgmstudio.core.pictures.routes import EdgeRoute

TAG_HEIGHT = 20.0
TAG_GAP = 3.0  # of ground around a tag, so that the line has a gap
_PADDING = 20.0  # both ends together
# Shares of the way at which a tag may stand, the best first.
_SHARES = (0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.2, 0.8)
_ALONG = tuple(place / 24 for place in range(25))  # where a way is looked at

Box = tuple[float, float, float, float]  # left, top, right, bottom


def tag_size(label: str) -> Size:
    """About how large the tag with these words is."""
    return text_width(label, 11) + _PADDING, TAG_HEIGHT


def tag_shares(
    routes: Sequence[EdgeRoute],
    sizes: Sequence[Size],
    boxes: Iterable[Box],
    lines: Sequence[EdgeRoute] = (),
) -> list[float]:
    """How far along its way each tag stands: where it covers least of boxes and of other tags, then
    of the ways of other edges, those of `lines` and of other tags."""
    taken, found = list(boxes), []
    points = np.array([way.at(share) for way in (*routes, *lines) for share in _ALONG])
    for number, (route, size) in enumerate(zip(routes, sizes, strict=True)):
        own = slice(number * len(_ALONG), (number + 1) * len(_ALONG))
        others = np.delete(points, own, axis=0)

        def covered(
            choice: tuple[float, Box], others: NDArray[np.float64] = others
        ) -> tuple[float, int]:
            place = choice[1]
            left, top, right, bottom = place
            inside = (others > (left, top)) & (others < (right, bottom))
            return sum(_shared(place, box) for box in taken), int(inside.all(axis=1).sum())

        share, place = min(((share, _box_at(route, share, size)) for share in _SHARES), key=covered)
        taken.append(place)
        found.append(share)
    return found


def _box_at(route: EdgeRoute, share: float, size: Size) -> Box:
    (x, y), (width, height) = route.at(share), size
    half, high = width / 2 + TAG_GAP, height / 2 + TAG_GAP
    return x - half, y - high, x + half, y + high


def _shared(one: Box, other: Box) -> float:
    """The area that two boxes share."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, wide) * max(0.0, high)
