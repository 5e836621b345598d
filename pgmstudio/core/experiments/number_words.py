"""Numbers as tables have them: narrow spaces in thousands, a true minus, a dash for none."""

from __future__ import annotations

import math

THIN = "\u202f"  # narrow, and does not break


def whole(value: float | None) -> str:
    """1841 as 1 841; a question mark for a number that cannot be read."""
    if value is None:
        return "–"
    return "?" if math.isnan(value) else f"{value:,.0f}".replace(",", THIN).replace("-", "−")


def decimal(value: float | None, digits: int = 3) -> str:
    """A number with so many digits after the point."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    value = round(value, digits) + 0.0  # no minus zero
    return f"{value:,.{digits}f}".replace(",", THIN).replace("-", "−")


def signed(value: float | None, digits: int = 3) -> str:
    """A difference, with a plus where it is not below 0."""
    if value is None or math.isnan(value):
        return "–"
    return ("+" if value >= 0 or round(value, digits) == 0 else "") + decimal(value, digits)


def times(ratio: float) -> str:
    """A ratio of sizes: 0.53 ×, 13 ×."""
    return f"{ratio:.2f} ×" if ratio < 9.95 else f"{ratio:.0f} ×"


def count_of(value: float, one: str, many: str = "") -> str:
    """ "1 row", "2 rows"."""
    return f"{whole(value)} {one if value == 1 else many or one + 's'}"
