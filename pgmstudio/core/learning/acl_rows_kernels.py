"""Compiled passes that turn columns into rows of listed cells, rank them, and fill tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from pgmstudio.core.compiled import compiled


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
    place = starts.copy()
    for at in range(column_rows.shape[0]):
        row = column_rows[at]
        cells[place[row]] = column_cells[at]
        place[row] += 1


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
    place = column_starts.copy()
    for row in range(starts.shape[0] - 1):
        if weights[row] <= 0.0:
            continue
        for at in range(starts[row], starts[row + 1]):
            cell = ranked_cell[cells[at]]
            if cell >= 0:
                u = variable_of[cell]
                entry_rows[place[u]] = row
                entry_cells[place[u]] = cell
                place[u] += 1
                lengths[row + 1] += 1


@compiled
def rank_rows(entry_rows: Any, entry_cells: Any, starts: Any, cells: Any, places: Any) -> None:
    """Rows whose cells ascend by rank, and where each entry of a variable stands in them."""
    place = starts.copy()
    for entry in range(entry_rows.shape[0]):
        row = entry_rows[entry]
        cells[place[row]] = entry_cells[entry]
        places[entry] = place[row]
        place[row] += 1


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
        for place in range(at[v], at[v] + lines * card):
            out[place] += prior / (lines * card)


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
