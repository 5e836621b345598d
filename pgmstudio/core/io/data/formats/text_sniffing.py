"""Detection of delimiter, header and decimal mark from the beginning of a text table."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from pgmstudio.core.io.data.formats.raw_table import TextFacts, lines_of
from pgmstudio.core.io.data.options import ImportOptions

BLANKS = " "  # as a delimiter: any run of blanks and tabs

# In this order: a comma also stands in texts and decimal numbers, a blank in almost anything.
_CANDIDATES = ("\t", ";", "|", ",", BLANKS)
_RECORDS = 200

NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_COMMA_NUMBER = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
_POINT_NUMBER = re.compile(r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?")
_BLANK_TOKEN = re.compile(r'"((?:[^"]|"")*)"|([^ \t\r\n\v\f]+)')

Record = Sequence[str]


def number_of(text: str, decimal: str = ".") -> float | None:
    """The number a text spells, or None; names of non-numbers (nan, inf) are no numbers."""
    if decimal == ",":
        if "." in text:
            return None
        text = text.replace(",", ".")
    return float(text) if NUMBER.fullmatch(text) else None


def split_blanks(line: str) -> list[str]:
    """The cells of a line whose cells are apart by blanks; quoted cells may hold blanks."""
    return [
        result[2] if result[2] is not None else result[1].replace('""', '"')
        for result in _BLANK_TOKEN.finditer(line)
    ]


def records_of(text: str, delimiter: str) -> Iterable[list[str]]:
    """The rows of a text table as cells; a blank line is an empty list. May raise csv.Error."""
    if delimiter == BLANKS:
        return (split_blanks(line) for line in lines_of(text))
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def sniff(text: str, is_whole: bool, encoding: str, options: ImportOptions) -> TextFacts:
    """Format of the table that begins with `text`; values given in `options` are not detected."""
    if not is_whole and "\n" in text:
        text = text[: text.rindex("\n") + 1]  # the last line may be cut off
    candidates = (options.delimiter,) if options.delimiter else _CANDIDATES
    result = [(delimiter, *_read_sample(text, delimiter)) for delimiter in candidates]
    delimiter, records, _ = next(
        (guess for guess in result if guess[2] >= 0.9), max(result, key=lambda guess: guess[2])
    )
    if all(len(record) < 2 for record in records) and not options.delimiter:
        delimiter, records = ",", _read_sample(text, ",")[0]
    decimal = options.decimal or _decimal(records[1:], delimiter)
    header = options.header
    if header is None:
        header = looks_like_header(records, decimal)
    return TextFacts(delimiter, encoding, header, decimal)


def _read_sample(text: str, delimiter: str) -> tuple[list[list[str]], float]:
    """The first records, and the fraction with the most common number of cells above one."""
    records: list[list[str]] = []
    try:
        for record in records_of(text, delimiter):
            if record:
                records.append([cell.strip() for cell in record])
            if len(records) == _RECORDS:
                break
    except csv.Error:
        return records, 0.0
    lengths = Counter(map(len, records))
    # The header may have one cell more or less than the rows (an unnamed index), so it counts less.
    common, count = max(lengths.items(), key=lambda item: item[1], default=(0, 0))
    return records, count / max(len(records), 1) if common > 1 else 0.0


def _decimal(records: Sequence[Record], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    cells = [cell for record in records for cell in record]
    has_commas = any(_COMMA_NUMBER.fullmatch(cell) for cell in cells)
    return "," if has_commas and not any(_POINT_NUMBER.fullmatch(cell) for cell in cells) else "."


def looks_like_header(records: Sequence[Record], decimal: str) -> bool:
    """Whether the first record names the columns; in doubt it does.

    It does not when it has the same name twice among numbers only, or when it reads like the rows
    below it: numbers above numbers, and in every column of texts a text that comes again.
    """
    if len(records) < 2:
        return True
    first, rows = records[0], [row for row in records[1:] if len(row) == len(records[1])]
    if len(first) != len(records[1]):
        return True
    is_number = [number_of(cell, decimal) is not None for cell in first]
    if all(is_number):
        counted = [str(i) for i in range(len(first))], [str(i + 1) for i in range(len(first))]
        return len(first) > 1 and list(first) in counted
    columns = [{row[index] for row in rows} for index in range(len(first))]
    for cell, numeric, below in zip(first, is_number, columns, strict=True):
        holds_numbers = sum(number_of(text, decimal) is not None for text in below) * 2 > len(below)
        if holds_numbers and not numeric and cell not in below:
            return True  # a name above numbers
        if not holds_numbers and cell not in below:
            return True  # a name that is no state
    return len(first) == 1


# The order in which texts become states: numbers in texts count as numbers, case counts last.

_DIGITS = re.compile(r"(\d+)", re.ASCII)


def natural_key(text: str) -> tuple[object, ...]:
    """Sorts “bin 2” before “bin 10”, “a” before “B”, and plain numbers by their value."""
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if number == number:
        return (0, number, text)
    # Odd parts are digits; their length stands in for the value, so huge numbers cost nothing.
    parts = _DIGITS.split(text.casefold())
    keys = tuple(
        (1, len(part.lstrip("0")), part.lstrip("0")) if index % 2 else (0, 0, part)
        for index, part in enumerate(parts)
    )
    return (1, keys, text)
