"""Compiled reading of text tables whose columns have few distinct texts each.

Eight bytes are read as one machine word: the usual bit tricks find the end of a cell, and a text of
up to seven bytes, with its length in the free byte, is its own key. Indices are unsigned, since a
signed index costs a check for negative ones at every byte.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.numba_support import compiled, compiled_with

Bytes = NDArray[np.uint8]

DONE, UNKNOWN, STRANGE = 0, 1, 2
SLOTS = 512  # per column, more than twice as many as the texts it may have
SKIPPED = np.uint64((1 << 64) - 1)
SHORT = 7  # bytes that fit a key together with their number

_ONE, _WORD = np.uint64(1), np.uint64(8)
_LINE_END, _QUOTE = np.uint8(10), np.uint8(34)
_ONES, _HIGH_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_TO_LOW_BIT = np.uint64(7)
_LINE_ENDS, _QUOTES = np.uint64(0x0A0A0A0A0A0A0A0A), np.uint64(0x2222222222222222)
_LENGTH_SHIFT, _LONG = np.uint64(56), np.uint64(0xFF << 56)
_BYTES_OF_KEY = np.uint64((1 << 56) - 1)
_GOLDEN, _SLOT_SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(64 - 9)
_LAST_SLOT = np.uint64(SLOTS - 1)

# A call that hands over an array counts its references, which would cost more than the work.
inlined = compiled_with(inline="always")


@compiled
def count_line_ends(content: Bytes) -> int:
    """How many lines end here."""
    count = 0
    for index in range(content.shape[0]):
        count += content[index] == _LINE_END
    return count


@inlined
def word_at(content: Bytes, index: np.uint64) -> np.uint64:
    """Eight bytes from `index` on as one word, the first lowest; one load, once compiled."""
    return (
        np.uint64(content[index])
        | (np.uint64(content[index + np.uint64(1)]) << np.uint64(8))
        | (np.uint64(content[index + np.uint64(2)]) << np.uint64(16))
        | (np.uint64(content[index + np.uint64(3)]) << np.uint64(24))
        | (np.uint64(content[index + np.uint64(4)]) << np.uint64(32))
        | (np.uint64(content[index + np.uint64(5)]) << np.uint64(40))
        | (np.uint64(content[index + np.uint64(6)]) << np.uint64(48))
        | (np.uint64(content[index + np.uint64(7)]) << np.uint64(56))
    )


@inlined
def bytes_equal_to(word: np.uint64, repeated: np.uint64) -> np.uint64:
    """The high bit of the lowest byte that equals the repeated one is set; higher ones may be."""
    difference = word ^ repeated
    return (difference - _ONES) & ~difference & _HIGH_BITS


@inlined
def key_of(word: np.uint64, length: np.uint64) -> np.uint64:
    """The key of the text that begins with `word`: itself if short, else its start and a mark."""
    if length > np.uint64(SHORT):
        return (word & _BYTES_OF_KEY) | _LONG
    return (word & ((_ONE << (length * _WORD)) - _ONE)) | (length << _LENGTH_SHIFT)


@inlined
def slot_of(key: np.uint64) -> np.uint64:
    """Where to look for a key first."""
    return (key * _GOLDEN) >> _SLOT_SHIFT


@compiled
def code_rows(
    content: Bytes,
    start: np.uint64,
    stop: np.uint64,
    separators: np.uint64,
    known: Any,
    targets: NDArray[np.uint64],
    first_row: np.uint64,
    codes: NDArray[np.uint8],
    stopped_at: NDArray[np.int64],
) -> int:
    """Code the rows in content[start:stop], the first of them being `first_row`.

    The last of these bytes ends a line, and eight more follow, whatever they are. `separators` is
    the separator eight times. `targets[c]` is the row of `codes` for column c, or NOT_WANTED.
    `known` has per column the keys, codes and bytes of its texts by slots. DONE when all rows are
    coded; UNKNOWN when a text is new (`stopped_at` is its row, column, start, end and the start of
    the row); STRANGE for quotation marks and rows of another length.
    """
    keys, known_codes, begins, ends, pool = known
    separator = np.uint8(separators & np.uint64(0xFF))
    columns = targets.shape[0]
    index, row_start, row, column = start, start, first_row, 0
    while index < stop:
        begin, first = index, word_at(content, index)
        word = first
        one, two = content[index], content[index + _ONE]
        if two in (separator, _LINE_END) and one > _QUOTE and one != separator:
            index += _ONE  # the commonest cell; a branch can be foreseen, a computed index not
        else:
            while True:
                result = bytes_equal_to(word, separators) | bytes_equal_to(word, _LINE_ENDS)
                if result != 0:
                    # All bits below the lowest one found; a quotation mark must not be among them.
                    before = (result & (~result + _ONE)) - _ONE
                    if bytes_equal_to(word, _QUOTES) & before != 0:
                        return STRANGE
                    # One bit per byte before the end, summed by the multiplication.
                    index += (((before >> _TO_LOW_BIT) & _ONES) * _ONES) >> _LENGTH_SHIFT
                    break
                if bytes_equal_to(word, _QUOTES) != 0:
                    return STRANGE
                index += _WORD
                word = word_at(content, index)
        end, ends_row = index, content[index] == _LINE_END
        index += _ONE
        if column >= columns:
            return STRANGE
        target = targets[column]
        if target != SKIPPED:
            code = -1
            key = key_of(first, end - begin)
            slot = slot_of(key)
            while known_codes[target, slot] >= 0:
                if keys[target, slot] == key:
                    if key < _LONG:
                        code = known_codes[target, slot]
                        break
                    known_at = begins[target, slot]
                    length = ends[target, slot] - known_at
                    if length == end - begin:
                        same = np.uint64(SHORT)
                        while same < length and pool[known_at + same] == content[begin + same]:
                            same += _ONE
                        if same == length:
                            code = known_codes[target, slot]
                            break
                slot = (slot + _ONE) & _LAST_SLOT
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
            row += _ONE
            row_start = index
    return DONE
