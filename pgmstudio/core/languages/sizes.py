"""What the sizes of a model are made of: parameters per variable, table cells per clique."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.model import Model


@dataclass(frozen=True, slots=True)
class FamilySize:
    """One table: (|R(X)| − 1) free parameters in each of its Π|R(pa)| rows (eq. 3.21)."""

    variable: str
    parents: tuple[str, ...]
    rows: int
    free: int


@dataclass(frozen=True, slots=True)
class CliqueSize:
    """One clique with the cells of its table, Π|R(X)| (eq. 3.20)."""

    variables: tuple[str, ...]
    cells: int


@dataclass(frozen=True)
class SizeBreakdown:
    """Both lists in the order of the model; empty where a language has no such thing.

    Their sums are `representation_size()` and `effective_size()`, the latter for the triangulation
    that was found, whose method is named: another one may give another number.
    """

    families: tuple[FamilySize, ...] = ()
    cliques: tuple[CliqueSize, ...] = ()
    triangulator: str = ""


def size_breakdown(model: Model) -> SizeBreakdown:
    """Takes as long as triangulating the graph, once per model."""
    if isinstance(model, Tree):
        return SizeBreakdown(
            _families(model.as_bayesian_network), _tree_cliques(model), "a tree is its own"
        )
    if not isinstance(model, BayesianNetwork):
        return SizeBreakdown()
    names, tree = model.domain.names, model.clique_tree
    cliques = tuple(
        CliqueSize(tuple(names[v] for v in clique), cells)
        for clique, cells in zip(tree.cliques, tree.cells, strict=True)
    )
    return SizeBreakdown(_families(model), cliques, tree.method)


def _families(network: BayesianNetwork) -> tuple[FamilySize, ...]:
    return tuple(
        FamilySize(
            name,
            network.dag.parents(name),
            math.prod(table.shape[:-1]),
            math.prod(table.shape[:-1]) * (table.shape[-1] - 1),
        )
        for name, table in zip(network.domain.names, network.tables, strict=True)
    )


def _tree_cliques(tree: Tree) -> tuple[CliqueSize, ...]:
    """Its edges and its lonely variables."""
    domain, has_child = tree.domain, {p for p in tree.parents if p is not None}
    found = []
    scope: tuple[int, ...]
    for child, parent in enumerate(tree.parents):
        if parent is not None:
            scope = (parent, child)
        elif child not in has_child:
            scope = (child,)
        else:
            continue
        cells = math.prod(domain.cardinalities[v] for v in scope)
        found.append(CliqueSize(tuple(domain.names[v] for v in scope), cells))
    return tuple(found)
