"""HUGIN NET, revisions 2 and 3: `net`, `node` and `potential` blocks of attributes.

In `data` the node's own states run fastest, then those of the last parent; how the list is nested
is not looked at. Positions count upwards from below. Comments begin with %; GeNIe writes //. Names
are letters, digits and underscores; any other name is replaced by one and stored in `PGM_name`.
Attributes without a meaning here (HR_…) are stored and written back. Classes are refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.shared.identifiers import name_behind, safe_names
from pgmstudio.core.io.models.shared.network_builder import (
    NetworkTextReader,
    nested_table,
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

# Attributes that hold what the format has no field for.
OURS = "PGM_"
NAME, POSITION, ORIGIN, LINE = f"{OURS}name", f"{OURS}position", f"{OURS}origin", f"{OURS}line_"

_ATTRIBUTE = re.compile(r'([A-Za-z]\w*+) = ((?:[^;"%/{}]|"[^"\\]*+")++)', re.ASCII)
# These are written from other entries of the model.
_PER_ROW = ("experience", "fading")
_MODELS = ("model_data", "model_nodes", "samples_per_interval")
_MEANT = frozenset(("states", "label", "position", "data", "name", *_PER_ROW, *_MODELS))
_NEXT_ROW = "\n        "
_NUMBERS = re.compile(r"\w+ = \([-+0-9.e ]*\)")
_KEYWORDS: tuple[str, ...] = (
    "net",
    "class",
    "node",
    "discrete",
    "continuous",
    "decision",
    "utility",
    "function",
)
_KEYWORDS += ("potential", "normal", "data", "states", "label", "position", "true", "false")
_VALUE = re.compile(rf'(?:[^;"%/{{}}]++|{STRING}|%[^\n]*+|//[^\n]*+|/(?!/))*+;', re.DOTALL)
_COMMENT = re.compile(rf"({STRING})|(?:%|//)[^\n]*+", re.DOTALL)
_WORD = re.compile(rf'{STRING}|[^\s()"]++', re.DOTALL)
_REFUSED = {
    "continuous": "a continuous node; discretise it in HUGIN",
    "decision": "a decision; remove it in HUGIN, or make a chance node of it",
    "utility": "a utility; remove it in HUGIN",
    "function": "a function node; remove it in HUGIN",
}


def parse(content: bytes, path: Path) -> ModelFile:
    """The network in a NET text; ModelFileError has line and column."""
    return _Reader.parse(content, path)


@dataclass
class _Attribute:
    name: str
    value: str  # without comments
    offset: int


@dataclass
class _Potential:
    names: list[str]
    attributes: list[_Attribute]
    offset: int


class _Reader(NetworkTextReader):
    BLANK = re.compile(r"(?:\s++|%[^\n]*+|//[^\n]*+)*+")
    TOKEN = re.compile(rf'[{{}}()|=;]|{STRING}|(?:[^\s{{}}()|=;"%/]|/(?!/))++|["/]', re.DOTALL)
    PUNCTUATION = frozenset("{}()|=;/")

    def __init__(self, text: str, path: Path) -> None:
        super().__init__(text, path)
        self._title = ""
        self._lines: list[str] = []
        self._origin = (0.0, 0.0)
        self._potentials: list[_Potential] = []

    def read(self) -> ModelFile:
        """The model file of the text."""
        nodes: list[tuple[str, int, list[_Attribute]]] = []
        while token := self.next_token():
            offset = self.start
            if token == "net":
                self._net(self._block("net"))
            elif token == "class":
                self.fail(
                    "is an object-oriented network (class); only plain networks can be read. "
                    "Save it in HUGIN as a network without classes."
                )
            elif token in _REFUSED:
                self.take("node")
                name = self.word("the name of the node")
                self.fail(f"{name} is {_REFUSED[token]}.", offset)
            elif token in ("node", "discrete"):
                if token == "discrete":
                    self.expect("node", "“discrete”")
                name = self.word("the name of a node")
                nodes.append((name, offset, self._block(name)))
            elif token == "potential":
                self._potential(offset)
            elif token != ";":
                self.fail(f"expected “net”, “node” or “potential”, {found_text(token)}.")
        if not nodes:
            self.builder.fail("holds no nodes; is it a HUGIN NET file?")
        for name, offset, attributes in nodes:
            self._node(name, offset, attributes)
        for potential in self._potentials:
            self._table(potential)
        return self.builder.file(self._title, self._lines)

    def _block(self, owner: str) -> list[_Attribute]:
        self.expect("{", owner)
        attributes = []
        while (name := self.next_token()) != "}":
            offset = self.start
            if name == ";":
                continue
            if not re.fullmatch(r"\w++", name):
                self.fail(f"expected an attribute or “}}” in {owner}, {found_text(name)}.")
            self.expect("=", name)
            value = _VALUE.match(self.text, self.position)
            if value is None:
                self.fail(f"the value of {name} in {owner} has no “;” at its end.", offset)
            start, self.position = self.position, value.end()
            raw = _COMMENT.sub(lambda part: part[1] or " ", value[0][:-1]).strip()
            attributes.append(_Attribute(name, raw, start))
        return attributes

    def _numbers(self, attribute: _Attribute) -> list[float]:
        tokens = re.sub("[(),]", " ", attribute.value).split()
        numbers = [number_of(word) for word in tokens]
        for word, number in zip(tokens, numbers, strict=True):
            if math.isnan(number):
                index = self.text.find(word, attribute.offset)
                self.fail(f"expected a number, {found_text(word)}.", max(index, attribute.offset))
        return numbers

    def _text(self, attribute: _Attribute) -> str:
        value = attribute.value
        return unescaped(value) if re.fullmatch(STRING, value, re.DOTALL) else value

    def _property_text(self, attribute: _Attribute) -> str:
        if attribute.name.startswith(LINE):
            return self._text(attribute)
        return f"{attribute.name} = {attribute.value}"

    def _net(self, attributes: list[_Attribute]) -> None:
        for attribute in attributes:
            if attribute.name == "name":
                self._title = title_in(self._text(attribute))
            elif attribute.name == ORIGIN:
                numbers = [number_of(word) for word in self._text(attribute).split()]
                if len(numbers) == 2 and not math.isnan(sum(numbers)):
                    self._origin = (numbers[0], numbers[1])
            else:
                self._lines.append(self._property_text(attribute))

    def _node(self, identifier: str, offset: int, attributes: list[_Attribute]) -> None:
        name, label, lines = identifier, "", []
        states: list[str] | None = None
        point: list[float] = []
        exact: list[float] = []
        for attribute in attributes:
            match attribute.name:
                case "states":
                    tokens = _WORD.findall(attribute.value)
                    states = [unescaped(w) if w.startswith('"') else w for w in tokens]
                case "label":
                    label = self._text(attribute)
                case "position":
                    point = self._numbers(attribute)
                case _ if attribute.name == POSITION:
                    exact = [number_of(word) for word in self._text(attribute).split()]
                case _ if attribute.name == NAME:
                    name = name_behind(identifier, self._text(attribute))
                case _:
                    lines.append(self._property_text(attribute))
        if states is None:
            self.fail(
                f'{identifier} has no states; a line such as states = ("a" "b"); lacks.', offset
            )
        variable = self.builder.add_variable(identifier, states, self.at(offset), name=name)
        if label not in ("", name, identifier):
            self.builder.titles[name] = label
        if len(point) == 2:
            x, y = point[0] - self._origin[0], self._origin[1] - point[1]
            is_exact = len(exact) == 2 and abs(exact[0] - x) < 1 and abs(exact[1] - y) < 1
            self.builder.layout[name] = (exact[0], exact[1]) if is_exact else (x, y)
        if lines:
            self.builder.variable_properties[variable.name] = tuple(lines)

    def _potential(self, offset: int) -> None:
        self.expect("(", "“potential”")
        names = [self.word("the variable of a potential")]
        if self.take("|"):
            names += [name for name, _ in self.words_until(")", "a parent or “)”")]
        else:
            token = self.next_token()
            if token != ")":
                self.fail(f"expected “|” or “)” after {names[0]}, {found_text(token)}.")
        self._potentials.append(
            _Potential(names, self._block(f"the potential of {names[0]}"), offset)
        )

    def _table(self, potential: _Potential) -> None:
        build = self.builder
        family = build.family(potential.names, self.at(potential.offset))
        child, *givens = family
        lines = []
        data: _Attribute | None = None
        models = False
        for attribute in potential.attributes:
            if attribute.name == "data":
                data = attribute
            elif attribute.name in ("model_data", "model_nodes", "samples_per_interval"):
                models = True
            elif attribute.name in ("experience", "fading"):
                lines.append(self._per_row(attribute, givens))
            else:
                lines.append(self._property_text(attribute))
        if data is None and models:
            self.fail(
                f"the table of {child.name} is given by an expression. Compile the network in "
                "HUGIN and save it with its tables.",
                potential.offset,
            )
        if models:
            build.warnings.append(
                f"The expression of {child.name} was left out; its table was read."
            )
        if data is None:
            build.add_uniform(family, self.at(potential.offset))
        else:
            at = self.at(data.offset + len(data.value) - len(data.value.lstrip()))
            build.add_table(family, self._numbers(data), at, backwards=False)
        if lines:
            build.table_properties[child.name] = tuple(lines)

    def _per_row(self, attribute: _Attribute, givens: list[Variable]) -> str:
        """One number for each row, in the order in which our tables list them."""
        numbers = self.builder.in_our_order(self._numbers(attribute), givens)
        return f"{attribute.name} = ({' '.join(map(repr, numbers))})"


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text of a NET file, and what it cannot hold."""
    network = network_in(file, path, "HUGIN NET")
    ids = safe_names(network.domain.names, reserved=_KEYWORDS)
    points = {name: (float(x), float(y)) for name, (x, y) in file.layout.items()}
    # Positions are whole numbers from the lower left corner upwards.
    left = max([0, *(-round(points[n][0]) for n in ids if n in points)])
    bottom = max([0, *(round(points[n][1]) for n in ids if n in points)])
    lines = ["net", "{"]
    if title_in(file.title):
        lines.append(f"    name = {escaped(file.title)};")
    if left or bottom:
        lines.append(f'    {ORIGIN} = "{left} {bottom}";')
    lines += _attributes(file.properties.network)
    lines += ["}", ""]
    for variable in network.domain:
        name = variable.name
        lines += [f"node {ids[name]}", "{"]
        lines.append(f"    states = ({' '.join(map(escaped, variable.states))});")
        lines.append(f"    label = {escaped(file.titles.get(name, name))};")
        if name in points:
            x, y = points[name]
            lines.append(f"    position = ({round(x) + left} {bottom - round(y)});")
            if not (x.is_integer() and y.is_integer()):
                lines.append(f'    {POSITION} = "{x!r} {y!r}";')
        if ids[name] != name:
            lines.append(f"    {NAME} = {escaped(name)};")
        lines += _attributes(file.properties.variables.get(name, ()))
        lines += ["}", ""]
    for index, variable in enumerate(network.domain):
        parents = [ids[parent] for parent in network.dag.parents(variable.name)]
        head = f"{ids[variable.name]} | {' '.join(parents)}" if parents else ids[variable.name]
        data = nested_table(network.tables[index], " ", _NEXT_ROW, _NEXT_ROW)
        lines += [f"potential ({head})", "{", f"    data = {data};"]
        lines += _attributes(file.properties.tables.get(variable.name, ()), per_row=True)
        lines += ["}", ""]
    lost = what_is_lost(file, "HUGIN NET", titles=True)
    return "\n".join(lines).encode(), (*lost, *renaming_warnings("HUGIN NET", ids))


def _attributes(texts: Sequence[str], *, per_row: bool = False) -> list[str]:
    lines = []
    for number, text in enumerate(texts):
        parts = _ATTRIBUTE.fullmatch(text)
        is_attribute = (
            parts is not None
            and text.isprintable()
            and parts[2] == parts[2].strip()
            and not parts[1].startswith(OURS)
            and (parts[1] not in _MEANT or (per_row and _is_per_row(parts[1], text)))
        )
        assignment = text if is_attribute else f"{LINE}{number} = {escaped(text)}"
        lines.append(f"    {assignment};")
    return lines


def _is_per_row(name: str, text: str) -> bool:
    return name in _PER_ROW and _NUMBERS.fullmatch(text) is not None
