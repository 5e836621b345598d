"""Tables to and from spreadsheets, as tab-separated text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.errors import DataError
from pgmstudio.core.number_format import parse_probability
from pgmstudio.gui.cpt_editor.model import TableGrid


def table_text(grid: TableGrid, cells: Sequence[tuple[int, int]]) -> str:
    """The selected numbers as a block; with fewer than two of them the whole table with heads."""
    if grid.variable is None:
        return ""
    if len(cells) >= 2:
        columns = sorted({column for column, _ in cells})
        states = sorted({state for _, state in cells})
        chosen = [[_exact(grid.values[c, s]) for c in columns] for s in states]
        return "\n".join("\t".join(line) for line in chosen)
    lines = [
        [parent.name, *(combination[number] for combination in grid.combinations)]
        for number, parent in enumerate(grid.parents)
    ]
    for state, name in enumerate(grid.variable.states):
        lines.append([name, *(_exact(value) for value in grid.values[:, state])])
    return "\n".join("\t".join(line) for line in lines)


def _exact(value: float) -> str:
    """The fewest digits that come back as the same number."""
    return repr(float(value))


def pasted(grid: TableGrid, text: str, start: tuple[int, int]) -> NDArray[np.float64]:
    """The table with the numbers of `text` in it; DataError explains what does not fit.

    A whole table copied with its heads goes back to where it came from; a block of numbers goes to
    the cell `start` = (column, state) and to the right of and below it.
    """
    lines = [line.split("\t") for line in text.replace("\r", "").split("\n") if line.strip()]
    if not lines:
        raise DataError("The clipboard holds no numbers.")
    assert grid.variable is not None
    states = grid.variable.states
    heads = len(lines) - len(states)
    if heads >= 0 and [line[0].strip() for line in lines[heads:]] == list(states):
        lines, start = [line[1:] for line in lines[heads:]], (0, 0)
    values = grid.values.copy()
    column, state = start
    width = max(len(line) for line in lines)
    if state + len(lines) > values.shape[1] or column + width > values.shape[0]:
        raise DataError(
            f"The clipboard has {len(lines)} × {width} numbers; from here on the table has "
            f"{values.shape[1] - state} × {values.shape[0] - column}."
        )
    for down, line in enumerate(lines):
        for right, word in enumerate(line):
            number = parse_probability(word)
            if number is None:
                raise DataError(
                    f"“{word.strip()}” in row {down + 1}, column {right + 1} of the clipboard "
                    "is no number from 0 to 1."
                )
            values[column + right, state + down] = number
    return values
