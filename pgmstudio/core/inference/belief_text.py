"""Beliefs as text on their scale: percentages, degrees of possibility, or possible and not."""

from __future__ import annotations

from collections.abc import Sequence

from pgmstudio.core.inference.base import Scale
from pgmstudio.core.number_format import percent

_ROUNDING = 1e-12


def necessity_of(possibility: Sequence[float]) -> tuple[float, ...]:
    """N(a | e) = Π(e) − the largest Π of the other states; Π(e) is the largest Π of all."""
    if not len(possibility):
        return ()
    ascending = sorted(map(float, possibility))
    top, second = ascending[-1], ascending[-2] if len(ascending) > 1 else 0.0
    gap = top - second
    if gap < _ROUNDING:  # of several states with the largest degree none is necessary
        return (0.0,) * len(possibility)
    return tuple(gap if value >= top else 0.0 for value in possibility)


def belief_text(value: float, scale: Scale, *, digits: int = 1, unit: str = "") -> str:
    """One number of a belief; `digits` and `unit` are those of a percentage."""
    match scale:
        case Scale.PROBABILITY:
            return percent(value, digits) + unit
        case Scale.POSSIBILITY:
            return "0+" if 0 < value < 0.005 else f"{value:.2f}"
        case Scale.RELATION:
            return "possible" if value > 0 else "impossible"


def short_degree(value: float) -> str:
    """A degree where there is little room: `.80`, `0`, `1`."""
    text = belief_text(value, Scale.POSSIBILITY)
    return {"0.00": "0", "1.00": "1", "0+": "0+"}.get(text, text.removeprefix("0"))


def state_text(
    beliefs: Sequence[float], index: int, scale: Scale, *, digits: int = 1, unit: str = " %"
) -> str:
    """The belief in one state of a variable; on the scale of possibility Π and N."""
    text = belief_text(beliefs[index], scale, digits=digits, unit=unit)
    if scale is not Scale.POSSIBILITY:
        return text
    return f"Π {text}  N {belief_text(necessity_of(beliefs)[index], scale)}"


def rest_text(values: Sequence[float], scale: Scale) -> str:
    """The belief in one of several states: probabilities add up, degrees have a maximum."""
    is_sum = scale is Scale.PROBABILITY
    return belief_text(min(1.0, sum(values)) if is_sum else max(values, default=0.0), scale)
