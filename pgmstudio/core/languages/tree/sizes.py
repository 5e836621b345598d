"""The sizes of a tree: parameters per table, cells per edge."""

from __future__ import annotations

import math

from pgmstudio.core.languages.bayesian_network.sizes import families_of
from pgmstudio.core.languages.sizes import CliqueSize, SizeBreakdown
from pgmstudio.core.languages.tree.model import Tree


def _tree_cliques(tree: Tree) -> tuple[CliqueSize, ...]:
    """Its edges and its lonely variables."""
    domain = tree.domain
    has_child = {p for p in tree.parents if p is not None}
    result = []
    scope: tuple[int, ...]
    for child, parent in enumerate(tree.parents):
        if parent is not None:
            scope = (parent, child)
        elif child not in has_child:
            scope = (child,)
        else:
            continue
        cells = math.prod(domain.cardinalities[v] for v in scope)
        result.append(CliqueSize(tuple(domain.names[v] for v in scope), cells))
    return tuple(result)


def tree_sizes(tree: Tree) -> SizeBreakdown:
    """The tables and the edges of a tree."""
    return SizeBreakdown(
        families_of(tree.as_bayesian_network), _tree_cliques(tree), "a tree is its own"
    )
