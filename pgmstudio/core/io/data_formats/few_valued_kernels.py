"""Compiled reading of text tables whose columns have few distinct texts each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.compiled import compiled

Letters = NDArray[np.uint8]
Whole = NDArray[np.int64]

DONE, UNKNOWN, STRANGE = 0, 1, 2
SLOTS = 1024  # per column, at least four times the texts it may have

_LINE_END, _RETURN = 10, 13


@compiled
def count_line_ends(letters: Letters, start: int, stop: int) -> int:
    """How many lines end in letters[start:stop]."""
    count = 0
    for place in range(start, stop):
        if letters[place] == _LINE_END:
            count += 1
    return count


@compiled
def slot_of(letters: Letters, start: int, stop: int) -> int:
    """Where to look for a text first."""
    mixed = 0
    for place in range(start, stop):
        mixed = (mixed * 31 + letters[place]) & 0xFFFFFFF
    return (mixed ^ (mixed >> 10)) & (SLOTS - 1)


@compiled
def code_rows(
    letters: Letters,
    start: int,
    stop: int,
    is_special: NDArray[np.uint8],
    separator: int,
    known: Any,
    targets: Whole,
    first_row: int,
    codes: NDArray[np.uint8],
    stopped_at: Whole,
) -> int:
    """Code the rows in letters[start:stop], the first of them being `first_row`.

    `targets[c]` is the row of `codes` for column c, or -1 when it is not wanted. `known` holds, per
    column: the code of a text of one letter, the codes in slots, and where each text stands in a
    pool of letters. DONE when all rows are coded; UNKNOWN when a text is new (`stopped_at` is its
    row, column, start, end and the start of the row); STRANGE for anything this reader leaves to
    others: quotation marks, odd line ends, rows of another length.
    """
    by_letter, slots, begins, ends, pool = known
    columns = targets.shape[0]
    place, row, row_start, column = start, first_row, start, 0
    while place < stop:
        begin, mixed = place, 0
        while place < stop and is_special[letters[place]] == 0:
            mixed = (mixed * 31 + letters[place]) & 0xFFFFFFF
            place += 1
        end = place
        ends_row = True
        if place < stop:
            if letters[place] == separator:
                ends_row = False
            elif letters[place] == _RETURN:
                place += 1
                if place < stop and letters[place] != _LINE_END:
                    return STRANGE
            elif letters[place] != _LINE_END:
                return STRANGE
        place += 1
        if column >= columns:
            return STRANGE
        target = targets[column]
        if target >= 0:
            code = -1
            if end - begin == 1:
                code = by_letter[target, letters[begin]]
            else:
                slot = (mixed ^ (mixed >> 10)) & (SLOTS - 1)
                while slots[target, slot] >= 0:
                    found = slots[target, slot]
                    known_at = begins[target, found]
                    length = ends[target, found] - known_at
                    if length == end - begin:
                        same = 0
                        while same < length and pool[known_at + same] == letters[begin + same]:
                            same += 1
                        if same == length:
                            code = found
                            break
                    slot = (slot + 1) & (SLOTS - 1)
            if code < 0:
                stopped_at[0] = row
                stopped_at[1] = target
                stopped_at[2] = begin
                stopped_at[3] = end
                stopped_at[4] = row_start
                return UNKNOWN
            codes[target, row] = code
        column += 1
        if ends_row:
            if column != columns:
                return STRANGE
            column = 0
            row += 1
            row_start = place
    # A separator as the very last letter leaves a cell, and so a row, unfinished.
    return DONE if column == 0 else STRANGE
