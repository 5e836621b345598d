"""Numbers as text: ASCII for terminals and files, typographic for the window and documents."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pgmstudio.core.data.discretization import number_text

THIN = "\u202f"  # narrow, and does not break


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How numbers are written: the minus sign, the thousands separator, and special values."""

    minus: str
    thousands: str
    infinity: str
    missing: str

    def whole(self, value: float | None) -> str:
        """A whole number; a question mark for NaN."""
        if value is None:
            return self.missing
        return "?" if math.isnan(value) else self._grouped(f"{value:,.0f}")

    def decimal(self, value: float | None, digits: int = 3) -> str:
        """A number with this many digits after the decimal point."""
        if value is None or math.isnan(value):
            return self.missing
        if math.isinf(value):
            return self.infinity if value > 0 else self.minus + self.infinity
        value = round(value, digits) + 0.0  # no minus zero
        return self._grouped(f"{value:,.{digits}f}")

    def general(self, value: float | None, digits: int = 4) -> str:
        """A number of any size with this many significant digits."""
        if value is None or math.isnan(value):
            return self.missing
        return f"{value:.{digits}g}".replace("inf", self.infinity).replace("-", self.minus)

    def signed(self, value: float | None, digits: int = 3) -> str:
        """A difference, with a plus sign unless it is negative."""
        if value is None or math.isnan(value):
            return self.missing
        plus = "+" if value >= 0 or round(value, digits) == 0 else ""
        return plus + self.decimal(value, digits)

    def change(self, value: float | None, digits: int = 1) -> str:
        """A difference whose zero has no sign: +3.2, −18.9, 0.0."""
        is_zero = value is not None and round(value, digits) == 0
        return self.decimal(value, digits) if is_zero else self.signed(value, digits)

    def count_of(self, value: float, one: str, many: str = "") -> str:
        """A count with its noun: "1 row", "2 rows"."""
        return f"{self.whole(value)} {one if value == 1 else many or one + 's'}"

    def _grouped(self, text: str) -> str:
        return text.replace(",", self.thousands).replace("-", self.minus)


ASCII = NumberFormat(minus="-", thousands="", infinity="inf", missing="-")
TYPOGRAPHIC = NumberFormat(minus="−", thousands=THIN, infinity="∞", missing="–")

whole = TYPOGRAPHIC.whole
decimal = TYPOGRAPHIC.decimal
general = TYPOGRAPHIC.general
signed = TYPOGRAPHIC.signed
change = TYPOGRAPHIC.change
count_of = TYPOGRAPHIC.count_of

_THOUSANDS = re.compile(r"(?<=\d)[\u2009\u202f](?=\d{3})")
_MINUS = re.compile(r"−(?=[\d∞])")


def ascii_numbers(text: str) -> str:
    """A text for a terminal: its typographic numbers become ASCII."""
    return _MINUS.sub("-", _THOUSANDS.sub("", text)).replace("-∞", "-inf")


def times(ratio: float) -> str:
    """A ratio of sizes: 0.53 ×, 13 ×."""
    return f"{ratio:.2f} ×" if ratio < 9.95 else f"{ratio:.0f} ×"


def grouped(number: int) -> str:
    """A whole number with thin spaces in its thousands."""
    return f"{number:,}".replace(",", THIN).replace("-", "−")


def brief(number: int) -> str:
    """Abbreviated: "12 000", but "250 k" and "1.5 M"."""
    if abs(number) < 100_000:
        return grouped(number)
    size, sign = (1_000_000, "M") if abs(number) >= 999_500 else (1_000, "k")
    return f"{number / size:.3g}{THIN}{sign}".replace("-", "−")


def percent(value: float, digits: int = 1) -> str:
    """A belief in percent: 0+ for nearly nothing, 0 and 100 only when exact."""
    if value <= 0:
        return "0"
    if 100 * value < 0.5 * 10.0**-digits:
        return "0+"
    return "100" if value >= 1 else f"{value * 100:.{digits}f}"


def duration(seconds: float) -> str:
    """`3.1 ms`, `41.8 s`, `3:18 min` from two minutes on, `2:22 h` from two hours on."""
    if seconds >= 7200:
        return f"{int(seconds // 3600)}:{int(seconds % 3600 // 60):02d} h"
    if seconds >= 120:
        return f"{int(seconds // 60)}:{int(seconds % 60):02d} min"
    return f"{seconds:.1f} s" if seconds >= 0.1 else f"{1000 * seconds:.1f} ms"


def read_number(number: float) -> str:
    """A measured number without the noise of its last bits: 231.65, not 231.64999999999998."""
    return number_text(float(f"{number:.12g}")).replace("-", "−")


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: "1 row", "7 rows"."""
    return f"{grouped(number)} {one if number == 1 else many or one + 's'}"


def data_facts(
    name: str, rows: int, columns: int, missing: int, complete: int, sets: int = 0
) -> str:
    """How large a data set is and what is missing: "survey · 303 rows × 14 · none missing".

    `sets` are cells with several states, of which one is true.
    """
    size = f"{name} · {counted(rows, 'row')} × {grouped(columns)}"
    if sets:
        size += f" · {counted(sets, 'set', 'sets')} of states"
    if not missing:
        return f"{size} · none missing"
    cells = counted(missing, "cell")
    return f"{size} · {cells} missing · {counted(complete, 'row')} complete"


def class_letter(number: int) -> str:
    """A, B, …, Z, then A2, B2, …"""
    letter, turn = chr(ord("A") + number % 26), number // 26
    return letter if not turn else f"{letter}{turn + 1}"


def parse_probability(text: str) -> float | None:
    """A number from 0 to 1; "20 %" and a decimal comma are understood; None otherwise."""
    text = text.strip().replace(",", ".").replace("−", "-")
    scale = 1.0
    if text.endswith("%"):
        text, scale = text[:-1].strip(), 0.01
    try:
        number = float(text) * scale
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def join_names(names: Sequence[str], limit: int = 4, noun: str = "columns") -> str:
    """ "ca", "ca and thal", "a, b, c and 7 more columns"."""
    if len(names) > limit:
        return f"{', '.join(names[: limit - 1])} and {len(names) - limit + 1} more {noun}"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


# Terms in the names of measures.
_TERMS = {"mpl": "MPL", "pic": "PIC", "bic": "BIC", "nats": "(nats)", "kappa": "κ"}


def measure_title(name: str) -> str:
    """`additional_tuples` as a heading."""
    text = " ".join(_TERMS.get(word, word) for word in name.split("_"))
    text = text.replace("log likelihood", "log-likelihood")
    return text[:1].upper() + text[1:] if text[:1].isascii() else text
