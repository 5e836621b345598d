"""Labelled graphs as text: one edge per line with the contexts in which it vanishes.

    X -> Y : A = 0; B = 1, C = 0

Other parents that are not named may have any state. See `shared.edge_lines` for the form.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.shared.edge_lines import (
    Context,
    EdgeText,
    head_lines,
    quoted,
    read_edge_text,
)
from pgmstudio.core.io.models.shared.network_builder import network_in
from pgmstudio.core.io.models.shared.structure_only import structure_lost
from pgmstudio.core.languages.bayesian_network.conversions import plain_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.ldag.contexts import shortened
from pgmstudio.core.languages.ldag.labels import plain_labelled
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import Label, class_count, partition_of

FORMAT = "LDAG text"
# A short line can ask for a table of any size; partitions of larger ones would take minutes.
MAX_ROWS = 1 << 14
MAX_PLAIN_ROWS = 1 << 18  # of a node without labels


def parse(content: bytes, path: Path) -> ModelFile:
    """The labelled graph of a text, tables uniform; a plain network where nothing is labelled."""
    parsed = read_edge_text(content, path, "->")
    file = parsed.structure(path, directed=True).file(parsed.title, FORMAT)
    network = plain_network(file.model)
    assert network is not None
    if not (parsed.is_labelled or any(edge.contexts for edge in parsed.edges)):
        return file
    model, warnings = _labelled(network, parsed, path)
    return ModelFile(
        model,
        title=file.title,
        titles=file.titles,
        layout={n: p for n, p in file.layout.items() if n in model.domain},
        warnings=(*file.warnings, *warnings),
    )


def _labelled(
    network: BayesianNetwork, parsed: EdgeText, path: Path
) -> tuple[LabelledDag, tuple[str, ...]]:
    """The labels in the network, and what is odd about them."""
    for name, table in zip(network.domain.names, network.tables, strict=True):
        if table.size // table.shape[-1] > MAX_PLAIN_ROWS:
            why = f"{name} has more than {MAX_PLAIN_ROWS} rows, too many for a labelled graph."
            raise ModelFileError(path, f"{why} Remove parents or merge states.")
    labels = {
        name: [np.zeros(_others(network, name, axis), dtype=bool) for axis in range(table.ndim - 1)]
        for name, table in zip(network.domain.names, network.tables, strict=True)
        if table.ndim > 2
    }
    for edge in parsed.edges:
        for context in edge.contexts:
            source, target, number = edge.source, edge.target, edge.number
            parents = network.dag.parents(target)
            rows = math.prod(network.domain[p].cardinality for p in parents)
            if rows > MAX_ROWS:
                why = (
                    f"{target} has more than {MAX_ROWS} rows; labels of so many are not supported."
                )
                raise ModelFileError(path, why, number)
            if len(parents) < 2:
                why = f"{target} has no other parent than {source}, so the edge has no context."
                raise ModelFileError(path, why, number)
            axis = parents.index(source)
            others = [p for p in parents if p != source]
            chosen = _chosen(network.domain, others, context, (source, target), path, number)
            labels[target][axis][chosen] = True
    classes, rows_of = [], []
    for i, name in enumerate(network.domain.names):
        shape = network.tables[i].shape
        result = partition_of(shape[:-1], labels.get(name, []))
        classes.append(result)
        rows_of.append(np.full((class_count(result), shape[-1]), 1 / shape[-1]))
    model = LabelledDag(network.domain, network.dag, tuple(classes), tuple(rows_of))
    idle = [" → ".join(edge) for edge in model.idle_edges if model.domain[edge[0]].cardinality > 1]
    warnings = f"{', '.join(idle[:5])}: vanishes in every context; delete the edge or a label."
    return model, (warnings,) if idle else ()


def _others(network: BayesianNetwork, name: str, axis: int) -> tuple[int, ...]:
    shape = network.table(name).shape[:-1]
    return (*shape[:axis], *shape[axis + 1 :])


def _chosen(
    domain: Domain,
    others: Sequence[str],
    pairs: Context,
    edge: tuple[str, str],
    path: Path,
    number: int | None,
) -> tuple[Any, ...]:
    chosen: list[Any] = [slice(None)] * len(others)
    for name, state in pairs:
        if name not in others:
            why = (
                f"{name} is no other parent of {edge[1]}, so the label of {edge[0]} cannot use it."
            )
            raise ModelFileError(path, why, number)
        if state is None:
            continue
        if state not in domain[name].states:
            known = ", ".join(domain[name].states[:10])
            raise ModelFileError(path, f"{name} has no state {state}; it has {known}.", number)
        chosen[others.index(name)] = domain[name].code(state)
    return tuple(chosen)


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text, and what it cannot hold."""
    model = file.model
    labelled = plain_labelled(model)
    held = network_in(file, path, FORMAT) if labelled is None else labelled
    lines = ["#labels", *head_lines(file, held.domain)]
    for source, target in held.edges:
        parsed = "" if labelled is None else _contexts(labelled, source, target)
        line = f"{quoted(source)} -> {quoted(target)}"
        lines.append(f"{line} : {parsed}" if parsed else line)
    language = BayesianNetwork if labelled is None else LabelledDag
    titles = ["titles"] if file.titles else []
    lost = structure_lost(file, FORMAT, *titles, language=language)
    if labelled is not None and not labelled.is_labelled:
        lost = (*lost, "Classes of rows that labels cannot express are split in the file.")
    return ("\n".join(lines) + "\n").encode(), lost


def _contexts(model: LabelledDag, source: str, target: str) -> str:
    others = model.other_parents(source, target)
    label: Label = model.label(source, target)
    if not others or model.domain[source].cardinality < 2:  # one state never makes a difference
        return ""
    contexts = []
    for row in shortened(label):
        named: Mapping[str, int] = {
            name: code for name, code in zip(others, row, strict=True) if code is not None
        }
        pairs = [f"{quoted(n)} = {quoted(model.domain[n].states[c])}" for n, c in named.items()]
        contexts.append(", ".join(pairs) or "*")
    return "; ".join(contexts)
