"""Labelled graphs as text: one edge per line with the contexts in which it vanishes.

    X -> Y : A = 0; B = 1, C = 0

Contexts stand between `;`, the states of one context between `,`, and `*` is any state; other
parents that are not named may have any. Lines that begin with `#` are comments to other readers;
those that begin with `#states`, `#at`, `#title` and `#labels` are ours: the states of a variable in
their order, its position, the title, and that this is a labelled graph even if no edge has a label.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.models.files import ModelFile, decode_text
from pgmstudio.core.io.models.shared.cpt_checks import network_in
from pgmstudio.core.io.models.shared.structure_only import UNKNOWN_STATES, Structure, structure_lost
from pgmstudio.core.languages.bayesian_network.conversions import plain_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.ldag.contexts import shortened
from pgmstudio.core.languages.ldag.conversions import plain_labelled
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import Label, class_count, partition_of

FORMAT = "LDAG text"
ANY = ("*", "∗")
# A short line can ask for a table of any size; partitions of larger ones would take minutes.
MAX_ROWS = 1 << 14
MAX_PLAIN_ROWS = 1 << 18  # of a node without labels

_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|(->)|([:;,=])|((?:(?!->)[^":;,=])+)|(.))')
_QUOTED = re.compile(r'[":;,=#\\\x00-\x1f]|->|-\Z')
_OURS = ("#states", "#at", "#title", "#labels")
_END = "\0end"
_MAX_QUOTED = 40  # characters of a token in a message: other files may have one long line


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # "name", a symbol, or the end of the line
    text: str
    column: int
    is_quoted: bool = False


@dataclass(slots=True)
class _Text:
    """Contents of the lines, before a model is built from them."""

    edges: list[tuple[str, str, int]] = field(default_factory=list)
    contexts: list[tuple[str, str, list[tuple[str, str | None]], int]] = field(default_factory=list)
    states: dict[str, tuple[tuple[str, ...], int]] = field(default_factory=dict)
    points: dict[str, tuple[float, float]] = field(default_factory=dict)
    title: str = ""
    is_labelled: bool = False


class _Line:
    """The tokens of one line, taken one after another."""

    def __init__(self, text: str, number: int, path: Path) -> None:
        self._path, self.number = path, number
        self._tokens = list(self._read(text))
        self._position = 0

    def fail(self, message: str, column: int | None = None) -> NoReturn:
        raise ModelFileError(self._path, message, self.number, column)

    def _read(self, text: str) -> Iterator[_Token]:
        index, end = 0, len(text.rstrip())
        while index < end:
            result = _TOKEN.match(text, index, end)
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


def parse(content: bytes, path: Path) -> ModelFile:
    """The labelled graph of a text, tables uniform; a plain network where nothing is labelled."""
    text, warnings = decode_text(content)
    parsed = _Text()
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip(" \t\r")
        ours = next((keyword for keyword in _OURS if stripped.split(" ")[0] == keyword), None)
        if ours is not None:
            _read_ours(parsed, ours, _Line(stripped.removeprefix(ours), number, path))
        elif stripped and not stripped.startswith("#"):
            _read_edge(parsed, _Line(line, number, path))
    structure = Structure(path)
    structure.warnings += warnings
    for name, (states, number) in parsed.states.items():
        structure.add_node(name, (number, None), states)
    made_up = _mentioned_states(parsed)
    for source, target, number in parsed.edges:
        structure.add_edge(source, target, (number, None))
    for name, result in made_up.items():
        structure.add_node(name, (None, None), result)
    structure.layout.update(parsed.points)
    file = structure.file(parsed.title, FORMAT)
    network = plain_network(file.model)
    assert network is not None
    if not (parsed.contexts or parsed.is_labelled):
        return file
    model, warnings = _labelled(network, parsed, path)
    return ModelFile(
        model,
        title=file.title,
        titles=file.titles,
        layout={n: p for n, p in file.layout.items() if n in model.domain},
        warnings=(*file.warnings, *warnings),
    )


def _read_ours(parsed: _Text, keyword: str, line: _Line) -> None:
    if keyword == "#labels":
        parsed.is_labelled = True
        return
    name = line.take("name", "a name").text
    if keyword == "#title":
        parsed.title = name
        return
    line.take(":", "“:”")
    values = [line.take("name", "a state" if keyword == "#states" else "a number").text]
    while line.took(","):
        values.append(line.take("name", "a state" if keyword == "#states" else "a number").text)
    line.take(_END, "the end of the line")
    if keyword == "#states":
        parsed.states[name] = (tuple(values), line.number)
        return
    try:
        x, y = map(float, values)
    except ValueError:
        line.fail(f"the position of {name} needs two numbers.")
    if math.isfinite(x) and math.isfinite(y):
        parsed.points[name] = (x, y)


def _read_edge(parsed: _Text, line: _Line) -> None:
    source = line.take("name", "a variable").text
    if line.is_over:  # a node alone
        here = source[:_MAX_QUOTED]
        line.fail(f"expected “->” after {here}; declare a lone variable with #states.")
    line.take("->", "“->”")
    target = line.take("name", "a variable").text
    parsed.edges.append((source, target, line.number))
    if not line.took(":"):
        line.take(_END, "“:” or the end of the line")
        return
    while True:
        parsed.contexts.append((source, target, _context(line), line.number))
        if not line.took(";") or line.is_over:
            break
    line.take(_END, "“;” or the end of the line")


def _context(line: _Line) -> list[tuple[str, str | None]]:
    """`A = 0, B = *`, or `*` alone for all contexts."""
    pairs: list[tuple[str, str | None]] = []
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


def _mentioned_states(parsed: _Text) -> dict[str, tuple[str, ...]]:
    """States of variables the file does not declare, as far as contexts name them."""
    seen: dict[str, dict[str, None]] = {}
    for _, _, pairs, _ in parsed.contexts:
        for name, state in pairs:
            if state is not None and name not in parsed.states:
                seen.setdefault(name, {})[state] = None
    return {name: _completed(tuple(states)) for name, states in seen.items()}


def _completed(states: tuple[str, ...]) -> tuple[str, ...]:
    for usual in (("0", "1"), UNKNOWN_STATES, ("false", "true")):
        if set(states) <= set(usual):
            return usual
    ordered = tuple(sorted(states))
    return ordered if len(ordered) > 1 else (*ordered, "other")


def _labelled(
    network: BayesianNetwork, parsed: _Text, path: Path
) -> tuple[LabelledDag, tuple[str, ...]]:
    """The labels in the network, and what is odd about them."""
    for name, table in zip(network.domain.names, network.tables, strict=True):
        if table.size // table.shape[-1] > MAX_PLAIN_ROWS:
            why = f"{name} has more than {MAX_PLAIN_ROWS} rows, too many for a labelled graph."
            raise ModelFileError(path, f"{why} Remove parents or merge states.")
    labels = {
        name: [np.zeros(_others(network, name, axis), dtype=bool) for axis in range(table.ndim - 1)]
        for name, table in zip(network.domain.names, network.tables, strict=True)
        if table.ndim > 2
    }
    for source, target, pairs, number in parsed.contexts:
        parents = network.dag.parents(target)
        rows = math.prod(network.domain[p].cardinality for p in parents)
        if rows > MAX_ROWS:
            why = f"{target} has more than {MAX_ROWS} rows; labels of so many are not supported."
            raise ModelFileError(path, why, number)
        if len(parents) < 2:
            why = f"{target} has no other parent than {source}, so the edge has no context."
            raise ModelFileError(path, why, number)
        axis = parents.index(source)
        others = [p for p in parents if p != source]
        chosen = _chosen(network.domain, others, pairs, (source, target), path, number)
        labels[target][axis][chosen] = True
    classes, rows_of = [], []
    for i, name in enumerate(network.domain.names):
        shape = network.tables[i].shape
        result = partition_of(shape[:-1], labels.get(name, []))
        classes.append(result)
        rows_of.append(np.full((class_count(result), shape[-1]), 1 / shape[-1]))
    model = LabelledDag(network.domain, network.dag, tuple(classes), tuple(rows_of))
    idle = [" → ".join(edge) for edge in model.idle_edges if model.domain[edge[0]].cardinality > 1]
    warnings = f"{', '.join(idle[:5])}: vanishes in every context; delete the edge or a label."
    return model, (warnings,) if idle else ()


def _others(network: BayesianNetwork, name: str, axis: int) -> tuple[int, ...]:
    shape = network.table(name).shape[:-1]
    return (*shape[:axis], *shape[axis + 1 :])


def _chosen(
    domain: Domain,
    others: Sequence[str],
    pairs: Sequence[tuple[str, str | None]],
    edge: tuple[str, str],
    path: Path,
    number: int,
) -> tuple[Any, ...]:
    chosen: list[Any] = [slice(None)] * len(others)
    for name, state in pairs:
        if name not in others:
            why = (
                f"{name} is no other parent of {edge[1]}, so the label of {edge[0]} cannot use it."
            )
            raise ModelFileError(path, why, number)
        if state is None:
            continue
        if state not in domain[name].states:
            known = ", ".join(domain[name].states[:10])
            raise ModelFileError(path, f"{name} has no state {state}; it has {known}.", number)
        chosen[others.index(name)] = domain[name].code(state)
    return tuple(chosen)


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text, and what it cannot hold."""
    model = file.model
    labelled = plain_labelled(model)
    held = network_in(file, path, FORMAT) if labelled is None else labelled
    lines = ["#labels"]
    if file.title:
        lines.append(f"#title {_quoted(file.title)}")
    for variable in held.domain:
        states = ", ".join(map(_quoted, variable.states))
        lines.append(f"#states {_quoted(variable.name)} : {states}")
    for name, (x, y) in file.layout.items():
        if name in held.domain:
            lines.append(f"#at {_quoted(name)} : {float(x)!r}, {float(y)!r}")
    for source, target in held.edges:
        parsed = "" if labelled is None else _contexts(labelled, source, target)
        line = f"{_quoted(source)} -> {_quoted(target)}"
        lines.append(f"{line} : {parsed}" if parsed else line)
    language = BayesianNetwork if labelled is None else LabelledDag
    titles = ["titles"] if file.titles else []
    lost = structure_lost(file, FORMAT, *titles, language=language)
    if labelled is not None and not labelled.is_labelled:
        lost = (*lost, "Classes of rows that labels cannot express are split in the file.")
    return ("\n".join(lines) + "\n").encode(), lost


def _contexts(model: LabelledDag, source: str, target: str) -> str:
    others = model.other_parents(source, target)
    label: Label = model.label(source, target)
    if not others or model.domain[source].cardinality < 2:  # one state never makes a difference
        return ""
    contexts = []
    for row in shortened(label):
        named: Mapping[str, int] = {
            name: code for name, code in zip(others, row, strict=True) if code is not None
        }
        pairs = [f"{_quoted(n)} = {_quoted(model.domain[n].states[c])}" for n, c in named.items()]
        contexts.append(", ".join(pairs) or "*")
    return "; ".join(contexts)


def _quoted(text: str) -> str:
    """A name as it stands, in quotes where it could be taken for something else."""
    if text and text == text.strip() and text not in ANY and not _QUOTED.search(text):
        return text
    return json.dumps(text, ensure_ascii=False)
