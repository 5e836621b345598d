"""Single queries: prune irrelevant variables, fix observed ones, then propagate in the rest.

Barren variables (below everything asked about or observed) are left out, and a variable whose
state is known leaves the graph, so huge networks can still answer small queries.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.errors import ImpossibleEvidenceError, ParameterError, TooLargeError
from pgmstudio.core.graphs.junction_tree import clique_tree_of_scopes
from pgmstudio.core.inference.base import Answer, Belief, Finding, Scale, weights_of
from pgmstudio.core.inference.conflicts import smallest_conflict
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.inference.junction_tree.schedule import Factor, plan_of
from pgmstudio.core.languages.bayesian_network.inference_cost import check_budget, forecast_of_tree
from pgmstudio.core.languages.bayesian_network.interventions import carried_out
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.large_counts import count_text

MAX_JOINT_CELLS = 2**20


def factors_of(network: BayesianNetwork) -> tuple[Factor, ...]:
    """The tables of the network, each with its scope."""
    return tuple(
        Factor((*parents, child), network.tables[child])
        for child, parents in enumerate(network.dag.parent_indices)
    )


def ask_network(
    network: BayesianNetwork,
    targets: Sequence[str],
    evidence: Mapping[str, Finding],
    *,
    most_bytes: int | None = None,
) -> Answer:
    """P(target | evidence) for each target and P(evidence), from the relevant part only."""
    indices = [network.domain.index(name) for name in targets]
    question = Question(network, indices, evidence, most_bytes=most_bytes)
    if not question.is_possible():
        raise ImpossibleEvidenceError(
            smallest_conflict(evidence, lambda some: _is_possible(network, some, most_bytes))
        )
    beliefs = {}
    for name, position in zip(targets, indices, strict=True):
        values = question.belief(position)
        values.flags.writeable = False
        beliefs[name] = Belief(name, Scale.PROBABILITY, values)
    return Answer(beliefs, question.log2_evidence())


def _is_possible(
    network: BayesianNetwork, evidence: Mapping[str, Finding], most_bytes: int | None
) -> bool:
    return Question(network, (), evidence, most_bytes=most_bytes).is_possible()


class Question:
    """A propagation over the free variables among the ancestors of targets and evidence."""

    def __init__(
        self,
        network: BayesianNetwork,
        targets: Iterable[int],
        evidence: Mapping[str, Finding],
        *,
        together: bool = False,
        most_bytes: int | None = None,
    ) -> None:
        network, evidence = carried_out(network, evidence)
        domain = network.domain
        targets = tuple(targets)
        weights = {domain.index(n): weights_of(domain[n], f) for n, f in evidence.items()}
        self.known = {v: int(w.argmax()) for v, w in weights.items() if (w > 0).sum() == 1}
        relevant = sorted(network.dag.ancestral_indices({*targets, *weights}))
        free = [v for v in relevant if v not in self.known]
        self.position_of = {v: i for i, v in enumerate(free)}
        self._cards = domain.cardinalities
        factors = []
        self._log2_constant = 0.0  # of the tables whose variables are all known
        for child in relevant:
            scope = (*network.dag.parent_indices[child], child)
            table = network.tables[child][tuple(self.known.get(v, slice(None)) for v in scope)]
            left = tuple(self.position_of[v] for v in scope if v not in self.known)
            if left:
                factors.append(Factor(left, np.asarray(table)))
            else:
                self._log2_constant += math.log2(float(table)) if table > 0 else -math.inf
        scopes = [factor.scope for factor in factors]
        if together:
            scopes.append(tuple(self.position_of[v] for v in targets if v in self.position_of))
        tree = clique_tree_of_scopes(scopes, [domain.cardinalities[v] for v in free])
        check_budget(forecast_of_tree(tree), most_bytes)
        self.propagation = Propagation(plan_of(tree, factors))
        for v, numbers in weights.items():
            if v in self.position_of:
                self.propagation.set_weights(self.position_of[v], numbers)

    def is_possible(self) -> bool:
        return self._log2_constant > -math.inf and self.propagation.is_possible()

    def log2_evidence(self) -> float:
        return self._log2_constant + self.propagation.log2_evidence()

    def belief(self, variable: int) -> NDArray[np.float64]:
        """P(variable | evidence)."""
        if variable in self.known:
            values = np.zeros(self._cards[variable])
            values[self.known[variable]] = 1.0
            return values
        return self.propagation.belief(self.position_of[variable])


def joint_of(
    network: BayesianNetwork,
    variables: Sequence[int],
    evidence: Mapping[str, Finding],
    propagation: Propagation | None = None,
) -> NDArray[np.float64]:
    """P(variables | evidence), one axis each in the order given.

    Read from a clique of `propagation` where one holds them all; otherwise asked as a question of
    its own, with the variables made a clique.
    """
    cards = network.domain.cardinalities
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
    if propagation is not None:
        holders = [
            c for c, clique in enumerate(propagation.plan.tree.cliques) if {*distinct} <= {*clique}
        ]
        if holders:
            cells = propagation.plan.tree.cells
            clique = min(holders, key=lambda c: (cells[c], c))
            return _spread(
                propagation.clique_belief(clique), propagation.plan.axes[clique], distinct
            )
    question = Question(network, distinct, evidence, together=True)
    inside = tuple(question.position_of[v] for v in distinct if v in question.position_of)
    free = np.ones(())
    if inside:
        tree = question.propagation.plan.tree
        clique = next(c for c, held in enumerate(tree.cliques) if {*inside} <= {*held})
        axes = question.propagation.plan.axes[clique]
        free = _spread(question.propagation.clique_belief(clique), axes, inside)
    joint = np.zeros(shape)
    joint[tuple(question.known.get(v, slice(None)) for v in distinct)] = free
    return joint


def _spread(
    table: NDArray[np.float64], axes: Sequence[int], wanted: Sequence[int]
) -> NDArray[np.float64]:
    """The table summed down to the wanted variables, in their order."""
    away = tuple(a for a, v in enumerate(axes) if v not in wanted)
    left = [v for v in axes if v in wanted]
    summed = table.sum(axis=away)
    return np.ascontiguousarray(summed.transpose([left.index(v) for v in wanted]))
