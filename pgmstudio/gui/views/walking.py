"""Where an arrow key leads: the nearest node in a direction, or along an edge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pgmstudio.core.pictures.picture import Point

# By the name of the key: which way is forward.
DIRECTIONS: Mapping[str, Point] = {
    "left": (-1.0, 0.0),
    "right": (1.0, 0.0),
    "up": (0.0, -1.0),
    "down": (0.0, 1.0),
}


def nearest(
    start: Point, places: Mapping[str, Point], among: Iterable[str], direction: str
) -> str | None:
    """The nearest of `among` that lies more forward than aside.

    When nothing does, whatever is forward at all; None when nothing is.
    """
    fx, fy = DIRECTIONS[direction]
    best: tuple[int, float, str] | None = None
    for name in among:
        dx, dy = places[name][0] - start[0], places[name][1] - start[1]
        forward, aside = dx * fx + dy * fy, abs(dx * fy - dy * fx)
        if forward <= 1e-6:
            continue
        rank = (0 if forward >= aside else 1, forward + aside, name)
        if best is None or rank < best:
            best = rank
    return None if best is None else best[2]


def first_of(places: Mapping[str, Point], among: Iterable[str]) -> str | None:
    """Where reading begins: topmost, then leftmost."""
    return min(among, key=lambda name: (places[name][1], places[name][0]), default=None)
