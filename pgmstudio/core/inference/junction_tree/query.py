"""Single queries to factors: fix observed variables, then propagate in what is left.

A variable whose state is known leaves the graph, and barren variables of a directed model (below
everything asked about or observed) are left out, so huge models can still answer small queries.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.errors import ImpossibleEvidenceError, ParameterError, TooLargeError
from pgmstudio.core.graphs.junction_tree import CliqueTree, clique_tree_of_scopes
from pgmstudio.core.inference.base import Answer, Belief, Finding, Scale
from pgmstudio.core.inference.factors import Factor, Factored, query_factors
from pgmstudio.core.inference.findings import smallest_conflict
from pgmstudio.core.inference.junction_tree.cost import check_budget, forecast
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.inference.junction_tree.schedule import plan_of
from pgmstudio.core.large_counts import count_text

MAX_JOINT_CELLS = 2**20


def log2_sum(tree: CliqueTree, factors: Sequence[Factor], most_bytes: int | None = None) -> float:
    """log2 of the sum of Π factors over all joint states: the partition function."""
    check_budget(forecast(tree), most_bytes)
    return Propagation(plan_of(tree, factors)).log2_evidence()


def ask_factors(
    model: Factored,
    targets: Sequence[str],
    evidence: Mapping[str, Finding],
    *,
    most_bytes: int | None = None,
) -> Answer:
    """P(target | evidence) for each target and P(evidence), from the relevant part only."""

    def is_possible(some: Mapping[str, Finding]) -> bool:
        return FactorQuery(model, (), some, most_bytes=most_bytes).is_possible()

    indices = [model.domain.index(name) for name in targets]
    query = FactorQuery(model, indices, evidence, most_bytes=most_bytes)
    if not query.is_possible():
        raise ImpossibleEvidenceError(smallest_conflict(evidence, is_possible))
    beliefs = {}
    for name, position in zip(targets, indices, strict=True):
        values = query.belief(position)
        values.flags.writeable = False
        beliefs[name] = Belief(name, Scale.PROBABILITY, values)
    return Answer(beliefs, query.log2_evidence() - model.log2_partition)


class FactorQuery:
    """A propagation over the free variables on which the beliefs of the targets depend."""

    def __init__(
        self,
        model: Factored,
        targets: Sequence[int],
        evidence: Mapping[str, Finding],
        *,
        together: bool = False,
        most_bytes: int | None = None,
    ) -> None:
        reduced = query_factors(model, targets, evidence)
        cards = model.domain.cardinalities
        self.known = reduced.known
        self.position_of = reduced.position_of
        self._cards = cards
        self._log2_constant = reduced.log2_constant
        scopes = [factor.scope for factor in reduced.factors]
        if together:
            scopes.append(tuple(self.position_of[v] for v in targets if v in self.position_of))
        tree = clique_tree_of_scopes(scopes, [cards[v] for v in reduced.free])
        check_budget(forecast(tree), most_bytes)
        self.propagation = Propagation(plan_of(tree, reduced.factors))
        for position, numbers in reduced.weights.items():
            self.propagation.set_weights(position, numbers)

    def is_possible(self) -> bool:
        return self._log2_constant > -math.inf and self.propagation.is_possible()

    def log2_evidence(self) -> float:
        """log2 of Z · P(evidence)."""
        return self._log2_constant + self.propagation.log2_evidence()

    def belief(self, variable: int) -> Floats:
        """P(variable | evidence)."""
        if variable in self.known:
            values = np.zeros(self._cards[variable])
            values[self.known[variable]] = 1.0
            return values
        return self.propagation.belief(self.position_of[variable])


def joint_of(
    model: Factored,
    variables: Sequence[int],
    evidence: Mapping[str, Finding],
    propagation: Propagation | None = None,
) -> Floats:
    """P(variables | evidence), one axis each in the order given.

    Read from a clique of `propagation` where one holds them all; otherwise by a query of its own,
    with the variables made a clique.
    """
    cards = model.domain.cardinalities
    shape = tuple(cards[v] for v in variables)
    if math.prod(shape) > MAX_JOINT_CELLS:
        raise TooLargeError(
            f"The joint table of these {len(shape)} variables has "
            f"{count_text(math.prod(shape))} cells; "
            f"at most {MAX_JOINT_CELLS:,} are possible. Choose fewer variables."
        )
    distinct = tuple(dict.fromkeys(variables))
    if len(distinct) < len(variables):
        raise ParameterError({"variables": "each variable can be named once only"})
    joint = None if propagation is None else _clique_marginal(propagation, distinct)
    if joint is not None:
        return joint
    query = FactorQuery(model, distinct, evidence, together=True)
    inside = tuple(query.position_of[v] for v in distinct if v in query.position_of)
    free = _clique_marginal(query.propagation, inside) if inside else np.ones(())
    joint = np.zeros(shape)
    joint[tuple(query.known.get(v, slice(None)) for v in distinct)] = free
    return joint


def _clique_marginal(propagation: Propagation, variables: Iterable[int]) -> Floats | None:
    """The joint belief of the variables from the smallest clique with all of them, if any."""
    wanted = tuple(variables)
    plan = propagation.plan
    near = min((plan.occurs_in[v] for v in wanted), key=len, default=())
    holders = [c for c in near if {*wanted} <= {*plan.tree.cliques[c]}]
    if not holders:
        return None
    clique = min(holders, key=lambda c: (plan.tree.cells[c], c))
    axes = plan.axes[clique]
    away = tuple(a for a, v in enumerate(axes) if v not in wanted)
    left = [v for v in axes if v in wanted]
    summed = propagation.clique_belief(clique).sum(axis=away)
    return np.ascontiguousarray(summed.transpose([left.index(v) for v in wanted]))
