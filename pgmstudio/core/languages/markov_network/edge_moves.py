"""Single changes of a Markov network's structure, and what each does to a score of data.

A change adds or removes one edge, or one context of an edge. The scores are those of
`pseudo_likelihood`: a change alters only the local scores of variables whose neighbours or
contexts it touches.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.markov_network.log_linear import free_parameters, normalised
from pgmstudio.core.languages.markov_network.pseudo_likelihood import (
    LAMBDA,
    MPL,
    PIC,
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
from pgmstudio.core.learning.edge_moves import SAME_BITS, TOP, MoveKey, MoveList, NextMove
from pgmstudio.core.learning.undirected_rules import UndirectedRules
from pgmstudio.core.scores.edge_gains import EdgeAction
from pgmstudio.core.scores.family_cache import MAX_TABLE_CELLS

MAX_CONFIGURATIONS = 64  # of common neighbours, up to which contexts are tried one by one
# The pseudo-likelihood scores, by the local score that each is a sum of.
MARKOV_SCORES = {"bic": PIC, "bdeu": MPL, "lambda": LAMBDA}


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
        top: int = TOP,
        vetoes: Collection[MoveKey] = (),
        cancel: CancelToken = NEVER,
    ) -> MoveList:
        """The best single changes."""
        total = self.total(structure, cancel)
        least = 1e-7 + 1e-13 * abs(total)
        found: list[tuple[float, MoveKey, MarkovStructure]] = []
        for key, after in _changes(structure, rules):
            cancel.raise_if_cancelled()
            gain = self.gain(structure, after, cancel)
            if gain > -math.inf and key not in vetoes:
                found.append((gain if abs(gain) > least else 0.0, key, after))
        found.sort(key=lambda one: -round(one[0] / SAME_BITS))
        size = free_parameters(structure)
        moves = tuple(
            NextMove(key, gain, free_parameters(after) - size) for gain, key, after in found[:top]
        )
        better = sum(gain > least for gain, _, _ in found)
        return MoveList(total, moves, better, len(found), least)


def moved(structure: MarkovStructure, key: MoveKey) -> MarkovStructure:
    """The structure after a move."""
    edge = edge_of(structure.domain.index(key.source), structure.domain.index(key.target))
    if not key.context:
        return toggled(structure, edge)
    element = next(
        each
        for each in structure.completions(edge, {})
        if context_text(structure, edge, each) == key.context
    )
    if key.action == "remove":
        return structure.without_context(edge, element)
    return normalised(structure.with_context(edge, element))


def toggled(structure: MarkovStructure, edge: Edge) -> MarkovStructure:
    """The structure without the edge, or with it if it is absent."""
    edge = edge_of(*edge)
    is_there = edge in structure.edges
    return structure.without_edge(*edge) if is_there else structure.with_edge(*edge)


def _changes(
    structure: MarkovStructure, rules: UndirectedRules
) -> Iterator[tuple[MoveKey, MarkovStructure]]:
    names = structure.domain.names
    for edge in rules.pairs():
        action: EdgeAction = "remove" if edge in structure.edges else "add"
        key = MoveKey(action, names[edge[0]], names[edge[1]], is_directed=False)
        yield key, toggled(structure, edge)
    for edge in sorted(structure.edges):
        elements = structure.contexts.get(edge, frozenset())
        if not 1 < structure.configuration_count(edge) <= MAX_CONFIGURATIONS:
            continue
        for element in structure.completions(edge, {}):
            is_there = element in elements
            if not is_there and len(elements) + 1 == structure.configuration_count(edge):
                continue  # it would cover all states
            key = MoveKey(
                "remove" if is_there else "add",
                names[edge[0]],
                names[edge[1]],
                is_directed=False,
                context=context_text(structure, edge, element),
            )
            yield key, moved(structure, key)


def context_text(structure: MarkovStructure, edge: Edge, element: Configuration) -> str:
    """One context of an edge: `C = yes, D = no`."""
    variables = [structure.domain.variables[v] for v in structure.common_neighbours(*edge)]
    return ", ".join(
        f"{variable.name} = {variable.states[state]}"
        for variable, state in zip(variables, element, strict=True)
    )
