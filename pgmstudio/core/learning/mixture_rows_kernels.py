"""The cells of rows as one list, compiled."""

from __future__ import annotations

from typing import Any

from pgmstudio.core.compiled import compiled


@compiled
def list_cells(states: Any, cell_at: Any, cells: Any) -> None:
    """cells = the numbers of all cells above the reference state, row after row."""
    at = 0
    for row in range(states.shape[0]):
        for v in range(states.shape[1]):
            if states[row, v] > 0:
                cells[at] = cell_at[v] + states[row, v] - 1
                at += 1
