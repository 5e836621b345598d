"""Checks of the probability tables that are read from files: size, sums, rounding."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import GraphError, ModelFileError

# Together the tables may hold this many numbers (1 GB); a short file can ask for far more.
MAX_CELLS = 1 << 27


MAX_AXES = 32  # of an array, before numpy 2


# Sums of doubles are this near to 1; such rows are left as they are, so that what was written
# comes back bit for bit.
EXACT = 1e-9


# Up to here a row was rounded on writing; all such rows get one warning.
ROUNDED = 1e-5


_MAX_WARNINGS = 20


class TableChecker:
    """Checks the tables of one file row by row, normalises them, and collects warnings."""

    def __init__(self, path: Path, *, exact: float = EXACT) -> None:
        self._path = path
        self._exact = exact
        self._cells = 0
        self._messages: list[str] = []
        self._rounded = 0
        self._worst = 0.0

    def reserve(self, name: str, shape: Sequence[int], line: int | None = None) -> None:
        """Refuse a table that would not fit into memory before anything of it is made.

        `shape` has one axis for each parent and, last, that of the variable itself.
        """
        if len(shape) > MAX_AXES:
            raise ModelFileError(
                self._path,
                f"{name} has {len(shape) - 1} parents; a table can have {MAX_AXES - 1}. "
                "Remove parents or merge states.",
                line,
            )
        cells = math.prod(shape)
        self._cells += cells
        if self._cells > MAX_CELLS:
            raise ModelFileError(
                self._path,
                f"the table of {name} has {count_text(cells)} numbers; all tables together may "
                f"have {MAX_CELLS}. Remove parents or merge states.",
                line,
            )

    def checked(
        self,
        name: str,
        rows: Floats,
        row_name: Callable[[int], str],
        line_of: Callable[[int], int | None],
    ) -> Floats:
        """The rows, each summing to 1; ModelFileError for a row that cannot be made to."""
        with np.errstate(over="ignore", invalid="ignore"):
            sums = rows.sum(axis=1)
        wrong = ~np.isfinite(sums) | (sums <= 0) | (rows < 0).any(axis=1)
        if wrong.any():
            row = int(np.argmax(wrong))
            why = (
                f"sums to {sums[row]:g}"
                if rows[row].min() >= 0
                else "holds a number that is no probability"
            )
            message = f"the row {row_name(row)} of {name} {why}. Give one number per state."
            raise ModelFileError(self._path, message, line_of(row))
        misses = np.abs(sums - 1)
        for row in np.flatnonzero(misses > ROUNDED).tolist():
            self._say(name, row_name(row), float(sums[row]), line_of(row))
        off = misses > self._exact
        rounded = off & (misses <= ROUNDED)
        if rounded.any():
            self._rounded += int(rounded.sum())
            self._worst = max(self._worst, float(misses[rounded].max()))
        if not off.any():
            return rows
        rows = rows.copy()
        rows[off] /= sums[off, None]
        return rows

    def _say(self, name: str, row: str, total: float, line: int | None) -> None:
        index = f"{self._path.name}, line {line}" if line is not None else self._path.name
        self._messages.append(
            f"{index}: the row {row} of {name} sums to {total:.6g}. "
            "Loaded and normalised; check the table."
        )

    def warnings(self) -> tuple[str, ...]:
        """Warnings about normalised rows; at most twenty, then the number of the others."""
        messages = self._messages[:_MAX_WARNINGS]
        if len(self._messages) > len(messages):
            messages.append(f"{len(self._messages) - len(messages)} more rows were normalised.")
        if self._rounded:
            rows = "1 row misses" if self._rounded == 1 else f"{self._rounded} rows miss"
            messages.append(f"{rows} 1 by rounding, at most {self._worst:.1g}; normalised.")
        return tuple(messages)


def count_text(count: int) -> str:
    """A count that may have thousands of digits."""
    return str(count) if count < 10**15 else f"more than 2^{count.bit_length() - 1}"


def row_namer(parents: Sequence[Variable]) -> Callable[[int], str]:
    """How row number n of a table is called: (yes, no), the last parent running fastest."""
    shape = tuple(parent.cardinality for parent in parents)

    def name(row: int) -> str:
        codes = np.unravel_index(row, shape) if shape else ()
        states = (parent.states[int(c)] for parent, c in zip(parents, codes, strict=True))
        return f"({', '.join(states)})"

    return name


# Rows may miss 1 by this much before they are refused; readers normalise on their own terms.
ROW_SUM_TOLERANCE = 1e-6


def checked_table(name: str, table: ArrayLike, shape: tuple[int, ...]) -> Floats:
    """The table of a variable, read-only; GraphError if a row, along the last axis, is no
    distribution."""
    checked = np.array(table, dtype=np.float64, order="C")
    if checked.shape != shape:
        raise GraphError(f"The table of {name} has shape {checked.shape}, not {shape}.")
    if not (np.isfinite(checked).all() and (checked >= 0).all()):
        raise GraphError(f"The table of {name} holds a number that is no probability.")
    if np.abs(checked.sum(axis=-1) - 1).max(initial=0) > ROW_SUM_TOLERANCE:
        raise GraphError(f"A row of the table of {name} does not sum to 1; normalise it.")
    checked.flags.writeable = False
    return checked
