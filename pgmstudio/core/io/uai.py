"""UAI files of the inference competitions: BAYES, and MARKOV turned into a Bayesian network.

A file has the type, the cardinalities, the scopes (BAYES: the child last) and one table for each,
the last variable of its scope fastest. There are no names: they stand in a second file,
NAME.uai.names.json, and without it variables are X0, X1, … with states s0, s1, … Lines that begin
with `c` and what follows a # are comments.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.json_documents import JsonPlace, parse_json, render_json
from pgmstudio.core.io.markov_factors import chain_rule
from pgmstudio.core.io.model_files import ModelFile, Point, decode_text, read_bytes
from pgmstudio.core.io.network_builder import NetworkBuilder
from pgmstudio.core.io.network_formats import MAX_MADE_UP, count_text, network_in, what_is_lost
from pgmstudio.core.io.text_scanner import TextScanner, found, number_of

NAMES_ENDING = ".names.json"
SCHEMA, VERSION = "pgmstudio-uai-names", 1

_COMMENT = re.compile(r"#[^\n]*+|^c(?:[ \t][^\n]*+)?$", re.MULTILINE)
# aGrUM writes the child's name behind each scope, and its tables the other way round.
_AGRUM_SCOPE = re.compile(r"^\d+(?: +\d+)+ +# (\S+)[ \t\r]*$", re.MULTILINE)


def parse(content: bytes, path: Path) -> ModelFile:
    """The network in a UAI file, with the names of the second file where there is one."""
    text, remarks = decode_text(content)
    reader = _Reader(text, path)
    reader.builder.remarks += remarks
    return reader.read()


@dataclass(frozen=True)
class _Names:
    """What the second file says."""

    variables: tuple[Variable, ...]
    title: str = ""
    titles: dict[str, str] = field(default_factory=dict)
    layout: dict[str, Point] = field(default_factory=dict)


class _Reader(TextScanner):
    BLANK = re.compile(r"\s*+")
    TOKEN = re.compile(r"\S++")

    def __init__(self, text: str, path: Path) -> None:
        super().__init__(_COMMENT.sub(lambda part: " " * len(part[0]), text), path)
        self.builder = NetworkBuilder(path)
        self._child_names = _AGRUM_SCOPE.findall(text)

    def _whole(self, what: str, most: int) -> int:
        token = self.next_token()
        if not token.isdecimal() or len(token) > 9 or int(token) > most:
            self.fail(f"expected {what}, {found(token)}.")
        return int(token)

    def read(self) -> ModelFile:
        """The model file of the text."""
        kind = self.next_token()
        if kind.upper() not in ("BAYES", "MARKOV"):
            self.fail(f"expected BAYES or MARKOV, {found(kind)}; is it a UAI file?")
        count = self._whole("the number of variables", len(self.text))
        if not count:
            self.fail("holds no variables.")
        cards = []
        for number in range(count):
            cards.append(self._whole(f"how many states variable {number} has", 1 << 20))
            if not cards[-1]:
                self.fail(f"variable {number} has no states.")
        if sum(cards) > len(self.text) * 2 + 64 and kind.upper() == "BAYES":
            self.fail("the tables cannot be as large as the numbers of states say.")
        if sum(cards) > len(self.text) * 2 + MAX_MADE_UP:
            self.fail(f"there are {sum(cards)} states, more than a file of this size can be about.")
        scopes = []
        for number in range(self._whole("the number of functions", len(self.text))):
            size = self._whole(f"how many variables function {number} has", count)
            scope = [self._whole("the number of a variable", count - 1) for _ in range(size)]
            if len(set(scope)) != size:
                self.fail(f"function {number} names a variable twice.")
            scopes.append((scope, self.start))
        is_bayes = kind.upper() == "BAYES"
        backwards = is_bayes and 0 < len(self._child_names) == len(scopes)
        names = self._names(cards)
        if names is None:
            names = _Names(self._made_up(cards, scopes if backwards else []))
        build = self.builder
        for number, variable in enumerate(names.variables):
            build.add_variable(str(number), variable.states, (None, None), name=variable.name)
        if is_bayes:
            self._bayes(scopes, backwards)
        else:
            self._markov(cards, scopes)
        if self.next_token():
            build.remarks.append(f"Line {self.line(self.start)}: what follows was left out.")
        build.titles, build.layout = names.titles, names.layout
        ordinal = {v.name for v in names.variables if v.is_ordinal}
        for name in ordinal:
            old = build.variables[name]
            build.variables[name] = Variable(name, old.states, is_ordinal=True)
        return build.file(names.title)

    def _made_up(
        self, cards: list[int], scopes: list[tuple[list[int], int]]
    ) -> tuple[Variable, ...]:
        told = {
            scope[-1]: name for (scope, _), name in zip(scopes, self._child_names, strict=False)
        }
        wanted = [told.get(number, f"X{number}") for number in range(len(cards))]
        if len(set(wanted)) < len(wanted):
            wanted = [f"X{number}" for number in range(len(cards))]
        beside = second_path(self.path).name
        self.builder.remarks.append(
            f"UAI files hold no names; there is no {beside} beside it, so "
            + (
                "the names of the variables are those in its comments, and their states"
                if told
                else "variables are called X0, X1, … and states"
            )
            + " s0, s1, …"
        )
        return tuple(
            Variable(name, tuple(f"s{k}" for k in range(card)))
            for name, card in zip(wanted, cards, strict=True)
        )

    def _names(self, cards: list[int]) -> _Names | None:
        """The names of the second file; None when there is none or it is of another network."""
        path = second_path(self.path)
        if not path.is_file():
            return None
        names = _read_names(parse_json(read_bytes(path), path))
        if [variable.cardinality for variable in names.variables] != cards:
            self.builder.remarks.append(
                f"{path.name} is about other variables than {self.path.name}; it was not used."
            )
            return None
        return names

    def _numbers(self, number: int, wanted: int) -> tuple[list[float], int]:
        told = self._whole(f"how many numbers function {number} has", len(self.text))
        if told != wanted:
            self.fail(f"function {number} lists {told} numbers instead of {count_text(wanted)}.")
        numbers, start = [], self.place
        for place in range(wanted):
            token = self.next_token()
            value = number_of(token)
            if not value >= 0:
                self.fail(f"expected a number of at least 0 in function {number}, {found(token)}.")
            if not place:
                start = self.start
            numbers.append(value)
        return numbers, start

    def _bayes(self, scopes: list[tuple[list[int], int]], backwards: bool) -> None:
        build = self.builder
        for number, (scope, offset) in enumerate(scopes):
            if not scope:
                self.fail(f"function {number} has no variable.", offset)
            family = build.family([str(v) for v in (scope[-1], *scope[:-1])], self.at(offset))
            wanted = math.prod(variable.cardinality for variable in family)
            numbers, start = self._numbers(number, wanted)
            build.add_table(family, numbers, self.at(start), backwards=backwards)
        if backwards and any(len(scope) > 2 for scope, _ in scopes):
            build.remarks.append(
                "aGrUM wrote this file. It lists tables with the first parent fastest, against "
                "the format; they were read that way."
            )

    def _markov(self, cards: list[int], scopes: list[tuple[list[int], int]]) -> None:
        build = self.builder
        variables = list(build.variables.values())
        factors: list[tuple[tuple[int, ...], NDArray[np.float64]]] = []
        for number, (scope, offset) in enumerate(scopes):
            shape = [cards[v] for v in scope]
            if scope:
                build.reserve([variables[v] for v in scope], self.at(offset))
            numbers, _ = self._numbers(number, math.prod(shape))
            factors.append((tuple(scope), np.array(numbers).reshape(shape)))

        def reserve(scope: tuple[int, ...]) -> None:
            build.reserve([variables[v] for v in scope], (None, None))

        families, log2_z = chain_rule(cards, factors, reserve)
        if families is None:
            build.fail("gives every joint state the weight 0; that is no distribution.")
        for child, parents, rows in families:
            build.add_rows([variables[v] for v in (child, *parents)], rows, (None, None))
        build.remarks.append(
            "The file is a Markov network. It was turned into a Bayesian network with the same "
            f"joint distribution, so its edges are not those of the file; log2 Z = {log2_z:.6g}."
        )


def second_path(path: Path) -> Path:
    """Where the names of a UAI file are."""
    return path.with_name(path.name.removesuffix(".gz") + NAMES_ENDING)


def _read_names(document: JsonPlace) -> _Names:
    from pgmstudio.core.io.model_json import check_version, read_variables

    check_version(document, "schema", SCHEMA, VERSION)
    title, titles, layout = (document.get(key) for key in ("title", "titles", "layout"))
    return _Names(
        read_variables(document["variables"]).variables,
        title.text() if title else "",
        {name: place.text() for name, place in titles.entries()} if titles else {},
        layout.points() if layout else {},
    )


def beside(file: ModelFile, path: Path) -> tuple[Path, bytes]:
    """The second file: names, states, title and places."""
    from pgmstudio.core.io.model_json import layout_document, variables_document

    document: dict[str, Any] = {"schema": SCHEMA, "version": VERSION}
    if file.title:
        document["title"] = file.title
    document["variables"] = variables_document(file.model.domain)
    if file.titles:
        document["titles"] = dict(sorted(file.titles.items()))
    if file.layout:
        document["layout"] = layout_document(file.layout)
    return second_path(path), render_json(document)


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text of a UAI file, and what it cannot hold."""
    network = network_in(file, path, "UAI")
    domain = network.domain
    if not len(domain):
        raise ModelFileError(path, "a UAI file needs at least one variable.")
    lines = ["BAYES", str(len(domain)), " ".join(map(str, domain.cardinalities)), str(len(domain))]
    for index, parents in enumerate(network.dag.parent_indices):
        lines.append(" ".join(map(str, (len(parents) + 1, *parents, index))))
    for table in network.tables:
        lines += ["", str(table.size)]
        rows = table.reshape(-1, table.shape[-1]).tolist()
        lines += [f" {' '.join(map(repr, row))}" for row in rows]
    lost = what_is_lost(file, "UAI", titles=True, properties=False)
    lost = [sentence for sentence in lost if "states are ordered" not in sentence]
    told = f"UAI holds numbers only; names and places are in {second_path(path).name} beside it."
    return ("\n".join(lines) + "\n").encode(), (*lost, told)
