"""Strength of the edges of a network, from the model alone and from data.

From the model, two measures in bits. The *mutual information* I(U; X) of the two ends counts every
path between them. The *divergence of removal* measures the edge U → X itself: with P' the network
whose table of X has lost the parent U, P'(x | pa∖u) = P(x | pa∖u),

    KL(P ‖ P') = Σ P(pa, x) log2 P(x | pa) / P(x | pa∖u) = I(X; U | pa∖U)

because all other tables cancel. Of an undirected edge P' is the nearest distribution of the graph
without the edge.

From data, for U → X with the other parents Z = pa(X) ∖ U, three measures of the same counts:

    I(U; X)         mutual information of the two ends, by any path,
    I(U; X | Z)     conditional mutual information, with the p-value of G² for U ⊥ X | Z,
    Δ BIC           score(X, pa) − score(X, Z) in bits; below 0 BIC prefers to remove the edge.

An edge U – X without direction is tested given the other neighbours of one end, which separate the
two without the edge (the blanket with fewer joint states), and its score is PIC, the BIC of the
pseudo-likelihood.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.information_measures import mutual_information_bits
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.inference.junction_tree.query import joint_of
from pgmstudio.core.languages.markov_network.edge_moves import EdgeScores
from pgmstudio.core.languages.markov_network.fitting import MAX_PROJECTED_CELLS
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.pseudo_likelihood import PIC
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.scores.edge_gains import Edge, edge_gains
from pgmstudio.core.scores.family_cache import MAX_TABLE_CELLS, FamilyScores, largest_table
from pgmstudio.core.scores.independence import DataTests, IndependenceRule, Outcome
from pgmstudio.core.scores.local import score_of


@runtime_checkable
class JointSession(Protocol):
    """A session that knows the joint belief of several variables."""

    def joint(self, variables: Sequence[str], /) -> Floats:
        """P(variables | evidence), one axis each."""


def end_information(session: JointSession, edges: Iterable[Edge]) -> Iterator[tuple[Edge, float]]:
    """I(U; X) in bits of the two ends of each edge, one after the other."""
    for edge in edges:
        yield edge, mutual_information_bits(session.joint(list(edge)))


def removal_divergences(
    session: JointSession, edges: Iterable[Edge]
) -> Iterator[tuple[Edge, float]]:
    """KL(P ‖ P') in bits for each edge, P' being the network whose child has lost that parent."""
    parents: dict[str, list[str]] = {}
    for source, target in edges:
        parents.setdefault(target, []).append(source)
    for child, sources in parents.items():
        family = session.joint([*sources, child])
        for axis, source in enumerate(sources):
            yield (source, child), removal_bits(family, axis)


def undirected_divergences(
    model: MarkovNetwork, edges: Iterable[Edge]
) -> Iterator[tuple[Edge, float]]:
    """KL(P ‖ P') in bits for each edge, P' being the nearest distribution of the graph without it.

    TooLargeError where the nearest distribution would take too long.
    """
    if model.effective_size() > MAX_PROJECTED_CELLS:
        raise TooLargeError(
            f"The junction tree has more than {MAX_PROJECTED_CELLS} cells, too many to compute the "
            "KL of removal of every edge. Choose another measure."
        )
    flow = model.propagation()
    own = _expected_log2(model, model, flow)
    for edge in edges:
        yield edge, max(0.0, own - _expected_log2(model, model.without_edge(*edge), flow))


def _expected_log2(model: MarkovNetwork, other: MarkovNetwork, flow: Propagation) -> float:
    """E log2 P'(x) under P; the cliques of P' are complete in the graph of P."""
    total = -other.log2_partition
    for factor in other.factors:
        p = joint_of(model, factor.scope, {}, flow)
        seen = p > 0
        total += float(np.sum(p[seen] * np.log2(factor.values[seen])))
    return total


def removal_bits(family: Floats, axis: int) -> float:
    """I(X; U | rest) from the joint of a family, X on the last axis and U on `axis`."""
    p = family / family.sum()
    without = p.sum(axis=axis, keepdims=True)
    given_rest = np.broadcast_to(_rows(without), p.shape)
    seen = p > 0
    return max(0.0, float(np.sum(p[seen] * np.log2(_rows(p)[seen] / given_rest[seen]))))


def _rows(joint: Floats) -> Floats:
    """P(last axis | others); rows of probability 0 stay 0."""
    sums = joint.sum(axis=-1, keepdims=True)
    rows: Floats = joint / np.where(sums > 0, sums, 1.0)
    return rows


@dataclass(frozen=True, slots=True)
class LinkStrength:
    """One edge with its measures from data; None where a table would be too large to test."""

    source: str
    target: str
    alone: Outcome | None  # U against X
    given_parents: Outcome | None  # U against X given the other parents of X, or a blanket
    bic_gain: float  # bits; of PIC for an edge without direction

    @property
    def edge(self) -> Edge:
        return self.source, self.target

    @property
    def information_bits(self) -> float:
        """I(U; X)."""
        return 0.0 if self.alone is None else self.alone.bits

    @property
    def added_bits(self) -> float:
        """I(U; X | Z)."""
        return 0.0 if self.given_parents is None else self.given_parents.bits

    @property
    def p_value(self) -> float:
        """Of U ⊥ X | Z; 1 when it cannot be tested."""
        return 1.0 if self.given_parents is None else self.given_parents.p_value


def link_strengths(
    dag: Dag, data: DataSet, cancel: CancelToken = NEVER
) -> tuple[LinkStrength, ...]:
    """All edges of a graph over the columns of the data, what BIC would lose least first."""
    bic = score_of("bic", data.total_weight)
    cells = max(MAX_TABLE_CELLS, largest_table(dag, data))
    scores = FamilyScores(data, bic, max_table_cells=cells)
    tests = DataTests(data, IndependenceRule(test="g2"))
    result = []
    for (source, target), gain in edge_gains(dag, scores, cancel):
        a, b = dag.index(source), dag.index(target)
        others = [p for p in dag.parent_indices[b] if p != a]
        alone = tests.test(a, b, (), cancel)
        given = tests.test(a, b, others, cancel) if others else alone
        result.append(LinkStrength(source, target, alone, given, gain))
    return tuple(sorted(result, key=lambda link: (link.bic_gain, link.edge)))


def undirected_strengths(
    model: MarkovNetwork, data: DataSet, cancel: CancelToken = NEVER
) -> tuple[LinkStrength, ...]:
    """All edges of a Markov network, what PIC would lose least first."""
    structure, domain = model.structure, model.domain
    tests = DataTests(data, IndependenceRule(test="g2"))
    result = []
    for edge, gain in undirected_gains(structure, EdgeScores(data, PIC), cancel):
        a, b = (domain.index(name) for name in edge)
        blankets = [sorted(structure.neighbours[v] - {a, b}) for v in (a, b)]
        given = min(
            blankets,
            key=lambda members: domain.restricted_to(
                domain.names[v] for v in members
            ).joint_states(),
        )
        alone = tests.test(a, b, (), cancel)
        separated = tests.test(a, b, given, cancel) if given else alone
        result.append(LinkStrength(*edge, alone, separated, gain))
    return tuple(sorted(result, key=lambda link: (link.bic_gain, link.edge)))


def undirected_gains(
    structure: MarkovStructure, scores: EdgeScores, cancel: CancelToken = NEVER
) -> Iterator[tuple[Edge, float]]:
    """For each edge what the score would lose without it, in bits."""
    names = structure.domain.names
    for a, b in sorted(structure.edges):
        yield (names[a], names[b]), -scores.edge_gain(structure, (a, b), cancel)
