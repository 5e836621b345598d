"""The blocks of a BIF text, token by token in linear time; names are not looked up here."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import DataError
from pgmstudio.core.io.network_formats import title_in
from pgmstudio.core.io.text_scanner import TextScanner, found, number_of

_PLAIN_NUMBERS = re.compile(r'[^;{}()\[\]"/_]*+;')
PROPERTY = re.compile(r'((?:[^;"]|"[^"]*+")*+);')
_QUOTED = re.compile(r'"[^"]*+"')
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_PUNCTUATION = frozenset("{}()[];")


@dataclass
class Block:
    """A probability block as it stands in the file; names are looked up when all are known."""

    offset: int
    names: list[tuple[str, int]]
    rows: list[tuple[tuple[str, ...], list[float], int]] = field(default_factory=list)
    default: tuple[list[float], int] | None = None
    table: tuple[list[float], int] | None = None
    properties: list[str] = field(default_factory=list)


class BifReader(TextScanner):
    """Reads block after block; looks nothing up."""

    BLANK = re.compile(r"(?:[\s,|]++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+")
    TOKEN = re.compile(r'[{}()\[\];]|"[^"]*+"|(?:[^\s,|{}()\[\];"/]|/(?![/*]))++|["/]')

    def __init__(self, text: str, path: Path) -> None:
        super().__init__(text, path)
        self.title = ""
        self.network_properties: list[str] = []
        self.variables: dict[str, Variable] = {}
        self.variable_properties: dict[str, list[str]] = {}
        self.blocks: list[Block] = []
        self.skipped: list[int] = []  # offsets of text outside of the blocks

    def _name(self, what: str) -> str:
        token = self.next_token()
        if not token or token in _PUNCTUATION or token == '"':
            self.fail(f"expected {what}, {found(token)}.")
        return unquoted(token)

    def read(self) -> None:
        """Read the whole text; what it said is in the attributes afterwards."""
        stray = False
        while token := self.next_token():
            start, place = self.start, self.place
            if token in ("network", "variable", "probability") and self._block(token):
                stray = False
                continue
            self.start, self.place = start, place
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
        elif not name or name in _PUNCTUATION or name == '"' or self.next_token() != "{":
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
                self.fail(f"expected “property” or “}}” in the network block, {found(token)}.")
            self.network_properties.append(self._property())

    def _property(self) -> str:
        whole = PROPERTY.match(self.text, self.place)
        if whole is None:
            self.fail("the property that begins here has no “;” at its end.")
        self.place = whole.end()
        text = whole[1].strip()
        return unquoted(text) if _QUOTED.fullmatch(text) else text

    def _variable(self, name: str, start: int) -> None:
        if name in self.variables:
            self.fail(f"there are two variables called {name}.", start)
        states: tuple[str, ...] | None = None
        properties: list[str] = []
        while (token := self.next_token()) != "}":
            if token == "property":
                properties.append(self._property())
            elif token == "type" and states is None:
                states = self._states(name)
            elif token != ";":
                self.fail(f"expected “type”, “property” or “}}” in {name}, {found(token)}.")
        if states is None:
            self.fail(f"{name} has no states; a line such as type discrete [2] {{…}} lacks.", start)
        try:
            self.variables[name] = Variable(name, states)
        except DataError as problem:
            self.fail(str(problem), start)
        if properties:
            self.variable_properties[name] = properties

    def _states(self, name: str) -> tuple[str, ...]:
        kind = self._name("a type")
        if kind != "discrete":
            self.fail(
                f"{name} is of type {kind}; only discrete variables can be read. "
                "Discretise it in the program that wrote the file."
            )
        self.expect("[", "“discrete”")
        count = self._name("the number of states")
        offset = self.start
        self.expect("]", "the number of states")
        self.expect("{", "the number of states")
        states = []
        while (token := self.next_token()) != "}":
            if not token or token in _PUNCTUATION or token == '"':
                self.fail(f"expected a state of {name}, {found(token)}.")
            states.append(unquoted(token))
        if count != str(len(states)):
            self.fail(f"{name} should have {count} states, but {len(states)} are listed.", offset)
        return tuple(states)

    def _probability(self, start: int) -> None:
        names = []
        while (token := self.next_token()) != ")":
            if not token or token in _PUNCTUATION or token == '"':
                self.fail(f"expected a variable or “)”, {found(token)}.")
            names.append((unquoted(token), self.start))
        if not names:
            self.fail("a probability block has to name its variable.")
        block = Block(start, names)
        self.expect("{", "the variables")
        while (token := self.next_token()) != "}":
            offset = self.start
            if token == "(":
                states = []
                while (token := self.next_token()) != ")":
                    if not token or token in _PUNCTUATION or token == '"':
                        self.fail(f"expected a parent's state or “)”, {found(token)}.")
                    states.append(token)
                block.rows.append((tuple(states), self._numbers(), offset))
            elif token == "table" and block.table is None:
                block.table = self._numbers(), offset
            elif token == "default" and block.default is None:
                block.default = self._numbers(), offset
            elif token == "property":
                block.properties.append(self._property())
            elif token != ";":
                wanted = "“(”, “table”, “default”, “property” or “}”"
                self.fail(f"expected {wanted} in the table of {names[0][0]}, {found(token)}.")
        self.blocks.append(block)

    def _numbers(self) -> list[float]:
        """The numbers up to the next semicolon, at once where they are plain."""
        plain = _PLAIN_NUMBERS.match(self.text, self.place)
        if plain is not None:
            words = plain[0][:-1].replace(",", " ").replace("|", " ").split()
            try:
                numbers = list(map(float, words))
            except ValueError:
                numbers = []
            if numbers and min(numbers) >= 0 and math.isfinite(sum(numbers)):
                self.place = plain.end()
                return numbers
        return self._numbers_one_by_one()

    def _numbers_one_by_one(self) -> list[float]:
        numbers = []
        while (token := self.next_token()) != ";":
            number = number_of(token)
            if math.isnan(number):
                self.fail(f"expected a number or “;”, {found(token)}.")
            if number < 0:
                self.fail(f"{token} is below 0, so it is no probability.")
            numbers.append(number)
        return numbers


def unquoted(token: str) -> str:
    """A name without its quotes, `\\u0022` and the like being the characters they stand for."""
    if not token.startswith('"'):
        return token
    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), token[1:-1])
