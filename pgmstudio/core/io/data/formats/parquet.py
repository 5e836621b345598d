"""Parquet tables: columns of texts, numbers, yes/no, dates."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import CellProblem, DataFileError
from pgmstudio.core.io.data.formats.raw_table import (
    RawTable,
    check_cells,
    check_size,
    unique_names,
)
from pgmstudio.core.io.data.formats.writing import text_frame
from pgmstudio.core.io.data.options import ImportOptions

if TYPE_CHECKING:
    import polars


def read(path: Path, options: ImportOptions) -> RawTable:
    """All columns; nested ones (lists, structs, bytes) are refused."""
    import polars

    lazy = polars.scan_parquet(path, glob=False)
    width = len(lazy.collect_schema())
    check_size(path, int(lazy.select(polars.len()).collect().item()), width)
    return raw_table(path, polars.read_parquet(path, glob=False), options)


def raw_table(path: Path, frame: polars.DataFrame, options: ImportOptions) -> RawTable:
    """The columns as numbers or texts; nested ones that are not left out are refused."""
    problems = [
        CellProblem(f"holds {series.dtype}, which no variable can hold; leave it out", column=name)
        for name, series in frame.to_dict().items()
        if is_nested(series.dtype) and name not in options.leave_out
    ]
    if problems:
        raise DataFileError(path, "has columns that are no plain values.", problems)
    frame = frame.select(plain(series) for series in frame if not is_nested(series.dtype))
    check_cells(path, frame)
    names, warnings = unique_names(frame.columns)
    frame.columns = list(names)
    return RawTable(frame, warnings=warnings)


def is_nested(dtype: Any) -> bool:
    """Whether a column is of lists, structs, bytes or other things that are no plain values."""
    import polars

    return bool(dtype.is_nested() or dtype in (polars.Binary, polars.Object))


def plain(series: polars.Series) -> polars.Series:
    """The column as numbers or texts; whole numbers too large to be exact become texts."""
    import polars

    dtype = series.dtype
    if dtype.is_decimal():
        return series.cast(polars.Float64)
    if dtype.is_float():
        return series
    if dtype.is_integer():
        largest = max(abs(int(series.min() or 0)), abs(int(series.max() or 0)))  # type: ignore[arg-type]
        return series.cast(polars.Int64) if largest < 1 << 53 else series.cast(polars.String)
    return series.cast(polars.String)


def write(data: DataSet) -> bytes:
    """State names as texts, null where missing."""
    buffer = io.BytesIO()
    text_frame(data).write_parquet(buffer, compression="zstd", statistics=False)
    return buffer.getvalue()
