"""Decomposable graphs with strata: when they are one, and their marginal likelihood.

A chordal graph has the marginal likelihood Π_C P(x_C) / Π_S P(x_S) over its cliques and separators,
each a Dirichlet-multinomial with the same equivalent sample size: the BDeu score of any DAG with
the same independences. Contexts of its edges, here called strata, keep the closed form if no edge
of a separator has one, and if all edges of a clique that have one share a variable. With that
variable last, P(x_C) is P of the others times a table of the last one whose rows are merged by the
strata (Nyman, Pensar, Koski and Corander 2014).

Scores are in bits; higher is better.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.markov_network.pseudo_likelihood import (
    PseudoLikelihood,
    bits_of,
    merges_of,
    neighbour_masks,
)
from pgmstudio.core.languages.markov_network.structure import Edge, MarkovStructure, edge_of


def elimination(masks: Sequence[int]) -> list[tuple[int, int]] | None:
    """Every variable with its neighbours that come later, all of them joined; None if the graph is
    not chordal."""
    left = (1 << len(masks)) - 1
    order = []
    while left:
        for node in bits_of(left):
            near = masks[node] & left
            if is_complete(masks, near):
                order.append((node, near))
                left ^= 1 << node
                break
        else:
            return None
    return order


def is_complete(masks: Sequence[int], members: int) -> bool:
    """Whether every two of the variables are adjacent."""
    return all(not members & ~(masks[node] | 1 << node) for node in bits_of(members))


def chordal_total(
    scores: PseudoLikelihood, masks: Sequence[int], cancel: CancelToken = NEVER
) -> float:
    """The marginal likelihood of a chordal graph; −inf for another graph, or too large a table."""
    order = elimination(masks)
    if order is None:
        return -math.inf
    return math.fsum(scores.local(node, later, cancel=cancel) for node, later in order)


def single_clique(masks: Sequence[int], edge: Edge) -> int | None:
    """The clique of an edge that is in one only; None for an edge of a separator."""
    i, j = edge
    common = masks[i] & masks[j]
    return common | 1 << i | 1 << j if is_complete(masks, common) else None


@dataclass(frozen=True, slots=True)
class StrataCheck:
    """A condition of the closed form, and a message for each place where it does not hold."""

    title: str
    problems: tuple[str, ...] = ()


def strata_checks(structure: MarkovStructure) -> tuple[StrataCheck, ...]:
    """The conditions in order; only the first one where the graph is not chordal."""
    names = structure.domain.names
    cycle = structure.chordless_cycle
    if cycle is not None:
        ring = " – ".join(names[v] for v in (*cycle, cycle[0]))
        problem = f"The graph is not chordal: {ring} has no chord."
        return (StrataCheck("The graph is chordal", (problem,)),)
    masks = neighbour_masks(len(names), structure.edges)
    cliques: dict[int, list[Edge]] = {}
    inside, apart = [], []
    for edge in structure.contexts:
        clique = single_clique(masks, edge)
        if clique is None:
            text = structure.edge_text(edge)
            inside.append(f"{text} is in a separator, where no edge may have a stratum.")
        else:
            cliques.setdefault(clique, []).append(edge)
    for clique, edges in cliques.items():
        if not frozenset.intersection(*map(frozenset, edges)):
            texts = ", ".join(map(structure.edge_text, sorted(edges)))
            members = ", ".join(names[v] for v in bits_of(clique))
            apart.append(
                f"The edges with strata of the clique {members} share no variable: {texts}."
            )
    return (
        StrataCheck("The graph is chordal"),
        StrataCheck("No edge of a separator has a stratum", tuple(inside)),
        StrataCheck("In each clique the edges with strata share a variable", tuple(apart)),
    )


def strata_problems(structure: MarkovStructure) -> Iterator[str]:
    """Why the structure has no closed form, a message for each reason; none if it has one."""
    for check in strata_checks(structure):
        yield from check.problems


def stratified_total(
    scores: PseudoLikelihood, structure: MarkovStructure, cancel: CancelToken = NEVER
) -> float:
    """The marginal likelihood of a decomposable graph with strata, without a prior of these."""
    masks = neighbour_masks(len(structure.domain), structure.edges)
    total = chordal_total(scores, masks, cancel)
    for clique, last in _last_variables(structure, masks).items():
        inside = [mask & clique if clique >> v & 1 else 0 for v, mask in enumerate(masks)]
        merges = merges_of(last, inside, structure.contexts)
        blanket = clique ^ 1 << last
        total += scores.local(last, blanket, merges, cancel)
        total -= scores.local(last, blanket, cancel=cancel)
    return total


def _last_variables(structure: MarkovStructure, masks: Sequence[int]) -> dict[int, int]:
    """The variable that the edges with strata of each clique share, the smallest of several."""
    result: dict[int, frozenset[int]] = {}
    for edge in structure.contexts:
        clique = single_clique(masks, edge)
        if clique is not None:
            result[clique] = result.get(clique, frozenset(edge)) & frozenset(edge)
    return {clique: min(shared) for clique, shared in result.items()}


def free_edges(masks: Sequence[int], clique: int) -> frozenset[Edge]:
    """The edges of a maximal clique that are in no separator."""
    members = bits_of(clique)
    return frozenset(
        edge_of(i, j)
        for n, i in enumerate(members)
        for j in members[n + 1 :]
        if masks[i] & masks[j] | 1 << i | 1 << j == clique
    )


def maximal_cliques(masks: Sequence[int]) -> list[int]:
    """The maximal cliques of a chordal graph, as bits."""
    order = elimination(masks)
    assert order is not None
    cliques = [later | 1 << node for node, later in order]
    # A clique of the order is maximal unless an earlier variable's contains it.
    return [
        clique
        for n, clique in enumerate(cliques)
        if not any(clique & ~earlier == 0 for earlier in cliques[:n])
    ]
