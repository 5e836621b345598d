"""Parts of a Bayesian network on the clipboard, as the JSON of a native model file."""

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
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import document_of, file_of_document
from pgmstudio.core.json_documents import parse_json, render_json
from pgmstudio.core.languages.bayesian_network.conversions import plain_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork, Table
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import Model

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
    """The named variables with their edges and tables; parents left behind are summed out."""
    network = _network(model, "copied")
    wanted = [name for name in network.domain.names if name in set(names)]
    notices = []
    part = network
    for name in wanted:
        absent = [p for p in network.dag.parents(name) if p not in wanted]
        for parent in absent:
            part = part.without_edge(parent, name)
        if absent:
            part = part.with_table(name, _summed_out(network, part, name))
            notices.append(
                f"The table of {name} is summed over {', '.join(absent)}, not copied with it."
            )
    for name in network.domain.names:
        if name not in wanted:
            part = part.without_variable(name)
    layout = {name: positions[name] for name in wanted if name in positions}
    text = render_json(document_of(ModelFile(part, layout=layout))).decode("utf-8")
    return Copied(text, len(wanted), tuple(notices))


def _summed_out(network: BayesianNetwork, part: BayesianNetwork, name: str) -> Table:
    """P(name | the parents it keeps) in `network`; the plain average, as it stands in `part`,
    where the parents cannot be in such states together."""
    family = [*part.dag.parents(name), name]
    joint = JunctionTreeSession(network).joint(family)
    total = joint.sum(axis=-1, keepdims=True)
    table: Table = np.where(total > 0, joint / np.where(total > 0, total, 1), part.table(name))
    return table


@dataclass(frozen=True)
class Pasted:
    """The model with the part in it, and where its nodes go."""

    model: BayesianNetwork
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
    network = _network(model, "pasted into")
    try:
        file = file_of_document(parse_json(text.encode("utf-8"), _CLIPBOARD), _CLIPBOARD)
    except PgmStudioError as error:
        raise GraphError("Copy nodes first: there is no part of a model here.") from error
    part = _network(file.model, "pasted")
    names: dict[str, str] = {}
    taken = set(network.domain.names)
    for name in part.domain.names:
        names[name] = _free_name(name, taken)
        taken.add(names[name])
    variables = tuple(replace(v, name=names[v.name]) for v in part.domain)
    domain = Domain((*network.domain.variables, *variables))
    shift = len(network.domain)
    parents = tuple(tuple(p + shift for p in some) for some in part.dag.parent_indices)
    dag = Dag(domain.names, (*network.dag.parent_indices, *parents))
    merged = BayesianNetwork(domain, dag, (*network.tables, *part.tables))
    positions = _apart(_moved(file.layout, at), part.domain)
    if at is None:
        taken_positions = {n: p for n, p in (present or {}).items() if n in network.domain}
        positions = _shifted(positions, part.domain, taken_positions, network.domain)
    return Pasted(
        merged, tuple(names.values()), {names[n]: p for n, p in positions.items() if n in names}
    )


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


def _network(model: Model, what: str) -> BayesianNetwork:
    network = plain_network(model)
    if network is None:
        raise GraphError(
            f"Only Bayesian networks can be {what} in parts; {a_kind(model.kind)} is one whole."
        )
    return network
