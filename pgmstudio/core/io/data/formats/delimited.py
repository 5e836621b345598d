"""Text tables: .csv, .tsv, .txt and the like, read by polars where its strictness allows.

A first look at the beginning decides how the text is written and what each column seems to hold, so
that a large file is parsed once, straight into small integers. A later cell that does not fit costs
a second reading as plain texts; odd quoting a third, by the csv module, which forgives more.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import CellProblem, DataFileError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.io.data.formats import categorical_csv
from pgmstudio.core.io.data.formats.raw_table import (
    RawTable,
    TextFacts,
    bytes_of,
    decoded,
    frame_of_rows,
    lines_of,
    unique_names,
)
from pgmstudio.core.io.data.formats.text_sniffing import (
    BLANKS,
    natural_key,
    number_of,
    records_of,
    sniff,
    split_blanks,
)
from pgmstudio.core.io.data.formats.writing import missing_text, text_frame
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.number_format import counted

if TYPE_CHECKING:
    import polars

# A file up to this size is read once as texts; of a larger one, so much shows what it holds.
HEAD_BYTES = 1 << 21
_SNIFFED_BYTES = 1 << 18
PREVIEW_ROWS = 200
PIECE_BYTES = 1 << 24
_MAX_CATEGORIES = 200
MAX_RECORD_BYTES = 1 << 27
_MAX_LISTED = 1000  # rows of another length
_MAX_COLUMNS = 100_000


def read(path: Path, options: ImportOptions) -> RawTable:
    """Read a text table; delimiter, encoding, header and decimal mark are detected unless given."""
    if path.suffix.lower() == ".gz":
        return read_content(path, bytes_of(path), options)
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    return _read(path, head, head if len(head) < HEAD_BYTES else None, options)


def read_content(path: Path, content: bytes, options: ImportOptions) -> RawTable:
    """A text table that is already in memory; `path` only names it in messages."""
    return _read(path, content[:HEAD_BYTES], content, options)


def read_beginning(path: Path, options: ImportOptions) -> RawTable:
    """The first rows of a text table in UTF-8, for one that is read in pieces."""
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    if len(head) == HEAD_BYTES:
        head = head[: head.rfind(b"\n") + 1]
    table = read_content(path, head, options)
    assert table.facts is not None
    if table.facts.encoding not in ("utf-8", "utf-8-sig") or table.facts.delimiter == BLANKS:
        raise DataFileError(
            path, "is not UTF-8 text with delimiters, so it cannot be read in chunks. Convert it."
        )
    return table


def line_ends(path: Path, step: int, facts: TextFacts, cancel: CancelToken) -> Iterator[int]:
    """Where the file can be split: behind the header, then behind about every `step` bytes at the
    end of a record, whose quotation marks are all closed; last the end of the file."""
    position, is_header, size = 0, facts.has_header, path.stat().st_size
    with path.open("rb") as stream:
        if not is_header:
            yield 0
        while piece := stream.read(step):
            cancel.raise_if_cancelled()
            end = _record_end(piece, is_first=is_header)
            while not end and (more := stream.read(step)):
                piece += more
                if len(piece) > MAX_RECORD_BYTES:
                    raise DataFileError(path, "has quotation marks that do not pair up.")
                end = _record_end(piece, is_first=is_header)
            is_last = not is_header and position + len(piece) >= size
            position += len(piece) if is_last or not end else end
            is_header = False
            stream.seek(position)
            yield position


def _record_end(piece: bytes, *, is_first: bool) -> int:
    """Behind the first or last line feed outside of quotation marks; 0 without one."""
    end = (piece.find(b"\n") if is_first else piece.rfind(b"\n")) + 1
    inside = piece.count(b'"', 0, end)
    while end and inside % 2:
        if is_first:
            after = piece.find(b"\n", end) + 1
            inside += piece.count(b'"', end, after)
        else:
            after = piece.rfind(b"\n", 0, end - 1) + 1
            inside -= piece.count(b'"', after, end)
        end = after
    return end


def rows_of(
    path: Path, content: bytes, facts: TextFacts, names: tuple[str, ...]
) -> polars.DataFrame:
    """The rows of a part of a file as texts; `facts` say that it has no header."""
    return _frame(path, content, content, facts, names, ImportOptions())[0]


def _read(path: Path, head: bytes, content: bytes | None, options: ImportOptions) -> RawTable:
    """The table that begins with `head`; `content` is all of it, or None to read it from `path`."""
    is_whole = content is not None and len(content) == len(head)
    text, encoding = _decoded_head(path, head, is_whole, options.encoding)
    if not text.strip("\r\n\ufeff"):
        raise DataFileError(path, "is empty.")
    if "\0" in text:
        raise DataFileError(path, "is not a text table: it has zero bytes.")
    sniffed = text[:_SNIFFED_BYTES]
    facts = sniff(sniffed, is_whole and len(sniffed) == len(text), encoding, options)
    names, warnings, unnamed = _names(path, text, facts)
    if encoding not in ("utf-8", "utf-8-sig"):
        whole = bytes_of(path) if content is None else content
        content = decoded(path, whole, encoding)[0].encode()
        warnings = (*warnings, f"The text is read as {encoding}.")
    if facts.delimiter == BLANKS:
        content = _without_runs_of_blanks(bytes_of(path) if content is None else content)
    if content is not None:
        head = content[:HEAD_BYTES]
    try:
        frame, preview = _frame(path, head, content, facts, names, options)
    except _NotUtf8:
        # Found only far into the file; from here on it is known, so this happens once.
        whole = bytes_of(path) if content is None else content
        western = decoded(path, whole, options.encoding)[1]
        return read_content(path, whole, replace(options, encoding=western))
    if not facts.has_header and options.header is None:
        warnings = (*warnings, "The first row looks like data, so the columns are named X1, X2, ….")
    return RawTable(frame, facts, preview, first_is_unnamed=unnamed, warnings=warnings)


class _NotUtf8(Exception):
    """A later part of the file is not UTF-8, as its beginning was."""


def _decoded_head(path: Path, head: bytes, is_whole: bool, encoding: str | None) -> tuple[str, str]:
    """The beginning as text; a character cut in two at its end does not count against UTF-8."""
    if encoding is None and not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        try:
            return decoder.decode(head, final=is_whole), "utf-8"
        except UnicodeDecodeError:
            pass  # it is in some other encoding, found below
    if not is_whole:
        head = head[: len(head) // 4 * 4]
    return decoded(path, head, encoding)


def _names(
    path: Path, text: str, facts: TextFacts
) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    records = []
    try:
        for record in records_of(text, facts.delimiter):
            if record:
                records.append(record)
            if len(records) == 2:
                break
    except csv.Error as wrong:
        raise DataFileError(path, f"is not a table ({wrong}).") from wrong
    if not records:
        raise DataFileError(path, "is empty.")
    if max(map(len, records)) > _MAX_COLUMNS:
        raise DataFileError(path, f"has more than {_MAX_COLUMNS:,} columns, too many to read.")
    if not facts.has_header:
        return tuple(f"X{index + 1}" for index in range(len(records[0]))), (), False
    header = records[0]
    if len(records) == 2 and len(records[1]) == len(header) + 1:
        # Rows one cell longer: they end in a delimiter, or begin with the unnamed row names of R.
        header = [*header, ""] if not records[1][-1].strip() else ["", *header]
    names, warnings = unique_names(header)
    return names, warnings, not header[0].strip() and len(header) > 1


def _without_runs_of_blanks(content: bytes) -> bytes:
    """The same table with one blank between cells and none at the ends of lines."""
    if b'"' in content:
        rows = (split_blanks(line) for line in lines_of(content.decode()))
        lines = (" ".join(f'"{c.replace(chr(34), chr(34) * 2)}"' for c in row) for row in rows)
        return "\n".join(lines).encode()
    pieces = []
    begin = 0
    while begin < len(content):  # the work takes some twenty bytes for each byte of text
        end = content.find(b"\n", begin + PIECE_BYTES) + 1 or len(content)
        pieces.append(_with_single_blanks(content[begin:end]))
        begin = end
    return b"".join(pieces)


def _with_single_blanks(lines: bytes) -> bytes:
    characters = np.frombuffer(lines, dtype=np.uint8)
    is_blank = (characters == ord(" ")) | (characters == ord("\t"))
    ends_line = (characters == ord("\n")) | (characters == ord("\r"))
    after_cell = np.concatenate(([False], ~(is_blank | ends_line)[:-1]))
    # A blank stays when a cell ends before it and the run it starts is followed by another cell.
    indices = np.where(~is_blank, np.arange(characters.size), characters.size)
    following = np.minimum.accumulate(indices[::-1])[::-1]
    followed = np.append(~ends_line, False)[following]
    is_row = ~is_blank | (after_cell & followed)
    cleaned = characters[is_row].copy()
    cleaned[is_blank[is_row]] = ord(" ")
    return bytes(cleaned.tobytes())


def _frame(
    path: Path,
    head: bytes,
    content: bytes | None,
    facts: TextFacts,
    names: tuple[str, ...],
    options: ImportOptions,
) -> tuple[polars.DataFrame, polars.DataFrame]:
    """The cells, and the first rows of them as they are written."""
    import polars
    from polars.exceptions import PolarsError

    texts = dict.fromkeys(names, polars.String)
    try:
        is_whole = content is not None and len(head) == len(content)
        cut = len(head) if is_whole else head.rfind(b"\n") + 1
        frame = sample = _parse(head[:cut], facts, texts)
        preview = sample.head(PREVIEW_ROWS)
        if not is_whole:
            frame, is_checked = _large_frame(path, content, facts, sample, options)
            if is_checked:
                return frame, preview
        if frame.height and frame[:, -1].null_count():
            # Only now can a row be blank or short: polars fills such rows with nulls.
            content = bytes_of(path) if content is None else content
            lengths = _record_lengths(path, content, facts)
            if len(lengths) != frame.height:
                raise DataFileError(path, "has quotation marks that do not pair up.")
            is_row = _checked_rows(path, lengths, len(names))
            if not is_row.all():
                frame = frame.filter(polars.Series(is_row))
                preview = preview.filter(polars.Series(is_row[: preview.height]))
    except PolarsError:
        frame = _read_patiently(path, content, facts, names)
        preview = frame.head(PREVIEW_ROWS)
    return frame, preview


def _large_frame(
    path: Path,
    content: bytes | None,
    facts: TextFacts,
    sample: polars.DataFrame,
    options: ImportOptions,
) -> tuple[polars.DataFrame, bool]:
    """The cells in the smallest shape the sample promises, and whether all rows are as long."""
    import polars
    from polars.exceptions import PolarsError

    source = path if content is None else content
    size = path.stat().st_size if content is None else len(content)
    coded = (
        categorical_csv.read_few_valued(source, facts, sample)
        if size >= categorical_csv.MIN_BYTES
        else None
    )
    if coded is not None and coded.width == sample.width:
        return coded, True
    schema = _schema(sample, facts.decimal, options.many_numbers)
    try:
        if coded is not None:
            done = set(coded.columns)
            rest = [index for index, name in enumerate(sample.columns) if name not in done]
            others = _parse(source, facts, schema, rest)
            if others.height == coded.height:
                return coded.hstack(others).select(sample.columns), True
        return _parse(source, facts, schema), False
    except PolarsError:  # a later cell does not fit what the first rows showed
        return _parse(source, facts, dict.fromkeys(sample.columns, polars.String)), False


def _parse(
    source: Path | bytes, facts: TextFacts, schema: Any, columns: list[int] | None = None
) -> polars.DataFrame:
    import polars

    return polars.read_csv(
        source,
        has_header=False,
        skip_rows=int(facts.has_header),
        schema=schema,
        columns=columns,
        separator=facts.delimiter,
        decimal_comma=facts.decimal == ",",
        raise_if_empty=False,
        glob=False,
    )


def _schema(sample: polars.DataFrame, decimal: str, many_numbers: int) -> dict[str, Any]:
    """What each column seems to hold, so that it is parsed into the smallest thing."""
    import polars

    schema: dict[str, Any] = {}
    for series in sample:
        texts = [text for text in series.unique().to_list() if text is not None]
        wholes = [_plain_whole(text) for text in texts]
        chosen: Any = polars.String
        if texts and None not in wholes:
            largest = max(abs(whole or 0) for whole in wholes)
            chosen = polars.Int16 if largest < 1 << 15 else polars.Int64
            if largest >= 1 << 53:  # would not be exact as a number later on
                chosen = polars.String
        elif len(texts) > many_numbers and all(number_of(t, decimal) is not None for t in texts):
            chosen = polars.Float64
        elif 0 < len(texts) <= _MAX_CATEGORIES:
            chosen = polars.Enum(sorted(texts, key=natural_key))
        schema[series.name] = chosen
    return schema


def _plain_whole(text: str) -> int | None:
    """A whole number written in the one way that needs no memory of how it was written."""
    if not (text.isascii() and text.lstrip("-").isdigit() and len(text) < 19):
        return None
    return int(text) if str(int(text)) == text else None


def _record_lengths(path: Path, content: bytes, facts: TextFacts) -> list[int]:
    """How many cells each row has; 0 for a blank line."""
    if b'"' not in content:
        lines = content.split(b"\n")
        if not lines[-1]:
            lines.pop()
        separator = facts.delimiter.encode()
        lengths = [line.count(separator) + 1 if line.strip(b"\r") else 0 for line in lines]
    else:
        text = decoded(path, content, "utf-8")[0]
        lengths = [len(record) for record in _csv_records(path, text, facts)]
    return lengths[int(facts.has_header) :]


def _csv_records(path: Path, text: str, facts: TextFacts) -> list[list[str]]:
    try:
        return list(records_of(text, facts.delimiter))
    except csv.Error as wrong:
        raise DataFileError(path, f"is not a table ({wrong}).") from wrong


def _checked_rows(path: Path, lengths: Sequence[int], width: int) -> np.ndarray[Any, Any]:
    """Which rows are no blank lines; all rows with a strange number of cells are refused."""
    cells = np.array(lengths)
    is_row = cells > 0
    if width == 1:
        # A blank line is a missing cell here, except at the end of the file.
        last = int(np.flatnonzero(is_row)[-1]) + 1 if is_row.any() else 0
        is_row = np.arange(cells.size) < last
        cells = np.where(cells == 0, 1, cells)
    numbers = np.cumsum(is_row)  # rows are counted as a person counts them, without blank lines
    wrong = np.flatnonzero(is_row & (cells != width))
    problems = [
        CellProblem(
            f"has {counted(int(cells[row]), 'cell')} where there should be {width}",
            row=int(numbers[row]),
        )
        for row in wrong[:_MAX_LISTED]
    ]
    if wrong.size > _MAX_LISTED:
        problems.append(CellProblem(f"{wrong.size - _MAX_LISTED} more rows are of another length"))
    if problems:
        raise DataFileError(
            path, "has rows of different lengths. Correct them, or choose a delimiter.", problems
        )
    return is_row


def _read_patiently(
    path: Path, content: bytes | None, facts: TextFacts, names: Sequence[str]
) -> polars.DataFrame:
    """The table by the csv module, which forgives stray quotation marks and odd line ends."""
    try:
        text = (bytes_of(path) if content is None else content).decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise _NotUtf8 from wrong
    records = _csv_records(path, text, facts)
    while records and not records[0]:
        records.pop(0)
    records = records[int(facts.has_header) :]
    is_row = _checked_rows(path, [len(record) for record in records], len(names))
    rows = [record or [""] for record, keep in zip(records, is_row, strict=True) if keep]
    return frame_of_rows(path, names, rows)


def write(data: DataSet, delimiter: str) -> bytes:
    """A text table with a header; missing cells are empty where that cannot be mistaken."""
    frame = text_frame(data)
    written = frame.write_csv(
        separator=delimiter, line_terminator="\n", null_value=missing_text(data, frame.width)
    )
    return written.encode()


def write_csv(data: DataSet) -> bytes:
    """A comma-separated table."""
    return write(data, ",")


def write_tsv(data: DataSet) -> bytes:
    """A tab-separated table."""
    return write(data, "\t")
