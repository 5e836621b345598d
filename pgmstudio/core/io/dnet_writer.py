"""Writing DNET-1 for Netica: each node with its states, parents, table and place."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.io.model_files import ModelFile
from pgmstudio.core.io.network_formats import NO_TITLE, names_told, network_in, what_is_lost
from pgmstudio.core.io.safe_names import name_behind, safe_names
from pgmstudio.core.io.text_scanner import escaped

LONGEST = 30  # signs of an identifier

_KEPT = re.compile(r'comment = "[^"\\]*"|numcases = \([-+0-9.e, ]*\)')


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text of a DNET file, and what it cannot hold."""
    network = network_in(file, path, "DNET")
    ids = safe_names(network.domain.names, longest=LONGEST)
    told = dict(ids)
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
        told |= states
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
        lines.append(f"    probs = {_nested(network.tables[index])};")
        shown_title = _title(file, variable, ids[name])
        if shown_title:
            lines.append(f"    title = {escaped(shown_title)};")
        if file.titles.get(name, name) not in (name, shown_title):
            untitled.append(name)
        for text in (
            *file.properties.variables.get(name, ()),
            *file.properties.tables.get(name, ()),
        ):
            if _KEPT.fullmatch(text) and text.isprintable():
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
        lost.append(f"DNET cannot hold the titles of {', '.join(untitled[:5])} beside their names.")
    if unkept:
        lost.append(f"DNET cannot hold {len(unkept)} properties that came with the model.")
    return "\n".join(lines).encode(), (*lost, *names_told("DNET", told))


def _is_comment(text: str) -> bool:
    return text.startswith("comment") and bool(_KEPT.fullmatch(text)) and text.isprintable()


def _title(file: ModelFile, variable: Variable, identifier: str) -> str:
    """The name where it is no identifier; else the title, unless it would be taken for the name."""
    if identifier != variable.name:
        return variable.name
    title = file.titles.get(variable.name, "")
    return title if name_behind(identifier, title, longest=LONGEST) == identifier else ""


def _nested(table: NDArray[np.float64]) -> str:
    rows = [f"({', '.join(map(repr, row))})" for row in table.reshape(-1, table.shape[-1]).tolist()]
    if table.ndim == 1:
        return rows[0]
    for size in reversed(table.shape[1:-1]):
        rows = [f"({', '.join(rows[i : i + size])})" for i in range(0, len(rows), size)]
    return "(" + ",\n        ".join(rows) + ")"
