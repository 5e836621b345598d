"""Counts that may have thousands of digits, such as the cells of a table over all variables."""

from __future__ import annotations

import math

# Beyond this a count is shown by its order of magnitude.
_MAX_WRITTEN = 10**30


def count_text(count: int) -> str:
    """1,234,567, or “about 10^4515”: Python refuses to write out numbers of 4300 digits."""
    if abs(count) < _MAX_WRITTEN:
        return f"{count:,}"
    return f"about 10^{int((count.bit_length() - 1) * math.log10(2))}"


def float_of(count: int) -> float:
    """The count as a number that can be multiplied with others; infinity where it is too large."""
    try:
        return float(count)
    except OverflowError:
        return math.inf


def in_units(count: int) -> str:
    """A number of bytes for people."""
    size = float_of(count)
    for unit in ("bytes", "KB", "MB", "GB", "TB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:,.0f} PB" if size < 1e18 else "more than any machine has"
