"""Compiled counting; integers are exact, rows with a missing cell among the counted variables are
skipped.

All kernels stand in one file, although it is long: they call each other, and numba's cache knows
only the file a kernel stands in, so a change in another one would go unnoticed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import Codes
from pgmstudio.core.numba_support import compiled, popcount

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Flags = NDArray[np.bool_]

BLOCK = 4096
SPLIT_ROWS = 32768  # at a time


# Columns are sliced before they are walked: an index that counts from 0 needs no check for a
# negative one, and LLVM then vectorises the loop.


@compiled
def fill_keys(
    codes: Codes,
    variables: Ints,
    cards: Ints,
    missing: int,
    start: int,
    stop: int,
    keys: Ints,
) -> None:
    """Per row the flat cell of the joint table of `variables`, the last running fastest; −1 where
    a cell is missing."""
    rows = stop - start
    for row in range(rows):
        keys[row] = 0
    for index in range(variables.shape[0]):
        card = cards[variables[index]]
        column = codes[variables[index], start:stop]
        for row in range(rows):
            code = np.int64(column[row])
            key = keys[row]
            keys[row] = -1 if (key < 0) | (code == missing) else key * card + code


@compiled
def count_joint(
    codes: Codes,
    variables: Ints,
    cards: Ints,
    missing: int,
    start: int,
    stop: int,
    out: Ints,
) -> None:
    keys = np.empty(BLOCK, np.int64)
    # Four histograms in turn, so that equal neighbours do not wait for each other; cell 0 of each
    # takes the rows that miss something.
    cells = out.shape[0] + 1
    lanes = 4 if cells <= 2048 else 1
    counts = np.empty(lanes * cells, np.int64)
    for cell in range(counts.shape[0]):
        counts[cell] = 0
    for low in range(start, stop, BLOCK):
        high = min(low + BLOCK, stop)
        fill_keys(codes, variables, cards, missing, low, high, keys)
        for row in range(high - low):
            counts[(row & (lanes - 1)) * cells + keys[row] + 1] += 1
    for lane in range(lanes):
        for cell in range(out.shape[0]):
            out[cell] += counts[lane * cells + cell + 1]


@compiled
def count_joint_weighted(
    codes: Codes,
    weights: Floats,
    variables: Ints,
    cards: Ints,
    missing: int,
    start: int,
    stop: int,
    out: Floats,
) -> None:
    keys = np.empty(BLOCK, np.int64)
    for low in range(start, stop, BLOCK):
        high = min(low + BLOCK, stop)
        fill_keys(codes, variables, cards, missing, low, high, keys)
        weight = weights[low:high]
        for row in range(high - low):
            if keys[row] >= 0:
                out[keys[row]] += weight[row]


@compiled
def count_both(left: Words, right: Words, words: int) -> np.int64:
    """How many rows are in both masks."""
    total = np.uint64(0)
    for word in range(words):
        total += popcount(left[word] & right[word])
    return np.int64(total)


@compiled
def count_pairs_by_bits(
    bits: Words,
    base: Ints,
    first_state: Ints,
    cards: Ints,
    by_bits: Flags,
    offsets: Ints,
    first: int,
    last: int,
    out: Ints,
) -> None:
    """Add the stored states' co-occurrences of the pairs marked in `by_bits`.

    Of pairs i < j, those with first ≤ i < last.
    """
    words = bits.shape[1]
    n = base.shape[0]
    for i in range(first, last):
        for j in range(i + 1, n):
            if not by_bits[i, j]:
                continue
            for a in range(first_state[i], cards[i]):
                left = bits[base[i] + a - first_state[i]]
                for b in range(first_state[j], cards[j]):
                    right = bits[base[j] + b - first_state[j]]
                    out[offsets[i, j] + a * cards[j] + b] += count_both(left, right, words)


@compiled
def count_pairs_by_histogram(
    codes: Codes, cards: Ints, by_bits: Flags, offsets: Ints, start: int, stop: int, out: Ints
) -> None:
    """Add the tables of the pairs not marked in `by_bits`, row by row."""
    n = codes.shape[0]
    for low in range(start, stop, BLOCK):
        high = min(low + BLOCK, stop)
        for i in range(n):
            left = codes[i, low:high]
            for j in range(i + 1, n):
                if by_bits[i, j]:
                    continue
                right = codes[j, low:high]
                offset = offsets[i, j]
                states, others = cards[i], cards[j]
                for row in range(high - low):
                    a, b = np.int64(left[row]), np.int64(right[row])
                    if a < states and b < others:
                        out[offset + a * others + b] += 1


@compiled
def count_pairs_weighted(
    codes: Codes, weights: Floats, cards: Ints, offsets: Ints, start: int, stop: int, out: Floats
) -> None:
    n = codes.shape[0]
    for low in range(start, stop, BLOCK):
        high = min(low + BLOCK, stop)
        weight = weights[low:high]
        for i in range(n):
            left = codes[i, low:high]
            for j in range(i + 1, n):
                right = codes[j, low:high]
                offset = offsets[i, j]
                states, others = cards[i], cards[j]
                for row in range(high - low):
                    a, b = np.int64(left[row]), np.int64(right[row])
                    if a < states and b < others:
                        out[offset + a * others + b] += weight[row]


@compiled
def count_bits(bits: Words, ones: Ints) -> None:
    for column in range(bits.shape[0]):
        total = np.uint64(0)
        words = bits[column]
        for word in range(words.shape[0]):
            total += popcount(words[word])
        ones[column] += np.int64(total)


@compiled
def fill_implied_states(
    ones: Ints,
    base: Ints,
    first_state: Ints,
    cards: Ints,
    by_bits: Flags,
    offsets: Ints,
    total: int,
    out: Ints,
) -> None:
    """Complete the tables counted by bits: state 0 of a complete column is what the rest leaves.

    `ones[column]` counts the rows of a bit column.
    """
    n = cards.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            if not by_bits[i, j]:
                continue
            offset, others = offsets[i, j], cards[j]
            if first_state[j] == 1:
                for a in range(first_state[i], cards[i]):
                    rest = ones[base[i] + a - first_state[i]]
                    for b in range(1, others):
                        rest -= out[offset + a * others + b]
                    out[offset + a * others] = rest
            if first_state[i] == 1:
                for b in range(first_state[j], others):
                    rest = ones[base[j] + b - first_state[j]]
                    for a in range(1, cards[i]):
                        rest -= out[offset + a * others + b]
                    out[offset + b] = rest
                if first_state[j] == 1:
                    rest = total
                    for b in range(1, others):
                        rest -= out[offset + b]
                    for a in range(1, cards[i]):
                        for b in range(others):
                            rest -= out[offset + a * others + b]
                    out[offset] = rest


@compiled
def split_off(mask: Words, column: Words, words: int, part: Words, rest: Words) -> np.int64:
    """Put the rows of `mask` that `column` has into `part`, take them from `rest`, count them."""
    total = np.uint64(0)
    for word in range(words):
        both = mask[word] & column[word]
        part[word] = both
        rest[word] ^= both
        total += popcount(both)
    return np.int64(total)


@compiled
def list_rows(
    mask: Words,
    words: int,
    key: int,
    codes: Codes,
    low: int,
    members: Ints,
    strides: Ints,
    first_member: int,
    cards: Ints,
    listed: Ints,
    count: int,
) -> int:
    """Append the rows of a mask with their full key, and return how many are listed now."""
    for word in range(words):
        left = mask[word]
        while left != 0:
            lowest = left & (~left + np.uint64(1))
            row = low + word * 64 + np.int64(popcount(lowest - np.uint64(1)))
            left ^= lowest
            whole = key
            complete = True
            for index in range(first_member, members.shape[0]):
                code = np.int64(codes[members[index], row])
                complete &= code < cards[members[index]]
                whole += code * strides[index]
            if complete:
                listed[0, count] = row
                listed[1, count] = whole
                count += 1
    return count


@compiled
def split_rows(
    codes: Codes,
    bits: Words,
    base: Ints,
    first_state: Ints,
    cards: Ints,
    members: Ints,
    low: int,
    rows: int,
    masks: Words,
    result: Ints,
    listed: Ints,
) -> tuple[int, int, int]:
    """Split rows low … low+rows−1 by the joint state of `members`.

    A joint state that many of these rows share becomes a mask, with its key and size in `found`;
    the rows of the rarer ones are listed with their keys. Both `masks` and `found` have two sides,
    used in turn: the answer is the side used last, its masks, and the rows listed.
    """
    words = (rows + 63) // 64
    enough = (words + 3) // 4  # rounded up, so that fewer than 257 joint states can reach it
    strides = np.empty(members.shape[0] + 1, np.int64)
    strides[members.shape[0]] = 1
    for step in range(members.shape[0]):
        index = members.shape[0] - 1 - step
        strides[index] = strides[index + 1] * cards[members[index]]
    strides = strides[1:]
    rest = np.empty(words, np.uint64)
    for word in range(words):
        masks[0, 0, word] = ~np.uint64(0)
    if rows % 64:
        masks[0, 0, words - 1] = (np.uint64(1) << np.uint64(rows % 64)) - np.uint64(1)
    result[0, 0, 0] = 0
    result[0, 0, 1] = rows
    side, mask_count, list_count = 0, 1, 0
    for index in range(members.shape[0]):
        member = members[index]
        split_count = 0
        for m in range(mask_count):
            mask = masks[side, m]
            key, rest_size = result[side, m, 0], result[side, m, 1]
            if base[member] < 0:
                list_count = list_rows(
                    mask, words, key, codes, low, members, strides, index, cards, listed, list_count
                )
                continue
            for word in range(words):
                rest[word] = mask[word]
            for step in range(cards[member]):
                # State 0 of a complete column comes last: what the other states left.
                state = cards[member] - 1 - step
                part = masks[1 - side, split_count]
                if state >= first_state[member]:
                    column = bits[base[member] + state - first_state[member], low // 64 :]
                    size = split_off(mask, column, words, part, rest)
                    rest_size -= size
                else:
                    for word in range(words):
                        part[word] = rest[word]
                    size = rest_size
                whole = key + state * strides[index]
                if size >= enough:
                    result[1 - side, split_count, 0] = whole
                    result[1 - side, split_count, 1] = size
                    split_count += 1
                elif size > 0:
                    after = index + 1
                    list_count = list_rows(
                        part,
                        words,
                        whole,
                        codes,
                        low,
                        members,
                        strides,
                        after,
                        cards,
                        listed,
                        list_count,
                    )
        side, mask_count = 1 - side, split_count
    return side, mask_count, list_count


def split_space(rows: int) -> tuple[Words, Ints, Ints]:
    """Masks, result and list for `split_rows`; made here, as in a kernel it takes long to
    compile."""
    chunk = min(SPLIT_ROWS, rows)
    masks = np.empty((2, 257, (chunk + 63) // 64), np.uint64)
    return masks, np.empty((2, 257, 2), np.int64), np.empty((2, chunk), np.int64)


@compiled
def count_additions(
    codes: Codes,
    bits: Words,
    base: Ints,
    first_state: Ints,
    cards: Ints,
    members: Ints,
    candidates: Ints,
    start: int,
    stop: int,
    offsets: Ints,
    out: Floats,
    masks: Words,
    result: Ints,
    listed: Ints,
) -> None:
    """For each candidate c, add the joint counts of `members` and c at `offsets[k]`, c fastest.

    Frequent joint states of the members are counted by AND and popcount, the rows of rare ones are
    read one by one; as are all rows for a candidate without bit columns. `start` is a multiple of
    64. The last three are `split_space` for these rows.
    """
    chunk = listed.shape[1]
    all_packed = True
    for k in range(candidates.shape[0]):
        all_packed &= base[candidates[k]] >= 0
    for low in range(start, stop, chunk):
        rows = min(chunk, stop - low)
        words = (rows + 63) // 64
        side, mask_count, rare_count = split_rows(
            codes, bits, base, first_state, cards, members, low, rows, masks, result, listed
        )
        list_count = rare_count
        if not all_packed:
            for m in range(mask_count):
                nothing, key = members[:0], result[side, m, 0]
                list_count = list_rows(
                    masks[side, m],
                    words,
                    key,
                    codes,
                    low,
                    nothing,
                    nothing,
                    0,
                    cards,
                    listed,
                    list_count,
                )
        for k in range(candidates.shape[0]):
            c, offset = candidates[k], offsets[k]
            card = cards[c]
            column = codes[c]
            to_read = list_count
            if base[c] >= 0:
                to_read = rare_count
                for m in range(mask_count):
                    cell = offset + result[side, m, 0] * card
                    rest = result[side, m, 1]
                    for state in range(first_state[c], card):
                        having = bits[base[c] + state - first_state[c], low // 64 :]
                        both = count_both(masks[side, m], having, words)
                        out[cell + state] += both
                        rest -= both
                    if first_state[c] == 1:
                        out[cell] += rest
            for index in range(to_read):
                code = np.int64(column[listed[0, index]])
                if code < card:
                    out[offset + listed[1, index] * card + code] += 1.0


@compiled
def count_additions_weighted(
    codes: Codes,
    weights: Floats,
    cards: Ints,
    missing: int,
    members: Ints,
    candidates: Ints,
    start: int,
    stop: int,
    offsets: Ints,
    out: Floats,
) -> None:
    keys = np.empty(BLOCK, np.int64)
    for low in range(start, stop, BLOCK):
        high = min(low + BLOCK, stop)
        fill_keys(codes, members, cards, missing, low, high, keys)
        weight = weights[low:high]
        for k in range(candidates.shape[0]):
            card = cards[candidates[k]]
            column = codes[candidates[k], low:high]
            offset = offsets[k]
            for row in range(high - low):
                code = np.int64(column[row])
                if keys[row] >= 0 and code < card:
                    out[offset + keys[row] * card + code] += weight[row]


@compiled
def count_joint_by_fold(
    codes: Codes,
    weights: Floats,
    copies: Ints,
    folds: NDArray[np.uint8],
    variables: Ints,
    cards: Ints,
    missing: int,
    out: Floats,
) -> None:
    """Add each row to the tables of its folds.

    A row has as many entries of `folds` as `copies` gives, one where that is empty, each with its
    weight, 1 where there are none.
    """
    keys = np.empty(BLOCK, np.int64)
    rows = codes.shape[1]
    unit = 0
    for low in range(0, rows, BLOCK):
        high = min(low + BLOCK, rows)
        fill_keys(codes, variables, cards, missing, low, high, keys)
        for row in range(high - low):
            times = copies[low + row] if copies.shape[0] else 1
            if keys[row] >= 0:
                for copy in range(times):
                    weight = weights[unit + copy] if weights.shape[0] else 1.0
                    out[folds[unit + copy], keys[row]] += weight
            unit += times
