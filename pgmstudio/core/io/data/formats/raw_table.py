"""RawTable: a file as its cells, before anyone decides what they mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pgmstudio.core.errors import DataFileError
from pgmstudio.core.io.reading_limits import HOW_TO_RAISE, read_limit, read_unpacked, size_text

if TYPE_CHECKING:
    import polars

# What a cell costs at least: in columns of a file, and as an object in a list of lists.
_COLUMN_BYTES, LIST_BYTES = 2, 24
LONGEST_CELL = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class TextFacts:
    """How a text table is written."""

    delimiter: str
    encoding: str
    has_header: bool
    decimal: str


@dataclass(frozen=True, eq=False)
class RawTable:
    """The cells of a file.

    Columns of `frame` are texts, numbers or booleans, null where the file has nothing. `declared`
    are states the file itself names, in order. `weight_column` and `left_out` are the roles of
    columns given by the format; a first column without a name is mostly an index.
    With `numbered_states`, a cell `#k` is the state of index k.
    """

    frame: polars.DataFrame
    facts: TextFacts | None = None
    preview: polars.DataFrame | None = None
    declared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    weight_column: str | None = None
    left_out: tuple[str, ...] = ()
    first_is_unnamed: bool = False
    markers: tuple[str, ...] = ()
    numbered_states: bool = False
    tables: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def decimal(self) -> str:
        return "." if self.facts is None else self.facts.decimal


def bytes_of(path: Path) -> bytes:
    """The content of a file, unpacked when it ends in .gz; one that unpacks too far is refused."""
    if path.suffix.lower() != ".gz":
        return path.read_bytes()
    return read_unpacked(path, read_limit(), DataFileError)


def text_of(path: Path, encoding: str | None) -> str:
    """Text of a file in the given encoding, else by byte order mark, UTF-8 or Western."""
    return decoded(path, bytes_of(path), encoding)[0]


def lines_of(text: str) -> list[str]:
    """The lines of a text; unlike `splitlines`, only at line feeds and carriage returns."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def decoded(path: Path, content: bytes, encoding: str | None) -> tuple[str, str]:
    """Text and the encoding that gave it; every content has one, since latin-1 takes any byte."""
    for mark, name in _MARKS:
        if encoding is None and content.startswith(mark):
            encoding = name
    for name in (encoding,) if encoding else ("utf-8", "cp1252", "latin-1"):
        try:
            return content.decode(name), name
        except UnicodeError as wrong:
            if encoding:
                message = f"is not {encoding} text. Choose another encoding."
                raise DataFileError(path, message) from wrong
    raise AssertionError("latin-1 takes any byte")


_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def check_size(path: Path, rows: int, columns: int, cell_bytes: int = _COLUMN_BYTES) -> None:
    """Raise DataFileError for a table with more cells than the limit allows."""
    if rows * max(columns, 1) * cell_bytes > read_limit():
        limit = size_text(read_limit())
        raise DataFileError(
            path,
            f"has {rows:,} rows and {columns:,} columns, more than fit into {limit}, the limit "
            f"for reading. {HOW_TO_RAISE}",
        )


def check_cells(path: Path, frame: polars.DataFrame) -> None:
    """Raise DataFileError for a very long cell; packed files hold such texts in a few bytes."""
    import polars

    texts = frame.select(polars.col(polars.String).str.len_bytes().max())
    if any((longest or 0) > LONGEST_CELL for row in texts.rows() for longest in row):
        raise too_long(path)


def too_long(path: Path) -> DataFileError:
    """The error for a file with a very long cell."""
    limit = size_text(LONGEST_CELL)
    return DataFileError(path, f"has a cell of more than {limit}, which no variable can hold.")


def unique_names(names: Iterable[str | None]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Unique column names, and warnings about duplicates."""
    wanted = [(name or "").strip() or f"column {index}" for index, name in enumerate(names, 1)]
    free_ends = dict.fromkeys(wanted, 2)
    used: dict[str, None] = {}
    warnings = []
    for name in wanted:
        chosen = name
        while chosen in used or (chosen != name and chosen in free_ends):
            chosen = f"{name} ({free_ends[name]})"
            free_ends[name] += 1
        used[chosen] = None
        if chosen != name:
            warnings.append(f"Two columns are called “{name}”; the later one is “{chosen}” here.")
    return tuple(used), tuple(warnings)


def frame_of_rows(
    path: Path, names: Sequence[str], rows: Sequence[Sequence[str | None]]
) -> polars.DataFrame:
    """A table of texts from rows of equal length."""
    import polars

    check_size(path, len(rows), len(names), LIST_BYTES)
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    series = [
        polars.Series(name, column, dtype=polars.String)
        for name, column in zip(names, columns, strict=True)
    ]
    return polars.DataFrame(series)
