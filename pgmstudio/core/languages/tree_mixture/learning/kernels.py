"""The E step over complete rows in EM for mixtures of trees, and the tables of the trees.

Numbers of all components are adjacent, `width` of them (the components, padded to a multiple
of 4). Pairs of cells i ≤ j stand at `offsets[i] + j`: the upper half of a square. In the sums over
the rows the cells are numbered by their ranks (see `sparse_rows`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pgmstudio.core.learning.responsibilities_kernels import gather
from pgmstudio.core.numba_support import add_where, compiled

# Stands for log 0: the responsibility for such a row is 0, and sums with it stay exact enough.
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
def list_terms(
    variable_of: Any,
    cell_at: Any,
    alone: Any,
    with_parent: Any,
    pair_at: Any,
    parents: Any,
    width: int,
    ends: Any,
    firsts: Any,
    seconds: Any,
    terms: Any,
) -> None:
    """What `expect_tiles` adds: per tree the cells, each with its parent's, up to `ends`.

    terms[2e] is added where cell firsts[e] is there, terms[2e + 1] where seconds[e] is as well.
    """
    at = 0
    for k in range(ends.size):
        for cell in range(variable_of.size):
            own, above = alone[cell * width + k], parents[variable_of[cell], k]
            index = pair_at[cell, k]
            if index == 0 or cell_at[above] == cell_at[above + 1]:
                firsts[at], seconds[at] = cell, cell
                terms[2 * at], terms[2 * at + 1] = own, own
                at += 1
                continue
            for other in range(cell_at[above], cell_at[above + 1]):
                firsts[at], seconds[at] = cell, other
                terms[2 * at] = own
                terms[2 * at + 1] = own + with_parent[index + 1 + other - cell_at[above]]
                own = 0.0
                at += 1
        ends[k] = at


@compiled
def expect_tiles(
    starts: Any,
    cells: Any,
    begin: int,
    end: int,
    base: Any,
    ends: Any,
    firsts: Any,
    seconds: Any,
    terms: Any,
    bits: Any,
    sums: Any,
    logs: Any,
) -> None:
    """The same as `expect_rows`, for 64 rows at a time: for rows with many cells.

    Bit r of bits[cell] is set if row r of the tile has the cell.
    """
    for first in range(begin, end, 64):
        last = min(first + 64, end)
        for cell in range(bits.size):
            bits[cell] = 0
        for row in range(first, last):
            bit = np.uint64(1) << np.uint64(row - first)
            for index in range(starts[row], starts[row + 1]):
                bits[cells[index]] |= bit
        at = 0
        for k in range(base.size):
            for row in range(64):
                sums[row] = base[k]
            add_where(bits, firsts, seconds, terms, at, ends[k], sums)
            for row in range(last - first):
                logs[first - begin + row, k] = sums[row]
            at = ends[k]


@compiled
def smoothed_pairs(
    sums: Any,
    rank_of: Any,
    offsets: Any,
    width: int,
    first: int,
    own: Any,
    fraction: Any,
    prior: Any,
    begin: int,
    end: int,
    result: Any,
) -> None:
    """P̃ of the pairs of cells i = begin … end − 1 with j ≥ i, for components first, first + 1, ….

    result[c] has own[c] · sums of the component + fraction[c] · prior, for as many as `own` has.
    """
    for i in range(begin, end):
        mine, at = rank_of[i], offsets[i] + i
        for j in range(i, rank_of.size):
            other = rank_of[j]
            index = offsets[mine] + other if mine < other else offsets[other] + mine
            index = index * width + first
            for c in range(own.size):
                result[c, at] = own[c] * sums[index + c] + fraction[c] * prior[at]
            at += 1


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
            result = entropies[u] + entropies[v]
            for index in range(at, at + size):
                result += joints[index] * logs[index]
            at += size
            result = max(result, 0.0)
            information[u, v] = result
            information[v, u] = result


@compiled
def fill_binary_joints(
    pairs: Any, offsets: Any, begin: int, end: int, on: Any, joints: Any
) -> None:
    """What `fill_joints` writes, where no variable has more than two states: for cells u and v > u.

    joints[0, …] has the pairs of both, then u without v, v without u, and neither; so every loop
    goes along numbers that lie side by side.
    """
    count, at = on.size, 0
    for u in range(begin, end):
        size, mine = count - u - 1, on[u]
        together = pairs[offsets[u] + u + 1 : offsets[u] + count]
        later = on[u + 1 :]
        both, first = joints[0, at : at + size], joints[1, at : at + size]
        second, neither = joints[2, at : at + size], joints[3, at : at + size]
        for v in range(size):
            both[v] = max(together[v], _TINY)
            first[v] = max(mine - together[v], _TINY)
            second[v] = max(later[v] - together[v], _TINY)
            neither[v] = max(1.0 - mine - (later[v] - together[v]), _TINY)
        at += size


@compiled
def sum_binary_joints(
    joints: Any, logs: Any, variable_of: Any, begin: int, end: int, entropies: Any, information: Any
) -> None:
    """The same as `sum_joints`, of the tables that `fill_binary_joints` wrote."""
    at = 0
    for cell in range(begin, end):
        u = variable_of[cell]
        for other in range(cell + 1, variable_of.size):
            v = variable_of[other]
            result = entropies[u] + entropies[v]
            for part in range(4):
                result += joints[part, at] * logs[part, at]
            at += 1
            result = max(result, 0.0)
            information[u, v] = result
            information[v, u] = result


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
            index = at + y * card + x
            table[index] = max(table[index], 0.0)
            mass += table[index]
        for x in range(card):
            index = at + y * card + x
            table[index] = table[index] / mass if mass > 0.0 else 1.0 / card


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
