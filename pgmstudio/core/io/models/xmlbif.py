"""XMLBIF 0.3, the XML form of BIF that JavaBayes, Weka, SamIam and UnBBayes write (Cozman 1998).

In a TABLE the variable's own states run fastest, then those of the last GIVEN. Names that are not
letters, digits and underscores are written as a safe name with a PROPERTY `title = "…"`.
Entities are refused: nothing outside of the file is read and nothing is expanded.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import NoReturn

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import DataError, ModelFileError, UnknownNameError
from pgmstudio.core.io.models.files import ModelFile, Point, Properties
from pgmstudio.core.io.models.shared.cpt_checks import (
    NO_TITLE,
    either_way,
    network_in,
    position_in,
    position_text,
    title_in,
    what_is_lost,
)
from pgmstudio.core.io.models.shared.identifiers import safe_names, unused
from pgmstudio.core.io.models.shared.xml_tree import Element, escaped_xml, fits_xml, parse_xml
from pgmstudio.core.languages.bayesian_network.codec import assembled_network
from pgmstudio.core.languages.table_checks import TableChecker, row_namer

_TITLE = re.compile(r'title\s*=\s*(".*")', re.DOTALL)
_OUTCOME = re.compile(r'outcome (\d{1,6})\s*=\s*(".*")', re.DOTALL)

# No document type: every reader does without it, and pyAgrum's stumbles over one.
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<BIF VERSION="0.3">
<NETWORK>"""


def parse(content: bytes, path: Path) -> ModelFile:
    """The network in an XMLBIF text; ModelFileError has line and column."""
    return _Reader(path).read(content)


class _Reader:
    """Reads one file; `fail` knows where."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._warnings: list[str] = []
        self._utilities: set[str] = set()

    def fail(self, message: str, element: Element | None = None) -> NoReturn:
        """Raise with the line of an element, where there is one."""
        line, column = (None, None) if element is None else (element.line, element.column)
        raise ModelFileError(self._path, message, line, column)

    def read(self, content: bytes) -> ModelFile:
        """The model file in these bytes."""
        root, warnings = parse_xml(content, self._path)
        self._warnings += warnings
        network = self._network_element(root)
        title, network_properties = self._title(network)
        self._list_unknown(network)
        names: dict[str, str] = {}  # as it stands in the file -> as the variable is called
        variables: dict[str, Variable] = {}
        layout: dict[str, Point] = {}
        variable_properties: dict[str, tuple[str, ...]] = {}
        decisions = []
        for element in network.all("VARIABLE"):
            role = element.attributes.get("TYPE", "nature").strip().lower()
            if role == "utility":
                self._leave_out_utility(element)
                continue
            identifier, variable, position, others = self._variable(element)
            if identifier in names or variable.name in variables:
                self.fail(f"there are two variables called {variable.name}.", element)
            names[identifier] = variable.name
            variables[variable.name] = variable
            if role == "decision":
                decisions.append(variable)
            if position is not None:
                layout[variable.name] = position
            if others:
                variable_properties[variable.name] = tuple(others)
        if not variables:
            self.fail("holds no variables; is it an XMLBIF file?", network)
        checker = TableChecker(self._path)
        parents: dict[str, list[str]] = {}
        rows: dict[str, Floats] = {}
        table_properties: dict[str, tuple[str, ...]] = {}
        for element in network.all("DEFINITION", "PROBABILITY"):
            family = self._family(element, names)
            if family is None:
                continue
            child = family[0]
            if child in rows:
                self.fail(f"there are two tables of {child}.", element)
            parents[child] = family[1:]
            rows[child] = self._rows(element, [variables[name] for name in family], checker)
            if properties := element.texts("PROPERTY"):
                table_properties[child] = tuple(map(_read_property, properties))
        for variable in decisions:
            if variable.name not in rows:
                parents[variable.name] = []
                rows[variable.name] = np.full((1, variable.cardinality), 1 / variable.cardinality)
                self._warnings.append(
                    f"{variable.name} is a decision; it was read as a variable whose states are "
                    "equally probable."
                )
        bare = [name for name in variables if name not in rows]
        if bare:
            shown = ", ".join(bare[:10]) + (f" and {len(bare) - 10} more" if bare[10:] else "")
            self.fail(f"there is no table of {shown}.", network)
        return ModelFile(
            assembled_network(self._path, list(variables.values()), parents, rows),
            title=title,
            layout=layout,
            properties=Properties(tuple(network_properties), variable_properties, table_properties),
            warnings=(*self._warnings, *checker.warnings()),
        )

    def _network_element(self, root: Element) -> Element:
        networks = [n for top in root.all("BIF") for n in top.all("NETWORK")]
        if not networks:
            self.fail("holds no <BIF> with a <NETWORK> in it; is it an XMLBIF file?")
        if len(networks) > 1:
            self._warnings.append(f"Only the first of {len(networks)} networks was read.")
        return networks[0]

    def _list_unknown(self, network: Element) -> None:
        known = {"NAME", "PROPERTY", "VARIABLE", "DEFINITION", "PROBABILITY"}
        unknown: dict[str, int] = {}
        for child in network.children:
            if child.tag not in known:
                unknown.setdefault(child.tag, child.line)
        for tag, line in sorted(unknown.items()):
            self._warnings.append(f"Line {line}: <{tag}> is not known here and was left out.")

    def _one(self, element: Element, tag: str) -> str:
        result = element.texts(tag)
        if len(result) != 1 or not result[0]:
            self.fail(f"<{element.tag}> needs one <{tag}> with a text.", element)
        return result[0]

    def _leave_out_utility(self, element: Element) -> None:
        name = self._one(element, "NAME")
        self._utilities.add(name)
        self._warnings.append(
            f"Line {element.line}: the utility {name} was left out; only chance variables are read."
        )

    def _title(self, network: Element) -> tuple[str, list[str]]:
        name = next(iter(network.texts("NAME")), "")
        title, others = title_in(name), []
        for text in map(_read_property, network.texts("PROPERTY")):
            value = _quoted_in(_TITLE, text)
            if value is None:
                others.append(text)
            else:
                title = value[-1]
        return title, others

    def _variable(self, element: Element) -> tuple[str, Variable, Point | None, list[str]]:
        identifier = name = self._one(element, "NAME")
        states = element.texts("OUTCOME", "VALUE")
        position: Point | None = None
        others: list[str] = []
        for text in map(_read_property, element.texts("PROPERTY")):
            if (point := position_in(text)) is not None:
                position = point
            elif (value := _quoted_in(_TITLE, text)) is not None:
                name = value[-1]
            elif (value := _quoted_in(_OUTCOME, text)) is not None and int(value[0]) < len(states):
                states[int(value[0])] = value[-1]
            else:
                others.append(text)
        try:
            return identifier, Variable(name, tuple(states)), position, others
        except DataError as problem:
            self.fail(str(problem), element)

    def _family(self, element: Element, names: dict[str, str]) -> list[str] | None:
        """The variable and its parents; None for the table of a utility, which was left out."""
        owner = self._one(element, "FOR")
        family: dict[str, None] = {}
        for identifier in (owner, *element.texts("GIVEN")):
            if identifier not in names:
                if owner in self._utilities:
                    return None
                self.fail(str(UnknownNameError("variable", identifier, names)), element)
            if names[identifier] in family:
                self.fail(f"{identifier} is named twice in this table.", element)
            family[names[identifier]] = None
        return list(family)

    def _rows(self, element: Element, family: list[Variable], checker: TableChecker) -> Floats:
        child, *givens = family
        shape = [given.cardinality for given in givens]
        checker.reserve(child.name, (*shape, child.cardinality), element.line)
        count = math.prod(shape)
        tables = list(element.all("TABLE"))
        if len(tables) != 1:
            self.fail(f"the definition of {child.name} needs one <TABLE>.", element)
        numbers = []
        for word in tables[0].text.replace(",", " ").split():
            try:
                number = math.nan if "_" in word else float(word)
            except ValueError:
                number = math.nan
            if not math.isfinite(number) or number < 0:
                self.fail(f"“{word}” in the table of {child.name} is no probability.", tables[0])
            numbers.append(number)
        wanted = count * child.cardinality
        if len(numbers) != wanted:
            self.fail(
                f"the table of {child.name} has {len(numbers)} numbers instead of {wanted}.",
                tables[0],
            )
        rows, turned = either_way(np.array(numbers), count, child.cardinality, child_first=False)
        if turned:
            self._warnings.append(
                f"Line {tables[0].line}: the table of {child.name} lists its own states slowest, "
                "against the format; it was read that way, since only so its rows sum to 1."
            )
        line = tables[0].line
        return checker.checked(child.name, rows, row_namer(givens), lambda row: line)


def _quoted_in(pattern: re.Pattern[str], text: str) -> tuple[str, ...] | None:
    """The groups of a match, the last one unquoted; None when it is another property."""
    result = pattern.fullmatch(text)
    if result is None:
        return None
    try:
        return *result.groups()[:-1], str(json.loads(result[result.lastindex or 0]))
    except (ValueError, RecursionError):
        return None


def _read_property(text: str) -> str:
    """A property's text; one that XML cannot hold was written as a JSON text."""
    if text.startswith('"') and text.endswith('"'):
        try:
            return str(json.loads(text))
        except ValueError:
            return text
    return text


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text of an XMLBIF file, and what it cannot hold."""
    network = network_in(file, path, "XMLBIF")
    safe = safe_names(network.domain.names, prefix="_", underscore_first=True)
    lines = [_HEAD]
    lines.append(f"<NAME>{escaped_xml(file.title) if fits_xml(file.title) else NO_TITLE}</NAME>")
    if file.title and not fits_xml(file.title):
        lines.append(_property(f"title = {json.dumps(file.title)}"))
    lines += map(_property, file.properties.network)
    for variable in network.domain:
        lines.append('<VARIABLE TYPE="nature">')
        lines.append(f"  <NAME>{safe[variable.name]}</NAME>")
        extra = []
        for number, state in enumerate(variable.states):
            held = state
            if not fits_xml(state):
                held = unused(f"state{number}", variable.states)
                extra.append(f"outcome {number} = {json.dumps(state)}")
            lines.append(f"  <OUTCOME>{escaped_xml(held)}</OUTCOME>")
        if variable.name in file.layout:
            extra.append(position_text(file.layout[variable.name]))
        if safe[variable.name] != variable.name:
            extra.append(f"title = {json.dumps(variable.name, ensure_ascii=False)}")
        extra += file.properties.variables.get(variable.name, ())
        lines += [f"  {_property(text)}" for text in extra]
        lines.append("</VARIABLE>")
    for index, variable in enumerate(network.domain):
        lines.append("<DEFINITION>")
        lines.append(f"  <FOR>{safe[variable.name]}</FOR>")
        for parent in network.dag.parents(variable.name):
            lines.append(f"  <GIVEN>{safe[parent]}</GIVEN>")
        rows = network.tables[index].reshape(-1, variable.cardinality).tolist()
        lines.append("  <TABLE>")
        lines += [f"    {' '.join(map(repr, row))}" for row in rows]
        lines.append("  </TABLE>")
        lines += [f"  {_property(text)}" for text in file.properties.tables.get(variable.name, ())]
        lines.append("</DEFINITION>")
    lines.append("</NETWORK>\n</BIF>\n")
    return "\n".join(lines).encode(), tuple(what_is_lost(file, "XMLBIF"))


def _property(text: str) -> str:
    held = text if fits_xml(text) and not text.startswith('"') else json.dumps(text)
    return f"<PROPERTY>{escaped_xml(held)}</PROPERTY>"
