"""Writing XDSL: nodes with their tables, then the genie block with titles and places."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.io.model_files import ModelFile
from pgmstudio.core.io.network_formats import NO_TITLE, names_told, network_in, what_is_lost
from pgmstudio.core.io.safe_names import safe_names
from pgmstudio.core.io.xml_tree import element_in, escaped_xml, fits_xml

# User properties that hold what the format cannot say otherwise.
OURS = "pgm_"
NAME, STATES, TITLE, POSITION = f"{OURS}name", f"{OURS}states", f"{OURS}title", f"{OURS}position"
LINE, TABLE_LINE = f"{OURS}line_", f"{OURS}table_"
PROGRAM = "PGM Studio"

_USER_LINE = re.compile(r"([A-Za-z][A-Za-z0-9_]*) = (.*)", re.DOTALL)
# Elements of the genie block that are not ours to keep: those we write ourselves.
_WRITTEN = ("NAME", "POSITION", "NODE", "SUBMODEL")
# What GeNIe draws when a file says nothing; it wants them in every node.
PLAIN_LOOKS = {
    "interior": '<interior color="e5f6f7" />',
    "outline": '<outline color="0000bb" />',
    "font": '<font color="000000" name="Arial" size="8" />',
}
_WIDTH, _HEIGHT = 40, 20  # half of a box


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text of an XDSL file, and what it cannot hold."""
    network = network_in(file, path, "XDSL")
    ids = safe_names(network.domain.names)
    told = dict(ids)
    title = file.title or NO_TITLE
    network_id = safe_names([title])[title]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append(f'<smile version="1.0" id="{network_id}" numsamples="10000" discsamples="10000">')
    lines.append("  <nodes>")
    # Parents first, for readers that go once through the file; the genie block has our order.
    for index in network.dag.topological_order:
        variable = network.domain.variables[index]
        states = safe_names(variable.states, prefix="s")
        told |= states
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
    return "\n".join(lines).encode(), (*lost, *names_told("XDSL", told))


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
    """A line as a user property of its own name where it is `name = text`, else word for word."""
    parts = _USER_LINE.fullmatch(text)
    if parts and fits_xml(parts[2]) and not parts[1].startswith(OURS):
        return _property(parts[1], parts[2])
    return _property(f"{prefix}{number}", json.dumps(text))


def _property(identifier: str, text: str) -> str:
    return f'<property id="{identifier}">{escaped_xml(text)}</property>'


def _shown(file: ModelFile, variable: Variable, identifier: str) -> Iterator[str]:
    """A node of the genie block: title, colours, box."""
    wishes = (file.titles.get(variable.name, ""), variable.name, identifier)
    title = next(text for text in wishes if fits_xml(text))
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
