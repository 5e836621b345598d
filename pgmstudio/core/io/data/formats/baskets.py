"""Sparse rows: each line holds the items of a row, as in market baskets.

Items are separated by commas, or in a file without commas by blanks. Each item is a column with the
states no and yes; an empty line is a row without items.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError, DataFileError
from pgmstudio.core.io.data.formats.raw_table import (
    LONGEST_CELL,
    RawTable,
    check_size,
    lines_of,
    text_of,
    too_long,
)
from pgmstudio.core.io.data.formats.text_sniffing import natural_key
from pgmstudio.core.io.data.options import ImportOptions

if TYPE_CHECKING:
    from pgmstudio.core.data.variables import Variable

STATES = ("no", "yes")
# Names of states, in any case, of which the second is that an item is in a row.
_PAIRS = (STATES, ("0", "1"), ("false", "true"), ("absent", "present"), ("f", "t"), ("n", "y"))


def read(path: Path, options: ImportOptions) -> RawTable:
    """A column per item, in natural order."""
    import polars

    text = text_of(path, options.encoding)
    lines = lines_of(text)
    if lines[-1] == "":
        lines.pop()  # what follows the last line feed
    separator = "," if "," in text else None
    rows = [[item for part in line.split(separator) if (item := part.strip())] for line in lines]
    names = sorted({item for row in rows for item in row}, key=natural_key)
    if not names:
        raise DataFileError(path, "holds no items.")
    if max(map(len, names)) > LONGEST_CELL:
        raise too_long(path)
    check_size(path, len(rows), len(names))
    index = {name: number for number, name in enumerate(names)}
    is_in = np.zeros((len(names), len(rows)), dtype=np.uint32)
    for number, row in enumerate(rows):
        is_in[[index[item] for item in row], number] = 1
    states = polars.Series(STATES)
    columns = [
        states.gather(polars.Series(column)).alias(name)
        for name, column in zip(names, is_in, strict=True)
    ]
    return RawTable(polars.DataFrame(columns), declared=dict.fromkeys(names, STATES))


def write(data: DataSet) -> bytes:
    """A line per row; DataError where a line of items cannot hold the data."""
    if data.has_missing:
        raise DataError("A file of baskets cannot have missing cells.")
    present = np.array([_present(variable) for variable in data.domain])[:, None]
    is_in = data.codes == present
    for variable, seen in zip(data.domain, is_in.any(axis=1), strict=True):
        name = variable.name
        if not seen:
            raise DataError(f"{name} is in no row, so a file of baskets would lose it; remove it.")
        if "," in name or "\n" in name or "\r" in name or name != name.strip():
            raise DataError(f"A file of baskets cannot have an item “{name}”; rename it.")
    weights = np.ones(data.row_count) if data.weights is None else data.weights
    if (weights != np.floor(weights)).any():
        raise DataError("A file of baskets cannot have weights that are not whole.")
    names = np.array(data.domain.names, dtype=object)
    lines = [",".join(names[items]) for items in is_in.T]
    has_blank = any(len(name.split()) > 1 for name in data.domain.names)
    if has_blank and not any("," in line for line in lines):
        lines = [f"{line}," if line else "" for line in lines]  # names with blanks need a comma
    repeated = (
        line for line, weight in zip(lines, weights, strict=True) for _ in range(int(weight))
    )
    return "".join(f"{line}\n" for line in repeated).encode()


def _present(variable: Variable) -> int:
    """The state that means the item is in a row; DataError where it is not known."""
    states = tuple(state.lower() for state in variable.states)
    for absent, present in _PAIRS:
        if sorted(states) == [absent, present]:
            return states.index(present)
        if states in ((absent,), (present,)):
            return 0 if states == (present,) else 1
    raise DataError(
        f"{variable.name} has the states {', '.join(variable.states)}; a file of baskets needs no "
        "and yes, or 0 and 1."
    )
