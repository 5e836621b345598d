"""Edits of a data set: states, cells, rows and columns. Each returns a new data set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import Codes, DataSet, code_dtype
from pgmstudio.core.data.imprecise import Cell, ImpreciseData, with_cells
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import DataError

MISSING_STATE = "missing"


def weighted_counts(data: DataSet, column: str) -> Floats:
    """How much weight each state of `column` has; missing cells are left out."""
    codes, cardinality = data.column(column), data.domain[column].cardinality
    counts = np.bincount(codes, weights=data.weights, minlength=data.missing_code + 1)
    return counts[:cardinality].astype(np.float64)


def recoded(data: DataSet, changes: Mapping[str, tuple[Variable, Sequence[int | None]]]) -> DataSet:
    """Give columns other variables: old state i becomes state `mapping[i]`, or missing for None."""
    plain = _recoded_cells(data, changes)
    if not isinstance(data, ImpreciseData):
        return plain
    mappings = {data.domain.index(name): mapping for name, (_, mapping) in changes.items()}
    sets: dict[Cell, frozenset[int]] = {}
    for cell, states in data.sets.items():
        to = mappings.get(cell[0])
        new = states if to is None else {to[state] for state in states}
        sets[cell] = frozenset(state for state in new if state is not None)
    return with_cells(ImpreciseData(plain.domain, plain.codes, plain.weights), sets)


def _recoded_cells(
    data: DataSet, changes: Mapping[str, tuple[Variable, Sequence[int | None]]]
) -> DataSet:
    variables = tuple(
        changes[variable.name][0] if variable.name in changes else variable
        for variable in data.domain
    )
    domain = Domain(variables)
    dtype = code_dtype(domain)
    missing = int(np.iinfo(dtype).max)
    # What stays as it is is not looked up: with a million rows that takes long.
    stays = {
        variable.name
        for variable in data.domain
        if dtype == data.codes.dtype
        and (
            variable.name not in changes
            or list(changes[variable.name][1]) == list(range(variable.cardinality))
        )
    }
    if len(stays) == len(data.domain):
        return DataSet(domain, data.codes, data.weights)
    codes = np.empty(data.codes.shape, dtype=dtype)
    for row, variable in enumerate(data.domain):
        if variable.name in stays:
            codes[row] = data.codes[row]
            continue
        mapping: Sequence[int | None] = range(variable.cardinality)
        if variable.name in changes:
            mapping = changes[variable.name][1]
        table = np.full(data.missing_code + 1, missing, dtype=dtype)
        table[: variable.cardinality] = [missing if to is None else to for to in mapping]
        codes[row] = table[data.codes[row]]
    return DataSet(domain, codes, data.weights)


def _with_states(
    data: DataSet, column: str, states: Sequence[str], mapping: Sequence[int]
) -> DataSet:
    variable = replace(data.domain[column], states=tuple(states))
    return recoded(data, {column: (variable, mapping)})


def rename_states(data: DataSet, column: str, names: Mapping[str, str]) -> DataSet:
    """Give states new names; two states cannot end with one name (merge them instead)."""
    variable = data.domain[column]
    for old in names:
        variable.code(old)
    states = [names.get(state, state) for state in variable.states]
    if len(set(states)) != len(states):
        twice = next(state for state in states if states.count(state) > 1)
        raise DataError(f"Two states of {column} would be called “{twice}”; merge them instead.")
    return _with_states(data, column, states, range(len(states)))


def merge_states(data: DataSet, column: str, states: Iterable[str], into: str) -> DataSet:
    """Make one state called `into` of several; it stands where the first of them stood."""
    variable = data.domain[column]
    merged = {variable.code(state) for state in states}
    if into in variable.states:
        merged.add(variable.code(into))
    if not merged:
        raise DataError(f"Choose at least one state of {column} to merge.")
    first = min(merged)
    retained = [code for code in range(variable.cardinality) if code == first or code not in merged]
    position = {code: index for index, code in enumerate(retained)}
    mapping = [position[first if code in merged else code] for code in range(variable.cardinality)]
    names = [into if code == first else variable.states[code] for code in retained]
    return _with_states(data, column, names, mapping)


def merge_rare_states(
    data: DataSet, column: str, fewer_than: float, into: str = "other"
) -> DataSet:
    """Merge the states with less weight than `fewer_than`; nothing happens when there are none."""
    counts = weighted_counts(data, column)
    states = data.domain[column].states
    rare = [state for state, count in zip(states, counts, strict=True) if count < fewer_than]
    return merge_states(data, column, rare, into) if rare else data


def reorder_states(data: DataSet, column: str, states: Sequence[str]) -> DataSet:
    """Put the states in the order given; all of them must be named, each once."""
    variable = data.domain[column]
    if sorted(states) != sorted(variable.states):
        raise DataError(f"The new order of {column} must name each of its states once.")
    position = {state: index for index, state in enumerate(states)}
    return _with_states(data, column, states, [position[state] for state in variable.states])


def declare_states(data: DataSet, column: str, states: Iterable[str]) -> DataSet:
    """Add states that do not occur, after those that do; states already there stay."""
    known = data.domain[column].states
    all_states = tuple(dict.fromkeys((*known, *states)))
    return _with_states(data, column, all_states, range(len(known)))


def set_ordinal(data: DataSet, column: str, is_ordinal: bool) -> DataSet:
    """Mark whether the order of the states of `column` is meaningful."""
    variable = replace(data.domain[column], is_ordinal=is_ordinal)
    return recoded(data, {column: (variable, range(variable.cardinality))})


def drop_columns(data: DataSet, names: Iterable[str]) -> DataSet:
    """Leave out columns."""
    dropped = {data.domain[name].name for name in names}
    return data.select_columns(name for name in data.domain.names if name not in dropped)


def drop_rows(data: DataSet, rows: Iterable[int]) -> DataSet:
    """Leave out rows, counted from 0."""
    retained = np.ones(data.row_count, dtype=bool)
    retained[np.fromiter(rows, dtype=np.intp)] = False
    return data.take_rows(retained)


def set_cell(data: DataSet, row: int, column: str, state: str | None) -> DataSet:
    """Change one cell; None makes it missing. Rows are counted from 0."""
    variable = data.domain[column]
    states = frozenset(() if state is None else {variable.code(state)})
    return with_cells(data, {(data.domain.index(column), row): states})


def missing_as_state(
    data: DataSet, columns: Iterable[str] | None = None, name: str = MISSING_STATE
) -> DataSet:
    """Make missing cells a state of their own, in the columns that have any (or in those named)."""
    if columns is None:
        columns = [
            n for n, count in zip(data.domain.names, data.missing_counts, strict=True) if count
        ]
    chosen = tuple(columns)
    declared = data
    for column in chosen:
        declared = declare_states(declared, column, [name])
    codes = declared.codes.copy()
    for column in chosen:
        cells = codes[declared.domain.index(column)]
        cells[cells == declared.missing_code] = declared.domain[column].code(name)
    return replace(declared, codes=codes)


def impute_mode(data: DataSet, columns: Iterable[str] | None = None) -> DataSet:
    """Fill missing cells with the heaviest state of their column (the first of several)."""

    def most_frequent(counts: Floats, size: int) -> NDArray[np.intp]:
        return np.full(size, np.argmax(counts))

    return _impute(data, columns, most_frequent)


def impute_random(
    data: DataSet, rng: np.random.Generator, columns: Iterable[str] | None = None
) -> DataSet:
    """Fill missing cells with states drawn as often as they occur in their column."""

    def drawn(counts: Floats, size: int) -> NDArray[np.intp]:
        return rng.choice(counts.size, size=size, p=counts / counts.sum()).astype(np.intp)

    return _impute(data, columns, drawn)


def impute_seeded(data: DataSet, seed: int) -> DataSet:
    """The same with a seed."""
    return impute_random(data, np.random.default_rng(seed))


def _impute(
    data: DataSet,
    columns: Iterable[str] | None,
    fill: Callable[[Floats, int], NDArray[np.intp]],
) -> DataSet:
    codes = data.codes.copy()
    for column in data.domain.names if columns is None else columns:
        cells = codes[data.domain.index(column)]
        holes = cells == data.missing_code
        if not holes.any():
            continue
        counts = weighted_counts(data, column)
        if counts.sum() == 0:
            raise DataError(
                f"{column} is missing in every row, so it cannot be filled from its own values."
            )
        cells[holes] = fill(counts, int(holes.sum()))
    return replace(data, codes=codes)


def fitted_to(data: DataSet, domain: Domain, *, is_lenient: bool = False) -> DataSet:
    """The same rows over `domain`, matched by names of columns and states.

    Columns outside `domain` are left out; a state that `domain` does not have is refused, or
    missing if `is_lenient`.
    """
    chosen = data.select_columns(domain.names)
    changes: dict[str, tuple[Variable, Sequence[int | None]]] = {}
    for old, new in zip(chosen.domain, domain, strict=True):
        if old != new:
            known = {state: code for code, state in enumerate(new.states)}
            mapping = [known.get(state) for state in old.states]
            if not is_lenient:
                _refuse_lost_states(chosen, old, mapping)
            changes[old.name] = (new, mapping)
    return recoded(chosen, changes) if changes else chosen


def rows_over(data: DataSet, domain: Domain, *, is_lenient: bool = False) -> DataSet:
    """The rows with the variables of a model, matched by names of columns and states.

    As `fitted_to`, and a variable that is no column, a hidden one, is missing in every row.
    """
    there = [name for name in domain.names if name in data.domain]
    known = fitted_to(data, domain.restricted_to(there), is_lenient=is_lenient)
    if len(there) == len(domain):
        return known
    dtype = code_dtype(domain)
    codes = np.full((len(domain), data.row_count), np.iinfo(dtype).max, dtype=dtype)
    for name in there:
        column = known.column(name)
        seen = column != known.missing_code
        codes[domain.index(name), seen] = column[seen]
    if isinstance(known, ImpreciseData):
        index = [domain.index(name) for name in there]
        sets = {(index[v], row): states for (v, row), states in known.sets.items()}
        return ImpreciseData(domain, codes, data.weights, sets)
    return DataSet(domain, codes, data.weights)


def _refuse_lost_states(data: DataSet, old: Variable, mapping: Sequence[int | None]) -> None:
    column = data.column(old.name)
    lost = [code for code, to in enumerate(mapping) if to is None and (column == code).any()]
    if lost:
        named = ", ".join(f"“{old.states[code]}”" for code in lost)
        row = int(np.argmax(np.isin(column, lost)))
        raise DataError(f"{old.name} has no state {named}; first in row {row + 1}.")


def stacked(parts: Sequence[DataSet]) -> DataSet:
    """The rows of several data sets over one domain, one after the other."""
    if any(part.domain != parts[0].domain for part in parts):
        raise DataError("Only data sets with the same columns and states can be put together.")
    codes: Codes = np.concatenate([part.codes for part in parts], axis=1)
    weights = None
    if any(part.weights is not None for part in parts):
        weights = np.concatenate([part.row_weights for part in parts])
    if not any(isinstance(part, ImpreciseData) for part in parts):
        return DataSet(parts[0].domain, codes, weights)
    sets: dict[Cell, frozenset[int]] = {}
    begin = 0
    for part in parts:
        if isinstance(part, ImpreciseData):
            sets |= {(v, begin + row): states for (v, row), states in part.sets.items()}
        begin += part.row_count
    return ImpreciseData(parts[0].domain, codes, weights, sets)
