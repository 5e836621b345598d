"""The contexts of edges in as few rows as possible, for texts and labels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pgmstudio.core.languages.ldag.contexts import shortened
from pgmstudio.core.languages.markov_network.structure import Edge, MarkovStructure


def short_contexts(structure: MarkovStructure, edge: Edge) -> list[list[tuple[str, str]]]:
    """The contexts of an edge as named states, without variables that may be in any state."""
    variables = structure.domain.variables
    return [
        [(variables[v].name, variables[v].states[s]) for v, s in row.items() if s is not None]
        for row in context_rows(structure, edge)
    ]


def context_rows(
    structure: MarkovStructure, edge: Edge, context: Mapping[int, int] | None = None
) -> list[dict[int, int | None]]:
    """The contexts of an edge in as few rows as a greedy search finds, None for any state; only
    those that agree with given states."""
    common = structure.common_neighbours(*edge)
    elements = structure.contexts.get(edge, frozenset())
    if not elements:
        return []
    label = np.zeros([structure.domain.cardinalities[v] for v in common], dtype=bool)
    for element in elements:
        label[element] = True
    fixed = {axis: context[v] for axis, v in enumerate(common) if context and v in context}
    for axis, state in fixed.items():
        label = label.take([state], axis)
    rows = []
    for row in shortened(label):
        states_of = dict(zip(common, row, strict=True))
        states_of.update({common[axis]: state for axis, state in fixed.items()})
        rows.append(states_of)
    return rows
