"""Excel workbooks (.xlsx), one sheet of them; every cell is read as the text it shows."""

from __future__ import annotations

import zipfile
from pathlib import Path

from pgmstudio.core.errors import DataFileError, UnknownNameError
from pgmstudio.core.io.data.formats.raw_table import (
    RawTable,
    TextFacts,
    check_cells,
    unique_names,
)
from pgmstudio.core.io.data.formats.text_sniffing import looks_like_header
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.reading_limits import read_limit, too_large


def read(path: Path, options: ImportOptions) -> RawTable:
    """The requested sheet, or the first; its first row is the header unless it looks like data."""
    import polars

    try:
        from fastexcel import read_excel
    except ModuleNotFoundError:
        raise DataFileError(
            path,
            "is a workbook, and what reads those is not installed. Install it with: "
            "pip install 'pgmstudio[excel]', or save the sheet as CSV.",
        ) from None

    _refuse_bombs(path)
    workbook = read_excel(path)
    sheets = tuple(workbook.sheet_names)
    if not sheets:
        raise DataFileError(path, "has no sheets.")
    if options.sheet is not None and options.sheet not in sheets:
        raise UnknownNameError("sheet", options.sheet, sheets)
    chosen = options.sheet or sheets[0]
    frame = workbook.load_sheet(chosen, header_row=None, dtypes="string").to_polars()
    check_cells(path, frame)
    if frame.width == 0 or frame.height == 0:
        raise DataFileError(path, f"has nothing on sheet “{chosen}”.")
    records = [[(cell or "").strip() for cell in row] for row in frame.head(200).rows()]
    header = options.header
    if header is None:
        header = looks_like_header(records, ".")
    warnings: tuple[str, ...] = ()
    if header:
        names, warnings = unique_names(records[0])
        frame = frame.slice(1)
    else:
        names = tuple(f"X{index + 1}" for index in range(frame.width))
        if options.header is None:
            warnings = ("The first row looks like data, so the columns are named X1, X2, ….",)
    frame.columns = list(names)
    blank = polars.all_horizontal(polars.all().is_null())
    frame = frame.filter(~blank)
    return RawTable(
        frame,
        TextFacts("", "", header, "."),
        first_is_unnamed=header and not records[0][0] and len(names) > 1,
        tables=sheets,
        warnings=warnings,
    )


def _refuse_bombs(path: Path) -> None:
    """Refuse a workbook that unpacks too far; the memory limit sees to the rest."""
    try:
        with zipfile.ZipFile(path) as packed:
            unpacked = sum(member.file_size for member in packed.infolist())
    except (NotImplementedError, RuntimeError, EOFError, ValueError) as strange:
        raise DataFileError(path, f"cannot be unpacked ({strange}).") from strange
    if unpacked > read_limit():
        raise too_large(path, read_limit(), DataFileError)
