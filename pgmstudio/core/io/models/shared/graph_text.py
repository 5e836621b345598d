"""The language of DOT and DAGitty: `digraph name { A [pos="1,2"]; A -> B -> C; }`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pgmstudio.core.io.models.files import Point
from pgmstudio.core.io.models.shared.structure_only import Structure, states_from_text
from pgmstudio.core.io.models.shared.text_scanner import TextScanner, found_text, number_of

_STRING = r'"(?:[^"\\]|\\.)*+"'
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)")
_ESCAPE = re.compile(r'\\(?:(")|\r?\n|u([0-9a-fA-F]{4}))')
_BOTH_WAYS = ("<->", "@-@", "@->", "<-@")
_OPERATORS = ("->", "--", "<-", *_BOTH_WAYS)
_KEYWORDS = frozenset(("strict", "graph", "digraph", "subgraph", "node", "edge"))
_DEEPEST = 32
MAX_EDGES = 1_000_000  # two short groups of nodes stand for all their pairs


def quoted(name: str) -> str:
    """A name as it stands in such a text: a plain word, or in quotes."""
    if _PLAIN.fullmatch(name) and name.lower() not in _KEYWORDS:
        return name
    characters = (
        '\\"'
        if character == '"'
        else f"\\u{ord(character):04x}"
        if character == "\\" or (not character.isprintable() and ord(character) <= 0xFFFF)
        else character
        for character in name
    )
    return f'"{"".join(characters)}"'


def unquoted(token: str) -> str:
    """The text of a token, without quotes and escapes."""
    if not token.startswith('"'):
        return token
    return _ESCAPE.sub(lambda e: e[1] or (chr(int(e[2], 16)) if e[2] else ""), token[1:-1])


@dataclass
class Attributes:
    """Attributes in brackets; an attribute without a value has an empty one."""

    values: dict[str, str]

    def point(self) -> Point | None:
        """Position of a node; None if it is not given."""
        tokens = re.split(r"[,\s]+", self.values.get("pos", "").strip().rstrip("!"))
        numbers = [number_of(word) for word in tokens[:2]]
        fits = len(numbers) == 2 and not math.isnan(sum(numbers))
        return (numbers[0], numbers[1]) if fits else None


class GraphTextReader(TextScanner):
    """Reads statements into a Structure."""

    BLANK = re.compile(r"(?:\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|(?<![^\n])#[^\n]*+)*+")
    TOKEN = re.compile(
        r"<->|<-@|->|--|<-|@->|@-@|[{}\[\];,=:]|"
        rf"{_STRING}|<(?:[^<>]|<[^<>]*+>)*+>|-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*+)?)(?![\w.])|"
        r'(?:[^\s{}\[\];,=:"<>/@-]|/(?![/*]))++|["<>/@-]',
        re.DOTALL,
    )
    KINDS: ClassVar[Mapping[str, bool]] = {"digraph": True, "graph": False}  # whether directed

    def __init__(self, text: str, path: Path, format_name: str) -> None:
        super().__init__(text, path)
        self.structure = Structure(path)
        self.title = ""
        self.roles: set[str] = set()
        self._format = format_name
        self._edges = 0

    def read(self) -> Structure:
        """The nodes and edges of the whole text."""
        token = self.next_token()
        if token.lower() == "strict":
            token = self.next_token()
        if token.lower() not in self.KINDS:
            kinds = " or ".join(f"“{kind}”" for kind in self.KINDS)
            self.fail(f"expected {kinds}, {found_text(token)}; is it a {self._format} file?")
        if self.peek() != "{":
            self.title = self._name("the name of the graph or “{”")
        self.expect("{", "the name of the graph")
        self._statements(0)
        if self.next_token():
            self.structure.warnings.append(
                f"Line {self.line(self.start)}: what follows the graph was left out."
            )
        return self.structure

    def _name(self, what: str) -> str:
        token = self.next_token()
        if not token or token in '{}[];,=:"<>/@-' or token in _OPERATORS:
            self.fail(f"expected {what}, {found_text(token)}.")
        return unquoted(token)

    def _statements(self, depth: int) -> list[str]:
        """Everything up to the closing brace; the nodes that were named."""
        if depth > _DEEPEST:
            self.fail("the braces are nested too deeply.")
        named: list[str] = []
        while (token := self.peek()) != "}":
            if token in (";", ","):
                self.next_token()
            elif not token:
                self.fail("the graph has no “}” at its end.")
            else:
                named += self._statement(depth)
        self.next_token()
        return named

    def _statement(self, depth: int) -> list[str]:
        groups = [self._group(depth)]
        if groups[0] is None:
            return []
        operators: list[tuple[str, int]] = []
        while (operator := self.peek()) in _OPERATORS:
            self.next_token()
            operators.append((operator, self.start))
            groups.append(self._group(depth))
        attributes = self._attributes()
        nodes = [list(dict.fromkeys(group or ())) for group in groups]
        if not operators:
            for name in nodes[0]:
                self._describe(name, attributes)
        for (operator, offset), left, right in zip(operators, nodes, nodes[1:], strict=False):
            self._edges += len(left) * len(right)
            if self._edges > MAX_EDGES:
                self.fail(f"its groups stand for more than {MAX_EDGES} edges.", offset)
            for one in left:
                for other in right:
                    self._edge(one, operator, other, attributes, offset)
        return [name for group in nodes for name in group]

    def _group(self, depth: int) -> list[str] | None:
        """A node, or the nodes of a subgraph; None for a statement about the whole graph."""
        token = self.peek()
        if token.lower() == "subgraph" or token == "{":
            self.next_token()
            if token != "{":
                if self.peek() != "{":
                    self._name("the name of a subgraph")
                self.expect("{", "“subgraph”")
            return self._statements(depth + 1)
        if token.lower() in ("graph", "node", "edge"):
            self.next_token()
            if self.peek() == "[":
                attributes = self._attributes()
                if token.lower() == "graph" and not depth:
                    self.structure.kind = attributes.values.get("kind", self.structure.kind)
                return None
            self.fail(f"expected “[” after “{token}”, {found_text(self.next_token())}.")
        name = self._name("a node")
        offset = self.start
        if self.take("="):
            value = self._name(f"the value of {name}")
            if name == "kind" and not depth:
                self.structure.kind = value
            return None
        while self.take(":"):
            self._name("a port")
        self.structure.add_node(name, self.at(offset))
        return [name]

    def _attributes(self) -> Attributes:
        values: dict[str, str] = {}
        while self.take("["):
            while (token := self.peek()) != "]":
                if token in (",", ";"):
                    self.next_token()
                    continue
                key = self._name("an attribute or “]”")
                values[key.lower()] = self._name(f"the value of {key}") if self.take("=") else ""
            self.next_token()
        return Attributes(values)

    def _describe(self, name: str, attributes: Attributes) -> None:
        states = states_from_text(attributes.values.get("states", ""))
        if states is not None:
            self.structure.add_node(name, (None, None), states)
        point = attributes.point()
        if point is not None:
            self.structure.layout[name] = point
        label = attributes.values.get("label", "")
        if label not in ("", name, "\\N") and not label.startswith("<"):
            self.structure.titles[name] = label
        self.roles |= {key for key, value in attributes.values.items() if not value}

    def _edge(
        self, one: str, operator: str, other: str, attributes: Attributes, offset: int
    ) -> None:
        way = attributes.values.get("dir", "forward")
        if operator in _BOTH_WAYS or (way == "both" and operator == "->"):
            self.fail(
                f"{one} {operator} {other} leads both ways, for a common cause that is not "
                "seen; a Bayesian network has no such edge. Add the cause as a node, or remove it.",
                offset,
            )
        directed = operator != "--" and way != "none"
        source, target = (other, one) if (operator == "<-") != (way == "back") else (one, other)
        self.structure.add_edge(
            source,
            target,
            self.at(offset),
            directed=directed,
            contexts=attributes.values.get("contexts", ""),
        )


def graph_text(kind: str, title: str, statements: Sequence[str]) -> bytes:
    """The whole text."""
    head = f"{kind} {quoted(title)} {{" if title else f"{kind} {{"
    return "\n".join([head, *(f"  {text}" for text in statements), "}", ""]).encode()
