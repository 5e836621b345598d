"""DAGitty's text: `dag { A [pos="0.1,0.2"] A -> B }`, as dagitty.net and its R package write it.

Positions are in units of their own, often between −3 and 3, with y downwards. `--` has no
direction; `<->` is a common cause that is not seen and is refused.
"""

from __future__ import annotations

import math
from pathlib import Path

from pgmstudio.core.io.models.files import ModelFile, Point, decode_text
from pgmstudio.core.io.models.shared.graph_text import GraphTextReader, graph_text, quoted
from pgmstudio.core.io.models.shared.network_builder import network_in
from pgmstudio.core.io.models.shared.structure_only import structure_lost

FORMAT = "DAGitty"
_ROLES = ("exposure", "outcome", "adjusted", "selected", "latent", "unobserved")
_SMALL = 20.0  # a drawing not wider than this is not in px
_NEAREST_PX = 150.0


class _Reader(GraphTextReader):
    KINDS = {"dag": True, "pdag": True, "digraph": True}  # noqa: RUF012 - as in the base class


def parse(content: bytes, path: Path) -> ModelFile:
    """The network with the edges of a DAGitty text."""
    text, warnings = decode_text(content)
    reader = _Reader(text, path, FORMAT)
    structure = reader.read()
    structure.warnings += warnings
    structure.layout = _in_px(structure.layout)
    known_roles = [role for role in _ROLES if role in reader.roles]
    if known_roles:
        structure.warnings.append(
            f"The roles of nodes ({', '.join(known_roles)}) were left out; the nodes were read."
        )
    return structure.file(reader.title, FORMAT)


def _in_px(layout: dict[str, Point]) -> dict[str, Point]:
    """A drawing in small units, stretched so that the nearest nodes are a box apart."""
    points = list(layout.values())
    if len(points) < 2:
        return layout
    wide, high = (max(c) - min(c) for c in zip(*points, strict=True))
    if max(wide, high) > _SMALL or max(wide, high) == 0:
        return layout
    ordered = points[:400]  # enough pairs for a scale
    apart = [math.dist(p, q) for i, p in enumerate(ordered) for q in ordered[:i]]
    nearest = min((distance for distance in apart if distance > 1e-6), default=1.0)
    factor = min(_NEAREST_PX / nearest, 100 * _NEAREST_PX / max(wide, high))
    return {name: (x * factor, y * factor) for name, (x, y) in layout.items()}


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text, and what it cannot hold."""
    network = network_in(file, path, FORMAT)
    placed = {n: (float(x), float(y)) for n, (x, y) in file.layout.items() if n in network.domain}
    lines = []
    if placed:
        sides = [f(c) for f in (min, max) for c in zip(*placed.values(), strict=True)]
        lines.append(f'bb="{",".join(map(repr, sides))}"')
    for name in network.domain.names:
        point = placed.get(name)
        lines.append(quoted(name) + (f' [pos="{point[0]!r},{point[1]!r}"]' if point else ""))
    lines += [f"{quoted(source)} -> {quoted(target)}" for source, target in network.edges]
    lost = ["states", *(["titles"] if file.titles else []), *(["the title"] if file.title else [])]
    return graph_text("dag", "", lines), structure_lost(file, FORMAT, *lost)
