"""Parts of a Markov network: some of its variables, and two networks side by side."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.inference.junction_tree.query import joint_of
from pgmstudio.core.languages.markov_network.fitting import nearest
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.number_format import counted


def part_of(
    network: MarkovNetwork, names: Collection[str]
) -> tuple[MarkovNetwork, tuple[str, ...]]:
    """The named variables with their edges, contexts and potentials.

    Neighbours left behind are summed out. The result is exact where those that a group of
    variables left behind touches are all joined with each other; else it is the nearest
    distribution of the graph.
    """
    domain, whole = network.domain, network.structure
    wanted = tuple(v for v, name in enumerate(domain.names) if name in names)
    structure = whole.induced(wanted)
    notices: list[str] = []
    touched: list[tuple[frozenset[int], tuple[int, ...]]] = []
    for group in _groups(whole, wanted):
        border = frozenset().union(*(whole.neighbours[v] for v in group)) - group
        if border:
            touched.append((group, tuple(sorted(border))))
            notices.append(
                f"The potentials of {_named(domain, border)} are summed over "
                f"{_named(domain, group)}, not copied with {'it' if len(border) == 1 else 'them'}."
            )
    positions = {v: n for n, v in enumerate(wanted)}
    lost = sum(
        len(elements) for edge, elements in whole.contexts.items() if positions.keys() >= set(edge)
    ) - _stated_before(whole, structure, wanted)
    if lost:
        notices.append(
            f"{counted(lost, 'context')} cannot be stated without the nodes left behind."
        )
    pairs = zip(whole.maximal_cliques, network.potentials, strict=True)
    factors = [(clique, table) for clique, table in pairs]
    if all(_is_exact(whole, structure, positions, border) for _, border in touched):
        inside = [one for one in factors if positions.keys() >= set(one[0])]
        inside += [(border, _message(network, group, border)) for group, border in touched]
        shifted = [(tuple(positions[v] for v in scope), table) for scope, table in inside]
        return MarkovNetwork.of_factors(structure, shifted), tuple(notices)
    notices.append("Edges are missing for the exact result: this is the nearest distribution.")
    flow = network.propagation()
    cliques = (tuple(wanted[v] for v in clique) for clique in structure.maximal_cliques)
    return nearest(structure, [joint_of(network, c, {}, flow) for c in cliques]), tuple(notices)


def _groups(structure: MarkovStructure, wanted: Collection[int]) -> Iterator[frozenset[int]]:
    """The connected groups of the variables that are not wanted."""
    left = set(range(len(structure.domain))).difference(wanted)
    while left:
        waiting, group = [left.pop()], set()
        while waiting:
            v = waiting.pop()
            group.add(v)
            waiting += structure.neighbours[v] & left
            left -= structure.neighbours[v]
        yield frozenset(group)


def _named(domain: Domain, variables: Collection[int]) -> str:
    names = [domain.names[v] for v in sorted(variables)]
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if names[5:] else "")


def _stated_before(whole: MarkovStructure, part: MarkovStructure, wanted: tuple[int, ...]) -> int:
    """How many contexts of the whole are in the part, each over fewer common neighbours."""
    count = 0
    for (i, j), elements in part.contexts.items():
        count += len(elements) * (
            whole.configuration_count((wanted[i], wanted[j])) // part.configuration_count((i, j))
        )
    return count


def _is_exact(
    whole: MarkovStructure,
    part: MarkovStructure,
    positions: dict[int, int],
    border: tuple[int, ...],
) -> bool:
    """Whether a factor over the border fits into the part."""
    pairs = combinations([positions[v] for v in border], 2)
    return whole.is_complete(border) and part.contexts.keys().isdisjoint(pairs)


def _message(network: MarkovNetwork, group: frozenset[int], border: tuple[int, ...]) -> Floats:
    """What the group contributes to the distribution of its border, up to a factor."""
    variables = tuple(sorted({*group, *border}))
    positions = {v: n for n, v in enumerate(variables)}
    pairs = zip(network.structure.maximal_cliques, network.potentials, strict=True)
    factors = [
        (tuple(positions[v] for v in clique), table)
        for clique, table in pairs
        if not group.isdisjoint(clique)
    ]
    structure = network.structure.induced(variables).without_contexts()
    alone = MarkovNetwork.of_factors(structure, factors)
    return joint_of(alone, tuple(positions[v] for v in border), {})


def joined(network: MarkovNetwork, other: MarkovNetwork) -> MarkovNetwork:
    """Both networks as one, without edges between them."""
    first, second = network.structure, other.structure
    shift = len(first.domain)
    structure = MarkovStructure(
        Domain((*first.domain.variables, *second.domain.variables)),
        first.edges | {(i + shift, j + shift) for i, j in second.edges},
        {
            **first.contexts,
            **{(i + shift, j + shift): each for (i, j), each in second.contexts.items()},
        },
    )
    shifted = (tuple(v + shift for v in clique) for clique in second.maximal_cliques)
    return MarkovNetwork.of_factors(
        structure,
        [
            *zip(first.maximal_cliques, network.potentials, strict=True),
            *zip(shifted, other.potentials, strict=True),
        ],
    )
