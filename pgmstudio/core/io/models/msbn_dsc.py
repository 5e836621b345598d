"""DSC, the text of Microsoft's MSBN and MSBNx: `node` and `probability` blocks.

A row names the states of its parents by their numbers, so rows may come in any order; `default`
stands for those that are not there. Names are letters, digits and underscores; any other name is
replaced by one and restored from its `name : "…"`.
"""

from __future__ import annotations

import math
import re
from itertools import product
from pathlib import Path

import numpy as np

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.shared.identifiers import name_behind, safe_names
from pgmstudio.core.io.models.shared.network_builder import (
    NO_TITLE,
    NetworkTextReader,
    network_in,
    renaming_warnings,
    title_in,
    what_is_lost,
)
from pgmstudio.core.io.models.shared.text_scanner import (
    STRING,
    escaped,
    found_text,
    number_of,
    unescaped,
)


def parse(content: bytes, path: Path) -> ModelFile:
    """The network in a DSC text; ModelFileError has line and column."""
    return _Reader.parse(content, path)


class _Reader(NetworkTextReader):
    BLANK = re.compile(r"(?:\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+")
    TOKEN = re.compile(
        rf'[{{}}()\[\]:;=,|]|{STRING}|(?:[^\s{{}}()\[\]:;=,|"/]|/(?![/*]))++|["/]', re.DOTALL
    )
    PUNCTUATION = frozenset('{}()[]:;=,|/"')

    def __init__(self, text: str, path: Path) -> None:
        super().__init__(text, path)
        self._tables: list[tuple[list[str], int, int]] = []  # names, offset, where the rows begin

    def read(self) -> ModelFile:
        """The model file of the text; tables when all variables are known."""
        title = ""
        while token := self.next_token():
            offset = self.start
            if token == "belief":
                self.expect("network", "“belief”")
                if self.peek().startswith('"') or self.peek() not in ("node", "properties"):
                    title = self._text("a title")
            elif token == "node":
                self._node(offset)
            elif token == "probability":
                self._probability(offset)
            elif token in ("properties", "network"):
                self._skip(token)
            elif token != ";":
                self.fail(
                    f"expected “node” or “probability”, {found_text(token)}; is it a DSC file?"
                )
        if not self.builder.variables:
            self.builder.fail("holds no nodes; is it a DSC file?")
        for names, offset, index in self._tables:
            self.position = index
            self._rows(self.builder.family(names, self.at(offset)), offset)
        return self.builder.file(title_in(title))

    def _text(self, what: str) -> str:
        return _unquoted(self.word(what, quoted=True))

    def _skip(self, owner: str) -> None:
        """Skip a block in braces."""
        self.expect("{", f"“{owner}”")
        open_braces = 1
        while open_braces:
            token = self.next_token()
            if not token:
                self.fail(f"the block of {owner} has no “}}” at its end.")
            open_braces += (token == "{") - (token == "}")

    def _node(self, offset: int) -> None:
        identifier = self.word("the name of a node")
        self.expect("{", identifier)
        title, states = "", None
        point: list[float] = []
        while (key := self.next_token()) != "}":
            if key == ";":
                continue
            if not key or key in self.PUNCTUATION:
                self.fail(f"expected a line or “}}” in {identifier}, {found_text(key)}.")
            if not self.take(":"):
                self.expect("=", key)
            if key == "type":
                states = self._states(identifier)
            elif key == "name":
                title = self._text("a name")
            else:
                tokens = self._line(key)
                point = [number_of(word) for word in tokens] if key == "position" else point
        if states is None:
            self.fail(f"{identifier} has no type; a line type : discrete[2] = … lacks.", offset)
        build = self.builder
        name = name_behind(identifier, title)
        name = identifier if name in build.variables else name
        build.add_variable(identifier, states, self.at(offset), name=name)
        if title not in ("", name, identifier):
            build.titles[name] = title
        if len(point) == 2 and not math.isnan(sum(point)):
            build.layout[name] = (point[0], point[1])

    def _line(self, key: str) -> list[str]:
        """The tokens up to the semicolon, without punctuation."""
        tokens = []
        while (token := self.next_token()) != ";":
            if not token or token in "{}":
                self.fail(f"expected “;” after {key}, {found_text(token)}.")
            if token not in self.PUNCTUATION:
                tokens.append(token)
        return tokens

    def _states(self, identifier: str) -> list[str]:
        kind = self.word("a type")
        if kind != "discrete":
            self.fail(f"{identifier} is of type {kind}; only discrete nodes can be read.")
        self.expect("[", "“discrete”")
        count = self.word("the number of states")
        offset = self.start
        self.expect("]", "the number of states")
        self.expect("=", "the number of states")
        self.expect("{", "“=”")
        words = self.words_until("}", f"a state of {identifier}", skipped=(",",), quoted=True)
        states = [_unquoted(word) for word, _ in words]
        if count != str(len(states)):
            self.fail(
                f"{identifier} should have {count} states, but {len(states)} are listed.", offset
            )
        return states

    def _probability(self, offset: int) -> None:
        self.expect("(", "“probability”")
        words = self.words_until(")", "a node or “)”", skipped=("|", ","))
        names = [name for name, _ in words]
        if not names:
            self.fail("a probability block has to name its node.")
        self._tables.append((names, offset, self.position))
        if self.peek() != ";":  # else a node without numbers
            self._skip(f"the table of {names[0]}")

    def _rows(self, family: list[Variable], offset: int) -> None:
        build = self.builder
        child, *givens = family
        at = self.at(offset)
        if self.next_token() != "{" or self.peek() == "}":
            build.add_uniform(family, at)
            return
        count, width = build.reserve(family, at)
        table = np.full((count, width), math.nan)
        rest: list[float] | None = None
        while (token := self.next_token()) != "}":
            start = self.start
            if token == "(":
                row = self._row(givens, child)
                if not math.isnan(table[row, 0]):
                    self.fail(f"a row of {child.name} occurs twice.", start)
                table[row] = self._numbers(child, start)
            elif token == "default":
                self.take(":")
                rest = self._numbers(child, start)
            elif token in ("function", "leak"):
                self.fail(f"{child.name} is given by causes that act alone; only tables are read.")
            elif token != ";":
                self.position = start
                if givens:
                    self.fail(
                        f"expected a row such as (0, 1) : in {child.name}, {found_text(token)}."
                    )
                table[0] = self._numbers(child, start)
        absent = np.isnan(table[:, 0])
        if absent.any() and rest is None:
            self.fail(f"the table of {child.name} lacks {int(absent.sum())} rows.", offset)
        if rest is not None:
            table[absent] = rest
        build.add_rows(family, table, at)

    def _row(self, givens: list[Variable], child: Variable) -> int:
        tokens = []
        while (token := self.next_token()) != ")":
            if token != ",":
                tokens.append(self._state(token))
        if len(tokens) != len(givens):
            self.fail(
                f"a row of {child.name} names {len(tokens)} states, but there are "
                f"{len(givens)} parents."
            )
        row = 0
        for code, given in zip(tokens, givens, strict=True):
            if code >= given.cardinality:
                self.fail(f"{given.name} has no state number {code}.")
            row = row * given.cardinality + code
        if not self.take(":"):
            self.expect("=", "the states of the parents")
        return row

    def _state(self, token: str) -> int:
        if not token.isdecimal() or len(token) > 6:
            self.fail(f"expected the number of a state, {found_text(token)}.")
        return int(token)

    def _numbers(self, child: Variable, offset: int) -> list[float]:
        numbers = []
        while (token := self.next_token()) != ";":
            if token == ",":
                continue
            number = number_of(token)
            if not number >= 0:
                self.fail(f"expected a number of at least 0 or “;”, {found_text(token)}.")
            numbers.append(number)
        if len(numbers) != child.cardinality:
            self.fail(
                f"a row of {child.name} has {len(numbers)} numbers instead of {child.cardinality}.",
                offset,
            )
        return numbers


def _unquoted(token: str) -> str:
    return unescaped(token) if token.startswith('"') else token


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text of a DSC file, and what it cannot hold."""
    network = network_in(file, path, "DSC")
    ids = safe_names(network.domain.names, reserved=("node", "probability", "belief", "properties"))
    lines = [f"belief network {escaped(file.title or NO_TITLE)}"]
    untitled = []
    for variable in network.domain:
        name = variable.name
        lines += [f"node {ids[name]}", "{"]
        title = name if ids[name] != name else file.titles.get(name, "")
        if ids[name] == name and name_behind(name, title) != name:
            title = ""  # it would be taken for the name
        if title:
            lines.append(f"    name : {escaped(title)};")
        if file.titles.get(name, title) != title:
            untitled.append(name)
        states = ", ".join(map(escaped, variable.states))
        lines.append(f"    type : discrete[{variable.cardinality}] = {{ {states} }};")
        if name in file.layout:
            x, y = (repr(float(c)).removesuffix(".0") for c in file.layout[name])
            lines.append(f"    position : ({x}, {y});")
        lines.append("}")
    for index, variable in enumerate(network.domain):
        givens = [network.domain.variables[p] for p in network.dag.parent_indices[index]]
        bar = f" | {', '.join(ids[given.name] for given in givens)}" if givens else ""
        lines += [f"probability ( {ids[variable.name]}{bar} )", "{"]
        heads = product(*(range(given.cardinality) for given in givens))
        rows = network.tables[index].reshape(-1, variable.cardinality).tolist()
        for head, row in zip(heads, rows, strict=True):
            begin = f"({', '.join(map(str, head))}) : " if givens else ""
            lines.append(f"    {begin}{', '.join(map(repr, row))};")
        lines.append("}")
    lost = what_is_lost(file, "DSC", titles=True, properties=False)
    if untitled:
        lost.append(f"DSC cannot hold the titles of {', '.join(untitled[:5])} next to the names.")
    return ("\n".join(lines) + "\n").encode(), (*lost, *renaming_warnings("DSC", ids))
