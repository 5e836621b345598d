"""From a raw table to a data set: columns, states and cuts; every problem at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import MAX_STATES, DataSet, Imported, code_dtype
from pgmstudio.core.data.discretization import Cuts, Discretisation, cuts_for, cuts_from_labels
from pgmstudio.core.data.imprecise import ImpreciseData, with_cells
from pgmstudio.core.data.transforms import MISSING_STATE
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import CellProblem, DataFileError, UnknownNameError
from pgmstudio.core.io.data.column_types import Column, Indices, TextColumn, column_of, odd_number
from pgmstudio.core.io.data.formats.raw_table import RawTable
from pgmstudio.core.io.data.formats.text_sniffing import number_of
from pgmstudio.core.io.data.imprecise import SetColumn, set_cells, set_column
from pgmstudio.core.io.data.options import ImportOptions

# Problems listed cell by cell; past this, one problem speaks for all rows with the same text.
_MAX_LISTED = 1000
_MAX_TEXTS_LISTED = 50
SETS = "sets of states"
INTO_BINS = "Discretise into bins"  # begins the advice on columns of many numbers


@dataclass(eq=False)
class _Coding:
    """What is gathered while columns are coded."""

    path: Path
    table: RawTable
    options: ImportOptions
    weights: Floats | None = None
    variables: list[Variable] = field(default_factory=list)
    codes: list[Indices] = field(default_factory=list)  # the number of states stands for missing
    cuts: dict[str, Cuts] = field(default_factory=dict)
    sets: dict[str, SetColumn] = field(default_factory=dict)
    problems: list[CellProblem] = field(default_factory=list)
    many: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def add(self, variable: Variable, codes: Indices) -> None:
        self.variables.append(variable)
        self.codes.append(codes)

    def column(self, name: str, states: Iterable[str] = ()) -> Column:
        """The column by its name; a marker that is one of `states` is that state, not missing."""
        known = set(states)
        markers = [m for m in (*self.options.all_markers, *self.table.markers) if m not in known]
        column = column_of(self.table.frame[name], markers, self.table.decimal)
        sets = set_column(column) if self.options.imprecise else None
        if sets is None:
            return column
        why = "is not a set of states; write {red,green}"
        self.refuse_texts(name, sets.source.texts, sets.source.indices, sets.broken, why)
        self.sets[name] = sets
        return sets.plain

    def refuse_rows(self, column: str, rows: NDArray[np.intp], message: str) -> None:
        if rows.size == 0:
            return
        if len(self.problems) + rows.size <= _MAX_LISTED:
            self.problems += [CellProblem(message, int(row) + 1, column) for row in rows]
        else:
            also = f" (in {rows.size} rows)" if rows.size > 1 else ""
            self.problems.append(CellProblem(message + also, int(rows[0]) + 1, column))

    def refuse_texts(
        self, column: str, texts: Sequence[str], indices: Indices, refused: Sequence[int], why: str
    ) -> None:
        """Add a problem for every row whose text is one of those refused."""
        for index in refused[:_MAX_TEXTS_LISTED]:
            self.refuse_rows(column, np.flatnonzero(indices == index), f"“{texts[index]}” {why}")
        if len(refused) > _MAX_TEXTS_LISTED:
            rest = np.isin(indices, refused[_MAX_TEXTS_LISTED:])
            message = f"{len(refused) - _MAX_TEXTS_LISTED} more texts: each {why}"
            self.refuse_rows(column, np.flatnonzero(rest), message)


def code_table(path: Path, table: RawTable, options: ImportOptions) -> Imported:
    """The data set a raw table becomes; one DataFileError lists whatever stands against it."""
    coding = _Coding(path, table, options, warnings=list(table.warnings))
    names = table.frame.columns
    if options.domain is None:
        check_names(names, options)
    weight_column = options.frequency or table.weight_column
    if weight_column is not None:
        if weight_column not in names:
            raise UnknownNameError("column", weight_column, names)
        coding.weights = _weights(coding, weight_column)
    if options.domain is None:
        chosen = columns_to_keep(table, options)
        if table.first_is_unnamed and names and names[0] not in chosen:
            coding.warnings.append("The unnamed first column is an index and left out.")
        for name in chosen:
            _code_freely(coding, name)
    else:
        _code_to_domain(coding, options.domain)
    _raise_problems(coding)
    return Imported(
        data=_assembled(coding),
        source=path.name,
        cuts=coding.cuts,
        markers=tuple(dict.fromkeys((*options.all_markers, *table.markers))),
        warnings=tuple(coding.warnings),
    )


def check_names(names: Sequence[str], options: ImportOptions) -> None:
    """UnknownNameError when the options name a column that is not there."""
    requested = [*options.leave_out, *options.discretise, *options.as_states, *options.declared]
    there = set(names)
    for name in (*requested, options.frequency, options.target):
        if name is not None and name not in there:
            raise UnknownNameError("column", name, names)


def columns_to_keep(table: RawTable, options: ImportOptions) -> list[str]:
    """The columns that become variables: not left out, not the weights, not an unnamed index."""
    out = {*options.leave_out, *table.left_out, options.frequency or table.weight_column}
    used = [name for name in table.frame.columns if name not in out]
    requested = {*options.discretise, *options.as_states, *options.declared}
    if table.first_is_unnamed and used and used[0] == table.frame.columns[0]:
        first = table.frame[used[0]]
        if used[0] not in requested and first.n_unique() == first.len():
            used.pop(0)
    return used


def _weights(coding: _Coding, name: str) -> Floats | None:
    column = coding.column(name)
    if not column.is_numeric and column.row_count:
        coding.problems.append(CellProblem("holds no numbers, so it cannot be counts", column=name))
        return None
    numbers = column.numbers()
    coding.refuse_rows(name, np.flatnonzero(np.isnan(numbers)), "has no count")
    coding.refuse_rows(name, np.flatnonzero(numbers < 0), "is a negative count")
    return np.where(numbers >= 0, numbers, 0.0)


def _code_freely(coding: _Coding, name: str) -> None:
    """The declared states, then the others in the order of the file."""
    options = coding.options
    declared = (*options.declared.get(name, ()), *coding.table.declared.get(name, ()))
    declared = tuple(dict.fromkeys(declared))
    column = coding.column(name, declared)
    if name in coding.sets:  # numbers in sets are states
        _add_states(coding, column, declared)
        return
    explicit = name in options.discretise
    cutting = options.cutting_of(name)
    is_many = column.is_numeric and column.has_more_than(options.many_numbers)
    as_states = name in options.as_states or bool(declared)
    if explicit and not column.is_numeric:
        coding.problems.append(CellProblem("holds no numbers, so it cannot be cut", column=name))
    elif cutting is not None and (explicit or (is_many and not as_states)):
        _cut(coding, column, cutting)
    elif is_many and not as_states:
        coding.many.append(name)
    elif not as_states and _is_mostly_numbers(column, options):
        _refuse_texts(coding, column)
    else:
        _add_states(coding, column, declared)


def _is_mostly_numbers(column: Column, options: ImportOptions) -> bool:
    """Whether a few stray texts stand in what is otherwise a column of many numbers."""
    if not isinstance(column, TextColumn):
        return False
    strays = len(column.not_numbers())
    numbers = len(column.texts) - strays
    return numbers > options.many_numbers and 0 < strays * 10 <= numbers


def _refuse_texts(coding: _Coding, column: Column) -> None:
    assert isinstance(column, TextColumn)
    why = "is not a number; correct it, or add it to the missing markers"
    strays = set(column.not_numbers())
    refused = [index for index, text in enumerate(column.texts) if text in strays]
    coding.refuse_texts(column.name, column.texts, column.indices, refused, why)


def _cut(coding: _Coding, column: Column, cutting: Discretisation | Cuts) -> None:
    numbers = column.numbers()
    _warn_of_odd_numbers(coding, column, numbers)
    if isinstance(cutting, Cuts):
        cuts = Cuts(column.name, cutting.points, cutting.labels)
    elif cutting.target is None:
        cuts = cuts_for(column.name, numbers, cutting, weights=coding.weights)
    else:
        states, target = coding.column(cutting.target).coded()
        cuts = cuts_for(
            column.name,
            numbers,
            cutting,
            weights=coding.weights,
            target=target,
            classes=len(states),
        )
    if not cuts.points:
        coding.warnings.append(f"No cut of “{column.name}” is worth making; it has one state.")
    coding.cuts[column.name] = cuts
    codes = cuts.codes(numbers)
    missing = np.isnan(numbers)
    states = cuts.labels
    if coding.options.missing_as_state and missing.any():
        states = (*states, MISSING_STATE)
    codes = codes.astype(np.int32) if len(states) >= 255 else codes
    codes[missing] = len(cuts.labels)
    coding.add(Variable(column.name, states, is_ordinal=True), codes)


def _add_states(coding: _Coding, column: Column, declared: tuple[str, ...]) -> None:
    name = column.name
    options = coding.options
    if column.has_more_than(MAX_STATES):
        count = column.distinct_count
        coding.problems.append(CellProblem(f"has {count:,} states; leave it out", column=name))
        return
    result, codes = _numbered(coding, column) or column.coded()
    states = tuple(dict.fromkeys((*declared, *result)))
    known = set(declared)
    undeclared = [position for position, state in enumerate(result) if state not in known]
    if undeclared and name in coding.table.declared:
        why = "is not one of the states the file declares for this column"
        coding.refuse_texts(name, result, codes, undeclared, why)
        return
    has_missing = bool(codes.size) and int(codes.max()) >= len(result)
    missing = len(states)
    if options.missing_as_state and has_missing:
        states = tuple(dict.fromkeys((*states, MISSING_STATE)))
        missing = states.index(MISSING_STATE)
    if not states:
        coding.warnings.append(f"“{name}” is empty in every row and left out.")
        return
    if states != result or missing != len(result):
        position = {state: index for index, state in enumerate(states)}
        table = np.array([position[state] for state in result] + [missing], dtype=np.int32)
        codes = table[codes]
    _warning(coding, column, result)
    coding.add(Variable(name, states), codes)


def _numbered(coding: _Coding, column: Column) -> tuple[tuple[str, ...], Indices] | None:
    """Cells `#k` without a model to name the states: the state is called by its index."""
    if not coding.table.numbered_states or not isinstance(column, TextColumn):
        return None
    indices = [text[1:] for text in column.texts if _is_index(text)]
    if not indices:
        return None
    if len(indices) < len(column.texts):
        coding.problems.append(
            CellProblem(
                "mixes names and numbers (#k) of states; import it with its model",
                None,
                column.name,
            )
        )
    order = sorted(
        range(len(column.texts)),
        key=lambda position: (len(column.texts[position]), column.texts[position]),
    )
    names = tuple(column.texts[position].removeprefix("#") for position in order)
    if len(set(names)) != len(names):
        return None
    rank = {position: index for index, position in enumerate(order)}
    return names, column.mapped([rank[position] for position in range(len(order))], len(order))


def _is_index(text: str) -> bool:
    return text[:1] == "#" and text[1:].isascii() and text[1:].isdigit()


def _warn_of_odd_numbers(coding: _Coding, column: Column, numbers: Floats | None = None) -> None:
    if (odd := odd_number(column, numbers)) is not None:
        rows = "1 row" if odd.rows == 1 else f"{odd.rows} rows"
        coding.warnings.append(
            f"“{column.name}” is {odd.texts[0]} in {rows}, far from its other numbers; "
            "if that means missing, make it a missing marker."
        )


def _warning(coding: _Coding, column: Column, result: Sequence[str]) -> None:
    _warn_of_odd_numbers(coding, column)
    if isinstance(column, TextColumn) and column.cleaned:
        many = "1 state" if column.cleaned == 1 else f"{column.cleaned} states"
        coding.warnings.append(
            f"“{column.name}” has line breaks, tabs or other control characters in {many}; they "
            "were replaced."
        )
    if not coding.options.imprecise and (example := set_cells(column)[1]):
        coding.warnings.append(
            f"“{column.name}” has cells such as {example}; if they are {SETS}, read the rows as "
            "imprecise."
        )
    if len(result) == 1 and column.row_count > 1:
        coding.warnings.append(f"“{column.name}” is “{result[0]}” in every row.")
    elif len(result) == column.row_count >= 20:
        coding.warnings.append(f"“{column.name}” is different in every row; leave it out?")


def _code_to_domain(coding: _Coding, domain: Domain) -> None:
    """States as a model names them; anything else is a problem."""
    names = set(coding.table.frame.columns)
    if not names & set(domain.names):
        shown = ", ".join(domain.names[:8]) + (", …" if len(domain) > 8 else "")
        coding.problems.append(CellProblem(f"There is no column of the model, which has {shown}."))
        return
    for variable in domain:
        if variable.name in names:
            _code_variable(coding, variable)
        elif coding.options.absent_as_missing:
            rows = coding.table.frame.height
            coding.add(variable, np.full(rows, variable.cardinality, dtype=np.int32))
        else:
            coding.problems.append(CellProblem("is not in the file", column=variable.name))
    roles = {coding.options.frequency, coding.table.weight_column}
    extra = [n for n in coding.table.frame.columns if n not in domain and n not in roles]
    if extra:
        shown = ", ".join(extra[:10]) + (", …" if len(extra) > 10 else "")
        coding.warnings.append(f"Columns the model does not have are left out: {shown}.")


def _code_variable(coding: _Coding, variable: Variable) -> None:
    column = coding.column(variable.name, variable.states)
    cuts = _cuts_for_variable(coding, variable, column)
    if cuts is not None:
        coding.cuts[variable.name] = cuts
        numbers = column.numbers()
        codes = cuts.codes(numbers).astype(np.int32)
        codes[np.isnan(numbers)] = _missing_index(coding, variable)
        coding.add(variable, codes)
        return
    known = {state: code for code, state in enumerate(variable.states)}
    by_value: dict[float, int] = {}
    for index, state in enumerate(variable.states):
        if (value := number_of(state)) is not None:
            by_value.setdefault(value, index)
    mapping: list[int] = []
    unknown: list[int] = []
    for position, text in enumerate(column.texts):
        code: int | None = known.get(text)
        if code is None and by_value:  # “1.0” in the file is the state “1”
            value = number_of(text, "." if not isinstance(column, TextColumn) else column.decimal)
            code = None if value is None else by_value.get(value)
        if code is None and coding.table.numbered_states and _is_index(text):
            index = int(text[1:])
            code = index if index < variable.cardinality else None
        if code is None:
            unknown.append(position)
        mapping.append(-1 if code is None else code)
    if unknown:
        _refuse_states(coding, variable, column, unknown)
        return
    coding.add(variable, column.mapped(mapping, _missing_index(coding, variable)))


def _missing_index(coding: _Coding, variable: Variable) -> int:
    if coding.options.missing_as_state and MISSING_STATE in variable.states:
        return variable.code(MISSING_STATE)
    return variable.cardinality


def _cuts_for_variable(coding: _Coding, variable: Variable, column: Column) -> Cuts | None:
    """Bin edges given in the options, else those in the state names; None without either."""
    if not column.is_numeric or variable.name in coding.sets:
        return None
    chosen_cuts = coding.options.discretise.get(variable.name)
    states = tuple(state for state in variable.states if state != MISSING_STATE)
    if isinstance(chosen_cuts, Cuts):
        cuts: Cuts | None = Cuts(variable.name, chosen_cuts.points, chosen_cuts.labels)
    else:
        cuts = cuts_from_labels(variable.name, states) if states else None
    return cuts if cuts is not None and cuts.labels == states else None


def _refuse_states(
    coding: _Coding, variable: Variable, column: Column, unknown: Sequence[int]
) -> None:
    shown = ", ".join(variable.states[:8]) + (", …" if variable.cardinality > 8 else "")
    count = variable.cardinality
    indices = column.mapped(range(len(column.texts)), len(column.texts))
    why = f"is not one of its {count} states ({shown})"
    coding.refuse_texts(variable.name, column.texts, indices, unknown, why)
    sets = coding.sets.get(variable.name)
    if sets is not None:
        lost = {column.texts[index] for index in unknown}
        refused = [index for index, states in sets.members.items() if lost & {*states}]
        why = f"has a state that is {why.removeprefix('is ')}"
        coding.refuse_texts(variable.name, sets.source.texts, sets.source.indices, refused, why)


def _raise_problems(coding: _Coding) -> None:
    if coding.many:
        count, listed = len(coding.many), ", ".join(coding.many[:12])
        if count > 12:
            listed += f" and {count - 12} more"
        what = "1 column holds" if count == 1 else f"{count} columns hold"
        raise DataFileError(
            coding.path,
            f"{what} numbers of more than {coding.options.many_numbers} values: {listed}. "
            f"{INTO_BINS}, keep the values as states, or leave the columns out.",
            coding.problems,
        )
    if coding.problems:
        raise DataFileError(coding.path, "cannot be imported as it is.", coding.problems)
    if not coding.variables:
        raise DataFileError(coding.path, "has no columns with values.")


def _assembled(coding: _Coding) -> DataSet:
    domain = Domain(tuple(coding.variables))
    dtype = code_dtype(domain)
    rows = coding.table.frame.height
    codes: NDArray[Any] = np.empty((len(domain), rows), dtype=dtype)
    for row, (variable, column) in enumerate(zip(domain, coding.codes, strict=True)):
        codes[row] = column
        if rows and column.max() >= variable.cardinality:
            codes[row][column >= variable.cardinality] = np.iinfo(dtype).max
    if not coding.options.imprecise:
        return DataSet(domain, codes, coding.weights)
    cells = {
        (index, int(row)): frozenset(map(variable.code, states))
        for index, variable in enumerate(domain)
        if variable.name in coding.sets
        for rows, states in coding.sets[variable.name].rows()
        for row in rows
    }
    return with_cells(ImpreciseData(domain, codes, coding.weights), cells)
