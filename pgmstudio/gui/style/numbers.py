"""Numbers as people read them: thin spaces in thousands, a true minus."""

from __future__ import annotations

from pgmstudio.core.data.cuts import number_text


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
