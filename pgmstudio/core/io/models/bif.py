"""BIF 0.15, the interchange format of the network repositories (Cozman 1998).

Written by many programs, so the reader is tolerant: commas and bars count as blanks, rows come in
any order and name their parents' states, `*` stands for any state, `default` fills what no row
names, text outside of the blocks is skipped. Names that are not identifiers stand in quotes, where
`\\u0022` is a quote itself. Tables listed in one run vary the first variable slowest.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.shared.network_builder import (
    NO_TITLE,
    NetworkTextReader,
    either_way,
    network_in,
    position_in,
    position_text,
    title_in,
    what_is_lost,
)
from pgmstudio.core.io.models.shared.text_scanner import found_text, number_of
from pgmstudio.core.languages.table_checks import row_namer

_PLAIN_NUMBERS = re.compile(r'[^;{}()\[\]"/_]*+;')
PROPERTY = re.compile(r'((?:[^;"]|"[^"]*+")*+);')
_QUOTED = re.compile(r'"[^"]*+"')
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass
class Block:
    """A probability block as it stands in the file; names are looked up when all are known."""

    offset: int
    names: list[tuple[str, int]]
    rows: list[tuple[tuple[str, ...], list[float], int]] = field(default_factory=list)
    default: tuple[list[float], int] | None = None
    table: tuple[list[float], int] | None = None
    properties: list[str] = field(default_factory=list)


class BifReader(NetworkTextReader):
    """Reads block after block; looks nothing up."""

    BLANK = re.compile(r"(?:[\s,|]++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+")
    TOKEN = re.compile(r'[{}()\[\];]|"[^"]*+"|(?:[^\s,|{}()\[\];"/]|/(?![/*]))++|["/]')
    PUNCTUATION = frozenset("{}()[];")

    def __init__(self, text: str, path: Path) -> None:
        super().__init__(text, path)
        self.title = ""
        self.network_properties: list[str] = []
        self.blocks: list[Block] = []
        self.skipped: list[int] = []  # offsets of text outside of the blocks

    def read(self) -> ModelFile:
        """The model file of the text; names are looked up when all are known."""
        self._read_blocks()
        build = self.builder
        if not build.variables:
            build.fail("holds no variables; is it a BIF file?")
        for block in self.blocks:
            _add_table(self, block)
        if self.skipped:
            lines = [str(self.line(offset)) for offset in self.skipped[:5]]
            more = ", …" if len(self.skipped) > 5 else ""
            where = "line" if len(self.skipped) == 1 else "lines"
            build.warnings.append(
                f"Text outside of the blocks was left out ({where} {', '.join(lines)}{more})."
            )
        return build.file(self.title, self.network_properties)

    def _read_blocks(self) -> None:
        stray = False
        while token := self.next_token():
            start, index = self.start, self.position
            if token in ("network", "variable", "probability") and self._block(token):
                stray = False
                continue
            self.start, self.position = start, index
            if token != ";" and not stray:
                stray = True
                self.skipped.append(start)

    def _block(self, kind: str) -> bool:
        """Read a block of this kind if one begins here; the word may also be mere text."""
        start = self.start
        if kind == "probability":
            if self.next_token() != "(":
                return False
            self._probability(start)
            return True
        name = self.next_token()
        if kind == "network" and name == "{":
            name = ""
        elif not name or name in self.PUNCTUATION or name == '"' or self.next_token() != "{":
            return False
        if kind == "network":
            self._network(name)
        else:
            self._variable(unquoted(name), start)
        return True

    def _network(self, name: str) -> None:
        self.title = title_in(unquoted(name))
        while (token := self.next_token()) != "}":
            if token != "property":
                self.fail(f"expected “property” or “}}” in the network block, {found_text(token)}.")
            self.network_properties.append(self._property())

    def _property(self) -> str:
        whole = PROPERTY.match(self.text, self.position)
        if whole is None:
            self.fail("the property that begins here has no “;” at its end.")
        self.position = whole.end()
        text = whole[1].strip()
        return unquoted(text) if _QUOTED.fullmatch(text) else text

    def _variable(self, name: str, start: int) -> None:
        states: tuple[str, ...] | None = None
        properties: list[str] = []
        while (token := self.next_token()) != "}":
            if token == "property":
                text = self._property()
                if (point := position_in(text)) is None:
                    properties.append(text)
                else:
                    self.builder.layout[name] = point
            elif token == "type" and states is None:
                states = self._states(name)
            elif token != ";":
                self.fail(f"expected “type”, “property” or “}}” in {name}, {found_text(token)}.")
        if states is None:
            self.fail(f"{name} has no states; a line such as type discrete [2] {{…}} lacks.", start)
        self.builder.add_variable(name, states, self.at(start))
        if properties:
            self.builder.variable_properties[name] = tuple(properties)

    def _states(self, name: str) -> tuple[str, ...]:
        kind = unquoted(self.word("a type", quoted=True))
        if kind != "discrete":
            self.fail(
                f"{name} is of type {kind}; only discrete variables can be read. "
                "Discretise it in the program that wrote the file."
            )
        self.expect("[", "“discrete”")
        count = unquoted(self.word("the number of states", quoted=True))
        offset = self.start
        self.expect("]", "the number of states")
        self.expect("{", "the number of states")
        words = self.words_until("}", f"a state of {name}", quoted=True)
        states = [unquoted(word) for word, _ in words]
        if count != str(len(states)):
            self.fail(f"{name} should have {count} states, but {len(states)} are listed.", offset)
        return tuple(states)

    def _probability(self, start: int) -> None:
        words = self.words_until(")", "a variable or “)”", quoted=True)
        names = [(unquoted(word), offset) for word, offset in words]
        if not names:
            self.fail("a probability block has to name its variable.")
        block = Block(start, names)
        self.expect("{", "the variables")
        while (token := self.next_token()) != "}":
            offset = self.start
            if token == "(":
                words = self.words_until(")", "a parent's state or “)”", quoted=True)
                states = tuple(word for word, _ in words)
                block.rows.append((states, self._numbers(), offset))
            elif token == "table" and block.table is None:
                block.table = self._numbers(), offset
            elif token == "default" and block.default is None:
                block.default = self._numbers(), offset
            elif token == "property":
                block.properties.append(self._property())
            elif token != ";":
                expected = "“(”, “table”, “default”, “property” or “}”"
                self.fail(
                    f"expected {expected} in the table of {names[0][0]}, {found_text(token)}."
                )
        self.blocks.append(block)

    def _numbers(self) -> list[float]:
        """The numbers up to the next semicolon, at once where they are plain."""
        plain = _PLAIN_NUMBERS.match(self.text, self.position)
        if plain is not None:
            tokens = plain[0][:-1].replace(",", " ").replace("|", " ").split()
            try:
                numbers = list(map(float, tokens))
            except ValueError:
                numbers = []
            if numbers and min(numbers) >= 0 and math.isfinite(sum(numbers)):
                self.position = plain.end()
                return numbers
        return self._numbers_one_by_one()

    def _numbers_one_by_one(self) -> list[float]:
        numbers = []
        while (token := self.next_token()) != ";":
            number = number_of(token)
            if math.isnan(number):
                self.fail(f"expected a number or “;”, {found_text(token)}.")
            if number < 0:
                self.fail(f"{token} is below 0, so it is no probability.")
            numbers.append(number)
        return numbers


def unquoted(token: str) -> str:
    """A name without its quotes, `\\u0022` and the like being the characters they stand for."""
    if not token.startswith('"'):
        return token
    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), token[1:-1])


_BARE = re.compile(r'(?!\*$)(?:[^\s,|{}()\[\];"/\\]|/(?![/*]))+')
_ANY = "*"


def parse(content: bytes, path: Path) -> ModelFile:
    """The network in a BIF text; ModelFileError has line and column."""
    return BifReader.parse(content, path)


def _add_table(reader: BifReader, block: Block) -> None:
    """The table of a block, a row per combination of its parents' states, the last fastest."""
    build = reader.builder
    at = reader.at(block.offset)
    each_at = [reader.at(offset) for _, offset in block.names]
    family = build.family([name for name, _ in block.names], at, each_at)
    child, *givens = family
    shape = tuple(given.cardinality for given in givens)
    count, width = build.reserve(family, at)
    if block.properties:
        build.table_properties[child.name] = tuple(block.properties)
    table = np.zeros((count, width))
    index = np.full(count, -1, dtype=np.int64)  # where each row stands in the file; -1: nowhere

    def fits(numbers: list[float], expected: int, what: str, offset: int) -> Floats:
        if len(numbers) != expected:
            reader.fail(f"{what} has {len(numbers)} numbers instead of {expected}.", offset)
        return np.array(numbers)

    if block.default is not None:
        numbers, offset = block.default
        table[:] = fits(numbers, width, f"the default row of {child.name}", offset)
        index[:] = offset
    if block.table is not None:
        numbers, offset = block.table
        flat = fits(numbers, count * width, f"the table of {child.name}", offset)
        table[:], turned = either_way(flat, count, width, child_first=True)
        index[:] = offset
        if turned:
            build.warnings.append(
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
            matched = [g for g, code in zip(givens, where, strict=True) if isinstance(code, slice)]
            build.reserve([child, *matched], reader.at(offset))  # so much work
            table.reshape(*shape, width)[where] = row
            index.reshape(shape)[where] = offset
            continue
        if cell in seen:
            reader.fail(f"the row {row_namer(givens)(cell)} of {child.name} occurs twice.", offset)
        seen.add(cell)
        table[cell] = row
        index[cell] = offset
    absent = np.flatnonzero(index < 0)
    if absent.size:
        names = ", ".join(row_namer(givens)(int(row)) for row in absent[:3])
        more = f" and {absent.size - 3} more" if absent.size > 3 else ""
        reader.fail(f"the table of {child.name} lacks the row {names}{more}.", block.offset)
    build.add_rows(family, table, at, lambda row: reader.line(int(index[row])))


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
        f"\\u{ord(character):04x}"
        if character in '"\\' or (not character.isprintable() and ord(character) <= 0xFFFF)
        else character
        for character in text
    )
    return f'"{"".join(safe)}"'
