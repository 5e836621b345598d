"""The diagrams of a model in any language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pgmstudio.core.drawing.diagram import GraphPicture
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.inference.base import Finding
from pgmstudio.core.languages.base import Diagram, Lazy
from pgmstudio.core.languages.registry import LANGUAGES
from pgmstudio.core.model import Model


def picture_names(model: Model) -> tuple[str, ...]:
    """The names of the diagrams of this model, the one shown on opening first."""
    row = LANGUAGES.get(model.kind)
    if row is None or not row.diagrams:
        drawn = [kind for kind, one in LANGUAGES.items() if one.diagrams]
        raise UnknownNameError("language with diagrams", model.kind, drawn)
    if row.diagram_names is not None:
        return row.diagram_names.load()(model)
    return tuple(diagram.name for diagram in row.diagrams)


def diagram_row(model: Model, name: str) -> Diagram | None:
    """The description of a diagram; None for one that depends on the model."""
    row = LANGUAGES.get(model.kind)
    diagrams = () if row is None else row.diagrams
    return next((diagram for diagram in diagrams if diagram.name == name), None)


def structure_diagram(model: Model) -> str:
    """The first diagram with the edges of the model, or the first of all: layouts of files."""
    names = picture_names(model)
    rows = (diagram_row(model, name) for name in names)
    return next((row.name for row in rows if row is not None and row.is_structure), names[0])


def picture_of(model: Model, name: str | None = None) -> GraphPicture:
    """The named diagram of a model, or the one shown on opening; `tree-1+3` shows two trees."""
    names = picture_names(model)
    name = names[0] if name is None else name
    row = LANGUAGES[model.kind]
    if row.draw_named is not None:
        named = row.draw_named.load()(model, name)
        if named is not None:
            return named
    if name not in names:
        raise UnknownNameError("picture of this model", name, names)
    return next(diagram for diagram in row.diagrams if diagram.name == name).draw.load()(model)


def special_drawing(
    model: Model, name: str | None
) -> Lazy[Callable[[Any, Mapping[str, Finding], str, str | None], str]] | None:
    """How a diagram is written as SVG where it is more than nodes and edges; None elsewhere.

    The function takes the model, the evidence, the theme and the title.
    """
    row = LANGUAGES.get(model.kind)
    if row is None:
        return None
    if name is not None and name in row.drawings:
        return row.drawings[name]
    names = picture_names(model)
    shown = names[0] if name is None else name
    return next((diagram.svg for diagram in row.diagrams if diagram.name == shown), None)


def has_contexts(model: Model) -> bool:
    """Whether edges of the model's language may vanish in contexts."""
    row = LANGUAGES.get(model.kind)
    return row is not None and row.contexts is not None


def edge_contexts(model: Model, source: str, target: str) -> tuple[str, ...] | None:
    """The contexts in which an edge vanishes, `A = no, B = yes`; None where edges have none."""
    row = LANGUAGES.get(model.kind)
    if row is None or row.contexts is None:
        return None
    return tuple(row.contexts.edge_contexts.load()(model, source, target))
