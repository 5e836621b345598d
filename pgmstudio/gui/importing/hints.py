"""Notes of the import page: missing cells, outliers, row counts, and files that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from pgmstudio.core.errors import DataFileError, PgmStudioError
from pgmstudio.core.io.data.inspection import FileReport, Treatment
from pgmstudio.core.io.import_plan import Draft, counting_column
from pgmstudio.core.number_format import counted, grouped, join_names


def missing_note(report: FileReport, draft: Draft, complete: int, markers: Sequence[str]) -> str:
    """Note on the number of missing cells and their columns, as rich text."""
    used = [column for column in draft.used(report) if column.missing]
    total = sum(column.missing for column in used)
    if not total:
        return ""
    marks = [f"“{escape(marker)}”" if marker else "empty" for marker in markers]
    marked = f" (marked {join_names(marks, len(marks))})" if marks else ""
    cells = counted(total, "cell")
    if draft.reading.imprecise:
        treatment = "Any state is possible there."
    elif draft.reading.missing_as_state:
        treatment = "They become a state."
    else:
        treatment = "They stay missing; each learner states how it treats them."
    rows = f"{grouped(complete)} of {counted(report.row_count, 'row')} are complete."
    names = join_names([escape(column.name) for column in used])
    return f"<b>{cells} missing</b> in {names}{marked}. {rows} {treatment}"


def outlier_note(report: FileReport, draft: Draft) -> tuple[str, tuple[str, ...]]:
    """Note on outliers that may mark missing values, as rich text with a link, and the markers."""
    odd = [(column.name, column.odd) for column in draft.used(report) if column.odd is not None]
    if not odd:
        return "", ()
    outliers = []
    for name, number in odd[:3]:
        shown = number.texts[0].replace("-", "−")
        outliers.append(f"<b>{shown}</b> in {counted(number.rows, 'row')} of {escape(name)}")
    more = f" and more in {counted(len(odd) - 3, 'column')}" if len(odd) > 3 else ""
    verb = "lies" if len(odd) == 1 else "lie"
    markers = tuple(dict.fromkeys(text for _, number in odd for text in number.texts))
    text = f"{', '.join(outliers)}{more} {verb} far from the other values."
    return f'{text} <a href="missing">Treat as missing</a>', markers


def markers_note(report: FileReport, draft: Draft) -> tuple[str, tuple[str, ...]]:
    """Note on texts that may mark missing cells, as rich text with a link, and the texts."""
    cells: dict[str, int] = {}
    names: dict[str, None] = {}
    for column in draft.used(report):
        for text, count in column.doubtful:
            cells[text] = cells.get(text, 0) + count
            names[column.name] = None
    if not cells:
        return "", ()
    texts = [f"<b>{escape(text)}</b> ({grouped(count)})" for text, count in cells.items()]
    where = join_names([escape(name) for name in names])
    verb = "marks" if len(texts) == 1 else "mark"
    text = f"{join_names(texts, len(texts))} in {where} usually {verb} missing cells."
    return f'{text} <a href="missing">Treat as missing</a>', tuple(cells)


def sets_note(report: FileReport, draft: Draft) -> str:
    """Note on cells that are sets of states, as rich text with a link; empty without any."""
    if not report.set_cells:
        return ""
    cells = f"<b>{counted(report.set_cells, 'cell')}</b> such as {escape(report.set_example)}"
    verb = "is" if report.set_cells == 1 else "are"
    if draft.reading.imprecise:
        return (
            f"{cells} {verb} read as sets of states; possibilistic learners use the sets, others "
            'take them as missing. <a href="no">Read as text</a>'
        )
    return f'{cells} may be sets of states. <a href="yes">Read as sets</a>'


def weights_note(report: FileReport, draft: Draft) -> tuple[str, str]:
    """Note on the use of a column of row counts, as rich text with a link, and its name."""
    column = counting_column(report)
    if column is None:
        return "", ""
    name = f"<b>{escape(column.name)}</b>"
    if draft.treatment(column) is Treatment.WEIGHTS:
        return (f'{name} is used as row counts. <a href="no">Use as a variable</a>', column.name)
    if any(draft.treatment(other) is Treatment.WEIGHTS for other in report.columns):
        return "", ""
    return (f'{name} may contain row counts. <a href="yes">Use as row weights</a>', column.name)


_MAX_LISTED = 5  # more would push the options that solve them out of view


def problem_text(error: PgmStudioError) -> str:
    """Error message; several problems are listed below it."""
    if not isinstance(error, DataFileError) or len(error.problems) < 2:
        return str(error)
    lines = [f"{error.path.name}: {error.headline}"]
    lines += [f"• {_capitalise(str(problem))}" for problem in error.problems[:_MAX_LISTED]]
    if (more := len(error.problems) - _MAX_LISTED) > 0:
        lines.append(f"and {grouped(more)} more")
    return "\n".join(lines)


def no_rows_text(name: str, rows: int) -> str:
    """Message on a file with a header only; empty if it has rows."""
    if rows:
        return ""
    return f"{name}: has a header but no rows. If its first row is data, change First row."


def _capitalise(problem: str) -> str:
    """`Row 3 has 2 cells …` from `row 3: has 2 cells …`."""
    return (problem[:1].upper() + problem[1:]).replace(": has ", " has ", 1)
