"""BIF 0.15, the interchange format of the network repositories (Cozman 1998).

Written by many programs, so the reader is patient: commas and bars count as blanks, rows come in
any order and name their parents' states, `*` stands for any state, `default` fills what no row
names, text outside of the blocks is skipped. Names that are not plain words stand in quotes, where
`\\u0022` is a quote itself. Tables listed in one run vary the first variable slowest.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import ModelFileError, UnknownNameError
from pgmstudio.core.io.bif_reader import PROPERTY, BifReader, Block, unquoted
from pgmstudio.core.io.model_files import ModelFile, Point, Properties, decode_text
from pgmstudio.core.io.network_formats import (
    NO_TITLE,
    TableChecker,
    assembled_network,
    either_way,
    network_in,
    position_in,
    position_text,
    row_namer,
    what_is_lost,
)

_BARE = re.compile(r'(?!\*$)(?:[^\s,|{}()\[\];"/\\]|/(?![/*]))+')
_ANY = "*"


def parse(content: bytes, path: Path) -> ModelFile:
    """The network in a BIF text; ModelFileError has line and column."""
    text, remarks = decode_text(content)
    reader = BifReader(text, path)
    reader.read()
    return _resolved(reader, remarks)


def _resolved(reader: BifReader, remarks: tuple[str, ...]) -> ModelFile:
    if not reader.variables:
        raise ModelFileError(reader.path, "holds no variables; is it a BIF file?")
    checker = TableChecker(reader.path)
    notes = list(remarks)
    parents: dict[str, list[str]] = {}
    rows: dict[str, NDArray[np.float64]] = {}
    table_properties: dict[str, tuple[str, ...]] = {}
    for block in reader.blocks:
        family: dict[str, None] = {}
        for name, offset in block.names:
            if name not in reader.variables:
                reader.fail(str(UnknownNameError("variable", name, reader.variables)), offset)
            if name in family:
                reader.fail(f"{name} is named twice in this table.", offset)
            family[name] = None
        child, *parents_there = family
        if child in rows:
            reader.fail(f"there are two tables of {child}.", block.offset)
        parents[child] = parents_there
        rows[child] = _rows(reader, block, checker, notes)
        if block.properties:
            table_properties[child] = tuple(block.properties)
    bare = [name for name in reader.variables if name not in rows]
    if bare:
        shown = ", ".join(bare[:10]) + (f" and {len(bare) - 10} more" if len(bare) > 10 else "")
        raise ModelFileError(reader.path, f"there is no table of {shown}.")
    network = assembled_network(reader.path, list(reader.variables.values()), parents, rows)
    layout: dict[str, Point] = {}
    kept: dict[str, tuple[str, ...]] = {}
    for name, properties in reader.variable_properties.items():
        others = []
        for text in properties:
            point = position_in(text)
            if point is None:
                others.append(text)
            else:
                layout[name] = point
        if others:
            kept[name] = tuple(others)
    if reader.skipped:
        lines = [str(reader.line(offset)) for offset in reader.skipped[:5]]
        more = ", …" if len(reader.skipped) > 5 else ""
        where = "line" if len(reader.skipped) == 1 else "lines"
        notes.append(f"Text outside of the blocks was left out ({where} {', '.join(lines)}{more}).")
    return ModelFile(
        network,
        title=reader.title,
        layout=layout,
        properties=Properties(tuple(reader.network_properties), kept, table_properties),
        remarks=(*notes, *checker.remarks()),
    )


def _rows(
    reader: BifReader, block: Block, checker: TableChecker, notes: list[str]
) -> NDArray[np.float64]:
    """The table of a block, a row per combination of its parents' states, the last fastest."""
    child, *givens = (reader.variables[name] for name, _ in block.names)
    shape = tuple(given.cardinality for given in givens)
    width = child.cardinality
    checker.reserve(child.name, (*shape, width), reader.line(block.offset))
    count = math.prod(shape)
    table = np.zeros((count, width))
    place = np.full(count, -1, dtype=np.int64)  # where each row stands in the file; -1: nowhere

    def fits(numbers: list[float], wanted: int, what: str, offset: int) -> NDArray[np.float64]:
        if len(numbers) != wanted:
            reader.fail(f"{what} has {len(numbers)} numbers instead of {wanted}.", offset)
        return np.array(numbers)

    if block.default is not None:
        numbers, offset = block.default
        table[:] = fits(numbers, width, f"the default row of {child.name}", offset)
        place[:] = offset
    if block.table is not None:
        numbers, offset = block.table
        flat = fits(numbers, count * width, f"the table of {child.name}", offset)
        table[:], turned = either_way(flat, count, width, child_first=True)
        place[:] = offset
        if turned:
            notes.append(
                f"Line {reader.line(offset)}: the table of {child.name} lists its own states "
                "fastest, against the format; it was read that way, since only so its rows sum "
                "to 1."
            )
    codes = [{state: code for code, state in enumerate(given.states)} for given in givens]
    seen: set[int] = set()
    for states, numbers, offset in block.rows:
        if len(states) != len(givens):
            reader.fail(
                f"a row of {child.name} names {len(states)} states, but there are "
                f"{len(givens)} parents.",
                offset,
            )
        row = fits(numbers, width, f"a row of {child.name}", offset)
        cell = 0
        for state, known, given in zip(states, codes, givens, strict=True):
            if state == _ANY and _ANY not in known:
                cell = -1
                break
            code = known.get(unquoted(state))
            if code is None:
                what = f"state of {given.name}"
                reader.fail(str(UnknownNameError(what, unquoted(state), given.states)), offset)
            cell = cell * given.cardinality + code
        if cell < 0:
            where = _matching(reader, states, givens, offset)
            matched = [n for n, code in zip(shape, where, strict=True) if isinstance(code, slice)]
            checker.reserve(child.name, (*matched, width), reader.line(offset))  # so much work
            table.reshape(*shape, width)[where] = row
            place.reshape(shape)[where] = offset
            continue
        if cell in seen:
            reader.fail(f"the row {row_namer(givens)(cell)} of {child.name} occurs twice.", offset)
        seen.add(cell)
        table[cell] = row
        place[cell] = offset
    absent = np.flatnonzero(place < 0)
    if absent.size:
        names = ", ".join(row_namer(givens)(int(row)) for row in absent[:3])
        more = f" and {absent.size - 3} more" if absent.size > 3 else ""
        reader.fail(f"the table of {child.name} lacks the row {names}{more}.", block.offset)
    return checker.checked(
        child.name, table, row_namer(givens), lambda row: reader.line(int(place[row]))
    )


def _matching(
    reader: BifReader, states: Iterable[str], givens: Iterable[Variable], offset: int
) -> tuple[int | slice, ...]:
    """The rows that a row with `*` stands for, as an index."""
    where: list[int | slice] = []
    for state, given in zip(states, givens, strict=True):
        if state == _ANY:
            where.append(slice(None))
            continue
        try:
            where.append(given.code(unquoted(state)))
        except UnknownNameError as problem:
            reader.fail(str(problem), offset)
    return tuple(where)


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text of a BIF file, and what it cannot hold."""
    network = network_in(file, path, "BIF")
    lines = [f"network {_written(file.title or NO_TITLE)} {{"]
    lines += [f"  property {_written_property(text)} ;" for text in file.properties.network]
    lines.append("}")
    for variable in network.domain:
        states = ", ".join(map(_written, variable.states))
        lines.append(f"variable {_written(variable.name)} {{")
        lines.append(f"  type discrete [ {variable.cardinality} ] {{ {states} }};")
        if variable.name in file.layout:
            lines.append(f"  property {position_text(file.layout[variable.name])} ;")
        for text in file.properties.variables.get(variable.name, ()):
            lines.append(f"  property {_written_property(text)} ;")
        lines.append("}")
    for index, variable in enumerate(network.domain):
        givens = [network.domain.variables[p] for p in network.dag.parent_indices[index]]
        bar = f" | {', '.join(_written(given.name) for given in givens)}" if givens else ""
        lines.append(f"probability ( {_written(variable.name)}{bar} ) {{")
        rows = network.tables[index].reshape(-1, variable.cardinality).tolist()
        heads = product(*([_written(state) for state in given.states] for given in givens))
        for head, row in zip(heads, rows, strict=True):
            begin = f"({', '.join(head)})" if givens else "table"
            lines.append(f"  {begin} {', '.join(map(repr, row))};")
        for text in file.properties.tables.get(variable.name, ()):
            lines.append(f"  property {_written_property(text)} ;")
        lines.append("}")
    lost = what_is_lost(file, "BIF")
    quoted = [
        word
        for variable in network.domain
        for word in (variable.name, *variable.states)
        if not _is_bare(word)
    ]
    if quoted:
        lost.append(
            f"{len(quoted)} names had to be put in quotes ({quoted[0]}, …); "
            "not every program reads them."
        )
    return ("\n".join(lines) + "\n").encode(), tuple(lost)


def _is_bare(name: str) -> bool:
    """Whether a name is one word to every reader, like those in the repositories' own files."""
    return _BARE.fullmatch(name) is not None and name.isprintable()


def _written(name: str) -> str:
    return name if _is_bare(name) else _in_quotes(name)


def _written_property(text: str) -> str:
    is_raw = text == text.strip() and text and PROPERTY.fullmatch(text + ";")
    return text if is_raw and not text.startswith('"') else _in_quotes(text)


def _in_quotes(text: str) -> str:
    safe = (
        f"\\u{ord(sign):04x}"
        if sign in '"\\' or (not sign.isprintable() and ord(sign) <= 0xFFFF)
        else sign
        for sign in text
    )
    return f'"{"".join(safe)}"'
