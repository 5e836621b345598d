"""Conversions of mixtures of trees.

A mixture becomes a network whose root is the component. Along an order of the variables, the
variables of every tree are eliminated from the last to the first: the product of the factors that
contain a variable, divided by its sum, is P(variable | the others in it), and the sum remains as a
factor. The parents of a variable are those that it needs in any of the trees, and the component.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import GraphError, TooLargeError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.model import LatentClasses, free_name
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.large_counts import count_text

Neighbours = dict[int, set[int]]


# Maximum cells of all tables together; larger networks are of no use.
MAX_CELLS = 2**21


# Maximum number of orders tried for small tables when trees have different edges.
_MAX_ORDERS = 24


def mixture_of_tree(tree: Tree) -> TreeMixture:
    """A mixture of one tree."""
    return TreeMixture(tree.domain, np.ones(1), (tree,))


def mixture_of_classes(model: LatentClasses) -> TreeMixture:
    """A tree without edges for every class."""
    alone = (None,) * len(model.domain)
    trees = tuple(
        Tree(model.domain, alone, tuple(table[c] for table in model.tables))
        for c in range(model.class_count)
    )
    return TreeMixture(model.domain, model.weights, trees)


def classes_of_mixture(mixture: TreeMixture) -> LatentClasses:
    """Latent classes; GraphError if the component is observed or a tree has an edge."""
    _refuse(no_classes_of_mixture_reason(mixture))
    columns = range(len(mixture.domain))
    tables = tuple(np.stack([tree.tables[index] for tree in mixture.trees]) for index in columns)
    return LatentClasses(mixture.domain, mixture.weights, tables, free_name(mixture.domain))


def _refuse(reason: str | None) -> None:
    if reason is not None:
        raise GraphError(reason)


def no_classes_of_mixture_reason(mixture: TreeMixture) -> str | None:
    """The reason why a mixture is not a latent class model; None if it is."""
    if mixture.choice is not None:
        return f"the component is observed, as {mixture.choice}; classes are hidden."
    if mixture.edge_counts:
        one, other = next(iter(mixture.edge_counts))
        return f"{one} – {other} is an edge; variables of a latent class model have none."
    return None


def network_of_mixture(mixture: TreeMixture) -> BayesianNetwork:
    """A network with the component as its root: the choice variable, or a new last one.

    TooLargeError when the trees differ so much that its tables would hold too many numbers.
    """
    order, cells = _best_order(mixture)
    if cells > MAX_CELLS:
        raise TooLargeError(
            f"Trees with such different edges have no common graph with small tables: "
            f"{count_text(cells)} numbers would be needed, {MAX_CELLS:,} are possible. Learn a "
            "mixture with shared edges, or keep it as it is."
        )
    if mixture.choice is not None:
        domain, root = mixture.domain, mixture.domain.index(mixture.choice)
    else:
        hidden = Variable(component_root(mixture), mixture.component_names)
        domain, root = Domain((*mixture.domain.variables, hidden)), len(mixture.domain)
    position = [domain.index(name) for name in mixture.tree_domain.names]
    each = [_conditionals(tree, order) for tree in mixture.trees]
    parents: list[tuple[int, ...]] = [()] * len(domain)
    tables: list[Floats] = [mixture.weights] * len(domain)
    for variable in order:
        needed = sorted({p for tables_of_tree in each for p in tables_of_tree[variable][0]})
        shape = [mixture.tree_domain.cardinalities[i] for i in (*needed, variable)]
        by_tree = np.stack(
            [_spread(*tables_of_tree[variable], needed, shape) for tables_of_tree in each]
        )
        listed = [*(position[p] for p in needed), root]
        axes = sorted(range(len(listed)), key=listed.__getitem__)
        table = np.moveaxis(by_tree, 0, -2)  # component behind the other parents
        parents[position[variable]] = tuple(sorted(listed))
        tables[position[variable]] = table.transpose(*axes, len(listed))
    dag = Dag(domain.names, tuple(parents))
    return BayesianNetwork(domain, dag, tuple(tables))


def component_root(mixture: TreeMixture) -> str:
    """The name of the root of that network."""
    return mixture.choice or free_name(mixture.domain, "component")


def edges_with_root(mixture: TreeMixture) -> tuple[tuple[str, str], ...]:
    """The edges of `network_of_mixture`, also where its tables would be too large."""
    order, _ = _best_order(mixture)
    along = [_parents_along(_neighbours(tree), order) for tree in mixture.trees]
    names, root = mixture.tree_domain.names, component_root(mixture)
    result: list[tuple[str, str]] = []
    for variable in order:
        needed = sorted(set[int]().union(*(parents[variable] for parents in along)))
        result += [(names[parent], names[variable]) for parent in needed]
        result.append((root, names[variable]))
    return tuple(result)


def _spread(
    parents: Sequence[int], table: Floats, wanted: Sequence[int], shape: list[int]
) -> Floats:
    """A table P(x | parents) extended to more parents, which have no effect."""
    axes = [shape[i] if p in parents else 1 for i, p in enumerate(wanted)]
    return np.broadcast_to(table.reshape(*axes, shape[-1]), shape)


def _conditionals(tree: Tree, order: Sequence[int]) -> dict[int, tuple[tuple[int, ...], Floats]]:
    """P(x | those before it that it needs) along the order; parents sorted, x on the last axis."""
    factors: list[tuple[tuple[int, ...], Floats]] = []
    for index, (parent, table) in enumerate(zip(tree.parents, tree.tables, strict=True)):
        factors.append(((index,), table) if parent is None else ((parent, index), table))
    result = {}
    for variable in reversed(order):
        mine = [factor for factor in factors if variable in factor[0]]
        factors = [factor for factor in factors if variable not in factor[0]]
        others = tuple(sorted({p for scope, _ in mine for p in scope} - {variable}))
        out = (*others, variable)
        axis_of = {p: i for i, p in enumerate(out)}
        operands: list[Any] = []
        for scope, table in mine:
            operands += [table, [axis_of[p] for p in scope]]
        product = np.einsum(*operands, list(range(len(out))))
        sums = product.sum(axis=-1, keepdims=True)
        cards = product.shape[-1]
        rows = np.where(sums > 0, product / np.where(sums > 0, sums, 1), 1 / cards)
        result[variable] = (others, rows)
        factors.append((others, sums[..., 0]))
    return result


def _best_order(mixture: TreeMixture) -> tuple[list[int], int]:
    """Of the trees' own orders and one from the union of their edges, that of smallest tables."""
    graphs = [_neighbours(tree) for tree in mixture.trees]
    union: Neighbours = {v: set() for v in range(len(mixture.tree_domain))}
    for graph in graphs:
        for v, others in graph.items():
            union[v] |= others
    tried = [list(t.as_bayesian_network.dag.topological_order) for t in mixture.trees]
    tried = [_few_neighbours(union), *tried[:_MAX_ORDERS]]
    cards, count = mixture.tree_domain.cardinalities, len(mixture.trees)

    def cells(order: Sequence[int]) -> int:
        needed = [_parents_along(graph, order) for graph in graphs]
        return count * sum(
            math.prod(cards[p] for p in {v}.union(*(parents[v] for parents in needed)))
            for v in order
        )

    sizes = [cells(order) for order in tried]
    best = sizes.index(min(sizes))
    return tried[best], sizes[best]


def _neighbours(tree: Tree) -> Neighbours:
    result: Neighbours = {v: set() for v in range(len(tree.domain))}
    for v, parent in enumerate(tree.parents):
        if parent is not None:
            result[v].add(parent)
            result[parent].add(v)
    return result


def _parents_along(graph: Neighbours, order: Sequence[int]) -> Neighbours:
    """The parents of each variable when the variables are eliminated in reverse order."""
    left = {v: set(others) for v, others in graph.items()}
    result: Neighbours = {}
    for v in reversed(order):
        result[v] = left.pop(v)
        for other in result[v]:
            left[other] |= result[v]
            left[other] -= {v, other}
    return result


def _few_neighbours(graph: Neighbours) -> list[int]:
    """The order whose last variable has the fewest neighbours, and so on."""
    left = {v: set(others) for v, others in graph.items()}
    order = []
    while left:
        v = min(left, key=lambda one: (len(left[one]), -one))
        mine = left.pop(v)
        for other in mine:
            left[other] |= mine
            left[other] -= {v, other}
        order.append(v)
    return order[::-1]


def mixture_of_network(network: BayesianNetwork) -> TreeMixture:
    """A mixture of one tree, from a network in which every variable has one parent at most."""
    return mixture_of_tree(Tree.from_bayesian_network(network))
