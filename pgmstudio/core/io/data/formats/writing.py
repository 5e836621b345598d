"""From a data set to columns of texts, for the writers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.discretization import number_text
from pgmstudio.core.data.imprecise import UNKNOWN, ImpreciseData, cell_text
from pgmstudio.core.errors import DataError
from pgmstudio.core.io.data.options import DEFAULT_MARKERS

if TYPE_CHECKING:
    import polars

WEIGHT = "weight"


def weight_name(data: DataSet, preferred: str = WEIGHT) -> str:
    """What the column of row weights is called: as wanted, or with a number if that is taken."""
    name, count = preferred, 2
    while name in data.domain:
        name, count = f"{preferred} {count}", count + 1
    return name


def text_frame(data: DataSet, weights: str = WEIGHT) -> polars.DataFrame:
    """State names, null where missing, `{red,green}` for sets of states; the weights, if there are
    any, as a last column."""
    import polars

    columns = []
    sets = data.sets if isinstance(data, ImpreciseData) else {}
    for index, (variable, codes) in enumerate(zip(data.domain, data.codes, strict=True)):
        indices = polars.Series(codes.astype(np.uint32))
        if (codes == data.missing_code).any():
            indices = indices.set(indices == data.missing_code, None)
        column = polars.Series(variable.name, variable.states).gather(indices)
        rows = sorted(row for v, row in sets if v == index)
        if rows:
            column = column.scatter(rows, [cell_text(data, index, row) for row in rows])
        columns.append(column)
    if data.weights is not None:
        columns.append(polars.Series(weight_name(data, weights), data.weights))
    return polars.DataFrame(columns)


def cell_columns(data: DataSet, quoted: Callable[[str], str], missing: str) -> list[list[str]]:
    """The cells of each column as a program quotes them; the weights, if any, as a last column."""
    columns = []
    for variable, codes in zip(data.domain, data.codes.tolist(), strict=True):
        texts = [*map(quoted, variable.states), missing]
        columns.append([texts[min(code, variable.cardinality)] for code in codes])
    if data.weights is not None:
        columns.append([number_text(weight) for weight in data.weights.tolist()])
    return columns


def missing_text(data: DataSet, columns: int) -> str:
    """A text for missing cells that is no state and, in a single column, not a blank line."""
    if isinstance(data, ImpreciseData):
        return UNKNOWN
    states = {state for variable in data.domain for state in variable.states}
    for marker in DEFAULT_MARKERS:
        if marker not in states and (marker or columns > 1):
            return marker
    if data.has_missing:
        raise DataError("Empty, “?” and “NA” are all states here, so none can stand for missing.")
    return ""
