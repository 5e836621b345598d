"""Rows of the table of a language comparison: the text of their cells and tooltips."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pgmstudio.core.experiments.language_comparison.results import (
    CUT_SHORT,
    ComparisonState,
    LanguageRow,
    LanguageTable,
    Paired,
)
from pgmstudio.core.number_format import counted, duration, grouped

# The columns of the table.
NAME, TEST, DIFFERENCE, VERDICT, EFFECTIVE, FREE, LEARNED, QUERY = range(8)


def bits_words(value: float | None) -> str:
    """Three digits and a true minus; a dash where there is none."""
    if value is None or math.isnan(value):
        return "–"
    return "−∞" if math.isinf(value) else f"{value:.3f}".replace("-", "−")


def milliseconds_words(seconds: float | None) -> str:
    """0.31 ms."""
    if seconds is None:
        return "–"
    return f"{1000 * seconds:.2f} ms" if seconds < 1 else f"{seconds:.1f} s"


@dataclass(frozen=True, eq=False)
class Line:
    """What one line of the table shows."""

    row: LanguageRow
    pair: Paired | None  # to the reference
    is_reference: bool
    is_best: bool

    @property
    def title(self) -> str:
        return self.row.language.title

    @property
    def zero_rows(self) -> int:
        """How many test rows have probability 0; with one the mean is −∞."""
        return 0 if self.row.compared is None else round(self.row.compared.zero_probability_rows)

    @property
    def verdict(self) -> str:
        """best, reference, worse, better, not distinguishable, cut short or P = 0 on rows."""
        if self.row.state == "stopped":
            return CUT_SHORT
        if self.is_best:
            return "best"
        if self.is_reference:
            return "reference"
        if self.pair is None:
            return ""
        if self.pair.value is None:  # one of them gives more rows probability 0
            return f"P = 0 on {counted(self.zero_rows, 'row')}" if self.zero_rows else "better"
        if self.pair.interval is None:
            return "not distinguishable"
        low, high = self.pair.interval
        return "worse" if high < 0 else "better" if low > 0 else "not distinguishable"

    @property
    def state_text(self) -> str:
        """What is going on while there are no numbers."""
        row = self.row
        if row.state == "waiting":
            return row.message or "waiting"
        if row.state == "no model":
            return row.problems[-1] if row.problems else "no model was found by then."
        if row.state == "learning":
            return row.message or "learning"
        return ""

    def cell_text(self, column: int) -> str:
        one, point = self.row.compared, self.row.point
        if column == NAME:
            return self.title
        if one is None or point is None:
            return self.state_text if column == TEST else ""
        if column == TEST:
            error = "" if one.standard_error is None else f" ± {one.standard_error:.3f}"
            return f"{bits_words(one.log2_likelihood_per_row)}{error}"
        if column == DIFFERENCE:
            if self.is_reference:
                return "reference"
            if self.pair is None or self.pair.value is None:
                return "–"
            half = "" if self.pair.half is None else f" ± {self.pair.half:.3f}"
            return f"{bits_words(self.pair.value)}{half}"
        return {
            VERDICT: self.verdict,
            EFFECTIVE: grouped(int(one.effective_size)),
            FREE: grouped(int(one.representation_size)),
            LEARNED: self._learned,
            QUERY: milliseconds_words(point.inference_seconds),
        }.get(column, "")

    @property
    def _learned(self) -> str:
        if not self.row.is_over:
            return "…" if self.row.fraction is None else f"{100 * self.row.fraction:.0f} % …"
        return duration(self.row.seconds) + ("*" if self.row.state == "stopped" else "")

    @property
    def tip(self) -> str:
        """Tooltip: the language, its time limit, its result and its problems."""
        row, point = self.row, self.row.point
        lines = [f"{self.title}: {row.language.means}"]
        if row.limit is not None and math.isfinite(row.limit):
            lines.append(f"It has {row.limit:.1f} s.")
        if point is not None:
            lines.append(
                f"Training {bits_words(point.train_log2_likelihood_per_row)}, validation "
                f"{bits_words(point.valid_log2_likelihood_per_row)} bits per row."
            )
        if self.zero_rows:
            lines.append(
                f"−∞, because {counted(self.zero_rows, 'test row')} "
                f"{'has' if self.zero_rows == 1 else 'have'} probability 0. "
                "More smoothing or more rows avoid this."
            )
        lines += [problem[:1].upper() + problem[1:] for problem in row.problems]
        return "\n".join(lines)


def planned_lines(languages: Sequence[str]) -> list[Line]:
    """Before the first comparison: what would be learned."""
    rows = ComparisonState(languages).table().rows
    return [Line(replace(row, message="not learned yet"), None, False, False) for row in rows]


def lines_of(table: LanguageTable, reference: str | None) -> list[Line]:
    """The lines, best first, with differences to the language of that title."""
    best = None if table.best is None else table.best.language.title
    base = reference or best
    pairs: Mapping[str, Paired] = {} if base is None else table.against(base)
    return [
        Line(
            row,
            pairs.get(row.language.title),
            row.language.title == base,
            row.language.title == best and table.has_verdict,
        )
        for row in table.ranked
    ]
