"""Rows with imprecise cells: a cell may be a set of states, of which one is the true one.

`ImpreciseData` is a data set in which such cells are missing, so that whatever does not know about
sets takes them as unknown; `sets` has the states of each. As text a set is `{red,green}`; `*` is
any state.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import DataError, PgmStudioError

UNKNOWN = "*"
_SEPARATORS = re.compile(r"[,;|]")
Cell = tuple[int, int]  # variable, row


@dataclass(frozen=True, eq=False)
class ImpreciseData(DataSet):
    """Rows in which some cells are sets; `sets` has the codes of the states of each such cell.

    A cell that has a state has no set: the set of a cell that is filled is forgotten.
    """

    sets: Mapping[Cell, frozenset[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        cards, missing = self.domain.cardinalities, self.missing_code
        for (variable, row), states in self.sets.items():
            if not states or not all(0 <= state < cards[variable] for state in states):
                raise DataError(f"Row {row + 1} has a set with a state that does not exist.")
        left = {cell: states for cell, states in self.sets.items() if self.codes[cell] == missing}
        object.__setattr__(self, "sets", left)

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
            if data.codes[variable, row] != data.missing_code:
                raise DataError(f"Row {row + 1} has both a state and a set of states.")
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
            for index, (variable, cell) in enumerate(zip(domain, row, strict=True)):
                if cell is None or isinstance(cell, str):
                    plain[-1].append(None if cell == UNKNOWN else cell)
                    continue
                codes = frozenset(map(variable.code, cell))
                if len(codes) == 1:
                    plain[-1].append(variable.states[next(iter(codes))])
                    continue
                plain[-1].append(None)
                if len(codes) < variable.cardinality:  # all states: unknown
                    sets[index, number] = codes
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
        new_rows: dict[int, list[int]] = {}
        for new, old in enumerate(kept.tolist()):
            new_rows.setdefault(old, []).append(new)
        sets = {
            (variable, new): states
            for (variable, row), states in self.sets.items()
            for new in new_rows.get(row, ())
        }
        return ImpreciseData(self.domain, plain.codes, plain.weights, sets)

    def select_columns(self, names: Iterable[str]) -> ImpreciseData:
        names = tuple(names)
        plain = DataSet(self.domain, self.codes, self.weights).select_columns(names)
        position = {self.domain.index(name): index for index, name in enumerate(names)}
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
        for (index, row), states in data.sets.items():
            result[index][row] = False
            result[index][row, list(states)] = True
    return tuple(result)


def cell_text(data: DataSet, variable: int, row: int, gap: str = "") -> str:
    """A cell as it is written: a state, `{red,green}`, or `*`; `gap` follows each comma."""
    known = data.domain.variables[variable].states
    code = int(data.codes[variable, row])
    if code != data.missing_code:
        return known[code]
    states = data.sets.get((variable, row)) if isinstance(data, ImpreciseData) else None
    if states is None:
        return UNKNOWN
    return set_text((known[state] for state in sorted(states)), gap)


def set_text(states: Iterable[str], gap: str = "") -> str:
    """`{red,green}`; states with a comma in their names are separated by bars."""
    states = list(states)
    separator = "|" if any(_SEPARATORS.search(state) for state in states) else ","
    return "{" + f"{separator}{gap}".join(states) + "}"


def is_set_text(text: str) -> bool:
    """Whether a text is meant as a set, complete or not."""
    return text.startswith("{") or text.endswith("}")


def set_members(text: str) -> tuple[str, ...]:
    """The states of `{red,green}`, also separated by semicolons or bars; () for a set with `*` in
    it, which is any state. DataError for what is no set."""
    inner = text[1:-1]
    parts = inner.split("|") if "|" in inner else re.split("[,;]", inner)
    states = tuple(part.strip() for part in parts)
    if not (text.startswith("{") and text.endswith("}") and len(text) > 2 and all(states)):
        raise DataError(f"“{text}” is not a set of states; write {{red, green}}.")
    return () if UNKNOWN in states else states


def states_of_text(variable: Variable, text: str) -> frozenset[int]:
    """The states of a typed cell: a state, `{red, green}`, or none for `*` and an empty text.

    DataError or UnknownNameError for anything else.
    """
    text = text.strip()
    if text in variable.states:
        return frozenset({variable.code(text)})
    if text in ("", UNKNOWN):
        return frozenset()
    named = set_members(text) if is_set_text(text) else (text,)
    return frozenset(map(variable.code, named))


def with_cells(data: DataSet, cells: Mapping[Cell, frozenset[int]]) -> DataSet:
    """Other states in some cells: one is the state of the cell, none or all are a missing cell, and
    several are a set, which only imprecise data can have."""
    codes = data.codes.copy()
    sets = dict(data.sets) if isinstance(data, ImpreciseData) else {}
    for cell, states in cells.items():
        variable = data.domain.variables[cell[0]]
        if not 0 <= cell[1] < data.row_count:
            raise DataError(f"There is no row {cell[1] + 1}; there are {data.row_count}.")
        sets.pop(cell, None)
        codes[cell] = next(iter(states)) if len(states) == 1 else data.missing_code
        if 1 < len(states) < variable.cardinality:
            if not isinstance(data, ImpreciseData):
                raise DataError(
                    f"Row {cell[1] + 1} of {variable.name} can have one state, not several. Allow "
                    "imprecise values first."
                )
            sets[cell] = states
    if isinstance(data, ImpreciseData):
        return ImpreciseData(data.domain, codes, data.weights, sets)
    return DataSet(data.domain, codes, data.weights)


def with_typed_cells(data: DataSet, cells: Mapping[tuple[int, str], str]) -> DataSet:
    """Cells as they are typed, by row and column; refused if one is wrong."""
    states: dict[Cell, frozenset[int]] = {}
    for (row, column), typed in cells.items():
        try:
            variable = data.domain[column]
            states[data.domain.index(column), row] = states_of_text(variable, typed)
        except PgmStudioError as problem:
            raise DataError(f"Row {row + 1}: {problem}") from None
    return with_cells(data, states)


def as_imprecise(data: DataSet) -> ImpreciseData:
    """The same rows, whose cells may be sets of states."""
    if isinstance(data, ImpreciseData):
        return data
    return ImpreciseData(data.domain, data.codes, data.weights)


def as_precise(data: DataSet) -> DataSet:
    """The same rows without sets of states; a cell with a set is missing."""
    return DataSet(data.domain, data.codes, data.weights)
