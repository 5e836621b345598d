"""The order in which texts become states: numbers in texts count as numbers, case counts last."""

from __future__ import annotations

import re

_DIGITS = re.compile(r"(\d+)", re.ASCII)


def natural_key(text: str) -> tuple[object, ...]:
    """Sorts “bin 2” before “bin 10”, “a” before “B”, and plain numbers by their value."""
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if number == number:
        return (0, number, text)
    # Odd parts are digits; their length stands in for the value, so huge numbers cost nothing.
    parts = _DIGITS.split(text.casefold())
    keys = tuple(
        (1, len(part.lstrip("0")), part.lstrip("0")) if index % 2 else (0, 0, part)
        for index, part in enumerate(parts)
    )
    return (1, keys, text)
