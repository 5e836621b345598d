"""Compiled counting; integers are exact, rows missing a cell that is asked for are skipped."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.compiled import compiled, popcount
from pgmstudio.core.data.dataset import Codes

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
Flags = NDArray[np.bool_]

BLOCK = 4096


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
    for place in range(variables.shape[0]):
        card = cards[variables[place]]
        column = codes[variables[place], start:stop]
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
    counts = np.zeros(lanes * cells, np.int64)
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
def count_pairs_by_bits(
    bits: Words,
    base: Ints,
    first_state: Ints,
    cards: Ints,
    by_bits: Flags,
    offsets: Ints,
    out: Ints,
) -> None:
    """Add the stored states' co-occurrences of the pairs marked in `by_bits`."""
    words = bits.shape[1]
    n = base.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            if not by_bits[i, j]:
                continue
            for a in range(first_state[i], cards[i]):
                left = bits[base[i] + a - first_state[i]]
                for b in range(first_state[j], cards[j]):
                    right = bits[base[j] + b - first_state[j]]
                    together = np.uint64(0)
                    for word in range(words):
                        together += popcount(left[word] & right[word])
                    out[offsets[i, j] + a * cards[j] + b] += np.int64(together)


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
    rows: Ints,
    keys: Ints,
    count: int,
) -> int:
    """Append the rows of a mask with their full key, and return how many are listed now."""
    for word in range(words):
        left = mask[word]
        while left != 0:
            lowest = left & (~left + np.uint64(1))
            row = low + word * 64 + np.int64(popcount(lowest - np.uint64(1)))
            left ^= lowest
            whole = np.int64(key)
            complete = True
            for place in range(first_member, members.shape[0]):
                code = np.int64(codes[members[place], row])
                complete &= code < cards[members[place]]
                whole += code * strides[place]
            if complete:
                rows[count] = row
                keys[count] = whole
                count += 1
    return count


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
) -> None:
    """For each candidate c, add the joint counts of `members` and c at `offsets[k]`, c fastest.

    Within a chunk of rows, a joint state of the members that many rows share is a bit mask, counted
    by AND and popcount; the rows of the rarer ones are listed and read one by one. At most 256
    masks can be that frequent.
    """
    chunk = 32768
    most = 257
    strides = np.ones(members.shape[0], np.int64)
    for place in range(members.shape[0] - 2, -1, -1):
        strides[place] = strides[place + 1] * cards[members[place + 1]]
    masks, split = (
        np.empty((most, chunk // 64), np.uint64),
        np.empty((most, chunk // 64), np.uint64),
    )
    keys, split_keys = np.empty(most, np.int64), np.empty(most, np.int64)
    sizes, split_sizes = np.empty(most, np.int64), np.empty(most, np.int64)
    listed, listed_keys = np.empty(chunk, np.int64), np.empty(chunk, np.int64)
    rest = np.empty(chunk // 64, np.uint64)
    for low in range(start, stop, chunk):
        rows = min(chunk, stop - low)
        words = (rows + 63) // 64
        first_word = low // 64
        enough = max(words // 4, 1)
        for word in range(words):
            masks[0, word] = ~np.uint64(0)
        if rows % 64:
            masks[0, words - 1] = (np.uint64(1) << np.uint64(rows % 64)) - np.uint64(1)
        keys[0], sizes[0] = 0, rows
        mask_count, list_count = 1, 0
        for place in range(members.shape[0]):
            member, stride = members[place], strides[place]
            split_count = 0
            for m in range(mask_count):
                mask = masks[m]
                if base[member] < 0:
                    list_count = list_rows(
                        mask,
                        words,
                        keys[m],
                        codes,
                        low,
                        members,
                        strides,
                        place,
                        cards,
                        listed,
                        listed_keys,
                        list_count,
                    )
                    continue
                for word in range(words):
                    rest[word] = mask[word]
                rest_size = sizes[m]
                for step in range(cards[member]):
                    # State 0 of a complete column comes last: what the other states left.
                    state = cards[member] - 1 - step
                    key = keys[m] + state * stride
                    target = split[split_count]
                    if state >= first_state[member]:
                        column = bits[base[member] + state - first_state[member], first_word:]
                        size = np.uint64(0)
                        for word in range(words):
                            both = mask[word] & column[word]
                            target[word] = both
                            rest[word] ^= both
                            size += popcount(both)
                        split_size = np.int64(size)
                        rest_size -= split_size
                    else:
                        for word in range(words):
                            target[word] = rest[word]
                        split_size = rest_size
                    if split_size >= enough:
                        split_keys[split_count] = key
                        split_sizes[split_count] = split_size
                        split_count += 1
                    elif split_size > 0:
                        list_count = list_rows(
                            target,
                            words,
                            key,
                            codes,
                            low,
                            members,
                            strides,
                            place + 1,
                            cards,
                            listed,
                            listed_keys,
                            list_count,
                        )
            masks, split = split, masks
            keys, split_keys = split_keys, keys
            sizes, split_sizes = split_sizes, sizes
            mask_count = split_count
        for k in range(candidates.shape[0]):
            c = candidates[k]
            card = cards[c]
            codes_of = codes[c]
            offset = offsets[k]
            if base[c] < 0:
                for m in range(mask_count):
                    for word in range(words):
                        left = masks[m, word]
                        while left != 0:
                            lowest = left & (~left + np.uint64(1))
                            row = low + word * 64 + np.int64(popcount(lowest - np.uint64(1)))
                            left ^= lowest
                            code = np.int64(codes_of[row])
                            if code < card:
                                out[offset + keys[m] * card + code] += 1.0
            else:
                for m in range(mask_count):
                    mask = masks[m]
                    cell = offset + keys[m] * card
                    left_over = sizes[m]
                    for state in range(first_state[c], card):
                        column = bits[base[c] + state - first_state[c], first_word:]
                        size = np.uint64(0)
                        for word in range(words):
                            size += popcount(mask[word] & column[word])
                        out[cell + state] += np.float64(size)
                        left_over -= np.int64(size)
                    if first_state[c] == 1:
                        out[cell] += np.float64(left_over)
            for place in range(list_count):
                code = np.int64(codes_of[listed[place]])
                if code < card:
                    out[offset + listed_keys[place] * card + code] += 1.0


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
    """Add each row to the table of its copies' folds; a row's weight is shared by its copies.

    `folds` has one entry per copy; `copies` and `weights` may be empty: one copy, weight 1.
    """
    keys = np.empty(BLOCK, np.int64)
    rows = codes.shape[1]
    unit = 0
    for low in range(0, rows, BLOCK):
        high = min(low + BLOCK, rows)
        fill_keys(codes, variables, cards, missing, low, high, keys)
        for row in range(high - low):
            times = copies[low + row] if copies.shape[0] else 1
            share = weights[low + row] / times if weights.shape[0] and times else 1.0
            if keys[row] >= 0:
                for copy in range(times):
                    out[folds[unit + copy], keys[row]] += share
            unit += times
