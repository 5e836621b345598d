"""XDSL, the files of GeNIe and SMILE (BayesFusion).

In <probabilities> the node's own states run fastest, then those of the last parent. Identifiers are
letters, digits and underscores; the title of a node is the <name> in the genie block, where its
box stands too (x1 y1 x2 y2, y downwards), possibly inside of submodels. A name or state that is no
identifier is replaced by one, and a user property, `pgm_name` or `pgm_states`, holds it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.io.models.files import ModelFile, Point
from pgmstudio.core.io.models.shared.identifiers import name_behind, safe_names
from pgmstudio.core.io.models.shared.network_builder import (
    NO_TITLE,
    NetworkBuilder,
    network_in,
    renaming_warnings,
    title_in,
    what_is_lost,
)
from pgmstudio.core.io.models.shared.structure_only import states_from_text
from pgmstudio.core.io.models.shared.text_scanner import number_of
from pgmstudio.core.io.models.shared.xml_tree import (
    Element,
    element_in,
    element_text,
    escaped_xml,
    fits_xml,
    parse_xml,
)

# User properties that hold what the format has no element for.
OURS = "pgm_"
NAME, STATES, TITLE, POSITION = f"{OURS}name", f"{OURS}states", f"{OURS}title", f"{OURS}position"
LINE, TABLE_LINE = f"{OURS}line_", f"{OURS}table_"
PROGRAM = "PGM Studio"

_USER_LINE = re.compile(r"([A-Za-z][A-Za-z0-9_]*) = (.*)", re.DOTALL)
# Elements of the genie block that are not ours to keep: those we write ourselves.
_WRITTEN = ("NAME", "POSITION", "NODE", "SUBMODEL")
# GeNIe's defaults for drawing, which it requires in every node.
PLAIN_LOOKS = {
    "interior": '<interior color="e5f6f7" />',
    "outline": '<outline color="0000bb" />',
    "font": '<font color="000000" name="Arial" size="8" />',
}
_WIDTH, _HEIGHT = 40, 20  # half of a box
_TABLES = ("CPT", "DETERMINISTIC", "NOISYMAX")
_REFUSED = {
    "DECISION": "a decision",
    "UTILITY": "a utility",
    "MAU": "a utility",
    "EQUATION": "an equation",
    "NOISYADDER": "a noisy adder",
}
# Elements of a node in the genie block that are read; the rest, such as colours and comments, is
# stored verbatim and written back.
_SHOWN = ("NAME", "POSITION")
_SUBMODEL_LOOKS = ("INTERIOR", "OUTLINE", "FONT", "WINDOW")


def parse(content: bytes, path: Path) -> ModelFile:
    """The network in an XDSL file; ModelFileError has line and column."""
    root, warnings = parse_xml(content, path)
    reader = _Reader(path)
    reader.builder.warnings += warnings
    return reader.read(root)


class _Reader:
    """Reads one file: the nodes, their tables, and how they are shown."""

    def __init__(self, path: Path) -> None:
        self.builder = NetworkBuilder(path)
        self._states: dict[str, tuple[str, ...]] = {}  # identifiers of states, by that of a node
        self._noisy: list[str] = []
        self._points: dict[str, Point] = {}  # as we wrote them, where boxes round

    def read(self, root: Element) -> ModelFile:
        """The model file of the document."""
        build = self.builder
        tops = list(root.all("SMILE"))
        if not tops:
            build.fail("holds no <smile>; is it an XDSL file?", next(iter(root.children), root).at)
        nodes = [node for inside in tops[0].all("NODES") for node in inside.children]
        for node in nodes:
            self._variable(node)
        if not build.variables:
            build.fail("holds no nodes; is it an XDSL file?", tops[0].at)
        genies = [genie for ext in tops[0].all("EXTENSIONS") for genie in ext.all("GENIE")]
        backwards = any(g.attributes.get("APP", "").startswith("aGrUM") for g in genies)
        for node in nodes:
            self._table(node, backwards)
        if backwards and any(" " in text for node in nodes for text in node.texts("PARENTS")):
            build.warnings.append(
                "aGrUM wrote this file. It lists tables with the first parent fastest, against "
                "the format; they were read that way."
            )
        if self._noisy:
            build.warnings.append(
                f"Noisy-max was written out as tables: {', '.join(self._noisy[:10])}"
                f"{', …' if self._noisy[10:] else ''}."
            )
        if any(True for _ in tops[0].all("DYNAMIC")):
            build.warnings.append("The time slices of the file were left out.")
        title, lines = self._network_properties(tops[0], genies)
        lines += [element_text(e) for genie in genies for e in _others_in(genie)]
        if any(True for genie in genies for _ in genie.all("SUBMODEL")):
            build.warnings.append("The file has submodels; all their nodes are on one level here.")
        drawn = [node for genie in genies for node in _nodes_in(genie)]
        for node in drawn:
            self._looks(node)
        if any(genie.attributes.get("APP") == PROGRAM for genie in genies):
            self._reorder([node.attributes.get("ID", "").strip() for node in drawn])
        return build.file(title, lines)

    def _reorder(self, identifiers: list[str]) -> None:
        """We write parents first; the variables' own order is that of the genie block."""
        build = self.builder
        names = [build.names[i] for i in identifiers if i in build.names]
        ordered = dict.fromkeys([*names, *build.variables])
        build.variables = {name: build.variables[name] for name in ordered}

    def _network_properties(self, top: Element, genies: list[Element]) -> tuple[str, list[str]]:
        title = next((g.attributes["NAME"] for g in genies if "NAME" in g.attributes), "")
        title = title_in(title or top.attributes.get("ID", ""))
        lines = []
        for identifier, text in _properties(top):
            if identifier == TITLE:
                title = _json_text(text) or title
            else:
                lines.append(_line(identifier, text))
        return title, lines

    def _variable(self, node: Element) -> None:
        build = self.builder
        tag = node.tag
        identifier = node.attributes.get("ID", "").strip()
        if tag in _REFUSED:
            build.fail(
                f"{identifier or 'a node'} is {_REFUSED[tag]}; only chance nodes with tables can "
                "be read. Remove it in GeNIe, or make a chance node of it.",
                node.at,
            )
        if tag not in _TABLES:
            build.fail(f"<{tag.lower()}> is a kind of node that is not known here.", node.at)
        if not identifier:
            build.fail(f"<{tag.lower()}> needs an id.", node.at)
        states = tuple(s.attributes.get("ID", "").strip() for s in node.all("STATE"))
        self._states[identifier] = states
        name, shown, title = identifier, states, None
        point: tuple[float, ...] = ()
        lines: list[str] = []
        table_lines: list[str] = []
        for key, text in _properties(node):
            if key == NAME:
                name = name_behind(identifier, _json_text(text) or "")
            elif key == STATES:
                written = states_from_text(text)
                shown = written if written is not None and len(written) == len(states) else shown
            elif key == TITLE:
                title = _json_text(text)
            elif key == POSITION:
                point = tuple(map(number_of, text.split()))
            elif key.startswith(TABLE_LINE):
                table_lines.append(_json_text(text) or text)
            else:
                lines.append(_line(key, text))
        variable = build.add_variable(identifier, shown, node.at, name=name)
        if lines:
            build.variable_properties[variable.name] = tuple(lines)
        if table_lines:
            build.table_properties[variable.name] = tuple(table_lines)
        if title:
            build.titles[variable.name] = title
        if len(point) == 2 and not math.isnan(sum(point)):
            self._points[variable.name] = (point[0], point[1])

    def _table(self, node: Element, backwards: bool) -> None:
        build = self.builder
        identifier = node.attributes["ID"].strip()
        parents = " ".join(node.texts("PARENTS")).split()
        family = build.family([identifier, *parents], node.at)
        match node.tag:
            case "CPT":
                element = self._one(node, "PROBABILITIES", family[0])
                numbers = self._numbers(element, family[0])
                build.add_table(family, numbers, element.at, backwards=backwards)
            case "DETERMINISTIC":
                element = self._one(node, "RESULTINGSTATES", family[0])
                build.add_states(family, self._codes(element, identifier), element.at)
            case _:
                self._noisy.append(family[0].name)
                build.add_rows(family, self._noisy_max(node, family), node.at)

    def _one(self, node: Element, tag: str, variable: Variable) -> Element:
        result = list(node.all(tag))
        if len(result) != 1:
            self.builder.fail(f"{variable.name} needs one <{tag.lower()}>.", node.at)
        return result[0]

    def _numbers(self, element: Element, variable: Variable) -> list[float]:
        tokens = element.text.replace(",", " ").split()
        numbers = [number_of(token) for token in tokens]
        for token, number in zip(tokens, numbers, strict=True):
            if math.isnan(number):
                self.builder.fail(
                    f"“{token}” in the table of {variable.name} is no number.", element.at
                )
        return numbers

    def _codes(self, element: Element, identifier: str) -> list[int]:
        states = self._states[identifier]
        index = {state: code for code, state in enumerate(states)}
        tokens = element.text.split()
        for token in tokens:
            if token not in index:
                error = UnknownNameError(f"state of {identifier}", token, states)
                self.builder.fail(str(error), element.at)
        return [index[token] for token in tokens]

    def _noisy_max(self, node: Element, family: list[Variable]) -> Floats:
        """The rows of a noisy-max (Díez 1993; noisy-or for two states).

        Each parent state brings a distribution of the effect, listed from its strongest state; the
        last column of the parameters is the leak. X is the strongest of the independent effects, so
        P(X no stronger than k) is the product of theirs. <strengths> lists each parent's states in
        the order of the columns.
        """
        build = self.builder
        child, *givens = family
        count, width = build.reserve(family, node.at)
        element = self._one(node, "PARAMETERS", child)
        numbers = self._numbers(element, child)
        sizes = [given.cardinality for given in givens]
        if len(numbers) != (sum(sizes) + 1) * width:
            build.fail(
                f"{child.name} has {len(numbers)} parameters instead of "
                f"{(sum(sizes) + 1) * width}.",
                element.at,
            )
        columns = np.array(numbers).reshape(-1, width)
        if (columns < 0).any() or (np.abs(columns.sum(axis=1) - 1) > 1e-5).any():
            build.fail(f"the parameters of {child.name} do not sum to 1.", element.at)
        weaker = columns[:, ::-1].cumsum(axis=1)[:, ::-1]  # P(effect no stronger than k)
        total = np.broadcast_to(weaker[-1], (*sizes, width)).copy()
        begin = 0
        for axis, (size, order) in enumerate(zip(sizes, self._orders(node, givens), strict=True)):
            by_state = np.empty((size, width))
            by_state[order] = weaker[begin : begin + size]
            total *= by_state.reshape(
                [size if a == axis else 1 for a in range(len(sizes))] + [width]
            )
            begin += size
        total[..., 0] = 1.0
        rows = total - np.concatenate([total[..., 1:], np.zeros((*sizes, 1))], axis=-1)
        clipped: Floats = np.clip(rows, 0, 1).reshape(count, width)
        return clipped

    def _orders(self, node: Element, givens: list[Variable]) -> list[list[int]]:
        tokens = " ".join(node.texts("STRENGTHS")).split()
        orders: list[list[int]] = []
        begin = 0
        for given in givens:
            size = given.cardinality
            mine = tokens[begin : begin + size] if tokens else list(map(str, range(size)))
            begin += size
            order = [int(token) if token.isdecimal() and len(token) < 9 else -1 for token in mine]
            if sorted(order) != list(range(size)):
                at = next(node.all("STRENGTHS"), node).at
                self.builder.fail(f"the strengths of {given.name} are no order of its states.", at)
            orders.append(order)
        return orders

    def _looks(self, node: Element) -> None:
        """Read title, position and colours from the genie block; unknown nodes are skipped."""
        build = self.builder
        name = build.names.get(node.attributes.get("ID", "").strip())
        if name is None:
            return
        title = " ".join(node.texts("NAME")[:1])
        is_title = title and title not in (name, node.attributes["ID"].strip())
        if is_title and name not in build.titles:
            build.titles[name] = title
        corners = [number_of(token) for token in " ".join(node.texts("POSITION")[:1]).split()]
        if len(corners) == 4 and not math.isnan(sum(corners)):
            x, y = (corners[0] + corners[2]) / 2, (corners[1] + corners[3]) / 2
            exact = self._points.get(name, (x, y))
            # A node that was moved in another program is where that put it.
            is_there = abs(exact[0] - x) < 1 and abs(exact[1] - y) < 1
            build.layout[name] = exact if is_there else (x, y)
        rest = (element for element in node.children if element.tag not in _SHOWN)
        looks = tuple(look for look in map(element_text, rest) if look not in PLAIN_LOOKS.values())
        if looks:
            build.variable_properties[name] = (*build.variable_properties.get(name, ()), *looks)


def _nodes_in(genie: Element) -> Iterator[Element]:
    yield from genie.all("NODE")
    for submodel in genie.all("SUBMODEL"):
        yield from _nodes_in(submodel)


def _others_in(genie: Element) -> Iterator[Element]:
    """Text boxes and comments, also those of submodels."""
    for element in genie.children:
        if element.tag == "SUBMODEL":
            yield from (e for e in _others_in(element) if e.tag not in (*_SHOWN, *_SUBMODEL_LOOKS))
        elif element.tag != "NODE":
            yield element


def _properties(element: Element) -> Iterator[tuple[str, str]]:
    for inside in element.all("PROPERTY"):
        yield inside.attributes.get("ID", "").strip(), inside.text


def _line(identifier: str, text: str) -> str:
    """A user property as one line; one that was a line before comes back as it was."""
    if identifier.startswith(LINE):
        return _json_text(text) or text
    return f"{identifier} = {text}"


def _json_text(text: str) -> str | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, str) and not re.search("[\ud800-\udfff]", value) else None


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text of an XDSL file, and what it cannot hold."""
    network = network_in(file, path, "XDSL")
    ids = safe_names(network.domain.names)
    written = dict(ids)
    title = file.title or NO_TITLE
    network_id = safe_names([title])[title]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append(f'<smile version="1.0" id="{network_id}" numsamples="10000" discsamples="10000">')
    lines.append("  <nodes>")
    # Parents first, for readers that go once through the file; the genie block has our order.
    for index in network.dag.topological_order:
        variable = network.domain.variables[index]
        states = safe_names(variable.states, prefix="s")
        written |= states
        lines.append(f'    <cpt id="{ids[variable.name]}">')
        lines += [f'      <state id="{states[state]}" />' for state in variable.states]
        parents = [ids[name] for name in network.dag.parents(variable.name)]
        if parents:
            lines.append(f"      <parents>{' '.join(parents)}</parents>")
        numbers = " ".join(map(repr, network.tables[index].ravel().tolist()))
        lines.append(f"      <probabilities>{numbers}</probabilities>")
        lines += [f"      {text}" for text in _properties_of(file, variable, ids, states)]
        lines.append("    </cpt>")
    lines.append("  </nodes>")
    shown_elements = [text for text in file.properties.network if _is_shown(text)]
    others = [text for text in file.properties.network if not _is_shown(text)]
    lines += [f"  {_user_line(LINE, i, text)}" for i, text in enumerate(others)]
    is_plain = _fits_attribute(title)
    if not is_plain:
        lines.append(f"  {_property(TITLE, json.dumps(title))}")
    lines.append("  <extensions>")
    shown = escaped_xml(title if is_plain else network_id).replace('"', "&quot;")
    lines.append(f'    <genie version="1.0" app="{PROGRAM}" name="{shown}">')
    for variable in network.domain:
        lines += [f"      {text}" for text in _shown(file, variable, ids[variable.name])]
    lines += [f"      {text}" for text in shown_elements]
    lines.append("    </genie>\n  </extensions>\n</smile>\n")
    lost = what_is_lost(file, "XDSL", titles=True)
    return "\n".join(lines).encode(), (*lost, *renaming_warnings("XDSL", written))


def _properties_of(
    file: ModelFile, variable: Variable, ids: Mapping[str, str], states: Mapping[str, str]
) -> Iterator[str]:
    name = variable.name
    if ids[name] != name:
        yield _property(NAME, json.dumps(name))
    if any(states[state] != state for state in variable.states):
        yield _property(STATES, json.dumps(variable.states))
    title = file.titles.get(name, "")
    if title and not fits_xml(title):
        yield _property(TITLE, json.dumps(title))
    if name in file.layout and not all(float(c).is_integer() for c in file.layout[name]):
        x, y = map(float, file.layout[name])
        yield _property(POSITION, f"{x!r} {y!r}")
    lines = [text for text in file.properties.variables.get(name, ()) if not _is_shown(text)]
    for number, text in enumerate(lines):
        yield _user_line(LINE, number, text)
    for number, text in enumerate(file.properties.tables.get(name, ())):
        yield _property(f"{TABLE_LINE}{number}", json.dumps(text))


def _user_line(prefix: str, number: int, text: str) -> str:
    """A line as a user property of its own name where it is `name = text`, else verbatim."""
    parts = _USER_LINE.fullmatch(text)
    if parts and fits_xml(parts[2]) and not parts[1].startswith(OURS):
        return _property(parts[1], parts[2])
    return _property(f"{prefix}{number}", json.dumps(text))


def _property(identifier: str, text: str) -> str:
    return f'<property id="{identifier}">{escaped_xml(text)}</property>'


def _shown(file: ModelFile, variable: Variable, identifier: str) -> Iterator[str]:
    """A node of the genie block: title, colours, box."""
    candidates = (file.titles.get(variable.name, ""), variable.name, identifier)
    title = next(text for text in candidates if fits_xml(text))
    looks = dict(PLAIN_LOOKS)
    rest = []  # behind the box, where GeNIe has them
    for text in file.properties.variables.get(variable.name, ()):
        tag = element_in(text)
        if tag is not None and tag.lower() in looks:
            looks[tag.lower()] = text
        elif _is_shown(text):
            rest.append(text)
    yield f'<node id="{identifier}">'
    yield f"  <name>{escaped_xml(title)}</name>"
    yield from (f"  {look}" for look in looks.values())
    if variable.name in file.layout:
        x, y = (round(float(c)) for c in file.layout[variable.name])
        left, top, right, bottom = x - _WIDTH, y - _HEIGHT, x + _WIDTH, y + _HEIGHT
        yield f"  <position>{left} {top} {right} {bottom}</position>"
    yield from (f"  {text}" for text in rest)
    yield "</node>"


def _is_shown(text: str) -> bool:
    """Whether a line is an element of the genie block, such as a comment or a text box."""
    tag = element_in(text)
    return tag is not None and tag not in _WRITTEN


def _fits_attribute(text: str) -> bool:
    return fits_xml(text) and not re.search(r"\s", text.replace(" ", ""))
