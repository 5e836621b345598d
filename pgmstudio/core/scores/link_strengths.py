"""How much the rows say for each edge of a graph: information, p-values and what BIC would lose.

For U → X with the other parents Z = pa(X) ∖ U, three readings of the same counts:

    I(U; X)         what the two ends tell about each other, by any path,
    I(U; X | Z)     what the edge itself adds, and the p-value of G² for U ⊥ X | Z,
    Δ BIC           score(X, pa) − score(X, Z) in bits; below 0 the edge costs more than it tells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.running import NEVER, CancelToken
from pgmstudio.core.scores.edge_gains import Edge, edge_gains
from pgmstudio.core.scores.family_scores import MAX_TABLE_CELLS, FamilyScores
from pgmstudio.core.scores.independence_tests import DataTests, IndependenceRule, Outcome
from pgmstudio.core.scores.local_scores import score_of


@dataclass(frozen=True, slots=True)
class LinkStrength:
    """One edge, and what the rows say for it; None where a table would be too large to test."""

    source: str
    target: str
    alone: Outcome | None  # U against X
    given_parents: Outcome | None  # U against X given the other parents of X
    bic_gain: float  # bits

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
    cards = data.domain.cardinalities
    largest = max(
        (
            math.prod(cards[v] for v in (*parents, c))
            for c, parents in enumerate(dag.parent_indices)
        ),
        default=1,
    )
    bic = score_of("bic", data.total_weight)
    scores = FamilyScores(data, bic, max_table_cells=max(MAX_TABLE_CELLS, largest))
    tests = DataTests(data, IndependenceRule(test="g2"))
    found = []
    for (source, target), gain in edge_gains(dag, scores, cancel):
        a, b = dag.index(source), dag.index(target)
        others = [p for p in dag.parent_indices[b] if p != a]
        alone = tests.test(a, b, (), cancel)
        given = tests.test(a, b, others, cancel) if others else alone
        found.append(LinkStrength(source, target, alone, given, gain))
    return tuple(sorted(found, key=lambda link: (link.bic_gain, link.edge)))
