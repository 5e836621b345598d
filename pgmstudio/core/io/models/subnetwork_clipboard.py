"""Parts of a model on the clipboard, as the JSON of a native model file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.drawing.diagram import PictureNode, Point
from pgmstudio.core.drawing.layout.boxes import box_size, overlapping_pairs, without_overlaps
from pgmstudio.core.errors import GraphError, PgmStudioError
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import document_of, file_of_document
from pgmstudio.core.json_documents import parse_json, render_json
from pgmstudio.core.languages.conversions import converted
from pgmstudio.core.languages.registry import LANGUAGES, a_kind, language_of
from pgmstudio.core.model import Model
from pgmstudio.core.project.edits import replace_model
from pgmstudio.core.project.model_edits import Renamable
from pgmstudio.core.project.project import Project

_CLIPBOARD = Path("clipboard.json")
# Distance of a copy from its original.
_STEP = 40.0
_MAX_STEPS = 6


@dataclass(frozen=True)
class Copied:
    """The text for the clipboard, and what was lost."""

    text: str
    count: int
    notices: tuple[str, ...]


def copied(model: Model, names: Iterable[str], positions: Mapping[str, Point]) -> Copied:
    """The named variables with their edges and tables; neighbours left behind are summed out."""
    part_of = language_of(model).part_of
    if part_of is None:
        raise GraphError(_whole(model, "copied"))
    part, notices = part_of.load()(model, set(names))
    layout = {name: positions[name] for name in part.domain.names if name in positions}
    text = render_json(document_of(ModelFile(part, layout=layout))).decode("utf-8")
    return Copied(text, len(part.domain), notices)


@dataclass(frozen=True)
class Pasted:
    """The part, the model with it, and where its nodes go."""

    part: Model
    model: Model
    names: tuple[str, ...]
    positions: dict[str, Point]


def pasted(
    model: Model,
    text: str,
    at: Point | None = None,
    present: Mapping[str, Point] | None = None,
) -> Pasted:
    """The part on the clipboard added to `model`; names that are taken get a number.

    It goes to `at`, or to a free position among the nodes that are `present` there.
    """
    if language_of(model).joined is None:
        raise GraphError(_whole(model, "pasted into"))
    try:
        file = file_of_document(parse_json(text.encode("utf-8"), _CLIPBOARD), _CLIPBOARD)
    except PgmStudioError as error:
        raise GraphError("Copy nodes first: there is no part of a model here.") from error
    part = converted(file.model, model.kind)
    names = _free_names(model, part)
    positions = _apart(_moved(file.layout, at), part.domain)
    if at is None:
        taken_positions = {n: p for n, p in (present or {}).items() if n in model.domain}
        positions = _shifted(positions, part.domain, taken_positions, model.domain)
    return Pasted(
        part,
        with_part(model, part),
        tuple(names.values()),
        {names[n]: p for n, p in positions.items() if n in names},
    )


def with_part(model: Model, part: Model) -> Model:
    """The model with a part that `copied` gave; names that are taken get a number."""
    joined = language_of(model).joined
    if joined is None:
        raise GraphError(_whole(model, "pasted into"))
    assert isinstance(part, Renamable)
    names = _free_names(model, part)
    renamed = part.with_domain(Domain(tuple(replace(v, name=names[v.name]) for v in part.domain)))
    return joined.load()(model, renamed)


def paste_nodes(project: Project, *, model_id: str, part: Model) -> Project:
    """Variables with their edges and tables as one more part of a model."""
    model = project.model_entry(model_id).model
    pasted_into = with_part(model, converted(part, model.kind))
    return replace_model(project, model_id=model_id, model=pasted_into)


def _free_names(model: Model, part: Model) -> dict[str, str]:
    names: dict[str, str] = {}
    taken = set(model.domain.names)
    for name in part.domain.names:
        names[name] = _free_name(name, taken)
        taken.add(names[name])
    return names


def _moved(layout: Mapping[str, Point], at: Point | None) -> dict[str, Point]:
    """The layout around `at`, or a step away from the original."""
    if not layout:
        return {}
    if at is None:
        dx = dy = _STEP
    else:
        dx = at[0] - sum(x for x, _ in layout.values()) / len(layout)
        dy = at[1] - sum(y for _, y in layout.values()) / len(layout)
    return {name: (round(x + dx), round(y + dy)) for name, (x, y) in layout.items()}


def _shifted(
    positions: dict[str, Point], domain: Domain, present: Mapping[str, Point], others: Domain
) -> dict[str, Point]:
    """A few steps on until no box lies over another; else at the right of all of them."""
    names = [name for name in positions if name in domain]
    if not names or not present:
        return positions
    centres, sizes = _boxes({name: positions[name] for name in names}, domain)
    there, their_sizes = _boxes(present, others)
    needed = (sizes[:, None, :] + their_sizes[None, :, :]) / 2
    for steps in range(_MAX_STEPS):
        moved = centres + steps * _STEP
        if not (np.abs(moved[:, None, :] - there[None, :, :]) < needed).all(axis=2).any():
            break
    else:
        right = float((there + their_sizes / 2)[:, 0].max())
        left = float((centres - sizes / 2)[:, 0].min())
        moved = centres + np.array([right + _STEP - left, -_STEP])  # at the height of the original
    return {name: (x, y) for name, (x, y) in zip(names, moved.round().tolist(), strict=True)}


def _boxes(positions: Mapping[str, Point], domain: Domain) -> tuple[Floats, Floats]:
    """Centres and sizes of boxes with bars."""
    boxes = [box_size(PictureNode(name, name), domain[name].states) for name in positions]
    centres = np.array(list(positions.values()), dtype=np.float64).reshape(-1, 2)
    return centres, np.array(boxes, dtype=np.float64).reshape(-1, 2)


def _apart(positions: dict[str, Point], domain: Domain) -> dict[str, Point]:
    """Copied from among boxes of names, they may be pasted among boxes with bars."""
    names = [name for name in positions if name in domain]
    centres, sizes = _boxes({name: positions[name] for name in names}, domain)
    if not overlapping_pairs(centres, sizes).size:
        return positions
    moved = without_overlaps(centres, sizes).round().tolist()
    return {name: (x, y) for name, (x, y) in zip(names, moved, strict=True)}


def _free_name(name: str, taken: set[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free = f"{name} {number}"
        number += 1
    return free


def _whole(model: Model, what: str) -> str:
    able = [row.noun for row in LANGUAGES.values() if row.joined is not None]
    return (
        f"Only {' and '.join(f'{noun}s' for noun in able)} can be {what} in parts; "
        f"{a_kind(model.kind)} is one whole."
    )
