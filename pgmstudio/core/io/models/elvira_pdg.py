"""Elvira's `.pdg`: variables with their parameter nodes, then who comes after whom.

    pdg "name" {
      node X(finite-states) { title="…"; states=("a" "b"); pnode { id=1; values=table(0.3 0.7); } }
      structure { X -> (Y Z) { 1 -> (2 3) (6 7); } }
    }

Behind `id ->` stands a list per variable below, in the order named, with a node per state of X.
Texts cannot hold quotes. Elvira itself forgets variables that stand alone in the forest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import DataError, GraphError, ModelFileError
from pgmstudio.core.io.models.files import ModelFile, decode_text
from pgmstudio.core.io.models.shared.identifiers import name_behind, safe_names
from pgmstudio.core.io.models.shared.network_builder import model_in, title_in, what_is_lost
from pgmstudio.core.io.models.shared.text_scanner import TextScanner, found_text, number_of
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.table_checks import TableChecker

_FORMAT = "Elvira PDG"
_KEYWORDS = (
    "pdg",
    "node",
    "pnode",
    "title",
    "name",
    "states",
    "id",
    "values",
    "table",
    "structure",
)


def parse(content: bytes, path: Path) -> ModelFile:
    """The decision graph in a text; ModelFileError has line and column."""
    text, warnings = decode_text(content)
    return _Reader(text, path, warnings).read()


@dataclass
class _Node:
    """A variable as it is read: its nodes by their ids, and where its block begins."""

    name: str
    title: str
    states: tuple[str, ...]
    offset: int
    ids: dict[int, int] = field(default_factory=dict)
    rows: list[list[float]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    above: str | None = None
    edges: NDArray[np.int64] | None = None

    def row_name(self, row: int) -> str:
        return f"of node {list(self.ids)[row]}"

    def row_line(self, row: int) -> int:
        return self.lines[row]


class _Reader(TextScanner):
    BLANK = re.compile(r"(?:\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+")
    TOKEN = re.compile(r'->|[{}()=;,]|"[^"]*+"|(?:[^\s{}()=;,"/\-]|-(?!>)|/(?![/*]))++|["/]')

    def __init__(self, text: str, path: Path, warnings: tuple[str, ...]) -> None:
        super().__init__(text, path)
        self._warnings = warnings
        self._nodes: dict[str, _Node] = {}
        self._checker = TableChecker(path)

    def read(self) -> ModelFile:
        self.expect("pdg", "the beginning")
        title = self._text("the name of the graph")
        self.expect("{", "the name of the graph")
        while self.take("node"):
            self._node()
        if not self._nodes:
            self.fail("there is no variable; a decision graph needs at least one.")
        self.expect("structure", "the variables")
        self.expect("{", "“structure”")
        while not self.take("}"):
            self._below()
        self.expect("}", "the structure")
        if extra := self.next_token():
            self.fail(f"expected the end of the file, {found_text(extra)}.")
        return self._assembled(title)

    def _text(self, what: str) -> str:
        token = self.next_token()
        if len(token) < 2 or token[0] != '"' or token[-1] != '"':
            self.fail(f"expected {what} in quotes, {found_text(token)}.")
        return token[1:-1]

    def _identifier(self, what: str) -> str:
        token = self.next_token()
        if not re.fullmatch(r"[^\W\d][\w-]*", token):
            self.fail(f"expected {what}, {found_text(token)}.")
        return token

    def _whole(self, what: str) -> int:
        token = self.next_token()
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", token):
            self.fail(f"expected {what}, {found_text(token)}.")
        return int(token)

    def _assign(self, key: str) -> None:
        self.expect(key, "the block's beginning")
        self.expect("=", f"“{key}”")

    def _node(self) -> None:
        name = self._identifier("the name of a variable")
        offset = self.start
        if name in self._nodes:
            self.fail(f"there are two variables called “{name}”.")
        for wanted in ("(", "finite-states", ")", "{"):
            self.expect(wanted, f"the variable {name}")
        title = ""
        if self.peek() == "title":
            self._assign("title")
            title = self._text("a title")
            self.expect(";", "the title")
        self._assign("states")
        self.expect("(", "“states =”")
        states = []
        while not self.take(")"):
            states.append(self._text("a state"))
            self.take(",")
        self.expect(";", "the states")
        node = self._nodes[name] = _Node(name, title, tuple(states), offset)
        while self.take("pnode"):
            self._parameters(node)
        self.expect("}", f"the nodes of {name}")
        if not node.rows:
            self.fail(f"{name} has no pnode; a variable needs at least one.", offset)

    def _parameters(self, node: _Node) -> None:
        self.expect("{", "“pnode”")
        self._assign("id")
        number = self._whole("the id of a node")
        if number in node.ids:
            self.fail(f"{node.name} has two nodes with the id {number}.")
        node.lines.append(self.line(self.start))
        self.expect(";", "the id")
        self._assign("values")
        self.expect("table", "“values =”")
        self.expect("(", "“table”")
        numbers: list[float] = []
        while not self.take(")"):
            token = self.next_token()
            value = number_of(token)
            if value != value:
                self.fail(f"expected a number, {found_text(token)}.")
            numbers.append(value)
            self.take(",")
        if len(numbers) != len(node.states):
            self.fail(
                f"node {number} of {node.name} has {len(numbers)} numbers for "
                f"{len(node.states)} states."
            )
        self.expect(";", "the table")
        self.expect("}", "the table")
        node.ids[number] = len(node.rows)
        node.rows.append(numbers)

    def _known(self, name: str) -> _Node:
        if name not in self._nodes:
            self.fail(f"there is no variable “{name}”.")
        return self._nodes[name]

    def _below(self) -> None:
        """`X -> (Y Z) { 1 -> (2 3) (6 7); … }`"""
        upper = self._known(self._identifier("the name of a variable"))
        self.expect("->", upper.name)
        self.expect("(", "“->”")
        lower: list[_Node] = []
        while not self.take(")"):
            child = self._known(self._identifier("the name of a variable"))
            if child.above is not None:
                self.fail(f"{child.name} stands below {child.above} and {upper.name}.")
            child.above = upper.name
            self._checker.reserve(child.name, (len(upper.rows), len(upper.states)))
            child.edges = np.full((len(upper.rows), len(upper.states)), -1, dtype=np.int64)
            lower.append(child)
        self.expect("{", "the variables below")
        while not self.take("}"):
            self._edges_of(upper, lower)
        for child in lower:
            edges = child.edges
            if edges is not None and (edges < 0).any():
                number = list(upper.ids)[int(np.argmax((edges < 0).any(axis=1)))]
                self.fail(f"no line gives the successors of node {number} of {upper.name}.")

    def _edges_of(self, upper: _Node, lower: list[_Node]) -> None:
        number = self._whole("the id of a node")
        if number not in upper.ids:
            self.fail(f"{upper.name} has no node with the id {number}.")
        row = upper.ids[number]
        self.expect("->", f"node {number}")
        for child in lower:
            edges = child.edges
            assert edges is not None, "made with the list of variables below"
            if edges[row, 0] >= 0:
                self.fail(f"the successors of node {number} of {upper.name} are given twice.")
            self.expect("(", f"node {number}; {child.name} needs a list of nodes")
            for state in range(len(upper.states)):
                head = self._whole(f"the node of {child.name} after {upper.states[state]}")
                if head not in child.ids:
                    self.fail(f"{child.name} has no node with the id {head}.")
                edges[row, state] = child.ids[head]
            self.expect(")", f"the {len(upper.states)} nodes of {child.name}")
        self.expect(";", f"the nodes after {number}")

    def _assembled(self, title: str) -> ModelFile:
        names = {node.name: name_behind(node.name, node.title) for node in self._nodes.values()}
        try:
            domain = Domain(tuple(Variable(names[n.name], n.states) for n in self._nodes.values()))
        except DataError as problem:
            raise ModelFileError(self.path, str(problem)) from problem
        parameters = []
        for node in self._nodes.values():
            table = np.array(node.rows, dtype=np.float64)
            self._checker.reserve(node.name, table.shape)
            rows = self._checker.checked(node.name, table, node.row_name, node.row_line)
            parameters.append(rows)
        forest = tuple(
            None if n.above is None else domain.index(names[n.above]) for n in self._nodes.values()
        )
        edges = tuple(node.edges for node in self._nodes.values())
        try:
            graph = DecisionGraph(domain, forest, tuple(parameters), edges)
        except GraphError as problem:
            raise ModelFileError(self.path, str(problem)) from problem
        titles = {
            names[n.name]: n.title
            for n in self._nodes.values()
            if n.title and n.title not in (n.name, names[n.name])
        }
        warnings = (*self._warnings, *self._checker.warnings())
        return ModelFile(graph, title_in(title), titles=titles, warnings=warnings)


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text, and what it cannot hold; other models become decision graphs first."""
    graph = _graph_in(file, path)
    domain = graph.domain
    ids = safe_names(domain.names, reserved=_KEYWORDS)
    starts = np.concatenate(([1], 1 + np.cumsum(graph.node_counts))).astype(int)
    lines = [f'pdg "{_quotable(file.title or "graph")}" {{']
    for i, variable in enumerate(domain):
        shown = file.titles.get(variable.name, "")
        title = variable.name if ids[variable.name] != variable.name or not shown else shown
        lines.append(f"\tnode {ids[variable.name]}(finite-states){{")
        lines.append(f'\t\ttitle="{_quotable(title)}";')
        states = " ".join(f'"{_quotable(state)}"' for state in variable.states)
        lines.append(f"\t\tstates=({states});")
        for number, row in enumerate(graph.parameters[i].tolist(), start=starts[i]):
            lines.append(f"\t\tpnode{{ id={number}; values=table({' '.join(map(_float, row))}); }}")
        lines.append("\t}")
    lines.append("\tstructure{")
    for i in graph.order:
        if not graph.children[i]:
            continue
        below = " ".join(ids[domain.names[child]] for child in graph.children[i])
        lines.append(f"\t\t{ids[domain.names[i]]} -> ({below}){{")
        for node in range(graph.node_counts[i]):
            lists = []
            for child in graph.children[i]:
                edges = graph.successors[child]
                assert edges is not None
                lists.append(f"({' '.join(str(starts[child] + e) for e in edges[node].tolist())})")
            lines.append(f"\t\t\t{starts[i] + node} -> {' '.join(lists)};")
        lines.append("\t\t}")
    lines += ["\t}", "}", ""]
    return "\n".join(lines).encode(), tuple(_lost(file, graph, ids))


def _graph_in(file: ModelFile, path: Path) -> DecisionGraph:
    return model_in(file, path, DecisionGraph, f"{_FORMAT} holds decision graphs")


def _float(number: float) -> str:
    """A number with a decimal point and an exponent without plus, as the format requires."""
    text = repr(number)
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{int(exponent)}"


def _quotable(text: str) -> str:
    """Without what a text of this format cannot hold."""
    return text.replace('"', "''")


def _lost(file: ModelFile, graph: DecisionGraph, ids: dict[str, str]) -> list[str]:
    lost = what_is_lost(
        file,
        _FORMAT,
        titles=True,
        properties=False,
        language=DecisionGraph,
        called="decision graph",
    )
    if file.layout:
        lost.append(f"{_FORMAT} cannot hold positions.")
    if '"' in "".join((file.title, *graph.domain.names, *file.titles.values())) or any(
        '"' in state for variable in graph.domain for state in variable.states
    ):
        lost.append(f"{_FORMAT} cannot hold quotes; they became two apostrophes.")
    hidden = [n for n in file.titles if n in ids and ids[n] != n]
    if hidden:
        lost.append(f"{_FORMAT} cannot hold the title of {', '.join(hidden)} next to the name.")
    alone = [n for i, n in enumerate(graph.domain.names) if graph.forest[i] is None]
    alone = [n for n in alone if not graph.children[graph.domain.index(n)]]
    if alone:
        lost.append(
            f"Elvira leaves out variables that stand alone ({', '.join(alone[:5])}); "
            "PGM Studio reads them back."
        )
    return lost
