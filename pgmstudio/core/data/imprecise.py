"""Rows with imprecise cells: a cell may be a set of states, of which one is the true one.

`ImpreciseData` is a data set in which such cells are missing, so that whatever does not know about
sets takes them as unknown; `sets` has the states of each.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError

UNKNOWN = "*"
Cell = tuple[int, int]  # variable, row


@dataclass(frozen=True, eq=False)
class ImpreciseData(DataSet):
    """Rows in which some cells are sets; `sets` has the codes of the states of each such cell."""

    sets: Mapping[Cell, frozenset[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        for (variable, row), states in self.sets.items():
            card = self.domain.cardinalities[variable]
            if self.codes[variable, row] != self.missing_code:
                raise DataError(f"Row {row + 1} has both a state and a set of states.")
            if not states or not all(0 <= state < card for state in states):
                raise DataError(f"Row {row + 1} has a set with a state that does not exist.")

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "sets": self.sets}

    @classmethod
    def of_members(cls, data: DataSet, members: NDArray[np.int64]) -> ImpreciseData:
        """A data set with sets of states; `members` has a column (variable, row, state) for each
        state of each set. DataError for what does not exist."""
        limits = np.array([[len(data.domain)], [data.row_count], [data.missing_code]])
        if (members < 0).any() or (members >= limits).any():
            raise DataError("A set of states belongs to a cell that does not exist.")
        sets: dict[Cell, set[int]] = {}
        for variable, row, state in members.T.tolist():
            sets.setdefault((variable, row), set()).add(state)
        frozen = {cell: frozenset(states) for cell, states in sets.items()}
        return cls(data.domain, data.codes, data.weights, frozen)

    def members(self) -> NDArray[np.int64]:
        """The sets as columns (variable, row, state), in order."""
        listed = sorted((*cell, state) for cell, states in self.sets.items() for state in states)
        return np.array(listed, dtype=np.int64).reshape(-1, 3).T

    @classmethod
    def from_cells(
        cls, domain: Domain, rows: Iterable[Sequence[str | Iterable[str] | None]]
    ) -> ImpreciseData:
        """From rows of states, sets of states, and None for unknown."""
        plain: list[list[str | None]] = []
        sets: dict[Cell, frozenset[int]] = {}
        for number, row in enumerate(rows):
            plain.append([])
            for place, (variable, cell) in enumerate(zip(domain, row, strict=True)):
                if cell is None or isinstance(cell, str):
                    plain[-1].append(None if cell == UNKNOWN else cell)
                    continue
                codes = frozenset(map(variable.code, cell))
                if len(codes) == 1:
                    plain[-1].append(variable.states[next(iter(codes))])
                    continue
                plain[-1].append(None)
                if len(codes) < variable.cardinality:  # all states: unknown
                    sets[place, number] = codes
        data = DataSet.from_rows(domain, plain)
        return cls(domain, data.codes, None, sets)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of domain, codes, weights and sets, for provenance."""
        plain = DataSet(self.domain, self.codes, self.weights).fingerprint
        sets = sorted((cell, sorted(states)) for cell, states in self.sets.items())
        return hashlib.sha256(repr((plain, sets)).encode()).hexdigest()[:16]

    def take_rows(self, chosen: NDArray[np.intp] | NDArray[np.bool_] | slice) -> ImpreciseData:
        kept = np.arange(self.row_count)[chosen]
        plain = DataSet(self.domain, self.codes, self.weights).take_rows(chosen)
        places: dict[int, list[int]] = {}
        for new, old in enumerate(kept.tolist()):
            places.setdefault(old, []).append(new)
        sets = {
            (variable, new): states
            for (variable, row), states in self.sets.items()
            for new in places.get(row, ())
        }
        return ImpreciseData(self.domain, plain.codes, plain.weights, sets)

    def select_columns(self, names: Iterable[str]) -> ImpreciseData:
        names = tuple(names)
        plain = DataSet(self.domain, self.codes, self.weights).select_columns(names)
        position = {self.domain.index(name): place for place, name in enumerate(names)}
        sets = {
            (position[variable], row): states
            for (variable, row), states in self.sets.items()
            if variable in position
        }
        return ImpreciseData(plain.domain, plain.codes, plain.weights, sets)


def allowed_states(data: DataSet) -> tuple[NDArray[np.bool_], ...]:
    """For every variable rows × states: which states a row allows; all where it is unknown."""
    result = []
    for variable, column in zip(data.domain, data.codes, strict=True):
        table = np.zeros((data.row_count, variable.cardinality), dtype=bool)
        is_known = column != data.missing_code
        table[np.flatnonzero(is_known), column[is_known]] = True
        table[~is_known] = True
        result.append(table)
    if isinstance(data, ImpreciseData):
        for (place, row), states in data.sets.items():
            result[place][row] = False
            result[place][row, list(states)] = True
    return tuple(result)


def cell_text(data: DataSet, variable: int, row: int) -> str:
    """A cell as it is written: a state, `{red,green}`, or `*`."""
    known = data.domain.variables[variable].states
    code = int(data.codes[variable, row])
    if code != data.missing_code:
        return known[code]
    states = data.sets.get((variable, row)) if isinstance(data, ImpreciseData) else None
    return UNKNOWN if states is None else "{" + ",".join(known[s] for s in sorted(states)) + "}"
