"""Compiled passes that turn columns into rows of listed cells, rank them, and fill tables.

Sums over the pairs of cells of rows, by bundles of cells that often stand in a row together.

Cells are numbered by rank; `size` neighbours are a bundle, and the part of a row in a bundle is one
of 2^size patterns. Rows with the same pattern add the same to all the cells of it, so what follows
in them is added up once, and then to every cell of the pattern.

The cells of rows as one list, compiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pgmstudio.core.learning.responsibilities_kernels import gather, scatter
from pgmstudio.core.numba_support import compiled


@compiled
def count_states(
    codes: Any, weights: Any, first: int, last: int, state_at: Any, mass: Any, rows: Any
) -> None:
    """Weight and rows of every state of the columns first … last−1; no weights mean 1 each."""
    for v in range(first, last):
        column = codes[v]
        card = state_at[v + 1] - state_at[v]
        if card <= 4:
            rest = column.shape[0]
            for state in range(1, card):
                count = 0
                for row in range(column.shape[0]):
                    count += int(column[row] == state)
                rows[state_at[v] + state] = count
                rest -= count
            rows[state_at[v]] = rest
        else:
            for row in range(column.shape[0]):
                rows[state_at[v] + column[row]] += 1
        if weights.shape[0] == 0:
            for state in range(state_at[v], state_at[v + 1]):
                mass[state] = rows[state]
        else:
            for row in range(column.shape[0]):
                mass[state_at[v] + column[row]] += weights[row]


@compiled
def list_columns(
    codes: Any,
    first: int,
    last: int,
    references: Any,
    cell_at: Any,
    column_starts: Any,
    column_rows: Any,
    column_cells: Any,
    lengths: Any,
) -> None:
    """The cells of the columns first … last−1 that differ from the reference, column by column."""
    for v in range(first, last):
        column = codes[v]
        reference = references[v]
        at = column_starts[v]
        for row in range(column.shape[0]):
            code = np.int64(column[row])
            if code != reference:
                column_rows[at] = row
                column_cells[at] = cell_at[v] + (code if code < reference else code - 1)
                lengths[row + 1] += 1
                at += 1


@compiled
def turn_to_rows(
    column_starts: Any, column_rows: Any, column_cells: Any, starts: Any, cells: Any
) -> None:
    """The same cells row by row, in the order of the columns."""
    index = starts.copy()
    for at in range(column_rows.shape[0]):
        row = column_rows[at]
        cells[index[row]] = column_cells[at]
        index[row] += 1


@compiled
def add_cell_mass(starts: Any, cells: Any, weights: Any, mass: Any, rows: Any) -> None:
    """How much weight, and how many rows of positive weight, every cell has."""
    for row in range(starts.shape[0] - 1):
        weight = weights[row]
        if weight > 0.0:
            for at in range(starts[row], starts[row + 1]):
                mass[cells[at]] += weight
                rows[cells[at]] += 1


@compiled
def rank_entries(
    starts: Any,
    cells: Any,
    weights: Any,
    ranked_cell: Any,
    variable_of: Any,
    column_starts: Any,
    entry_rows: Any,
    entry_cells: Any,
    lengths: Any,
) -> None:
    """The cells of ranked variables by variable, rows ascending; rows of weight 0 are left out."""
    index = column_starts.copy()
    for row in range(starts.shape[0] - 1):
        if weights[row] <= 0.0:
            continue
        for at in range(starts[row], starts[row + 1]):
            cell = ranked_cell[cells[at]]
            if cell >= 0:
                u = variable_of[cell]
                entry_rows[index[u]] = row
                entry_cells[index[u]] = cell
                index[u] += 1
                lengths[row + 1] += 1


@compiled
def rank_rows(entry_rows: Any, entry_cells: Any, starts: Any, cells: Any, indices: Any) -> None:
    """Rows whose cells ascend by rank, and where each entry of a variable stands in them."""
    index = starts.copy()
    for entry in range(entry_rows.shape[0]):
        row = entry_rows[entry]
        cells[index[row]] = entry_cells[entry]
        indices[entry] = index[row]
        index[row] += 1


@compiled
def add_parent_counts(
    starts: Any, cells: Any, weights: Any, parents: Any, cell_at: Any, at: Any, out: Any
) -> None:
    """Weight of every state of a variable with every state of its parent, references left out.

    For states i, j ≥ 1 of parent and child v it is out[at[v] + i·(states of v) + j].
    """
    n = cell_at.shape[0] - 1
    variable_of = np.empty(cell_at[n], np.int64)
    for v in range(n):
        for cell in range(cell_at[v], cell_at[v + 1]):
            variable_of[cell] = v
    state = np.zeros(n, np.int64)
    for row in range(starts.shape[0] - 1):
        weight = weights[row]
        if weight <= 0.0:
            continue
        for k in range(starts[row], starts[row + 1]):
            v = variable_of[cells[k]]
            state[v] = cells[k] - cell_at[v] + 1
        for k in range(starts[row], starts[row + 1]):
            v = variable_of[cells[k]]
            if parents[v] >= 0 and state[parents[v]] > 0:
                width = cell_at[v + 1] - cell_at[v] + 1
                out[at[v] + state[parents[v]] * width + state[v]] += weight
        for k in range(starts[row], starts[row + 1]):
            state[variable_of[cells[k]]] = 0


@compiled
def complete_tables(
    cell_mass: Any, total: float, prior: float, parents: Any, cell_at: Any, at: Any, out: Any
) -> None:
    """The cells of `add_parent_counts` with a reference state, and the prior's rows, spread evenly.

    A root has one row of cells, its own weights.
    """
    for v in range(cell_at.shape[0] - 1):
        first, parent = cell_at[v], parents[v]
        card = cell_at[v + 1] - first + 1
        lines = 1 if parent < 0 else cell_at[parent + 1] - cell_at[parent] + 1
        corner = total
        for x in range(1, card):
            rest = cell_mass[first + x - 1]
            corner -= rest
            for y in range(1, lines):
                rest -= out[at[v] + y * card + x]
            out[at[v] + x] = max(rest, 0.0)
        for y in range(1, lines):
            rest = cell_mass[cell_at[parent] + y - 1]
            for x in range(1, card):
                rest -= out[at[v] + y * card + x]
            out[at[v] + y * card] = max(rest, 0.0)
            corner -= rest
        out[at[v]] = max(corner, 0.0)
        for index in range(at[v], at[v] + lines * card):
            out[index] += prior / (lines * card)


@compiled
def divide_tables(parents: Any, cell_at: Any, at: Any, tables: Any) -> None:
    """P(state | parent's state) from weights of both; even where the parent's state has none."""
    for v in range(cell_at.shape[0] - 1):
        parent = parents[v]
        card = cell_at[v + 1] - cell_at[v] + 1
        lines = 1 if parent < 0 else cell_at[parent + 1] - cell_at[parent] + 1
        for line in range(at[v], at[v] + lines * card, card):
            mass = 0.0
            for x in range(card):
                mass += tables[line + x]
            for x in range(card):
                tables[line + x] = tables[line + x] / mass if mass > 0.0 else 1.0 / card


# The cost of one position of a whole line, relative to adding one row's responsibility there.
_LINE_COST = 0.2


@compiled
def rank_cells(
    starts: Any,
    cells: Any,
    begin: int,
    end: int,
    rank_of: Any,
    ends: Any,
    rows: Any,
    indices: Any,
    ranked: Any,
) -> None:
    """The rows begin … end − 1 with ranks, rising: sorted by rank, and then back into the rows."""
    for rank in range(ends.size):
        ends[rank] = 0
    for at in range(starts[begin], starts[end]):
        ends[rank_of[cells[at]]] += 1
    before = 0
    for rank in range(ends.size):
        count = ends[rank]
        ends[rank] = before
        before += count
    for row in range(begin, end):
        indices[row - begin] = starts[row]
        for at in range(starts[row], starts[row + 1]):
            rank = rank_of[cells[at]]
            rows[ends[rank]] = row - begin
            ends[rank] += 1
    at = 0
    for rank in range(ends.size):
        while at < ends[rank]:
            row = rows[at]
            ranked[indices[row]] = rank
            indices[row] += 1
            at += 1


@compiled
def bundle_rows(
    starts: Any, ranked: Any, begin: int, end: int, size: int, counts: Any, rows: Any, later: Any
) -> None:
    """For the rows begin … end − 1, by bundle and pattern: the rows that have it, and after how
    many cells of the row the bundle ends.

    First only counts, in counts[bundle · 2^size + pattern + 1]; with capacity in `rows`, also
    lists.
    """
    for row in range(begin, end):
        at, last = starts[row], starts[row + 1]
        while at < last:
            bundle = ranked[at] // size
            low, pattern = bundle * size, 0
            while at < last and ranked[at] < low + size:
                pattern |= 1 << (ranked[at] - low)
                at += 1
            key = (bundle << size) + pattern
            if rows.size == 0:
                counts[key + 1] += 1
            else:
                rows[counts[key]], later[counts[key]] = row, at - starts[row]
                counts[key] += 1


@compiled
def add_bundles(
    starts: Any,
    ranked: Any,
    begin: int,
    size: int,
    keys: Any,
    ends: Any,
    rows: Any,
    later: Any,
    offsets: Any,
    fractions: Any,
    width: int,
    members: Any,
    mass: Any,
    line: Any,
    sums: Any,
) -> None:
    """sums[offsets[i] + j] += shares[row − begin] for every two ranks i ≤ j of a row."""
    count, first = offsets.size, 0
    for at in range(keys.size):
        last = ends[at]
        low = (keys[at] >> size) * size
        above = min(low + size, count)
        ones, visits = 0, 0
        for rank in range(low, above):
            if (keys[at] >> (rank - low)) & 1:
                members[ones] = rank
                ones += 1
        for entry in range(first, last):
            row = rows[entry]
            visits += starts[row + 1] - starts[row] - later[entry]
        for k in range(width):
            mass[k] = 0.0
        gather(fractions, -begin, width, rows, first, last, mass, 0)
        for one in range(ones):
            scatter(sums, offsets[members[one]], width, members, one, ones, mass, 0)
        if ones * visits <= visits + (ones + 1) * (count - above) * _LINE_COST:
            for one in range(ones):
                offset = offsets[members[one]]
                for entry in range(first, last):
                    row = rows[entry]
                    index, mine = starts[row] + later[entry], (row - begin) * width
                    scatter(sums, offset, width, ranked, index, starts[row + 1], fractions, mine)
        else:
            length = (count - above) * width
            for index in range(length):
                line[index] = 0.0
            for entry in range(first, last):
                row = rows[entry]
                index, mine = starts[row] + later[entry], (row - begin) * width
                scatter(line, -above, width, ranked, index, starts[row + 1], fractions, mine)
            for one in range(ones):
                there = (offsets[members[one]] + above) * width
                own = sums[there : there + length]
                for index in range(length):
                    own[index] += line[index]
        first = last


@compiled
def list_cells(states: Any, cell_at: Any, cells: Any) -> None:
    """cells = the numbers of all cells above the reference state, row after row."""
    at = 0
    for row in range(states.shape[0]):
        for v in range(states.shape[1]):
            if states[row, v] > 0:
                cells[at] = cell_at[v] + states[row, v] - 1
                at += 1
