"""Text tables with imprecise cells: `{red,green}` is one of these states, `*` any state.

In a file of comma-separated values such a cell is quoted, or its states are separated by `|` or
`;`.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.imprecise import UNKNOWN, ImpreciseData, cell_text
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import CellProblem, DataFileError
from pgmstudio.core.io.data.formats.text_sniffing import natural_key
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import read_table

_SEPARATORS = re.compile(r"[,;|]")
Cell = str | tuple[str, ...] | None


def read_imprecise(path: Path | str, options: ImportOptions | None = None) -> ImpreciseData:
    """The rows of a file; every column has the states that occur in it, also within sets."""
    options = options or ImportOptions()
    frame = read_table(path, options).frame
    unknown = {UNKNOWN, "", *options.markers}
    problems: list[CellProblem] = []
    columns: dict[str, list[Cell]] = {}
    weights = None
    for name in frame.columns:
        texts = ["" if cell is None else str(cell).strip() for cell in frame[name].to_list()]
        if name == options.frequency:
            weights = _weights(path, name, texts)
        elif name not in options.leave_out:
            columns[name] = [
                _cell(text, unknown, name, row, problems) for row, text in enumerate(texts)
            ]
    if problems:
        raise DataFileError(path, "has cells that are no sets of states.", problems)
    if options.frequency is not None and weights is None:
        raise DataFileError(path, f"has no column {options.frequency}.")
    variables = [Variable(name, _states(cells) or (UNKNOWN,)) for name, cells in columns.items()]
    rows = list(zip(*columns.values(), strict=True))
    data = ImpreciseData.from_cells(Domain(tuple(variables)), rows)
    return ImpreciseData(data.domain, data.codes, weights, data.sets)


def _cell(text: str, unknown: set[str], name: str, row: int, problems: list[CellProblem]) -> Cell:
    if text in unknown:
        return None
    if not text.startswith("{") and not text.endswith("}"):
        return text
    states = tuple(part.strip() for part in _SEPARATORS.split(text[1:-1]))
    if not (text.startswith("{") and text.endswith("}") and all(states)):
        message = f"'{text}' is no set of states; write {{red,green}}"
        problems.append(CellProblem(row=row + 1, column=name, message=message))
        return None
    return None if UNKNOWN in states else states


def _states(cells: list[Cell]) -> tuple[str, ...]:
    found: set[str] = set()
    for cell in cells:
        found.update((cell,) if isinstance(cell, str) else cell or ())
    return tuple(sorted(found, key=natural_key))


def _weights(
    path: Path | str, name: str, texts: list[str]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    try:
        return np.array([float(text) for text in texts], dtype=np.float64)
    except ValueError as problem:
        raise DataFileError(path, f"has a count in {name} that is no number: {problem}.") from None


def imprecise_csv(data: DataSet) -> str:
    """The rows as comma-separated text; weights are the column `count`."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*data.domain.names, *([] if data.weights is None else ["count"])])
    for row in range(data.row_count):
        cells = [cell_text(data, v, row) for v in range(len(data.domain))]
        count = [] if data.weights is None else [f"{data.weights[row]:g}"]
        writer.writerow([*cells, *count])
    return stream.getvalue()
