"""Errors a person can act on, and Cancelled.

A message states what is wrong, where, and what to do. Whatever is not a PgmStudioError is a bug.

PgmStudioError
├── FileError                  a file cannot be read or written
│   ├── DataFileError          … a table; lists every problem found
│   ├── ModelFileError         … a model; knows line and column
│   └── ProjectFileError       … a project
├── DataError                  a data set does not suit the operation
├── ParameterError             one or more parameters are wrong; names all of them
├── GraphError
│   └── CycleError             an edge would close a cycle; holds the path
├── KnowledgeError             rules about edges contradict each other or name unknown variables
├── UnknownNameError           no such variable, state, learner, …; suggests the nearest
├── ImpossibleEvidenceError    evidence of probability zero; holds a smallest conflicting set
├── TooLargeError              the cost forecast exceeds the budget; gives both numbers
└── RunFailedError             a child process died
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

E = TypeVar("E")

_MAX_NAMES = 20  # of a long cycle in a message
_SHORTEST_PART = 3  # of a name, to be looked for in others
_MAX_COMPARED, _LONGEST_COMPARED = 5000, 100  # names that could have been meant


class Cancelled(Exception):
    """The user requested a stop; not an error."""


class PgmStudioError(Exception):
    """Something a person can act on; `str(error)` is one readable message."""


class FileError(PgmStudioError):
    """A file cannot be read or written."""

    def __init__(self, path: Path | str, message: str) -> None:
        self.path = Path(path)
        self.message = message
        super().__init__(f"{self.path.name}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.path, self.message)


@dataclass(frozen=True, slots=True)
class CellProblem:
    """What is wrong with one cell, row or column; `row` counts data rows from 1."""

    message: str
    row: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        location = [f"row {self.row}"] if self.row is not None else []
        location += [f"column {self.column!r}"] if self.column is not None else []
        return ", ".join(location) + (": " if location else "") + self.message


class DataFileError(FileError):
    """A table cannot be read; every problem found is listed."""

    def __init__(
        self, path: Path | str, message: str = "", problems: Sequence[CellProblem] = ()
    ) -> None:
        self.problems = tuple(problems)
        self.headline = message
        shown = [str(problem) for problem in self.problems[:20]]
        if len(self.problems) > len(shown):
            shown.append(f"and {len(self.problems) - len(shown)} more")
        super().__init__(path, " ".join(filter(None, [message, "; ".join(shown)])))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.path, self.headline, self.problems)


class ModelFileError(FileError):
    """A model file cannot be read; `line` and `column` count from 1 where they are known."""

    def __init__(
        self, path: Path | str, message: str, line: int | None = None, column: int | None = None
    ) -> None:
        self.line, self.column, self.reason = line, column, message
        location = "" if line is None else f"line {line}: "
        if line is not None and column is not None:
            location = f"line {line}, column {column}: "
        super().__init__(path, location + message)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.path, self.reason, self.line, self.column)


class ProjectFileError(FileError):
    """A project file cannot be read or written."""


class DataError(PgmStudioError):
    """A data set does not suit the operation."""


class ParameterError(PgmStudioError):
    """One or more parameters are wrong; `problems` maps each name to its message."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        super().__init__("; ".join(f"{name}: {message}" for name, message in problems.items()))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.problems,)


class GraphError(PgmStudioError):
    """A graph does not allow the requested change."""


class CycleError(GraphError):
    """The edge would close a cycle; `path` leads from the edge's target back to its source."""

    def __init__(self, source: str, target: str, path: Sequence[str]) -> None:
        self.source, self.target, self.path = source, target, tuple(path)
        shown = self.path
        if len(shown) > _MAX_NAMES:
            shown = (*shown[: _MAX_NAMES // 2], "…", *shown[-_MAX_NAMES // 2 :])
        super().__init__(f"{source} → {target} would close a cycle: {' → '.join(shown)}.")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.source, self.target, self.path)


class KnowledgeError(PgmStudioError):
    """Rules about edges contradict each other; `contradictions` has one message for each
    conflict."""

    def __init__(self, contradictions: Sequence[str]) -> None:
        self.contradictions = tuple(contradictions)
        super().__init__(" ".join(self.contradictions))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.contradictions,)


def nearest(name: str, known: Sequence[str]) -> str | None:
    """The known name that was probably meant; None if none is near."""
    # Comparing is quadratic in the length of names; those of people are short.
    if len(name) > _LONGEST_COMPARED:
        return None
    short = [other for other in known[:_MAX_COMPARED] if len(other) <= _LONGEST_COMPARED]
    close = difflib.get_close_matches(name, short, n=1, cutoff=0.6)
    if close or len(name) < _SHORTEST_PART:
        return next(iter(close), None)
    part = name.lower()
    return min((other for other in short if part in other.lower()), key=len, default=None)


class UnknownNameError(PgmStudioError, LookupError):
    """Nothing has that name; the message suggests the nearest that exists."""

    def __init__(self, what: str, name: str, known: Iterable[str] = ()) -> None:
        self.what, self.name, self.known = what, name, tuple(known)
        near = nearest(name, self.known)
        if near is not None:
            hint = f" Did you mean {near}?"
        elif 0 < len(self.known) <= 12:
            hint = f" There are: {', '.join(self.known)}."
        else:
            hint = ""
        shown = name if len(name) <= _LONGEST_COMPARED else f"{name[:_LONGEST_COMPARED]}…"
        super().__init__(f"No {what} is called “{shown}”.{hint}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.what, self.name, self.known)


def named(what: str, key: str, entries: Mapping[str, E]) -> E:
    """The entry of that name; UnknownNameError suggests the nearest when there is none."""
    try:
        return entries[key]
    except KeyError:
        raise UnknownNameError(what, key, entries) from None


def no_column(name: str, columns: Sequence[str]) -> str:
    """The message of a parameter that names no column of the data."""
    near = nearest(name, columns)
    hint = f"; did you mean {near}?" if near is not None else ""
    return f"{name!r} is not a column{hint}"


class ImpossibleEvidenceError(PgmStudioError):
    """The evidence has probability zero.

    `conflict` is a smallest set of findings (variable -> text such as "= yes") that cannot hold
    together; the session that raised it is as it was.
    """

    def __init__(self, conflict: Mapping[str, str]) -> None:
        self.conflict = dict(conflict)
        parts = [f"{variable} {finding}" for variable, finding in self.conflict.items()]
        if len(parts) == 1:
            message = f"{parts[0]} is impossible in this model."
        else:
            message = f"{', '.join(parts[:-1])} and {parts[-1]} cannot hold together."
        super().__init__(f"{message} Retract one of them." if len(parts) > 1 else message)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.conflict,)


class TooLargeError(PgmStudioError):
    """The forecast of time or memory exceeds the budget; nothing was computed."""


class RunFailedError(PgmStudioError):
    """A child process ended without an answer."""
