"""Texts with one edge per line and, after a colon, the contexts in which it vanishes.

    X -> Y : A = 0; B = 1, C = 0

Contexts stand between `;`, the states of one context between `,`, and `*` is any state. Lines that
begin with `#` are comments to other readers; those that begin with `#states`, `#at`, `#title` and
`#labels` are ours: the states of a variable in their order, its position, the title, and that this
is a labelled graph even if no edge has a label. Labelled graphs are written so with `->`, Markov
networks with `--`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NoReturn

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.models.files import ModelFile, Point, decode_text
from pgmstudio.core.io.models.shared.structure_only import UNKNOWN_STATES, Structure

Sign = Literal["->", "--"]  # between the ends of an edge
Context = list[tuple[str, str | None]]  # variables and states, None for any state

ANY = ("*", "∗")
_TOKENS = {
    sign: re.compile(rf'\s*(?:("(?:[^"\\]|\\.)*")|({sign})|([:;,=])|((?:(?!{sign})[^":;,=])+)|(.))')
    for sign in ("->", "--")
}
_QUOTED = re.compile(r'[":;,=#\\\x00-\x1f]|->|--|\A-|-\Z')
_OURS = ("#states", "#at", "#title", "#labels")
_END = "\0end"
_MAX_QUOTED = 40  # characters of a token in a message: other files may have one long line


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # "name", a symbol, or the end of the line
    text: str
    column: int
    is_quoted: bool = False


class _Line:
    """The tokens of one line, taken one after another."""

    def __init__(self, text: str, number: int | None, path: Path, sign: Sign) -> None:
        self._path, self.number, self.sign = path, number, sign
        self._tokens = list(self._read(text))
        self._position = 0

    def fail(self, message: str, column: int | None = None) -> NoReturn:
        raise ModelFileError(self._path, message, self.number, column)

    def _read(self, text: str) -> Iterator[_Token]:
        index, end = 0, len(text.rstrip())
        while index < end:
            result = _TOKENS[self.sign].match(text, index, end)
            if result is None:
                break
            quoted, arrow, symbol, bare, odd = result.groups()
            column = result.start(result.lastindex or 0) + 1
            if odd is not None:
                self.fail(f"“{odd}” is not understood here; a quote may be missing.", column)
            if quoted is not None:
                yield _Token("name", self._unquoted(quoted, column), column, True)
            elif bare is not None:
                yield _Token("name", bare.strip(), column)
            else:
                yield _Token(arrow or symbol, arrow or symbol, column)
            index = result.end()
        yield _Token(_END, "the end of the line", end + 1)

    def _unquoted(self, text: str, column: int) -> str:
        try:
            value = json.loads(text, strict=False)
        except ValueError:
            self.fail(f"{text} has an invalid escape sequence.", column)
        return str(value)

    @property
    def next(self) -> _Token:
        return self._tokens[min(self._position, len(self._tokens) - 1)]

    def take(self, kind: str, what: str) -> _Token:
        token = self.next
        if token.kind != kind:
            here = token.text if token.kind == _END else f"“{token.text[:_MAX_QUOTED]}”"
            self.fail(f"expected {what} but found {here}.", token.column)
        self._position += 1
        return token

    def took(self, kind: str) -> bool:
        if self.next.kind == kind:
            self._position += 1
            return True
        return False

    @property
    def is_over(self) -> bool:
        return self.next.kind == _END


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """One edge, and the contexts in which it vanishes."""

    source: str
    target: str
    contexts: tuple[Context, ...]
    number: int | None


@dataclass(slots=True)
class EdgeText:
    """The contents of a text, before a model is built from them."""

    edges: list[EdgeLine] = field(default_factory=list)
    lone: dict[str, int | None] = field(
        default_factory=dict
    )  # names that stand alone, and their lines
    states: dict[str, tuple[tuple[str, ...], int | None]] = field(default_factory=dict)
    points: dict[str, Point] = field(default_factory=dict)
    title: str = ""
    is_labelled: bool = False
    warnings: tuple[str, ...] = ()

    def structure(self, path: Path, *, directed: bool) -> Structure:
        """The variables with their states, declared or mentioned in contexts, and the edges."""
        structure = Structure(path)
        structure.warnings += self.warnings
        for name, (states, number) in self.states.items():
            structure.add_node(name, (number, None), states)
        for edge in self.edges:
            at = (edge.number, None)
            structure.add_edge(edge.source, edge.target, at, directed=directed)
        for name, number in self.lone.items():
            structure.add_node(name, (number, None))
        for name, mentioned in self._mentioned_states().items():
            structure.add_node(name, (None, None), mentioned)
        structure.layout.update(self.points)
        return structure

    def _mentioned_states(self) -> dict[str, tuple[str, ...]]:
        """States of variables the file does not declare, as far as contexts name them."""
        seen: dict[str, dict[str, None]] = {}
        for edge in self.edges:
            for name, state in (pair for context in edge.contexts for pair in context):
                if state is not None and name not in self.states:
                    seen.setdefault(name, {})[state] = None
        return {name: _completed(tuple(states)) for name, states in seen.items()}


def read_edge_text(content: bytes, path: Path, sign: Sign) -> EdgeText:
    """The edges of a text; ModelFileError has the line and column of the first mistake."""
    text, warnings = decode_text(content)
    result = EdgeText(warnings=warnings)
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip(" \t\r")
        ours = next((keyword for keyword in _OURS if stripped.split(" ")[0] == keyword), None)
        if ours is not None:
            _read_ours(result, ours, _Line(stripped.removeprefix(ours), number, path, sign))
        elif stripped and not stripped.startswith("#"):
            _read_edge(result, _Line(line, number, path, sign))
    return result


def head_lines(file: ModelFile, domain: Domain) -> list[str]:
    """The lines with the title, the states and the positions of a model."""
    lines = [f"#title {quoted(file.title)}"] if file.title else []
    for variable in domain:
        lines.append(f"#states {quoted(variable.name)} : {', '.join(map(quoted, variable.states))}")
    for name, (x, y) in file.layout.items():
        if name in domain:
            lines.append(f"#at {quoted(name)} : {float(x)!r}, {float(y)!r}")
    return lines


def quoted(text: str) -> str:
    """A name as it stands, in quotes where it could be taken for something else."""
    if text and text == text.strip() and text not in ANY and not _QUOTED.search(text):
        return text
    return json.dumps(text, ensure_ascii=False)


def _read_ours(result: EdgeText, keyword: str, line: _Line) -> None:
    if keyword == "#labels":
        result.is_labelled = True
        return
    name = line.take("name", "a name").text
    if keyword == "#title":
        result.title = name
        return
    line.take(":", "“:”")
    values = [line.take("name", "a state" if keyword == "#states" else "a number").text]
    while line.took(","):
        values.append(line.take("name", "a state" if keyword == "#states" else "a number").text)
    line.take(_END, "the end of the line")
    if keyword == "#states":
        result.states[name] = (tuple(values), line.number)
        return
    try:
        x, y = map(float, values)
    except ValueError:
        line.fail(f"the position of {name} needs two numbers.")
    if math.isfinite(x) and math.isfinite(y):
        result.points[name] = (x, y)


def _read_edge(result: EdgeText, line: _Line) -> None:
    name = line.take("name", "a variable")
    source = name.text
    if line.is_over:  # a node alone
        if line.sign == "->" or (" " in source and not name.is_quoted):
            here = source[:_MAX_QUOTED]
            line.fail(f"expected “{line.sign}” after {here}; declare a lone variable with #states.")
        result.lone.setdefault(source, line.number)
        return
    line.take(line.sign, f"“{line.sign}”")
    target = line.take("name", "a variable").text
    contexts: list[Context] = []
    if line.took(":"):
        contexts = _contexts(line)
    else:
        line.take(_END, "“:” or the end of the line")
    result.edges.append(EdgeLine(source, target, tuple(contexts), line.number))


def read_contexts(text: str, path: Path, number: int | None) -> list[Context]:
    """The contexts in a text `A=0; B=1, C=0`, which stands in a line of the file."""
    return _contexts(_Line(text, number, path, "--")) if text.strip() else []


def _contexts(line: _Line) -> list[Context]:
    contexts = [_context(line)]
    while line.took(";") and not line.is_over:
        contexts.append(_context(line))
    line.take(_END, "“;” or the end of the line")
    return contexts


def _context(line: _Line) -> Context:
    """`A = 0, B = *`, or `*` alone for all contexts."""
    pairs: Context = []
    while True:
        name = line.take("name", "a variable")
        if name.text in ANY and not name.is_quoted and line.next.kind != "=":
            return pairs
        line.take("=", f"“=” after {name.text}")
        state = line.take("name", f"a state of {name.text}")
        is_any = state.text in ANY and not state.is_quoted
        pairs.append((name.text, None if is_any else state.text))
        if not line.took(","):
            return pairs


def _completed(states: tuple[str, ...]) -> tuple[str, ...]:
    for usual in (("0", "1"), UNKNOWN_STATES, ("false", "true")):
        if set(states) <= set(usual):
            return usual
    ordered = tuple(sorted(states))
    return ordered if len(ordered) > 1 else (*ordered, "other")
