"""What a race of languages says in sentences: which language for its cost, and whether again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pgmstudio.core.experiments.compare import ComparedModel

if TYPE_CHECKING:
    from pgmstudio.core.experiments.languages_table import LanguageRow, LanguageTable

NOT_WORSE = "not distinguishable"


def undistinguished(table: LanguageTable) -> tuple[LanguageRow, ...]:
    """The best language and those that cannot be told from it, the best first."""
    if table.best is None:
        return ()
    return (table.best, *(row for row in table.ranked[1:] if _verdict(row) == NOT_WORSE))


def recommended(table: LanguageTable) -> LanguageRow | None:
    """The cheapest of those that cannot be told from the best."""
    return min(undistinguished(table), key=_size, default=None)


def verdict(table: LanguageTable) -> str:
    """Which language for its cost, in a sentence: see `recommended`."""
    best, take = table.best, recommended(table)
    if best is None or best.compared is None or take is None:
        return ""
    name, bits = best.language.title, best.compared.log2_likelihood_per_row
    if not math.isfinite(bits):
        return "Every language rules out some test rows. Learn from more rows, or smooth more."
    told = f"{name} is best with {_signed(bits)} bits per row"
    others = [row for row in table.ranked[1:] if row.compared is not None]
    if take is not best:
        return (
            f"{told}, but {take.language.title} cannot be told from it "
            f"({_signed(_difference(take))}) and is {_times(_size(best) / _size(take))} "
            f"cheaper to ask: take {take.language.title}."
        )
    smaller = [row for row in others if _size(row) < _size(best) and _difference(row) is not None]
    if not smaller:
        tail = " and is the cheapest to ask" if others else ""
        return f"{told}{tail}: take {name}."
    near = max(smaller, key=lambda row: _difference(row) or 0.0)
    return (
        f"{told}. Of those cheaper to ask {near.language.title} loses least, "
        f"{abs(_difference(near) or 0.0):.3f} bits per row at "
        f"{_times(_size(best) / _size(near))} less cost."
    )


def same_words(before: LanguageTable, after: LanguageTable) -> tuple[str, str]:
    """Whether a race gave the same numbers again: a sentence, and success or warning."""
    old = {row.language.title: row for row in before.rows}
    same, others, were_cut = 0, list[str](), False
    for row in after.rows:
        first = old[row.language.title]
        numbers = [_numbers(first.compared), _numbers(row.compared)]
        if numbers[0] == numbers[1]:
            same += numbers[0] is not None
            continue
        others.append(row.language.title)
        were_cut |= not {first.state, row.state} <= {"learned"}
    if not others:
        return f"Reproduced: all {same} results identical.", "success"
    why = " Where time ran out, the best so far may differ." if were_cut else ""
    told = f"{same} of {same + len(others)} results identical; not {', '.join(others)}.{why}"
    return told, "warning"


def _numbers(one: ComparedModel | None) -> tuple[float, ...] | None:
    if one is None:
        return None
    return one.log2_likelihood_per_row, one.representation_size, one.effective_size


def _verdict(row: LanguageRow) -> str:
    return "" if row.compared is None else row.compared.verdict


def _size(row: LanguageRow) -> float:
    return 1.0 if row.compared is None else max(1.0, row.compared.effective_size)


def _difference(row: LanguageRow) -> float | None:
    return None if row.compared is None else row.compared.difference


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}".replace("-", "−")


def _times(ratio: float) -> str:
    return f"{ratio:.1f} times" if ratio < 10 else f"{ratio:.0f} times"
