"""Importing 1 000 000 x 50 cells of CSV: ours against what polars and pandas take to read them.

    python benchmarks/bench_import.py [ROWS]

Ours is from the file to a finished data set: states found and ordered, cells coded, missing ones
recognised. The peers stop at their own data frame. The file was written just before, so all read
it from the disk cache. The goal is at most 1.3 times the time of polars, a ratio of 0.8x or more.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from reporting import Program, report

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import read_data

COLUMNS = 50
WORDS = np.array(["low", "medium", "high", "very high"])


def whole_numbers(rng: np.random.Generator, place: int, rows: int) -> Any:
    return rng.integers(0, 2 + place % 8, rows)


def texts(rng: np.random.Generator, place: int, rows: int) -> Any:
    return WORDS[rng.integers(0, 4, rows)]


def mixed(rng: np.random.Generator, place: int, rows: int) -> Any:
    """Texts, whole numbers and, in every tenth column, measurements that have to be cut."""
    if place % 10 == 9:
        return np.round(rng.normal(size=rows), 4)
    return (texts if place % 2 else whole_numbers)(rng, place, rows)


CASES: dict[str, tuple[Callable[..., Any], ImportOptions]] = {
    "whole numbers": (whole_numbers, ImportOptions()),
    "texts": (texts, ImportOptions()),
    "mixed, 5 columns cut into 5": (mixed, ImportOptions(bins=5)),
}


def write(path: Path, column: Callable[..., Any], rows: int) -> None:
    rng = np.random.default_rng(0)
    pl.DataFrame({f"X{i + 1}": column(rng, i, rows) for i in range(COLUMNS)}).write_csv(path)


def pandas_frame(path: Path) -> Any:
    import pandas

    return pandas.read_csv(path)


def shape(table: Any) -> str:
    rows, columns = table.codes.T.shape if isinstance(table, DataSet) else table.shape
    return f"{rows}x{columns}"


def main(rows: int = 1_000_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        for name, (column, options) in CASES.items():
            write(path, column, rows)
            report(
                "import CSV",
                f"{rows}x{COLUMNS} {name}",
                [
                    Program("PGM Studio", "pgmstudio", lambda _, o=options: read_data(path, o)),
                    Program("polars", "polars", lambda _: pl.read_csv(path)),
                    Program("pandas", "pandas", lambda _: pandas_frame(path), repeats=2),
                ],
                shape,
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
