"""Loops over missing cells: the parts in every row, their sums and expected counts.

Given a row's observed cells, its missing cells fall into parts that are independent of each other.
A part with the observed cells around it is a case; equal cases of many rows are one. A workspace is
allocated once for each call and marks visited nodes by stamps, so that it is never cleared.

The loops run compiled (missing_cells_kernels.py), or as they stand over few rows in a fresh
process, which would spend longer loading the compiler.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Codes = NDArray[Any]

# Below this a product of probabilities is scaled up, so that no number of tables underflows.
SMALLEST_PRODUCT = 1e-200


class Walk(NamedTuple):
    """A graph as every walk over a row needs it: each variable's table and children."""

    cards: Ints
    order: Ints
    member_at: Ints
    members: Ints
    child_at: Ints
    children: Ints


class Listed(NamedTuple):
    """Cases as the loops over their joint states need them; see `lay_out_cases`."""

    var_at: Ints
    table_at: Ints
    stride_at: Ints
    variables: Ints
    cells: Ints
    strides: Ints


class Workspace(NamedTuple):
    """Buffers of a walk; a variable or table with the walk's stamp has been visited."""

    silent: Bytes
    var_stamp: Ints
    table_stamp: Ints
    near_stamp: Ints
    variables: Ints
    tables: Ints
    near: Ints


def new_workspace(n: int) -> Workspace:
    """Buffers for walks over `n` variables."""
    return Workspace(
        np.zeros(n, dtype=np.uint8),
        np.full(n, -1),
        np.full(n, -1),
        np.full(n, -1),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
    )


def mark_silent(column: Codes, missing: int, walk: Walk, prunes: bool, silent: Bytes) -> None:
    """Mark the missing cells of a row without information: all their descendants are missing
    too."""
    order, child_at, children = walk.order, walk.child_at, walk.children
    for index in range(order.shape[0] - 1, -1, -1):
        v = order[index]
        silent[v] = 1 if prunes and column[v] == missing else 0
        if silent[v] == 1:
            for i in range(child_at[v], child_at[v + 1]):
                if silent[children[i]] == 0:
                    silent[v] = 0


def walk_part(
    column: Codes,
    missing: int,
    start: int,
    walk: Walk,
    stamp: int,
    workspace: Workspace,
) -> tuple[int, int, int]:
    """The missing variables that hang together with `start`, the tables they occur in, and all
    variables of those tables; how many of each."""
    _, _, member_at, members, child_at, children = walk
    silent, var_stamp, table_stamp, near_stamp, variables, tables, near = workspace
    variables[0] = start
    var_stamp[start] = stamp
    var_count, table_count, near_count, done = 1, 0, 0, 0
    while done < var_count:
        v = variables[done]
        done += 1
        for i in range(child_at[v] - 1, child_at[v + 1]):
            t = v if i < child_at[v] else children[i]
            if silent[t] == 1 or table_stamp[t] == stamp:
                continue
            table_stamp[t] = stamp
            tables[table_count] = t
            table_count += 1
            for j in range(member_at[t], member_at[t + 1]):
                u = members[j]
                if near_stamp[u] != stamp:
                    near_stamp[u] = stamp
                    near[near_count] = u
                    near_count += 1
                    if column[u] == missing and var_stamp[u] != stamp:
                        var_stamp[u] = stamp
                        variables[var_count] = u
                        var_count += 1
    return var_count, table_count, near_count


def find_parts(
    rows: Codes,
    missing: int,
    walk: Walk,
    prunes: bool,
    hashes: Words,
    begin: int,
    end: int,
    result: int,
    keys: Words,
    indices: Ints,
    sizes: Floats,
) -> int:
    """Every part of the rows from `begin` to `end`, after the `result` parts so far.

    `rows` is rows × variables. A part's two keys are sums of random hashes of the codes in and
    around it; `indices` has its row, first variable and numbers of variables and tables; `sizes`
    how many joint states it has. Returns how many parts there are then.
    """
    cards = walk.cards
    n = cards.shape[0]
    workspace = new_workspace(n)
    silent, var_stamp, _, _, variables, _, near = workspace
    for row in range(begin, end):
        column = rows[row]
        mark_silent(column, missing, walk, prunes, silent)
        first = result
        for v in range(n):
            if column[v] != missing or silent[v] == 1 or var_stamp[v] >= first:
                continue
            var_count, table_count, near_count = walk_part(
                column, missing, v, walk, result, workspace
            )
            one, other = np.uint64(0), np.uint64(0)
            for i in range(near_count):
                u = near[i]
                code = cards[u] if column[u] == missing else np.int64(column[u])
                one += hashes[u, code, 0]
                other += hashes[u, code, 1]
            keys[result, 0], keys[result, 1] = one, other
            indices[result, 0], indices[result, 1] = row, v
            indices[result, 2], indices[result, 3] = var_count, table_count
            states = 1.0
            for i in range(var_count):
                states *= cards[variables[i]]
            sizes[result] = states
            result += 1
    return result


def lay_out_cases(
    rows: Codes,
    missing: int,
    walk: Walk,
    prunes: bool,
    table_from: Ints,
    indices: Ints,
    listed: Listed,
) -> None:
    """Per case its variables, and per table the cell where they all are in state 0 and how far
    apart each one's states are."""
    cards, _, member_at, members, _, _ = walk
    var_at, table_at, stride_at, variables, cells, strides = listed
    n = cards.shape[0]
    workspace = new_workspace(n)
    inside, tables = workspace.variables, workspace.tables
    position_of = np.zeros(n, dtype=np.int64)
    for case in range(indices.shape[0]):
        column = rows[indices[case, 0]]
        mark_silent(column, missing, walk, prunes, workspace.silent)
        var_count, table_count, _ = walk_part(
            column, missing, indices[case, 1], walk, case, workspace
        )
        for i in range(var_count):
            variables[var_at[case] + i] = inside[i]
            position_of[inside[i]] = i
        for t in range(table_count):
            at = stride_at[case] + t * var_count
            stride, cell = 1, table_from[tables[t]]
            for j in range(member_at[tables[t] + 1] - 1, member_at[tables[t]] - 1, -1):
                u = members[j]
                if column[u] == missing:
                    strides[at + position_of[u]] = stride
                else:
                    cell += stride * np.int64(column[u])
                stride *= cards[u]
            cells[table_at[case] + t] = cell


def weigh_case(
    case: int,
    cards: Ints,
    listed: Listed,
    tables: Floats,
    product: Floats,
    where: Ints,
) -> tuple[int, float, float]:
    """The product of a case's tables for each joint state of its variables, the first fastest.

    Returns how many states there are, the sum over them, and the log2 it was scaled by; `where` has
    the cell of each table in each state.
    """
    var_at, table_at, stride_at, variables, cells, strides = listed
    var_count = var_at[case + 1] - var_at[case]
    states = 1
    for i in range(var_at[case], var_at[case + 1]):
        states *= cards[variables[i]]
    for s in range(states):
        product[s] = 1.0
    log2_scale = 0.0
    for t in range(table_at[case + 1] - table_at[case]):
        base, at = t * states, stride_at[case] + t * var_count
        where[base] = cells[table_at[case] + t]
        length = 1
        for i in range(var_count):
            step = strides[at + i]
            card = cards[variables[var_at[case] + i]]
            for d in range(1, card):
                for j in range(length):
                    where[base + d * length + j] = where[base + j] + d * step
            length *= card
        largest = 0.0
        for s in range(states):
            product[s] *= tables[where[base + s]]
            largest = max(largest, product[s])
        if 0.0 < largest < SMALLEST_PRODUCT:
            log2_scale += math.log2(largest)
            for s in range(states):
                product[s] /= largest
    total = 0.0
    for s in range(states):
        total += product[s]
    return states, total, log2_scale


def weigh_cases(
    cards: Ints, listed: Listed, tables: Floats, product: Floats, where: Ints, logs: Floats
) -> None:
    """log2 of the sum of every case over its joint states, into `logs`."""
    for case in range(logs.shape[0]):
        _, total, log2_scale = weigh_case(case, cards, listed, tables, product, where)
        logs[case] = math.log2(total) + log2_scale if total > 0.0 else -math.inf


def expect_cases(
    begin: int,
    end: int,
    weights: Floats,
    cards: Ints,
    listed: Listed,
    tables: Floats,
    product: Floats,
    where: Ints,
    counts: Floats,
) -> tuple[float, int]:
    """Add the expected counts of cases to `counts`; their log2-likelihood, and −1 or the first case
    that is impossible."""
    log2_likelihood = 0.0
    table_at = listed.table_at
    for case in range(begin, end):
        states, total, log2_scale = weigh_case(case, cards, listed, tables, product, where)
        if not total > 0.0:
            return log2_likelihood, case
        log2_likelihood += weights[case] * (math.log2(total) + log2_scale)
        fraction = weights[case] / total
        for s in range(states):
            product[s] *= fraction
        for t in range(table_at[case + 1] - table_at[case]):
            for s in range(states):
                counts[where[t * states + s]] += product[s]
    return log2_likelihood, -1


def complete_cases(
    begin: int,
    end: int,
    cards: Ints,
    listed: Listed,
    tables: Floats,
    product: Floats,
    where: Ints,
    summed: Floats,
    part_at: Ints,
    parts: Ints,
    row_of: Ints,
    radix: Ints,
    first_copy: Ints,
    copies: Ints,
    is_drawn: Bytes,
    points: Floats,
    out_codes: Codes,
    out_weights: Floats,
) -> int:
    """Fill the missing cells of every row's copies, part by part; −1, or an impossible case.

    The copies of a row are all its completions, whose weights are multiplied by their
    probabilities, or, where these are too many, draws by the numbers in `points`.
    """
    var_at, variables = listed.var_at, listed.variables
    for case in range(begin, end):
        states, total, _ = weigh_case(case, cards, listed, tables, product, where)
        if not total > 0.0:
            return case
        running = 0.0
        for s in range(states):
            running += product[s]
            summed[s] = running
        for p in range(part_at[case], part_at[case + 1]):
            part = parts[p]
            row = row_of[part]
            for k in range(copies[row]):
                copy = first_copy[row] + k
                if is_drawn[row] == 1:
                    target = points[part, k] * running
                    low, high = 0, states - 1
                    while low < high:
                        middle = (low + high) // 2
                        if summed[middle] > target:
                            high = middle
                        else:
                            low = middle + 1
                    state = low
                else:
                    state = k // radix[part] % states
                    out_weights[copy] *= product[state] / running
                for i in range(var_at[case], var_at[case + 1]):
                    card = cards[variables[i]]
                    out_codes[copy, variables[i]] = state % card
                    state //= card
    return -1
