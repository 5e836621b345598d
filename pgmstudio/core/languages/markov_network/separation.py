"""Separation in the graph of a Markov network, also in a context.

Two variables are separated when every path between them meets a known variable. In a context edges
vanish whose contexts hold for all completions of it: given x_C the distribution of the other
variables obeys the remaining graph, since pairwise and global Markov properties agree for positive
distributions. The context of an edge alone says less: X_i ⊥ X_j given it *and all other variables*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import TYPE_CHECKING

from pgmstudio.core.errors import GraphError
from pgmstudio.core.graphs.separation import MAX_TRAILS, Block, Meeting, Separation, Trail
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.inference.information_measures import conditional_information_bits
from pgmstudio.core.inference.junction_tree.query import joint_of
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import (
    Configuration,
    Edge,
    MarkovStructure,
)

if TYPE_CHECKING:
    import networkx as nx

# The number of known variables whose states are distinguished as cases.
MAX_CASES = 2


@dataclass(frozen=True)
class MarkovSeparation:
    """The answer to “is A independent of B given S in context C”.

    `vanished` are the edges that vanish in the context; `cases` the variables whose states had to
    be distinguished, none if the graph of the context is enough.
    """

    holds: bool
    vanished: tuple[tuple[str, str], ...]
    structure: MarkovStructure  # in the context, without contexts of its own
    cases: tuple[str, ...] = ()

    def trails(self, one: str, other: str, known: Iterable[str]) -> Separation:
        """The paths between two variables in the graph of the context."""
        return path_separation(self.structure, one, other, known)

    def edge_text(self, edge: tuple[str, str]) -> str:
        return " – ".join(edge)


def separation(
    model: MarkovNetwork,
    sources: Iterable[str],
    targets: Iterable[str],
    given: Iterable[str] = (),
    context: Mapping[str, str] | None = None,
) -> MarkovSeparation:
    """Whether X_A ⊥ X_B | X_S, x_C follows from the graph and its contexts, by cases if needed."""
    structure, domain = model.structure, model.domain
    fixed = {domain.index(n): domain[n].code(s) for n, s in (context or {}).items()}
    a, b, known = ({domain.index(n) for n in names} for names in (sources, targets, given))
    for one, other in combinations((a, b, known | set(fixed)), 2):
        if one & other:
            name = domain.names[min(one & other)]
            raise GraphError(f"{name} is named in two sets of the query; name it once.")
    gone = structure.vanished_edges(fixed)
    names = tuple((domain.names[i], domain.names[j]) for i, j in sorted(gone))
    remaining = MarkovStructure(domain, structure.edges - gone)
    deciding = known & {
        v for edge in structure.contexts for v in structure.common_neighbours(*edge)
    }
    for size in range(MAX_CASES + 1):
        for cases in combinations(sorted(deciding), size):
            if all(
                _is_separated(
                    structure, a, b, known, {**fixed, **dict(zip(cases, states, strict=True))}
                )
                for states in product(*(range(domain.cardinalities[v]) for v in cases))
            ):
                return MarkovSeparation(
                    True, names, remaining, tuple(domain.names[v] for v in cases)
                )
    return MarkovSeparation(False, names, remaining)


def _is_separated(
    structure: MarkovStructure,
    a: set[int],
    b: set[int],
    given: set[int],
    context: Mapping[int, int],
) -> bool:
    import networkx as nx

    graph = nx.Graph(structure.graph)
    graph.remove_edges_from(structure.vanished_edges(context))
    graph.remove_nodes_from(given | set(context))
    return not any(b & nx.node_connected_component(graph, v) for v in a)


def path_separation(
    structure: MarkovStructure, one: str, other: str, given: Iterable[str] = ()
) -> Separation:
    """The paths between two variables: those that connect them, and those that known ones block."""
    import networkx as nx

    domain = structure.domain
    start, end = domain.index(one), domain.index(other)
    known = tuple(dict.fromkeys(given))
    blocked_at = {domain.index(name) for name in known}
    if start == end:
        raise GraphError(f"{one} cannot be separated from itself; choose two variables.")
    if start in blocked_at or end in blocked_at:
        both = one if start in blocked_at else other
        raise GraphError(f"{both} is both queried and known; remove it from one of them.")
    opened = nx.Graph(structure.graph)
    opened.remove_nodes_from(blocked_at)
    reached = nx.node_connected_component(opened, start)
    active = [_path(structure, nodes, blocked_at) for nodes in _paths(opened, start, end)]
    every = [_path(structure, nodes, blocked_at) for nodes in _paths(structure.graph, start, end)]
    blocked = [path for path in every if path.blocks]
    irrelevant = set(range(len(domain))) - reached - blocked_at
    return Separation(
        one,
        other,
        known,
        frozenset(domain.names[v] for v in irrelevant),
        tuple(active[:MAX_TRAILS]),
        tuple(blocked[:MAX_TRAILS]),
        max(len(active), len(every)) > MAX_TRAILS,
    )


def _paths(graph: nx.Graph, start: int, end: int) -> list[list[int]]:
    """The shortest paths first, one more than are shown."""
    import networkx as nx

    if not nx.has_path(graph, start, end):
        return []
    return list(islice(nx.shortest_simple_paths(graph, start, end), MAX_TRAILS + 1))


def _path(structure: MarkovStructure, nodes: list[int], known: set[int]) -> Trail:
    names = [structure.domain.names[v] for v in nodes]
    blocks = tuple(
        Block(structure.domain.names[v], Meeting.CHAIN) for v in nodes[1:-1] if v in known
    )
    return Trail(tuple(names), ("–",) * (len(names) - 1), blocks)


def information_in(model: MarkovNetwork, names: Iterable[str], context: Mapping[str, str]) -> float:
    """I(A;B|Z) in bits in the distribution of the model given the context."""
    indices = [model.domain.index(name) for name in names]
    evidence = {name: Observed(state) for name, state in context.items()}
    return conditional_information_bits(joint_of(model, indices, evidence))


def context_statement(structure: MarkovStructure, edge: Edge, element: Configuration) -> str:
    """What a context of an edge states: `2 ⟂ 5 where 3 = 1, given all other variables`."""
    domain = structure.domain
    i, j = (domain.names[v] for v in edge)
    common = structure.common_neighbours(*edge)
    where = ", ".join(
        f"{domain.names[v]} = {domain.variables[v].states[state]}"
        for v, state in zip(common, element, strict=True)
    )
    rest = len(domain) - len(common) - 2
    return f"{i} ⟂ {j} where {where}" + (", given all other variables" if rest else "")
