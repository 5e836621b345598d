"""Markers of model languages: a symbol on plots, a colour and an icon."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from pgmstudio.core.drawing.diagram import Point

Symbol = Literal["o", "s", "+", "d", "t", "t1", "h", "star", "p"]
Color = Literal["blue", "orange", "green", "purple", "sky", "vermilion", "yellow", "black"]

# Corners of a symbol, how far every second one is from the middle, and where the first one is.
_CORNERS: dict[str, tuple[int, float, float]] = {
    "d": (4, 1.0, -math.pi / 2),
    "t": (3, 1.0, math.pi / 2),
    "t1": (3, 1.0, -math.pi / 2),
    "h": (6, 1.0, -math.pi / 2),
    "star": (10, 0.45, -math.pi / 2),
    "p": (5, 1.0, -math.pi / 2),
}


@dataclass(frozen=True, slots=True)
class Marker:
    """How models of a language are distinguished.

    `color` is a category of the theme, `icon` a name in the icon font.
    """

    symbol: Symbol
    color: Color
    icon: str = "ph.puzzle-piece"

    def __post_init__(self) -> None:
        for value, known in ((self.symbol, Symbol), (self.color, Color)):
            if value not in get_args(known):
                raise ValueError(f"a marker has {value!r}, not one of {', '.join(get_args(known))}")


NEUTRAL = Marker("+", "vermilion")  # of a language that has none of its own


def corners_of(symbol: str, reach: float) -> list[Point]:
    """The corners around the origin of a symbol that has some."""
    count, inner, first = _CORNERS[symbol]
    result = []
    for corner in range(count):
        angle = first + 2 * math.pi * corner / count
        far = reach * (inner if corner % 2 else 1.0)
        result.append((far * math.cos(angle), far * math.sin(angle)))
    return result
