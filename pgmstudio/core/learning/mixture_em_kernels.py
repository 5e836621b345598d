"""The passes over complete rows in EM for mixtures of trees, and the tables of the trees.

Numbers of all components stand side by side, `width` of them (the components, padded to a multiple
of 4). Sums over pairs of cells i ≤ j stand at `offsets[i] + j`: the upper half of a square.
"""

from __future__ import annotations

import math
from typing import Any

from pgmstudio.core.compiled import compiled
from pgmstudio.core.learning.lane_kernels import gather, scatter

# The logarithm that stands for log 0: such a row's share is 0, and sums with it stay exact enough.
_NEVER = -1e5


@compiled
def expect_rows(
    starts: Any,
    cells: Any,
    variable_of: Any,
    states: Any,
    begin: int,
    end: int,
    base: Any,
    alone: Any,
    with_parent: Any,
    pair_at: Any,
    parents: Any,
    width: int,
    flat_logs: Any,
    logs: Any,
) -> None:
    """logs[row − begin, k] = log λ_k T^k(row), from what every cell adds to the reference row.

    A cell adds `alone`, and with its parent's state s another `with_parent[pair_at + s]`, 0 for
    the reference state (Meilă 1999, §5.5, for any number of states).
    """
    count = base.size
    for row in range(begin, end):
        mine, here = logs[row - begin], states[row]
        for k in range(count):
            mine[k] = base[k]
        first, last = starts[row], starts[row + 1]
        gather(alone, 0, width, cells, first, last, flat_logs, (row - begin) * width)
        for one in range(first, last):
            cell = cells[one]
            at, above = pair_at[cell], parents[variable_of[cell]]
            for k in range(count):
                mine[k] += with_parent[at[k] + here[above[k]]]


@compiled
def add_pairs(
    starts: Any,
    cells: Any,
    offsets: Any,
    shares: Any,
    width: int,
    begin: int,
    end: int,
    cell_ends: Any,
    row_of: Any,
    place_of: Any,
    sums: Any,
) -> None:
    """sums[offsets[i] + j] += shares[row − begin] for every two cells i ≤ j of a row.

    The cells of these rows are sorted first, so that the sums of one cell stay in the fast cache.
    """
    count = offsets.size
    for cell in range(count + 1):
        cell_ends[cell] = 0
    for place in range(starts[begin], starts[end]):
        cell_ends[cells[place] + 1] += 1
    for cell in range(count):
        cell_ends[cell + 1] += cell_ends[cell]
    for row in range(begin, end):
        for place in range(starts[row], starts[row + 1]):
            at = cell_ends[cells[place]]
            row_of[at], place_of[at] = row, place
            cell_ends[cells[place]] = at + 1
    first = 0
    for cell in range(count):
        for at in range(first, cell_ends[cell]):
            row, place = row_of[at], place_of[at]
            mine = (row - begin) * width
            scatter(sums, offsets[cell], width, cells, place, starts[row + 1], shares, mine)
        first = cell_ends[cell]


@compiled
def smoothed_pairs(
    sums: Any, width: int, k: int, mass: float, share: float, prior: Any, found: Any
) -> None:
    """P̃ of every pair of cells: (1 − share) · sums of component k / mass + share · prior."""
    own = (1.0 - share) / mass if mass > 0.0 else 0.0
    for at in range(prior.size):
        found[at] = own * sums[at * width + k] + share * prior[at]


# Stands for 0 in tables whose logarithms are taken: x log x is 0 for both.
_TINY = 1e-300


@compiled
def fill_joints(pairs: Any, offsets: Any, cell_at: Any, begin: int, end: int, joints: Any) -> int:
    """The joint tables of variables u = begin … end − 1 with every v > u, one after another.

    A table is r_u × r_v, states numbered from the reference state 0, whose cells follow from sums.
    Returns how many numbers were written.
    """
    at = 0
    for u in range(begin, end):
        u_first, u_last = cell_at[u], cell_at[u + 1]
        for v in range(u + 1, cell_at.size - 1):
            v_first, v_last = cell_at[v], cell_at[v + 1]
            card = v_last - v_first + 1
            corner = 1.0
            for j in range(v_first, v_last):
                alone = pairs[offsets[j] + j]
                joints[at + j - v_first + 1] = alone
                corner -= alone
            for i in range(u_first, u_last):
                line, offset = at + (i - u_first + 1) * card, offsets[i]
                rest = pairs[offset + i]
                for j in range(v_first, v_last):
                    both = pairs[offset + j]
                    joints[line + j - v_first + 1] = max(both, _TINY)
                    joints[at + j - v_first + 1] -= both
                    rest -= both
                joints[line] = max(rest, _TINY)
                corner -= rest
            for j in range(1, card):
                joints[at + j] = max(joints[at + j], _TINY)
            joints[at] = max(corner, _TINY)
            at += (u_last - u_first + 1) * card
    return at


@compiled
def sum_joints(
    joints: Any, logs: Any, cell_at: Any, begin: int, end: int, entropies: Any, information: Any
) -> None:
    """I(u;v) = H(u) + H(v) + Σ P log P of the tables that `fill_joints` wrote, never below 0."""
    at = 0
    for u in range(begin, end):
        for v in range(u + 1, cell_at.size - 1):
            size = (cell_at[u + 1] - cell_at[u] + 1) * (cell_at[v + 1] - cell_at[v] + 1)
            found = entropies[u] + entropies[v]
            for place in range(at, at + size):
                found += joints[place] * logs[place]
            at += size
            found = max(found, 0.0)
            information[u, v] = found
            information[v, u] = found


@compiled
def fill_entropies(pairs: Any, offsets: Any, cell_at: Any, entropies: Any) -> None:
    """H(v) in nats of every variable."""
    for v in range(cell_at.size - 1):
        rest = 1.0
        entropies[v] = 0.0
        for i in range(cell_at[v], cell_at[v + 1]):
            alone = max(pairs[offsets[i] + i], _TINY)
            rest -= alone
            entropies[v] -= alone * math.log(alone)
        rest = max(rest, _TINY)
        entropies[v] -= rest * math.log(rest)


@compiled
def conditional_table(
    pairs: Any, offsets: Any, cell_at: Any, parent: int, v: int, table: Any, at: int
) -> None:
    """table[at + y·r + x] = P(v = x | parent = y), one row for a root; even without any rows."""
    v_first, v_last = cell_at[v], cell_at[v + 1]
    card = v_last - v_first + 1
    rows = 1
    corner = 1.0
    for j in range(v_first, v_last):
        alone = pairs[offsets[j] + j]
        table[at + j - v_first + 1] = alone
        corner -= alone
    if parent >= 0:
        rows = cell_at[parent + 1] - cell_at[parent] + 1
        for i in range(cell_at[parent], cell_at[parent + 1]):
            line = at + (i - cell_at[parent] + 1) * card
            rest = pairs[offsets[i] + i]
            for j in range(v_first, v_last):
                both = pairs[offsets[i] + j] if i < j else pairs[offsets[j] + i]
                table[line + j - v_first + 1] = both
                table[at + j - v_first + 1] -= both
                rest -= both
            table[line] = rest
            corner -= rest
    table[at] = corner
    for y in range(rows):
        mass = 0.0
        for x in range(card):
            place = at + y * card + x
            table[place] = max(table[place], 0.0)
            mass += table[place]
        for x in range(card):
            place = at + y * card + x
            table[place] = table[place] / mass if mass > 0.0 else 1.0 / card


@compiled
def fill_tables(
    pairs: Any, offsets: Any, cell_at: Any, forest: Any, table_at: Any, tables: Any
) -> None:
    """The tables of one tree, that of v at `table_at[v]`."""
    for v in range(cell_at.size - 1):
        conditional_table(pairs, offsets, cell_at, forest[v], v, tables, table_at[v])


@compiled
def _log(value: float) -> float:
    return math.log(value) if value > 1e-300 else _NEVER


@compiled
def tree_terms(
    tables: Any,
    table_at: Any,
    cell_at: Any,
    forest: Any,
    k: int,
    lanes: int,
    begin: int,
    base: Any,
    alone: Any,
    with_parent: Any,
    pair_at: Any,
    parents: Any,
) -> None:
    """Write what `expect_rows` needs for tree k, its own part of `with_parent` from `begin` on.

    `with_parent` begins with zeros for every state of the first variable, for the cells of roots.
    """
    width = cell_at.size - 1
    base[k] = 0.0
    for i in range(cell_at[width]):
        alone[i * lanes + k] = 0.0
    for v in range(width):
        parent, at = forest[v], table_at[v]
        card = cell_at[v + 1] - cell_at[v] + 1
        corner = _log(tables[at])
        base[k] += corner
        for x in range(1, card):
            alone[(cell_at[v] + x - 1) * lanes + k] += _log(tables[at + x]) - corner
        parents[v, k] = max(parent, 0)
        if parent < 0:
            for x in range(1, card):
                pair_at[cell_at[v] + x - 1, k] = 0
            continue
        above = cell_at[parent + 1] - cell_at[parent] + 1
        for y in range(1, above):
            alone[(cell_at[parent] + y - 1) * lanes + k] += _log(tables[at + y * card]) - corner
        for x in range(1, card):
            pair_at[cell_at[v] + x - 1, k] = begin
            with_parent[begin] = 0.0
            for y in range(1, above):
                with_parent[begin + y] = (
                    _log(tables[at + y * card + x])
                    - _log(tables[at + x])
                    - _log(tables[at + y * card])
                    + corner
                )
            begin += above


@compiled
def new_edges(before: Any, after: Any) -> int:
    """How many undirected edges of `after` are not in `before`."""
    count = 0
    for v in range(after.size):
        parent = after[v]
        if parent >= 0 and before[v] != parent and before[parent] != v:
            count += 1
    return count
