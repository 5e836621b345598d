"""XMLBIF 0.3, the XML form of BIF that JavaBayes, Weka, SamIam and UnBBayes write (Cozman 1998).

In a TABLE the variable's own states run fastest, then those of the last GIVEN. Names that are not
letters, digits and underscores are written as a safe name with a PROPERTY `title = "…"`.
Entities are refused: nothing outside of the file is read and nothing is expanded.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.io.models.files import ModelFile, Point
from pgmstudio.core.io.models.shared.identifiers import safe_names, unused
from pgmstudio.core.io.models.shared.network_builder import (
    NO_TITLE,
    NetworkBuilder,
    network_in,
    position_in,
    position_text,
    title_in,
    what_is_lost,
)
from pgmstudio.core.io.models.shared.text_scanner import number_of
from pgmstudio.core.io.models.shared.xml_tree import Element, escaped_xml, fits_xml, parse_xml

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
    """Reads one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._builder = NetworkBuilder(path)
        self._utilities: set[str] = set()

    def read(self, content: bytes) -> ModelFile:
        """The model file in these bytes."""
        build = self._builder
        root, warnings = parse_xml(content, self._path)
        build.warnings += warnings
        network = self._network_element(root)
        title, network_properties = self._title(network)
        self._list_unknown(network)
        decisions = []
        for element in network.all("VARIABLE"):
            role = element.attributes.get("TYPE", "nature").strip().lower()
            if role == "utility":
                self._leave_out_utility(element)
                continue
            variable = self._variable(element)
            if role == "decision":
                decisions.append(variable)
        if not build.variables:
            build.fail("holds no variables; is it an XMLBIF file?", network.at)
        for element in network.all("DEFINITION", "PROBABILITY"):
            self._table(element)
        for variable in decisions:
            if not build.has_table(variable.name):
                why = (
                    f"{variable.name} is a decision; it was read as a variable whose states are "
                    "equally probable."
                )
                build.add_uniform([variable], network.at, why)
        return build.file(title, network_properties)

    def _network_element(self, root: Element) -> Element:
        networks = [n for top in root.all("BIF") for n in top.all("NETWORK")]
        if not networks:
            self._builder.fail("holds no <BIF> with a <NETWORK> in it; is it an XMLBIF file?")
        if len(networks) > 1:
            self._builder.warnings.append(f"Only the first of {len(networks)} networks was read.")
        return networks[0]

    def _list_unknown(self, network: Element) -> None:
        known = {"NAME", "PROPERTY", "VARIABLE", "DEFINITION", "PROBABILITY"}
        unknown: dict[str, int] = {}
        for child in network.children:
            if child.tag not in known:
                unknown.setdefault(child.tag, child.line)
        for tag, line in sorted(unknown.items()):
            self._builder.warnings.append(
                f"Line {line}: <{tag}> is not known here and was left out."
            )

    def _one(self, element: Element, tag: str) -> str:
        result = element.texts(tag)
        if len(result) != 1 or not result[0]:
            self._builder.fail(f"<{element.tag}> needs one <{tag}> with a text.", element.at)
        return result[0]

    def _leave_out_utility(self, element: Element) -> None:
        name = self._one(element, "NAME")
        self._utilities.add(name)
        self._builder.warnings.append(
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

    def _variable(self, element: Element) -> Variable:
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
        variable = self._builder.add_variable(identifier, states, element.at, name=name)
        if position is not None:
            self._builder.layout[name] = position
        if others:
            self._builder.variable_properties[name] = tuple(others)
        return variable

    def _table(self, element: Element) -> None:
        build = self._builder
        owner = self._one(element, "FOR")
        if owner in self._utilities and owner not in build.names:
            return
        family = build.family([owner, *element.texts("GIVEN")], element.at)
        child = family[0]
        tables = list(element.all("TABLE"))
        if len(tables) != 1:
            build.fail(f"the definition of {child.name} needs one <TABLE>.", element.at)
        at = tables[0].at
        numbers = []
        for word in tables[0].text.replace(",", " ").split():
            number = number_of(word)
            if not number >= 0:
                build.fail(f"“{word}” in the table of {child.name} is no probability.", at)
            numbers.append(number)
        build.add_table(family, numbers, at, backwards=False)
        if properties := element.texts("PROPERTY"):
            build.table_properties[child.name] = tuple(map(_read_property, properties))


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
