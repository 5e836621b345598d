"""Rows with missing cells in EM for mixtures of trees, exactly: messages, then expected pairs.

Given the observed cells a tree is again a tree, with P(x | parent, rest) instead of its
tables; two missing variables depend on each other only along a path of missing ones.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pgmstudio.core.numba_support import compiled

# Below this a message is scaled up, so that no product of many of them underflows.
_SMALL = 1e-60


@compiled
def parents_first(forest: Any, order: Any) -> None:
    """Fill `order` with all variables, parents before their children."""
    width = forest.size
    done = np.zeros(width, np.bool_)
    filled = 0
    while filled < width:
        for v in range(width):
            if not done[v] and (forest[v] < 0 or done[forest[v]]):
                done[v] = True
                order[filled] = v
                filled += 1


@compiled
def _collect(
    here: Any,
    order: Any,
    forest: Any,
    table_at: Any,
    tables: Any,
    state_at: Any,
    below: Any,
    messages: Any,
) -> float:
    """ln T(observed cells), and the messages to each variable and its parent.

    `below[state]` is P(cells below | state), up to a factor; `messages[v]` starts at `above_at` =
    table_at and has a number per state of the parent, on the same scale.
    """
    width = order.size
    total = 0.0
    for index in range(state_at[width]):
        below[index] = 1.0
    for step in range(width - 1, -1, -1):
        v = order[step]
        at, parent, own = table_at[v], forest[v], state_at[v]
        card = state_at[v + 1] - own
        lines = 1 if parent < 0 else state_at[parent + 1] - state_at[parent]
        state = here[v]
        largest = 0.0
        for y in range(lines):
            message = 0.0
            if state >= 0:
                message = tables[at + y * card + state] * below[own + state]
            else:
                for x in range(card):
                    message += tables[at + y * card + x] * below[own + x]
            messages[at + y] = message
            largest = max(largest, message)
        if largest <= 0.0:
            return -math.inf
        if parent < 0:
            total += math.log(largest)
            continue
        top = 0.0
        for y in range(lines):
            below[state_at[parent] + y] *= messages[at + y]
            top = max(top, below[state_at[parent] + y])
        if top <= 0.0:
            return -math.inf
        if top < _SMALL:
            total += math.log(top)
            for y in range(lines):
                below[state_at[parent] + y] /= top
    return total


@compiled
def expect_gap_rows(
    states: Any,
    begin: int,
    end: int,
    log_weights: Any,
    orders: Any,
    forests: Any,
    table_at: Any,
    tables: Any,
    state_at: Any,
    logs: Any,
) -> None:
    """logs[row − begin, k] = log λ_k T^k(observed cells)."""
    below, messages = np.empty(state_at[-1]), np.empty(tables.shape[1])
    for k in range(forests.shape[0]):
        for row in range(begin, end):
            result = _collect(
                states[row], orders[k], forests[k], table_at, tables[k], state_at, below, messages
            )
            # As in `expect_rows`, a very small number stands for log 0.
            logs[row - begin, k] = log_weights[k] + max(result, -1e5)


@compiled
def add_gap_pairs(
    states: Any,
    begin: int,
    end: int,
    fractions: Any,
    width: int,
    orders: Any,
    forests: Any,
    table_at: Any,
    tables: Any,
    state_at: Any,
    cell_at: Any,
    rank_of: Any,
    offsets: Any,
    size: int,
    sums: Any,
) -> None:
    """sums[offsets[i] + j] of component k += responsibility · P(i, j | observed cells), by
    ranks."""
    count = forests.shape[1]
    below, messages = np.empty(state_at[-1]), np.empty(tables.shape[1])
    posterior = np.zeros(state_at[-1])
    joint = np.zeros((size, size))
    index_of = np.full(count, -1)  # index of the states of a missing variable in `joint`
    block = np.zeros(count, np.int64)
    cells, cell_of = np.empty(cell_at[-1], np.int64), np.empty(cell_at[-1], np.int64)
    chances = np.empty(cell_at[-1])
    for k in range(forests.shape[0]):
        forest, table = forests[k], tables[k]
        for row in range(begin, end):
            fraction = fractions[row - begin, k]
            if fraction <= 0.0:
                continue
            here = states[row]
            if (
                _collect(here, orders[k], forest, table_at, table, state_at, below, messages)
                == -math.inf
            ):
                continue
            _posteriors(
                here,
                orders[k],
                forest,
                table_at,
                table,
                state_at,
                below,
                messages,
                posterior,
                joint,
                index_of,
                block,
            )
            used = 0
            for v in range(count):
                for x in range(1, state_at[v + 1] - state_at[v]):
                    chance = posterior[state_at[v] + x]
                    if chance > 0.0:
                        cells[used], cell_of[used] = cell_at[v] + x - 1, v
                        chances[used] = chance
                        used += 1
            for one in range(used):
                u, i = cell_of[one], cells[one]
                mine = rank_of[i]
                sums[(offsets[mine] + mine) * width + k] += fraction * chances[one]
                for other in range(one + 1, used):
                    v, j = cell_of[other], cells[other]
                    if u == v:
                        continue
                    both = chances[one] * chances[other]
                    if here[u] < 0 and here[v] < 0 and block[u] == block[v]:
                        both = joint[
                            index_of[u] + i - cell_at[u] + 1, index_of[v] + j - cell_at[v] + 1
                        ]
                    rank = rank_of[j]
                    index = offsets[mine] + rank if mine < rank else offsets[rank] + mine
                    sums[index * width + k] += fraction * both


@compiled
def _posteriors(
    here: Any,
    order: Any,
    forest: Any,
    table_at: Any,
    table: Any,
    state_at: Any,
    below: Any,
    messages: Any,
    posterior: Any,
    joint: Any,
    index_of: Any,
    block: Any,
) -> None:
    """P(x_v | observed cells) of every variable, and P(x_u, x_v | …) along missing paths.

    `block` numbers the connected parts of the missing variables; `joint` is valid inside a block.
    """
    count = order.size
    filled = 0
    for step in range(count):
        v = order[step]
        at, own, parent = table_at[v], state_at[v], forest[v]
        card = state_at[v + 1] - own
        if here[v] >= 0:
            for x in range(card):
                posterior[own + x] = 1.0 if x == here[v] else 0.0
            continue
        index_of[v] = filled
        filled += card
        is_free = parent < 0 or here[parent] >= 0
        block[v] = v if is_free else block[parent]
        if is_free:
            y = 0 if parent < 0 else here[parent]
            for x in range(card):
                chance = table[at + y * card + x] * below[own + x] / messages[at + y]
                posterior[own + x] = chance
            for x in range(card):
                for z in range(card):
                    joint[index_of[v] + x, index_of[v] + z] = 0.0
                joint[index_of[v] + x, index_of[v] + x] = posterior[own + x]
            continue
        lines, above = state_at[parent + 1] - state_at[parent], index_of[parent]
        # P(x_u, x_v) = Σ_y P(x_u, y) P(x_v | y), for every u of the block that came before.
        for earlier in range(step):
            u = order[earlier]
            if here[u] >= 0 or block[u] != block[v]:
                continue
            for a in range(state_at[u + 1] - state_at[u]):
                for x in range(card):
                    chance = 0.0
                    for y in range(lines):
                        before = joint[index_of[u] + a, above + y]
                        if before > 0.0:
                            chance += (
                                before
                                * table[at + y * card + x]
                                * below[own + x]
                                / messages[at + y]
                            )
                    joint[index_of[u] + a, index_of[v] + x] = chance
                    joint[index_of[v] + x, index_of[u] + a] = chance
        for x in range(card):
            posterior[own + x] = 0.0
            for y in range(lines):
                posterior[own + x] += joint[above + y, index_of[v] + x]
        for x in range(card):
            for z in range(card):
                joint[index_of[v] + x, index_of[v] + z] = 0.0
            joint[index_of[v] + x, index_of[v] + x] = posterior[own + x]
