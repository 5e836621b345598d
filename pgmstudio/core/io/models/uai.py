"""UAI files of the inference competitions: BAYES, MARKOV and evidence.

A file has the type, the cardinalities, the scopes (BAYES: the child last) and one table for each,
the last variable of its scope fastest. There are no names: they stand in a second file,
NAME.uai.names.json, and without it variables are X0, X1, … with states s0, s1, … Lines that begin
with `c` and what follows a # are comments.

The factors of a MARKOV file are multiplied into the potentials of the maximal cliques. Scopes of
MARKOV files are written in descending order: aGrUM takes the tables for such whatever they are.

Evidence files (.evid) hold the numbers of variables and of their states, in two forms: one set,
`2 0 1 3 0` (so many, then variable and state), and the older one whose first line is the number of
sets, with one such line for each.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import GraphError, ModelFileError, TooLargeError
from pgmstudio.core.inference.base import Excluded, Finding, Observed
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.models.files import ModelFile, Point, decode_text, read_bytes
from pgmstudio.core.io.models.native_json import (
    check_version,
    layout_document,
    read_variables,
    variables_document,
)
from pgmstudio.core.io.models.shared.network_builder import (
    MAX_MADE_UP,
    NetworkTextReader,
    model_in,
    network_in,
    what_is_lost,
)
from pgmstudio.core.io.models.shared.text_scanner import TextScanner, found_text, number_of
from pgmstudio.core.json_documents import JsonElement, parse_json, render_json
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.markov_network.conversions import edges_joining
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.languages.table_checks import count_text

NAMES_ENDING = ".names.json"
SCHEMA, VERSION = "pgmstudio-uai-names", 1
# Up to this size of the junction tree it is checked that some joint state is possible.
MAX_CHECKED_CELLS = 1 << 20

_COMMENT = re.compile(r"#[^\n]*+|^c(?:[ \t][^\n]*+)?$", re.MULTILINE)
# aGrUM writes the child's name behind each scope, and its tables the other way round.
_AGRUM_SCOPE = re.compile(r"^\d+(?: +\d+)+ +# (\S+)[ \t\r]*$", re.MULTILINE)
# Tables of MARKOV files have their scope in a comment, the first variable fastest, and the scopes
# above may be in another order.
_AGRUM_TABLE = re.compile(r"^\d+ # \{(\d{1,9}(?:, \d{1,9})*)\}[ \t\r]*$", re.MULTILINE)


def parse(content: bytes, path: Path) -> ModelFile:
    """The network in a UAI file, with the names of the second file where there is one."""
    return _Reader.parse(content, path)


@dataclass(frozen=True)
class _Names:
    """Contents of the second file."""

    variables: tuple[Variable, ...]
    title: str = ""
    titles: dict[str, str] = field(default_factory=dict)
    layout: dict[str, Point] = field(default_factory=dict)


class _Reader(NetworkTextReader):
    BLANK = re.compile(r"\s*+")
    TOKEN = re.compile(r"\S++")

    def __init__(self, text: str, path: Path) -> None:
        super().__init__(_COMMENT.sub(lambda part: " " * len(part[0]), text), path)
        self._child_names = _AGRUM_SCOPE.findall(text)
        tables: list[str] = _AGRUM_TABLE.findall(text)
        self._table_scopes = [[int(v) for v in reversed(one.split(", "))] for one in tables]

    def _whole(self, what: str, most: int) -> int:
        token = self.next_token()
        if not token.isdecimal() or len(token) > 9 or int(token) > most:
            self.fail(f"expected {what}, {found_text(token)}.")
        return int(token)

    def read(self) -> ModelFile:
        """The model file of the text."""
        kind = self.next_token()
        if kind.upper() not in ("BAYES", "MARKOV"):
            self.fail(f"expected BAYES or MARKOV, {found_text(kind)}; is it a UAI file?")
        count = self._whole("the number of variables", len(self.text))
        if not count:
            self.fail("holds no variables.")
        cards = []
        for number in range(count):
            cards.append(self._whole(f"how many states variable {number} has", 1 << 20))
            if not cards[-1]:
                self.fail(f"variable {number} has no states.")
        if sum(cards) > len(self.text) * 2 + 64 and kind.upper() == "BAYES":
            self.fail("the numbers of states give tables that are too large for this file.")
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
        network = None if is_bayes else self._markov(names.variables, scopes)
        if is_bayes:
            self._bayes(scopes, backwards)
        if self.next_token():
            build.warnings.append(f"Line {self.line(self.start)}: what follows was left out.")
        if network is not None:
            return ModelFile(
                network,
                title=names.title,
                titles=names.titles,
                layout=names.layout,
                warnings=tuple(build.warnings),
            )
        build.titles, build.layout = names.titles, names.layout
        ordinal = {v.name for v in names.variables if v.is_ordinal}
        for name in ordinal:
            old = build.variables[name]
            build.variables[name] = Variable(name, old.states, is_ordinal=True)
        return build.file(names.title)

    def _made_up(
        self, cards: list[int], scopes: list[tuple[list[int], int]]
    ) -> tuple[Variable, ...]:
        names_in_file = {
            scope[-1]: name for (scope, _), name in zip(scopes, self._child_names, strict=False)
        }
        wanted = [names_in_file.get(number, f"X{number}") for number in range(len(cards))]
        if len(set(wanted)) < len(wanted):
            wanted = [f"X{number}" for number in range(len(cards))]
        second_name = second_path(self.path).name
        self.builder.warnings.append(
            f"UAI files hold no names; there is no {second_name} in its folder, so "
            + (
                "the names of the variables are those in its comments, and their states"
                if names_in_file
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
            self.builder.warnings.append(
                f"{path.name} is about other variables than {self.path.name}; it was not used."
            )
            return None
        return names

    def _numbers(self, number: int, wanted: int) -> tuple[list[float], int]:
        count = self._whole(f"how many numbers function {number} has", len(self.text))
        if count != wanted:
            self.fail(f"function {number} lists {count} numbers instead of {count_text(wanted)}.")
        numbers, start = [], self.position
        for index in range(wanted):
            token = self.next_token()
            value = number_of(token)
            if not value >= 0:
                self.fail(
                    f"expected a number of at least 0 in function {number}, {found_text(token)}."
                )
            if not index:
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
            build.warnings.append(
                "aGrUM wrote this file. It lists tables with the first parent fastest, against "
                "the format; they were read that way."
            )

    def _markov(
        self, variables: Sequence[Variable], scopes: list[tuple[list[int], int]]
    ) -> MarkovNetwork:
        build = self.builder
        stated = [scope for scope, _ in scopes]
        if stated != self._table_scopes and [*map(set, stated)] == [*map(set, self._table_scopes)]:
            scopes = [(own, at) for own, (_, at) in zip(self._table_scopes, scopes, strict=True)]
            build.warnings.append(
                "aGrUM wrote this file. It lists tables in another order than their scopes, "
                "against the format; they were read by the comments at the tables."
            )
        factors: list[tuple[list[int], Floats]] = []
        for number, (scope, offset) in enumerate(scopes):
            shape = [variables[v].cardinality for v in scope]
            if scope:
                build.reserve([variables[v] for v in scope], self.at(offset))
            numbers, _ = self._numbers(number, math.prod(shape))
            factors.append((scope, np.array(numbers).reshape(shape)))
        domain = Domain(tuple(variables))
        structure = MarkovStructure(domain, edges_joining([s for s, _ in factors], len(domain)))
        try:
            for clique in structure.maximal_cliques:
                build.reserve([variables[v] for v in clique], (None, None))
            network = MarkovNetwork.of_factors(structure, factors)
            if network.effective_size() <= MAX_CHECKED_CELLS:
                _ = network.log2_partition
        except GraphError:
            build.fail("gives every joint state the weight 0; that is no distribution.")
        except TooLargeError as problem:
            build.fail(str(problem))
        return network


def second_path(path: Path) -> Path:
    """Where the names of a UAI file are."""
    return path.with_name(path.name.removesuffix(".gz") + NAMES_ENDING)


def _read_names(document: JsonElement) -> _Names:
    check_version(document, "schema", SCHEMA, VERSION)
    title, titles, layout = (document.get(key) for key in ("title", "titles", "layout"))
    return _Names(
        read_variables(document["variables"]).variables,
        title.text() if title else "",
        {name: index.text() for name, index in titles.entries()} if titles else {},
        layout.points() if layout else {},
    )


def second_file_content(file: ModelFile, path: Path) -> tuple[Path, bytes]:
    """The second file: names, states, title and positions."""
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
    kind, has_contexts = "BAYES", False
    network: BayesianNetwork | MarkovNetwork
    if file.model.kind == MarkovNetwork.kind:
        network = model_in(file, path, MarkovNetwork, "UAI holds networks")
        kind, has_contexts = "MARKOV", bool(network.structure.contexts)
        factors = [(one.scope[::-1], one.values.T) for one in network.factors]
    else:
        network = network_in(file, path, "UAI")
        factors = [(one.scope, one.values) for one in network.factors]
    domain = network.domain
    if not len(domain):
        raise ModelFileError(path, "a UAI file needs at least one variable.")
    cards = " ".join(map(str, domain.cardinalities))
    lines = [kind, str(len(domain)), cards, str(len(factors))]
    lines += [" ".join(map(str, (len(scope), *scope))) for scope, _ in factors]
    for _, table in factors:
        lines += ["", str(table.size)]
        rows = table.reshape(-1, table.shape[-1]).tolist()
        lines += [f" {' '.join(map(repr, row))}" for row in rows]
    lost = what_is_lost(file, "UAI", titles=True, properties=False, language=type(network))
    lost = [warning for warning in lost if "states are ordered" not in warning]
    if has_contexts:
        lost.append("UAI cannot hold contexts; their potentials are written in full.")
    warning = f"UAI holds numbers only; names and positions are in {second_path(path).name}."
    return ("\n".join(lines) + "\n").encode(), (*lost, warning)


EVIDENCE_ENDING = ".evid"


class _EvidenceReader(TextScanner):
    BLANK = re.compile(r"\s*+")
    TOKEN = re.compile(r"\S++")

    def whole(self, what: str) -> int:
        token = self.next_token()
        if not token.isdecimal() or len(token) > 9:
            self.fail(f"expected {what}, {found_text(token)}.")
        return int(token)

    def case(self, domain: Domain) -> dict[str, Observed]:
        """One set of findings."""
        findings: dict[str, Observed] = {}
        for _ in range(self.whole("how many variables are observed")):
            number = self.whole("the number of a variable")
            if number >= len(domain):
                self.fail(f"there is no variable {number}; the model has {len(domain)}.")
            variable = domain.variables[number]
            code = self.whole(f"the number of a state of {variable.name}")
            if code >= variable.cardinality:
                self.fail(f"{variable.name} has no state {code}; it has {variable.cardinality}.")
            if variable.name in findings:
                self.fail(f"{variable.name} is there twice.")
            findings[variable.name] = Observed(variable.states[code])
        return findings


def parse_evidence(content: bytes, path: Path, domain: Domain) -> list[dict[str, Observed]]:
    """The sets of findings in a file, for a model with this domain; either form."""
    text, _ = decode_text(content)
    lines = [line.split() for line in text.splitlines() if line.strip()]
    reader = _EvidenceReader(text, path)
    # The older form has the number of sets on a line of its own.
    if len(lines) > 1 and len(lines[0]) == 1 and not _is_one_set(lines):
        count = reader.whole("how many sets of evidence there are")
        if count > len(text):
            reader.fail(f"the file is too short for {count} sets of evidence.")
        cases = [reader.case(domain) for _ in range(count)]
    else:
        cases = [reader.case(domain)]
    token = reader.next_token()
    if token:
        reader.fail(f"expected the end of the file, {found_text(token)}.")
    return cases


def _is_one_set(lines: Sequence[Sequence[str]]) -> bool:
    """Whether it is the newer form written over several lines, each variable on its own."""
    count = int(lines[0][0]) if lines[0][0].isdecimal() and len(lines[0][0]) < 9 else -1
    return count == len(lines) - 1 and all(len(line) == 2 for line in lines[1:])


def read_evidence(path: Path | str, domain: Domain) -> list[dict[str, Observed]]:
    """The sets of findings in a file on the disk."""
    path = Path(path)
    return parse_evidence(read_bytes(path), path, domain)


def evidence_text(
    cases: Sequence[Mapping[str, Finding]], domain: Domain, *, older: bool = False
) -> tuple[bytes, tuple[str, ...]]:
    """The text of sets of findings, and what it cannot hold; several sets need the older form."""
    lost: list[str] = []
    lines = [str(len(cases))] if older or len(cases) != 1 else []
    for case in cases:
        numbers: list[tuple[int, int]] = []
        for name, finding in case.items():
            variable = domain[name]
            states = [finding.state] if isinstance(finding, Observed) else []
            if isinstance(finding, Excluded):
                left = [state for state in variable.states if state not in finding.states]
                states = left if len(left) == 1 else []
            if states:
                numbers.append((domain.index(name), variable.code(states[0])))
            else:
                lost.append(
                    f"An .evid file holds observed states only; {name} {finding} is left out."
                )
        tokens = [str(len(numbers)), *(f"{v} {code}" for v, code in sorted(numbers))]
        lines.append(" ".join(tokens))
    return ("\n".join(lines) + "\n").encode(), tuple(lost)


def write_evidence(
    path: Path | str,
    cases: Sequence[Mapping[str, Finding]],
    domain: Domain,
    *,
    older: bool = False,
) -> tuple[str, ...]:
    """Write sets of findings; returns a warning for each finding that the format cannot hold."""
    path = Path(path)
    if path.suffix.lower() != EVIDENCE_ENDING:
        raise ModelFileError(path, f"an evidence file ends in {EVIDENCE_ENDING}.")
    content, lost = evidence_text(cases, domain, older=older)
    replace_file(path, content)
    return lost
