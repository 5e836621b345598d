"""Writing HUGIN NET: nodes with labels and positions, then their potentials."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.io.model_files import ModelFile
from pgmstudio.core.io.network_formats import names_told, network_in, title_in, what_is_lost
from pgmstudio.core.io.safe_names import safe_names
from pgmstudio.core.io.text_scanner import escaped

# Attributes that hold what the format cannot say otherwise.
OURS = "PGM_"
NAME, POSITION, ORIGIN, LINE = f"{OURS}name", f"{OURS}position", f"{OURS}origin", f"{OURS}line_"

_ATTRIBUTE = re.compile(r'([A-Za-z]\w*+) = ((?:[^;"%/{}]|"[^"\\]*+")++)', re.ASCII)
# What these say is told in another way.
_PER_ROW = ("experience", "fading")
_MODELS = ("model_data", "model_nodes", "samples_per_interval")
_MEANT = frozenset(("states", "label", "position", "data", "name", *_PER_ROW, *_MODELS))
_NUMBERS = re.compile(r"\w+ = \([-+0-9.e ]*\)")
_KEYWORDS: tuple[str, ...] = (
    "net",
    "class",
    "node",
    "discrete",
    "continuous",
    "decision",
    "utility",
    "function",
)
_KEYWORDS += ("potential", "normal", "data", "states", "label", "position", "true", "false")


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text of a NET file, and what it cannot hold."""
    network = network_in(file, path, "HUGIN NET")
    ids = safe_names(network.domain.names, reserved=_KEYWORDS)
    points = {name: (float(x), float(y)) for name, (x, y) in file.layout.items()}
    # Positions are whole numbers from the lower left corner upwards.
    left = max([0, *(-round(points[n][0]) for n in ids if n in points)])
    bottom = max([0, *(round(points[n][1]) for n in ids if n in points)])
    lines = ["net", "{"]
    if title_in(file.title):
        lines.append(f"    name = {escaped(file.title)};")
    if left or bottom:
        lines.append(f'    {ORIGIN} = "{left} {bottom}";')
    lines += _attributes(file.properties.network)
    lines += ["}", ""]
    for variable in network.domain:
        name = variable.name
        lines += [f"node {ids[name]}", "{"]
        lines.append(f"    states = ({' '.join(map(escaped, variable.states))});")
        lines.append(f"    label = {escaped(file.titles.get(name, name))};")
        if name in points:
            x, y = points[name]
            lines.append(f"    position = ({round(x) + left} {bottom - round(y)});")
            if not (x.is_integer() and y.is_integer()):
                lines.append(f'    {POSITION} = "{x!r} {y!r}";')
        if ids[name] != name:
            lines.append(f"    {NAME} = {escaped(name)};")
        lines += _attributes(file.properties.variables.get(name, ()))
        lines += ["}", ""]
    for index, variable in enumerate(network.domain):
        parents = [ids[parent] for parent in network.dag.parents(variable.name)]
        head = f"{ids[variable.name]} | {' '.join(parents)}" if parents else ids[variable.name]
        lines += [f"potential ({head})", "{", f"    data = {_nested(network.tables[index])};"]
        lines += _attributes(file.properties.tables.get(variable.name, ()), per_row=True)
        lines += ["}", ""]
    lost = what_is_lost(file, "HUGIN NET", titles=True)
    return "\n".join(lines).encode(), (*lost, *names_told("HUGIN NET", ids))


def _nested(table: NDArray[np.float64]) -> str:
    """Parentheses around every axis, the rows one below the other."""
    if table.ndim == 1:
        return f"({' '.join(map(repr, table.tolist()))})"
    rows = [f"({' '.join(map(repr, row))})" for row in table.reshape(-1, table.shape[-1]).tolist()]
    for size in reversed(table.shape[1:-1]):
        rows = [f"({chr(10).join(rows[i : i + size])})" for i in range(0, len(rows), size)]
    return "(" + "\n".join(rows).replace("\n", "\n        ") + ")"


def _attributes(texts: Sequence[str], *, per_row: bool = False) -> list[str]:
    lines = []
    for number, text in enumerate(texts):
        parts = _ATTRIBUTE.fullmatch(text)
        is_attribute = (
            parts is not None
            and text.isprintable()
            and parts[2] == parts[2].strip()
            and not parts[1].startswith(OURS)
            and (parts[1] not in _MEANT or (per_row and _is_per_row(parts[1], text)))
        )
        said = text if is_attribute else f"{LINE}{number} = {escaped(text)}"
        lines.append(f"    {said};")
    return lines


def _is_per_row(name: str, text: str) -> bool:
    return name in _PER_ROW and _NUMBERS.fullmatch(text) is not None
