"""What an import page points out below its columns: missing cells, odd numbers, counts of rows.

What an import page says of a file that cannot be read, or has nothing to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from pgmstudio.core.errors import DataFileError, PgmStudioError
from pgmstudio.core.io.data.inspection import ColumnReport, FileReport, Treatment
from pgmstudio.core.io.import_plan import Draft
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.data.missing_tab import listed

# How columns are called that say how often a row occurs.
_COUNTING = frozenset({"count", "counts", "freq", "frequency", "weight", "weights", "cases"})


def missing_words(report: FileReport, draft: Draft, complete: int, markers: Sequence[str]) -> str:
    """How many cells are missing and in which columns, in the wording of the note."""
    used = [column for column in draft.used(report) if column.missing]
    total = sum(column.missing for column in used)
    if not total:
        return ""
    marks = [f"“{escape(marker)}”" if marker else "empty" for marker in markers]
    marked = f" (marked {listed(marks, len(marks))})" if marks else ""
    cells = counted(total, "cell")
    kept = (
        "They become a state of their own."
        if draft.reading.missing_as_state
        else "They stay missing; each learner says what it does with them."
    )
    rows = f"{grouped(complete)} of {counted(report.row_count, 'row')} are complete."
    names = listed([escape(column.name) for column in used])
    return f"<b>{cells} missing</b> in {names}{marked}. {rows} {kept}"


def odd_words(report: FileReport, draft: Draft) -> tuple[str, tuple[str, ...]]:
    """What may stand for missing in the columns used, in words with a link, and as markers."""
    odd = [(column.name, column.odd) for column in draft.used(report) if column.odd is not None]
    if not odd:
        return "", ()
    found = []
    for name, number in odd[:3]:
        shown = number.texts[0].replace("-", "−")
        found.append(f"<b>{shown}</b> in {counted(number.rows, 'row')} of {escape(name)}")
    more = f" and more in {counted(len(odd) - 3, 'column')}" if len(odd) > 3 else ""
    lies = "lies" if len(odd) == 1 else "lie"
    markers = tuple(dict.fromkeys(text for _, number in odd for text in number.texts))
    said = f"{', '.join(found)}{more} {lies} far from the other numbers."
    return f'{said} <a href="missing">Count as missing</a>', markers


def counting_column(report: FileReport) -> ColumnReport | None:
    """The column that is called like counts of rows and holds such numbers."""
    for column in report.columns:
        counts = column.low is not None and column.low >= 0 and not column.missing
        if counts and column.name.strip().casefold() in _COUNTING and len(report.columns) > 1:
            return column
    return None


def weights_words(report: FileReport, draft: Draft) -> tuple[str, str]:
    """How a column of counts is used, in words with a link that changes it, and its name."""
    column = counting_column(report)
    if column is None:
        return "", ""
    name = f"<b>{escape(column.name)}</b>"
    if draft.treatment(column) is Treatment.WEIGHTS:
        return (
            f'{name} says how often each row occurs. <a href="no">Make it a column</a>',
            column.name,
        )
    if any(draft.treatment(other) is Treatment.WEIGHTS for other in report.columns):
        return "", ""
    return (
        f'{name} may say how often each row occurs. <a href="yes">Count rows by it</a>',
        column.name,
    )


_MAX_LISTED = 5  # more would push the choices that mend them out of sight


def problem_words(error: PgmStudioError) -> str:
    """The sentence; several problems stand below it, one in a line."""
    if not isinstance(error, DataFileError) or len(error.problems) < 2:
        return str(error)
    lines = [f"{error.path.name}: {error.headline}"]
    lines += [f"• {_sentence(str(problem))}" for problem in error.problems[:_MAX_LISTED]]
    if (more := len(error.problems) - _MAX_LISTED) > 0:
        lines.append(f"and {grouped(more)} more")
    return "\n".join(lines)


def without_rows(name: str, rows: int) -> str:
    """What is said of a file with names of columns only; nothing when it has rows."""
    if rows:
        return ""
    return f"{name}: has a header but no rows. If its first row is data, say so at First row."


def _sentence(problem: str) -> str:
    """`Row 3 has 2 cells …` of `row 3: has 2 cells …`."""
    return (problem[:1].upper() + problem[1:]).replace(": has ", " has ", 1)
