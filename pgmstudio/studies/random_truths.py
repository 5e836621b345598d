"""Random decision graphs like those of a source that tells of its own only what they measure.

Rnd15 and Rnd20 of Nielsen (2007) are not published, and neither is how their structure was drawn.
Known are their variables, states, size and bits per row. Of graphs with at most four nodes a
variable, the usual random ones, none of thousands has these states and this size; with as many
nodes as there are edges to reach them the size is a usual one. So such graphs are drawn, until
one measures what is published.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pgmstudio.core.errors import ParameterError
from pgmstudio.core.experiments.generators.random_pdgs import (
    RandomPdgParams,
    random_decision_graph,
)
from pgmstudio.core.languages.pdg.measures import in_flows
from pgmstudio.core.languages.pdg.model import DecisionGraph

_NEAR_SIZE = 0.02  # of the size
_NEAR_BITS = 0.05
_MAX_NODES = 32
_MAX_TRIES = 20_000


@dataclass(frozen=True, slots=True)
class Known:
    """What is published of a random graph; `states` are those of all variables together."""

    variables: int
    states: int
    size: int
    bits: float


# Tables 4.3 and 5.3; the states follow from the sizes of naive Bayes models; the bits are the
# mean of training and test rows.
KNOWN = {"rnd15": Known(15, 39, 182, 14.84), "rnd20": Known(20, 48, 233, 18.08)}


def graph_like(known: Known, rng: np.random.Generator) -> DecisionGraph:
    """The first random graph that measures what is known."""
    params = RandomPdgParams(variables=known.variables, size=known.size, most_nodes=_MAX_NODES)
    for _ in range(_MAX_TRIES):
        graph = random_decision_graph(params, rng)
        if _is_like(graph, known):
            return graph
    raise ParameterError({"only": f"no random graph came near one of size {known.size}"})


def _is_like(graph: DecisionGraph, known: Known) -> bool:
    return (
        sum(graph.domain.cardinalities) == known.states
        and abs(graph.effective_size() - known.size) <= _NEAR_SIZE * known.size
        and abs(entropy_bits(graph) - known.bits) <= _NEAR_BITS
    )


def entropy_bits(graph: DecisionGraph) -> float:
    """What a row of the graph costs in its own bits: nodes weighted by how often they are met."""
    total = 0.0
    for flows, rows in zip(in_flows(graph), graph.parameters, strict=True):
        logs = np.log2(rows, out=np.zeros_like(rows), where=rows > 0)
        total -= float(flows @ (rows * logs).sum(axis=1))
    return total
