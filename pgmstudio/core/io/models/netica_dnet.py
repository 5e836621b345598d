"""Netica's DNET-1 text (.dne, .dnet): `bnet NAME { node X { …; }; };`, the part that tables need.

In `probs` the node's own states run fastest, then those of the last parent; old files list them
flat, newer ones nested. `functable` lists one state for each row of a deterministic node; #k is
state number k. Identifiers have up to 30 letters, digits and underscores; any other name or
state is replaced by one and restored from its `title` or `statetitles`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.shared.identifiers import name_behind, safe_names
from pgmstudio.core.io.models.shared.network_builder import (
    MAX_MADE_UP,
    NO_TITLE,
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

LONGEST = 30  # characters of an identifier

_WRITTEN_BACK = re.compile(r'comment = "[^"\\]*"|numcases = \([-+0-9.e, ]*\)')
_NUMBERS = frozenset(("probs", "numcases"))
_PLAIN_NUMBERS = re.compile(r"[-+0-9.eE(),\s]*+;")
_DEEPEST = 16
_REFUSED = {"DECISION": "a decision", "UTILITY": "a utility"}


def parse(content: bytes, path: Path) -> ModelFile:
    """The network in a DNET text; ModelFileError has line and column."""
    return _Reader.parse(content, path)


Tokens = list[tuple[str, int]]


@dataclass
class _Block:
    """A block as it stands: fields by name, blocks inside it."""

    name: str
    offset: int
    fields: dict[str, Tokens] = field(default_factory=dict)
    blocks: list[tuple[str, _Block]] = field(default_factory=list)


class _Reader(NetworkTextReader):
    BLANK = re.compile(r"(?:\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+")
    TOKEN = re.compile(rf'[{{}}(),=;]|{STRING}|(?:[^\s{{}}(),=;"/]|/(?![/*]))++|["/]', re.DOTALL)
    PUNCTUATION = frozenset("{}(),=;/")

    def __init__(self, text: str, path: Path) -> None:
        super().__init__(text, path)
        self._made_up = 0  # states

    def read(self) -> ModelFile:
        """The model file of the text."""
        token = self.next_token()
        if token not in ("bnet", "dnet"):
            self.fail(
                f"expected “bnet” at the beginning, {found_text(token)}; is it a DNET file? "
                "Save other files of Netica as .dne."
            )
        name = self.word("the name of the network")
        net = self._block(name, 0)
        nodes = [block for kind, block in net.blocks if kind == "node"]
        nodes = [block for block in nodes if not self._is_constant(block)]
        if not nodes:
            self.builder.fail("holds no nodes; is it a DNET file?")
        for block in nodes:
            self._node(block)
        for block in nodes:
            self._table(block)
        title = self._text(net, "title") or name
        comment = net.fields.get("comment")
        lines = [f"comment = {comment[0][0]}"] if comment else []
        return self.builder.file(title_in(title), lines)

    def _block(self, name: str, depth: int) -> _Block:
        """What stands between braces; the opening one comes next."""
        block = _Block(name, self.start)
        if depth > _DEEPEST:
            self.fail("the blocks are nested too deeply.")
        self.expect("{", name)
        while (key := self.next_token()) != "}":
            if key == ";":
                continue
            if not key or key in '{}(),="/' or key.startswith('"'):
                self.fail(f"expected a field or “}}” in {name}, {found_text(key)}.")
            if self.take("="):
                block.fields[key] = self._value(key, depth)
                continue
            inner = name if self.peek() == "{" else self.word(f"the name of a {key}")
            if self.peek() in (":", "is", "isa", "inherits"):
                self.fail(f"{inner} inherits from another {key}; such files are not read.")
            block.blocks.append((key, self._block(inner, depth + 1)))
        return block

    def _value(self, key: str, depth: int) -> Tokens:
        """The tokens up to the semicolon, with parentheses and commas."""
        plain = _PLAIN_NUMBERS.match(self.text, self.position)
        if plain is not None:
            start, self.position = self.position, plain.end()
            tokens = re.sub("[(),]", " ", plain[0][:-1]).split()
            return [(word, start) for word in tokens] if key in _NUMBERS else self._tokens(start)
        tokens_read: Tokens = []
        while (token := self.next_token()) != ";":
            if token == "{":  # nodefont = font { … };
                self.position = self.start
                self._block(key, depth + 1)
            elif not token or token in '}="':
                self.fail(f"expected “;” after the value of {key}, {found_text(token)}.")
            else:
                tokens_read.append((token, self.start))
        return tokens_read

    def _tokens(self, start: int) -> Tokens:
        """The tokens from `start` up to here, one by one."""
        end, self.position = self.position, start
        tokens: Tokens = []
        while (token := self.next_token()) != ";":
            tokens.append((token, self.start))
        self.position = end
        return tokens

    def _text(self, block: _Block, key: str) -> str:
        tokens = [unescaped(w) for w, _ in block.fields.get(key, []) if w.startswith('"')]
        return "".join(tokens)

    def _list(self, block: _Block, key: str) -> list[str]:
        """The entries of a list; one with nothing between its commas is empty."""
        tokens = [word for word, _ in block.fields.get(key, [])]
        if tokens[:1] != ["("] or tokens[-1:] != [")"] or len(tokens) < 3:
            return []
        entries = [""]
        for word in tokens[1:-1]:
            if word == ",":
                entries.append("")
            elif word not in "()":
                entries[-1] += unescaped(word) if word.startswith('"') else word
        return entries

    def _is_constant(self, block: _Block) -> bool:
        kind = next((word for word, _ in block.fields.get("kind", [])), "NATURE").upper()
        if kind == "CONSTANT":
            self.builder.warnings.append(f"The constant {block.name} was left out.")
            return True
        if kind != "NATURE":
            what = _REFUSED.get(kind, f"of the kind {kind}")
            self.fail(
                f"{block.name} is {what}; only nature nodes with tables can be read. "
                "Remove it in Netica, or make a nature node of it.",
                block.offset,
            )
        return False

    def _node(self, block: _Block) -> None:
        build = self.builder
        identifier = block.name
        states = self._states(block)
        title = self._text(block, "title")
        name = name_behind(identifier, title, longest=LONGEST)
        if name in build.variables or (name != identifier and name in build.names):
            name = identifier
        build.add_variable(identifier, states, self.at(block.offset), name=name)
        if title not in ("", name):
            build.titles[name] = title
        for kind, visual in block.blocks:
            point = self._list(visual, "center") if kind == "visual" else []
            numbers = [number_of(word) for word in point]
            if len(numbers) == 2 and not math.isnan(sum(numbers)):
                build.layout[name] = (numbers[0], numbers[1])
        if block.fields.get("comment"):
            build.variable_properties[name] = (f"comment = {block.fields['comment'][0][0]}",)

    def _states(self, block: _Block) -> list[str]:
        tokens, titles = self._list(block, "states"), self._list(block, "statetitles")
        if tokens:
            titles = titles if len(titles) == len(tokens) else [""] * len(tokens)
            named = [
                name_behind(word, title, prefix="s", longest=LONGEST)
                for word, title in zip(tokens, titles, strict=True)
            ]
            return named if len(set(named)) == len(named) else tokens
        levels = self._list(block, "levels")
        is_discrete = [w.upper() for w, _ in block.fields.get("discrete", [])] != ["FALSE"]
        if levels and not is_discrete:
            self.builder.warnings.append(
                f"{block.name} is continuous in Netica; its intervals are states."
            )
            return [f"{low} to {high}" for low, high in pairwise(levels)]
        if titles and all(titles):
            return titles
        if levels:
            return levels
        count = "".join(word for word, _ in block.fields.get("numstates", []))
        if not count.isdecimal() or len(count) > 5:
            self.fail(f"{block.name} has no states.", block.offset)
        self._made_up += int(count)
        if self._made_up > MAX_MADE_UP:
            self.fail(
                f"{self._made_up} states have no names; at most {MAX_MADE_UP} can be made up.",
                block.offset,
            )
        return [f"s{k}" for k in range(int(count))]

    def _table(self, block: _Block) -> None:
        build = self.builder
        parents = self._list(block, "parents")
        if not all(parents):
            self.fail(f"{block.name} has a link that begins nowhere; connect it.", block.offset)
        at = self.at(block.offset)
        family = build.family([block.name, *parents], at)
        child, *givens = family
        lines = [self._per_row(block, key, givens) for key in ("numcases",) if key in block.fields]
        if lines:
            build.table_properties[child.name] = tuple(lines)
        if "probs" in block.fields:
            numbers = self._probs(block, child)
            tokens = block.fields["probs"]
            offset = tokens[0][1] if tokens else block.offset
            build.add_table(family, numbers, self.at(offset), backwards=False)
        elif "functable" in block.fields:
            tokens = [w for w in block.fields["functable"] if w[0] not in ("(", ")", ",")]
            states = self._state_codes(block, child)
            codes = [self._code(child, states, word, offset) for word, offset in tokens]
            build.add_states(family, codes, at)
        elif "equation" in block.fields:
            self.fail(
                f"{child.name} is given by an equation. Turn it into a table in Netica "
                "(Table, Equation to table) and save again.",
                block.offset,
            )
        else:
            build.add_uniform(family, at)

    def _probs(self, block: _Block, child: Variable) -> list[float]:
        numbers: list[float] = []
        for word, offset in block.fields["probs"]:
            if word in "(),":
                continue
            if word.startswith("#"):
                row = [0.0] * child.cardinality
                row[self._code(child, {}, word, offset)] = 1.0
                numbers += row
                continue
            number = 0.0 if word == "@imposs" else number_of(word)
            if math.isnan(number):
                index = max(self.text.find(word, offset), offset)
                self.fail(
                    f"expected a number in the table of {child.name}, {found_text(word)}.", index
                )
            numbers.append(number)
        return numbers

    def _state_codes(self, block: _Block, child: Variable) -> dict[str, int]:
        tokens = self._list(block, "states") or child.states
        return {word: code for code, word in enumerate(tokens)}

    def _code(self, child: Variable, states: Mapping[str, int], word: str, offset: int) -> int:
        if word.startswith("#") and word[1:].isdecimal() and len(word) < 8:
            code = int(word[1:])
        else:
            code = states.get(word, -1)
        if not 0 <= code < child.cardinality:
            self.fail(f"{child.name} has no state {word}.", offset)
        return code

    def _per_row(self, block: _Block, key: str, givens: list[Variable]) -> str:
        """One number for each row, in the order in which our tables list them."""
        tokens = [word for word, _ in block.fields[key] if word not in "(),"]
        numbers = self.builder.in_our_order([number_of(word) for word in tokens], givens)
        return f"{key} = ({', '.join(map(repr, numbers))})"


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text of a DNET file, and what it cannot hold."""
    network = network_in(file, path, "DNET")
    ids = safe_names(network.domain.names, longest=LONGEST)
    written = dict(ids)
    title = file.title or NO_TITLE
    identifier = safe_names([title], longest=LONGEST)[title]
    lines = ["// ~->[DNET-1]->~", "", f"bnet {identifier} {{"]
    if identifier != title:
        lines.append(f"title = {escaped(title)};")
    unkept = [text for text in file.properties.network if not _is_comment(text)]
    lines += [f"{text};" for text in file.properties.network if _is_comment(text)][:1]
    untitled = []
    for index, variable in enumerate(network.domain):
        name = variable.name
        states = safe_names(variable.states, prefix="s", longest=LONGEST)
        written |= states
        lines += ["", f"node {ids[name]} {{", "    kind = NATURE;", "    discrete = TRUE;"]
        lines += [
            "    chance = CHANCE;",
            f"    states = ({', '.join(states[s] for s in variable.states)});",
        ]
        if any(states[state] != state for state in variable.states):
            shown = (escaped(s) if states[s] != s else "" for s in variable.states)
            lines.append(f"    statetitles = ({', '.join(shown)});")
        parents = [ids[parent] for parent in network.dag.parents(name)]
        lines.append(f"    parents = ({', '.join(parents)});")
        probs = nested_table(network.tables[index], ", ", ", ", ",\n        ")
        lines.append(f"    probs = {probs};")
        shown_title = _title(file, variable, ids[name])
        if shown_title:
            lines.append(f"    title = {escaped(shown_title)};")
        if file.titles.get(name, name) not in (name, shown_title):
            untitled.append(name)
        for text in (
            *file.properties.variables.get(name, ()),
            *file.properties.tables.get(name, ()),
        ):
            if _WRITTEN_BACK.fullmatch(text) and text.isprintable():
                lines.append(f"    {text};")
            else:
                unkept.append(text)
        if name in file.layout:
            x, y = (repr(float(c)).removesuffix(".0") for c in file.layout[name])
            lines += ["    visual V1 {", f"        center = ({x}, {y});", "        };"]
        lines.append("    };")
    lines.append("};\n")
    lost = what_is_lost(file, "DNET", titles=True)
    if untitled:
        lost.append(f"DNET cannot hold the titles of {', '.join(untitled[:5])} next to the names.")
    if unkept:
        lost.append(f"DNET cannot hold {len(unkept)} properties that came with the model.")
    return "\n".join(lines).encode(), (*lost, *renaming_warnings("DNET", written))


def _is_comment(text: str) -> bool:
    return text.startswith("comment") and bool(_WRITTEN_BACK.fullmatch(text)) and text.isprintable()


def _title(file: ModelFile, variable: Variable, identifier: str) -> str:
    """The name where it is no identifier; else the title, unless it would be taken for the name."""
    if identifier != variable.name:
        return variable.name
    title = file.titles.get(variable.name, "")
    return title if name_behind(identifier, title, longest=LONGEST) == identifier else ""
