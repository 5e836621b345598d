"""The cost of exact inference in a junction tree, estimated before anything is computed."""

from __future__ import annotations

import os
from dataclasses import dataclass

from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.graphs.junction_tree import CliqueTree
from pgmstudio.core.large_counts import count_text, float_of, in_units

BYTES_PER_CELL = 10  # the table itself and its part of maps, messages and buffers
SECONDS_PER_CELL = 8e-9  # one update of every belief, on a machine of 2020
# Part of the memory that is free now; the rest of the program needs some too.
MEMORY_FRACTION = 0.6
APPROXIMATE = "approximate inference"  # what the refusal of a network advises


@dataclass(frozen=True, slots=True)
class Forecast:
    """The size of a junction tree, and the memory and time of one update of all beliefs."""

    table_cells: int
    largest_clique: int
    bytes: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{count_text(self.table_cells)} table cells, "
            f"the largest clique {count_text(self.largest_clique)}, "
            f"{in_units(self.bytes)}, about {self.seconds:.2g} s an update"
        )


def forecast(tree: CliqueTree) -> Forecast:
    """Cells, bytes and seconds of exact inference in the tree."""
    largest = max(tree.cells, default=0)
    return Forecast(
        table_cells=tree.table_cells,
        largest_clique=largest,
        bytes=BYTES_PER_CELL * tree.table_cells + 16 * largest,
        seconds=SECONDS_PER_CELL * float_of(tree.table_cells),
    )


def check_budget(expected: Forecast, most_bytes: int | None = None) -> None:
    """TooLargeError when the tables need more than `most_bytes` (default: most of what is free)."""
    budget = available_bytes() if most_bytes is None else most_bytes
    if expected.bytes > budget:
        raise TooLargeError(
            f"Exact inference would need {count_text(expected.table_cells)} table cells "
            f"({in_units(expected.bytes)}, the largest clique "
            f"{count_text(expected.largest_clique)}); "
            f"{in_units(budget)} may be used. Ask for few variables, which prunes the rest, "
            f"estimate the beliefs ({APPROXIMATE}), or remove edges."
        )


def available_bytes() -> int:
    """How much memory a session may use by default."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not a system that can be asked
        return 2 * 2**30
    # Pages that only cache files count as used but are given up when needed.
    return int(MEMORY_FRACTION * max(free, whole / 2))
