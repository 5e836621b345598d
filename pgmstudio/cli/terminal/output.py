"""Standard output of a command: one JSON object, or tables and text for a person."""

from __future__ import annotations

import csv
import io
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from pgmstudio.core.json_documents import exported_json
from pgmstudio.core.number_format import ASCII, ascii_numbers

BAR_CELLS = 24
_EIGHTHS = " ▏▎▍▌▋▊▉"

whole = ASCII.whole
decimal = ASCII.decimal
signed = ASCII.signed
count_of = ASCII.count_of


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """Columns of text; `align` has one of < and > for each column."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    align: str

    def lines(self) -> Iterator[str]:
        cells = [[ascii_numbers(cell) for cell in row] for row in (self.header, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for row in cells:
            padded = zip(row, self.align, widths, strict=True)
            yield "  ".join(f"{cell:{side}{width}}" for cell, side, width in padded).rstrip()


@dataclass(frozen=True, eq=False, slots=True)
class Fields:
    """Names and values in two columns."""

    pairs: Sequence[tuple[str, str]]

    def lines(self) -> Iterator[str]:
        width = max((len(name) for name, _ in self.pairs), default=0)
        for name, value in self.pairs:
            yield f"{name:<{width}}  {ascii_numbers(value)}"


Block = str | Table | Fields


class Result(Protocol):
    """What a command returns: the object of `--json`, and the blocks that a person reads."""

    @property
    def exit_code(self) -> int: ...

    def as_dict(self) -> Mapping[str, Any]: ...

    def blocks(self) -> Iterable[Block]: ...


@dataclass(frozen=True, eq=False)
class FilesWritten:
    """The result of a command that only writes files; messages go to standard error."""

    document: Mapping[str, Any] = field(default_factory=dict)
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        return self.document

    def blocks(self) -> Iterable[Block]:
        return ()


def print_result(result: Result, style: str = "table") -> None:
    """Write a result to standard output: text for people, rows as CSV, or one JSON object, in
    which a number that is not finite is null."""
    if style == "json":
        sys.stdout.write(exported_json(result.as_dict(), indent=None))
        return
    if style == "csv":
        sys.stdout.write(csv_text(records_of(result)))
        return
    for block in result.blocks():
        if isinstance(block, str):
            print(ascii_numbers(block))
        else:
            for line in block.lines():
                print(line)


Record = Mapping[str, Any]


@runtime_checkable
class HasRecords(Protocol):
    """A result that says itself what its rows are."""

    def records(self) -> Iterable[Record]: ...


def records_of(result: Result) -> list[Record]:
    """The rows of a result: its own, those of the first list in its JSON object, or the object."""
    if isinstance(result, HasRecords):
        return list(result.records())
    document = result.as_dict()
    for entry in document.values():
        if isinstance(entry, Sequence) and entry and all(isinstance(one, Mapping) for one in entry):
            return list(entry)
    return [document] if document else []


def csv_text(records: Sequence[Record]) -> str:
    """Rows with a header; an entry with parts of its own is written as JSON."""
    columns = list(dict.fromkeys(name for record in records for name in record))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if columns:
        writer.writerow(columns)
    writer.writerows([_cell(record.get(name)) for name in columns] for record in records)
    return text.getvalue()


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, Sequence | Mapping):
        return exported_json(value, indent=None).strip()
    return str(value)


def percent(fraction: float) -> str:
    """A probability in percent: 0 only when it is 0, 100 only when it is 1."""
    if 0 < fraction < 0.0005:
        return "<0.1 %"
    if 0.9995 <= fraction < 1:
        return ">99.9 %"
    return f"{100 * fraction:.1f} %"


def bar(fraction: float, cells: int = BAR_CELLS) -> str:
    """A bar that fills this fraction of `cells`, to an eighth of a cell."""
    eighths = round(max(0.0, min(1.0, fraction)) * cells * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(cells)
