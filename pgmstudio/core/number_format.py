"""Numbers as tables have them: narrow spaces in thousands, a true minus, a dash for none.

Numbers as people read them: thin spaces in thousands, a true minus.
"""

from __future__ import annotations

import math

from pgmstudio.core.data.discretization import number_text

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


def grouped(number: int) -> str:
    """A whole number with thin spaces in its thousands."""
    return f"{number:,}".replace(",", "\u2009").replace("-", "−")


def brief(number: int) -> str:
    """In little room: "12 000", but "250 k" and "1.5 M"."""
    if abs(number) < 100_000:
        return grouped(number)
    size, sign = (1_000_000, "M") if abs(number) >= 999_500 else (1_000, "k")
    return f"{number / size:.3g}\u2009{sign}".replace("-", "−")


def read_number(number: float) -> str:
    """A measured number without the noise of its last bits: 231.65, not 231.64999999999998."""
    return number_text(float(f"{number:.12g}")).replace("-", "−")


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: "1 row", "7 rows"."""
    return f"{grouped(number)} {one if number == 1 else many or one + 's'}"


def data_facts(name: str, rows: int, columns: int, missing: int, complete: int) -> str:
    """How large a data set is and what is missing: "survey · 303 rows × 14 · none missing"."""
    size = f"{name} · {counted(rows, 'row')} × {grouped(columns)}"
    if not missing:
        return f"{size} · none missing"
    cells = counted(missing, "cell")
    return f"{size} · {cells} missing · {counted(complete, 'row')} complete"
