"""Weka's ARFF: attributes with their types, then rows; dense or sparse, with row weights."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import CellProblem, DataFileError
from pgmstudio.core.io.data.formats.raw_table import (
    LIST_BYTES,
    RawTable,
    check_size,
    frame_of_rows,
    lines_of,
    text_of,
    unique_names,
)
from pgmstudio.core.io.data.formats.writing import cell_columns, weight_name
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.number_format import counted

_NUMERIC = ("numeric", "real", "integer")
_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s*(.*)""", re.I | re.S
)
# One cell and what ends it. A quoted cell may hold anything, with backslashes before quotes.
_CELL = re.compile(
    r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,'"\t][^,\t]*|))\s*(,|\t|$)"""
)
_WEIGHT = re.compile(r"\{\s*+([^{},\s]++)\s*+\}")
_ESCAPE = re.compile(r"\\(.)", re.S)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}

Attribute = tuple[str, tuple[str, ...] | None, bool]  # name, states if nominal, is numeric


def read(path: Path, options: ImportOptions) -> RawTable:
    """Nominal attributes keep their states; `?` is missing; strings and dates are texts."""
    lines = lines_of(text_of(path, options.encoding))
    attributes, start = _header(path, lines)
    names, warnings = unique_names(name for name, _, _ in attributes)
    # What sparse rows do not name is 0 for numbers and the first state for the nominal.
    blank = ["0" if states is None else states[0] for _, states, _ in attributes]
    rows: list[list[str | None]] = []
    weights: list[str] = []
    problems: list[CellProblem] = []
    for line in lines[start:]:
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        line, weight = _without_weight(line)
        weights.append(weight)
        check_size(path, len(weights), len(names), LIST_BYTES)  # a sparse row may be two characters
        try:
            sparse = line.startswith("{")
            row = _sparse(line, blank) if sparse else _dense(line, len(attributes))
        except ValueError as wrong:
            problems.append(CellProblem(str(wrong), row=len(weights)))
            continue
        rows.append(row)
    if problems:
        raise DataFileError(path, "has rows that do not fit its attributes.", problems)
    declared = {
        name: states
        for name, (_, states, _) in zip(names, attributes, strict=True)
        if states is not None
    }
    weight_column = None
    if any(weight != "1" for weight in weights):
        (*names_list, weight_column), _ = unique_names([*names, "weight"])
        names = (*names_list, weight_column)
        rows = [[*row, weight] for row, weight in zip(rows, weights, strict=True)]
    frame = frame_of_rows(path, names, rows)
    return RawTable(frame, declared=declared, weight_column=weight_column, warnings=warnings)


def _without_weight(line: str) -> tuple[str, str]:
    """The row, and the weight that stands in braces behind it: `a,b, {2}`."""
    begin = line.rfind("{")
    weight = _WEIGHT.fullmatch(line, begin) if begin > 0 else None
    if weight is None or not (line[begin - 1] == "," or line[begin - 1].isspace()):
        return line, "1"
    return line[:begin].rstrip().removesuffix(",").rstrip(), weight[1]


def _header(path: Path, lines: list[str]) -> tuple[list[Attribute], int]:
    attributes: list[Attribute] = []
    for number, line in enumerate(lines, start=1):
        stripped = line.strip()
        word = stripped[:10].lower()
        if word.startswith("@data"):
            if not attributes:
                raise DataFileError(path, "names no attributes before its data.")
            return attributes, number
        if word == "@attribute":
            result = _ATTRIBUTE.fullmatch(stripped)
            if result is None:
                raise DataFileError(path, f"has an attribute without a name in line {number}.")
            attributes.append(_attribute(path, result, number))
        elif stripped and not stripped.startswith("%") and not word.startswith("@relation"):
            raise DataFileError(
                path, f"is not ARFF: line {number} belongs to no part of its header."
            )
    raise DataFileError(path, "has no @data line.")


def _attribute(path: Path, result: re.Match[str], number: int) -> Attribute:
    quoted = result[1] if result[1] is not None else result[2]
    name, kind = (_unescaped(quoted) if quoted is not None else result[3]), result[4].strip()
    if quoted is None and "{" in name and not kind.startswith("{"):
        # `outlook{sunny,rainy}`: no blank between the name and its states
        name, _, states = name.partition("{")
        kind = "{" + states + kind
    if kind.startswith("{"):
        if not kind.endswith("}"):
            raise DataFileError(path, f"does not close the states of “{name}” in line {number}.")
        try:
            cells = _cells(kind[1:-1])
        except ValueError as wrong:
            raise DataFileError(path, f"line {number}, states of “{name}”: {wrong}.") from None
        return name, tuple(dict.fromkeys(cell or "" for cell in cells)), False
    word = kind.split(None, 1)[0].lower() if kind else ""
    if word not in (*_NUMERIC, "string", "date"):
        raise DataFileError(path, f"gives no type for the attribute “{name}” in line {number}.")
    return name, None, word in _NUMERIC


def _unescaped(text: str) -> str:
    return (
        _ESCAPE.sub(lambda result: _ESCAPED.get(result[1], result[1]), text)
        if "\\" in text
        else text
    )


def _cells(text: str) -> list[str | None]:
    """The cells of a comma-separated text; an unquoted `?` is None."""
    if "'" not in text and '"' not in text and "\t" not in text:
        cells = [cell.strip() for cell in text.split(",")]
        return [None if cell == "?" else cell for cell in cells]
    result: list[str | None] = []
    index = 0
    while True:
        match = _CELL.match(text, index)
        if match is None:
            raise ValueError(f"has a quotation mark that does not close near “{text[index:][:20]}”")
        quoted = match[1] if match[1] is not None else match[2]
        if quoted is not None:
            result.append(_unescaped(quoted))
        else:
            cell = match[3].strip()
            result.append(None if cell == "?" else cell)
        index = match.end()
        if not match[4]:
            return result


def _dense(line: str, width: int) -> list[str | None]:
    cells = _cells(line)
    if len(cells) != width:
        raise ValueError(f"has {counted(len(cells), 'cell')} where there should be {width}")
    return cells


def _sparse(line: str, blank: Sequence[str]) -> list[str | None]:
    """`{1 a, 4 b}`: the rest are as in the blank row."""
    if not line.endswith("}"):
        raise ValueError("does not close its bracket")
    filled: list[str | None] = list(blank)
    inner = line[1:-1].strip()
    for piece in _pieces(inner) if inner else []:
        index, _, value = piece.strip().partition(" ")
        if not (index.isascii() and index.isdigit() and int(index) < len(blank)):
            raise ValueError(f"names no attribute by “{index}”")
        (cell,) = _cells(value.strip())[:1]
        filled[int(index)] = cell
    return filled


def _pieces(text: str) -> list[str]:
    # A quote that does not close takes the rest, so that no character is looked at twice.
    return re.findall(r"""(?:[^,'"]|'(?:[^'\\]|\\.)*+'?|"(?:[^"\\]|\\.)*+"?)++""", text)


def write(data: DataSet) -> bytes:
    """Nominal attributes for all columns; row weights as a numeric attribute `weight`."""
    lines = ["@relation data", ""]
    for variable in data.domain:
        states = ",".join(_quoted(state) for state in variable.states)
        lines.append(f"@attribute {_quoted(variable.name)} {{{states}}}")
    if data.weights is not None:
        lines.append(f"@attribute {_quoted(weight_name(data))} numeric")
    lines += ["", "@data"]
    lines += [",".join(row) for row in zip(*cell_columns(data, _quoted, "?"), strict=True)]
    return ("\n".join(lines) + "\n").encode()


def _quoted(text: str) -> str:
    if re.fullmatch(r"[\w.<>=≥≤–+-]+", text):
        return text
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    for letter, line_end in _ESCAPED.items():
        escaped = escaped.replace(line_end, f"\\{letter}")
    return f"'{escaped}'"
