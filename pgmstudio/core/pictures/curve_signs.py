"""The signs of languages on plots: a marker and a colour for each, as the tokens have them."""

from __future__ import annotations

import math
from typing import Any

from pgmstudio.core.pictures.picture import Point
from pgmstudio.core.pictures.svg_elements import element, path, rect
from pgmstudio.core.pictures.tokens import tokens

HYBRID = "hybrid-pdg"
_LANGUAGE = {"tree": "chow-liu"}
# Languages whose models are of the kind of another one, and are told from it: marker and category.
_OTHER_SIGNS = {HYBRID: ("t", "green"), "compiled": ("t", "vermilion")}
_LEARNED = {"pdg.hybrid": HYBRID}
# Corners of a marker, how far every second one is from the middle, and where the first one is.
_CORNERS: dict[str, tuple[int, float, float]] = {
    "d": (4, 1.0, -math.pi / 2),
    "t": (3, 1.0, math.pi / 2),
    "t1": (3, 1.0, -math.pi / 2),
    "h": (6, 1.0, -math.pi / 2),
    "star": (10, 0.45, -math.pi / 2),
}


def sign_family(family: str, learner: object = "") -> str:
    """By what `language_sign` knows models of this kind that this learner has found."""
    return _LEARNED.get(str(learner), family)


def language_sign(family: str) -> tuple[str, str]:
    """The marker and the category colour of a language."""
    if family in _OTHER_SIGNS:
        return _OTHER_SIGNS[family]
    signs: dict[str, Any] = tokens()["language"]
    sign = signs.get(_LANGUAGE.get(family, family), signs["bayesian-network"])
    return sign["marker"], sign["category"]


def corners_of(marker: str, reach: float) -> list[Point]:
    """The corners around the origin of a marker that has some."""
    count, inner, first = _CORNERS[marker]
    found = []
    for corner in range(count):
        angle = first + 2 * math.pi * corner / count
        far = reach * (inner if corner % 2 else 1.0)
        found.append((far * math.cos(angle), far * math.sin(angle)))
    return found


def sign(marker: str, at: Point, radius: float, **told: Any) -> str:
    """One mark by its name in the tokens: circle, square, diamond, triangle, hexagon, star."""
    x, y = at
    if marker == "o":
        return element("circle", cx=x, cy=y, r=radius, **told)
    if marker == "s":
        return rect(x - radius, y - radius, 2 * radius, 2 * radius, **told)
    if marker == "+":
        arms = ("M", (x - radius, y), "L", (x + radius, y), "M", (x, y - radius))
        return path(*arms, "L", (x, y + radius), **told)
    steps: list[str | Point] = []
    for right, down in corners_of(marker, radius * (1.0 if marker == "h" else 1.25)):
        steps += ["L" if steps else "M", (x + right, y + down)]
    return path(*steps, "Z", **told)
