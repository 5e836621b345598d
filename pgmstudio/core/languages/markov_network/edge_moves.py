"""Single changes of a Markov network's structure, and what each does to a score of data.

A change adds or removes one edge, or one context of an edge. The scores are those of
`pseudo_likelihood`: a change alters only the local scores of variables whose neighbours or
contexts it touches.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import GraphError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.markov_network.log_linear import free_parameters, normalised
from pgmstudio.core.languages.markov_network.pseudo_likelihood import (
    PseudoLikelihood,
    merges_of,
    neighbour_masks,
    pseudo_score,
)
from pgmstudio.core.languages.markov_network.structure import (
    Configuration,
    Edge,
    MarkovStructure,
    edge_of,
)
from pgmstudio.core.learning.undirected_rules import UndirectedRules
from pgmstudio.core.scores.family_cache import MAX_TABLE_CELLS

MAX_CONFIGURATIONS = 64  # of common neighbours, up to which contexts are tried one by one
Action = Literal["add", "remove"]


@dataclass(frozen=True)
class MarkovMove:
    """A change of one edge, or of one context of it, and its effect; above 0 it is better."""

    action: Action
    source: str
    target: str
    context: str  # states of the common neighbours; empty: the edge itself
    gain: float  # bits
    structure: MarkovStructure = field(repr=False, compare=False)  # afterwards
    parameters: int = 0  # the change of the free parameters

    def __str__(self) -> str:
        edge = f"{self.source} – {self.target}"
        if not self.context:
            return f"{self.action.capitalize()} {edge}"
        return f"{self.action.capitalize()} the context {self.context} of {edge}"


@dataclass(frozen=True)
class MarkovMoves:
    """The changes of a structure, the best first."""

    score: float  # of the structure, in bits
    moves: tuple[MarkovMove, ...]
    better: int  # how many changes raise the score, listed or not
    legal: int  # how many changes there are

    @property
    def is_optimum(self) -> bool:
        """No single change raises the score."""
        return self.better == 0


class EdgeScores:
    """Scores of structures over one data set; each local score is computed once."""

    def __init__(
        self,
        data: DataSet,
        score: str,
        *,
        ess: float = 1.0,
        lambda_: float | None = None,
        max_table_cells: int = MAX_TABLE_CELLS,
    ) -> None:
        measure = pseudo_score(score, data.total_weight, ess=ess, lambda_=lambda_)
        self._scores = PseudoLikelihood(data, measure, max_table_cells=max_table_cells)

    def total(self, structure: MarkovStructure, cancel: CancelToken = NEVER) -> float:
        """The score of a structure, in bits."""
        masks = neighbour_masks(len(structure.domain), structure.edges)
        return self._scores.total(masks, structure.contexts, cancel)

    def gain(
        self, before: MarkovStructure, after: MarkovStructure, cancel: CancelToken = NEVER
    ) -> float:
        """The change of the score; −inf if a table would be too large."""
        masks = [neighbour_masks(len(each.domain), each.edges) for each in (before, after)]
        parts = []
        for node in range(len(before.domain)):
            merges = [
                merges_of(node, masks[0], before.contexts),
                merges_of(node, masks[1], after.contexts),
            ]
            if masks[0][node] != masks[1][node] or merges[0] != merges[1]:
                parts.append(self._scores.local(node, masks[1][node], merges[1], cancel))
                parts.append(-self._scores.local(node, masks[0][node], merges[0], cancel))
        return math.fsum(parts) if math.inf not in map(abs, parts) else -math.inf

    def edge_gain(self, structure: MarkovStructure, edge: Edge, cancel: CancelToken) -> float:
        """The change of the score when the edge is removed, or added if it is absent."""
        return self.gain(structure, toggled(structure, edge), cancel)

    def moves(
        self,
        structure: MarkovStructure,
        rules: UndirectedRules,
        top: int,
        cancel: CancelToken = NEVER,
    ) -> MarkovMoves:
        """The best single changes."""
        total = self.total(structure, cancel)
        least = 1e-7 + 1e-13 * abs(total)
        found: list[tuple[float, Action, Edge, Configuration | None, MarkovStructure]] = []
        for action, edge, context, after in _changes(structure, rules):
            cancel.raise_if_cancelled()
            gain = self.gain(structure, after, cancel)
            if gain > -math.inf:
                found.append((gain, action, edge, context, after))
        found.sort(key=lambda one: (-round(one[0] / 1e-6), one[1], one[2], one[3] or ()))
        names, size = structure.domain.names, free_parameters(structure)
        moves = tuple(
            MarkovMove(
                action,
                names[edge[0]],
                names[edge[1]],
                "" if context is None else context_text(structure, edge, context),
                gain,
                after,
                free_parameters(after) - size,
            )
            for gain, action, edge, context, after in found[:top]
        )
        return MarkovMoves(total, moves, sum(one[0] > least for one in found), len(found))


def toggled(structure: MarkovStructure, edge: Edge) -> MarkovStructure:
    """The structure without the edge, or with it if it is absent."""
    edge = edge_of(*edge)
    is_there = edge in structure.edges
    return structure.without_edge(*edge) if is_there else structure.with_edge(*edge)


def _changes(
    structure: MarkovStructure, rules: UndirectedRules
) -> Iterator[tuple[Action, Edge, Configuration | None, MarkovStructure]]:
    for edge in rules.pairs():
        yield "remove" if edge in structure.edges else "add", edge, None, toggled(structure, edge)
    for edge in sorted(structure.edges):
        elements = structure.contexts.get(edge, frozenset())
        if not 1 < structure.configuration_count(edge) <= MAX_CONFIGURATIONS:
            continue
        for element in structure.completions(edge, {}):
            if element in elements:
                yield "remove", edge, element, structure.without_context(edge, element)
            elif len(elements) + 1 < structure.configuration_count(edge):
                try:
                    added = normalised(structure.with_context(edge, element))
                except GraphError:  # with those that follow it would cover all states
                    continue
                yield "add", edge, element, added


def context_text(structure: MarkovStructure, edge: Edge, element: Configuration) -> str:
    """One context of an edge: `C = yes, D = no`."""
    variables = [structure.domain.variables[v] for v in structure.common_neighbours(*edge)]
    return ", ".join(
        f"{variable.name} = {variable.states[state]}"
        for variable, state in zip(variables, element, strict=True)
    )
