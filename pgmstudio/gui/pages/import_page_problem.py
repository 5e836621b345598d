"""What an import page says of a file that cannot be read, or has nothing to read."""

from __future__ import annotations

from pgmstudio.core.errors import DataFileError, PgmStudioError
from pgmstudio.gui.style.numbers import grouped

_MOST_LISTED = 5  # more would push the choices that mend them out of sight


def problem_words(error: PgmStudioError) -> str:
    """The sentence; several problems stand below it, one in a line."""
    if not isinstance(error, DataFileError) or len(error.problems) < 2:
        return str(error)
    lines = [f"{error.path.name}: {error.headline}"]
    lines += [f"• {_sentence(str(problem))}" for problem in error.problems[:_MOST_LISTED]]
    if (more := len(error.problems) - _MOST_LISTED) > 0:
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
