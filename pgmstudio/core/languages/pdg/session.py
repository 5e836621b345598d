"""Belief updating in decision graphs: out-flow upwards, visits downwards, linear in the graph.

P(X_i = h, e) = Σ_ν ifl(ν) p_h π(ν, h) over the nodes of X_i (Nielsen 2007, §3.3.2; Cor. 3.1 leaves
out π, the flow below, and is right only without evidence).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.inference.base import Belief, Finding, Scale, weights_of
from pgmstudio.core.inference.programs import InferenceProgram
from pgmstudio.core.languages.one_pass_session import WholePassSession, named_states
from pgmstudio.core.languages.pdg.model import DecisionGraph, GraphArrays, arrays_of


@dataclass(frozen=True, eq=False)
class NodeFlows:
    """Flows of the nodes given the evidence; an array per variable, a number per node.

    `visits` is the probability of reaching a node given the evidence; `out_flow` that of the
    findings at and below it once it is reached; `in_flow` the rest: visits = in · out / P(e).
    `arcs` is the probability of passing a node in a state given the evidence, nodes × states.
    """

    visits: tuple[Floats, ...]
    in_flow: tuple[Floats, ...]
    out_flow: tuple[Floats, ...]
    arcs: tuple[Floats, ...]


@dataclass(frozen=True, eq=False)
class _Answers:
    log2_evidence: float
    beliefs: Mapping[str, Belief]
    weights: Floats
    fractions: Floats
    visits: Floats
    flows: Floats  # the out-flows are flows · 2^exponents
    exponents: NDArray[np.int64]


class DecisionGraphSession(WholePassSession[_Answers]):
    """Evidence in, beliefs out; exact, in time linear in the size of the graph."""

    def __init__(self, model: DecisionGraph) -> None:
        super().__init__(model.domain)
        self.model = model

    @cached_property
    def _arrays(self) -> GraphArrays:
        return arrays_of(self.model)

    @cached_property
    def _tops(self) -> NDArray[np.int64]:
        return self._arrays.node_at[list(self.model.roots)]

    @cached_property
    def _state_slices(self) -> tuple[tuple[str, slice], ...]:
        """The slice of each variable in an array over all states."""
        at = self._arrays.state_at.tolist()
        return tuple((name, slice(at[i], at[i + 1])) for i, name in enumerate(self.domain.names))

    def _weights(self, evidence: Mapping[str, Finding]) -> Floats:
        at = self._arrays.state_at
        weights = np.ones(int(at[-1]))
        for name, finding in evidence.items():
            position = self.domain.index(name)
            weights[at[position] : at[position + 1]] = weights_of(self.domain[name], finding)
        return weights

    def _answers_to(self, evidence: Mapping[str, Finding]) -> _Answers | None:
        from pgmstudio.core.languages.pdg.kernels import out_flows, visits

        a, weights = self._arrays, self._weights(evidence)
        nodes, slots = int(a.node_at[-1]), a.parameters.size
        fractions, exponents = np.empty(slots), np.empty(slots, np.int64)
        flows, flow_exponents = np.empty(nodes), np.empty(nodes, np.int64)
        out_flows(a, weights, fractions, exponents, flows, flow_exponents)
        tops = self._tops
        if not (flows[tops] > 0).all():
            return None
        log2 = float(np.log2(flows[tops]).sum() + flow_exponents[tops].sum())
        visited, beliefs = np.empty(nodes), np.empty(weights.size)
        visits(a, fractions, visited, beliefs)
        beliefs.flags.writeable = False  # and so are its parts
        named = {n: Belief(n, Scale.PROBABILITY, beliefs[part]) for n, part in self._state_slices}
        return _Answers(log2, named, weights, fractions, visited, flows, flow_exponents)

    def node_flows(self) -> NodeFlows:
        """In-flow, out-flow and visits of every node under the evidence."""
        a, answers = self._arrays, self._answers()
        visited = self._by_variable(answers.visits)
        powers = np.clip(answers.exponents, -2000, 2000).astype(np.int32)
        outward = self._by_variable(np.ldexp(answers.flows, powers))
        arcs = tuple(
            np.asarray(rows[:, None] * answers.fractions[begin:end].reshape(rows.size, -1))
            for rows, begin, end in zip(visited, a.slot_at[:-1], a.slot_at[1:], strict=True)
        )
        return NodeFlows(visited, self._in_flows(outward, answers.weights), outward, arcs)

    def _by_variable(self, numbers: Floats) -> tuple[Floats, ...]:
        at = self._arrays.node_at
        return tuple(numbers[at[i] : at[i + 1]] for i in range(len(self.domain)))

    def _in_flows(self, outward: tuple[Floats, ...], weights: Floats) -> tuple[Floats, ...]:
        """Eqs. 3.46–3.47, the product over the other variables below taken without dividing."""
        graph, at = self.model, self._arrays.state_at
        roots = graph.roots
        result: list[Floats] = [np.zeros(0)] * len(self.domain)
        for i in graph.order:
            above, edges = graph.forest[i], graph.successors[i]
            if above is None or edges is None:
                result[i] = np.array([np.prod([outward[r][0] for r in roots if r != i])])
                continue
            passing = graph.parameters[above] * weights[at[above] : at[above + 1]]
            passing = passing * result[above][:, None]
            for other in graph.children[above]:
                heads = graph.successors[other]
                if other != i and heads is not None:
                    passing = passing * outward[other][heads]
            result[i] = np.bincount(edges.ravel(), passing.ravel(), graph.node_counts[i]).astype(
                np.float64
            )
        return tuple(result)

    @cached_property
    def _log_parameters(self) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log2(self._arrays.parameters))

    def _explained(self) -> tuple[NDArray[np.int64], float]:
        from pgmstudio.core.languages.pdg.kernels import best_flows

        a = self._arrays
        tops, chosen = np.empty(int(a.node_at[-1])), np.empty(int(a.node_at[-1]), np.int64)
        reached, states = np.zeros(a.cards.size, np.int64), np.zeros(a.cards.size, np.int64)
        with np.errstate(divide="ignore"):
            log_weights = np.log2(self._answers().weights)
        best_flows(a, self._log_parameters, log_weights, tops, chosen, reached, states)
        return states, float(tops[self._tops].sum())

    def most_probable(self) -> Mapping[str, str]:
        """The most probable state of every variable together, with the evidence in it."""
        return named_states(self.domain, self._explained()[0])

    def log2_most_probable(self) -> float:
        """log2 of its joint probability with the evidence."""
        return self._explained()[1]


def program_of(model: DecisionGraph) -> InferenceProgram:
    """The nodes and edges as plain numbers, for passes over the graph elsewhere."""
    nodes = sum(rows.size for rows in model.parameters)

    def write() -> dict[str, Any]:
        return {
            "cards": list(model.domain.cardinalities),
            "order": list(model.order),
            "above": list(model.forest),
            "parameters": [rows.tolist() for rows in model.parameters],
            "successors": [None if edges is None else edges.tolist() for edges in model.successors],
        }

    return InferenceProgram("decision-graph", model.effective_size(), 2 * nodes, write)
