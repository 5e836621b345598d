"""A model in another language with the very same distribution, where that can be had.

A mixture becomes a network whose root is the component. Along an order of the variables, every
tree is taken apart from the last variable to the first: the product of the factors that hold a
variable is P(variable | the others in it) once it is divided by its sum, and the sum goes on. The
parents of a variable are what it needs in any of the trees, and the component.

Whether a model in another language has the very same distribution: KL(before ‖ after) in bits.

Over all joint states of what both speak about where these are few, else over rows drawn from the
first; what only one of them has, a hidden component, is summed out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import GraphError, TooLargeError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.kinds import a_kind
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.ldag.labels import labelled_from_rows
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.pdg.from_network import compiled_graph
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.reduction import graph_of_joint, reduced
from pgmstudio.core.languages.pdg.to_network import network_of_graph
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.components import component_names
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.large_counts import count_text
from pgmstudio.core.model import Model, ProbabilisticModel

Floats = NDArray[np.float64]
Neighbours = dict[int, set[int]]

# All tables together; a network that needs more is no help to anybody.
MAX_CELLS = 2**21
# Of a mixture whose component is hidden, as a decision graph: every joint state is looked at.
MAX_STATES = 2**16
# Trees with other edges each are looked through in so many orders for small tables.
_MAX_ORDERS = 24


def network_of_tree(tree: Tree) -> BayesianNetwork:
    """Every edge away from the root of its part."""
    return tree.as_bayesian_network


def network_of_classes(model: LatentClasses) -> BayesianNetwork:
    """The star whose root is the class, as its last variable."""
    return model.as_bayesian_network


def tree_of_network(network: BayesianNetwork) -> Tree:
    """GraphError names a variable with more than one parent."""
    return Tree.from_bayesian_network(network)


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
    """GraphError when the component is seen, or a tree has an edge."""
    _refuse(no_classes_of_mixture_reason(mixture))
    columns = range(len(mixture.domain))
    tables = tuple(np.stack([tree.tables[place] for tree in mixture.trees]) for place in columns)
    return LatentClasses(mixture.domain, mixture.weights, tables, free_name(mixture.domain))


def classes_of_network(network: BayesianNetwork) -> LatentClasses:
    """Naive Bayes whose class becomes hidden; GraphError when the graph is no such star."""
    _refuse(no_classes_reason(network))
    root = next(name for name in network.domain.names if not network.dag.parents(name))
    items = network.domain.restricted_to(n for n in network.domain.names if n != root)
    tables = tuple(network.table(name) for name in items.names)
    return LatentClasses(items, network.table(root), tables, root)


def graph_of_network(network: BayesianNetwork) -> DecisionGraph:
    """Through its clique tree, with equal nodes made one."""
    return reduced(compiled_graph(network))


def graph_of_tree(tree: Tree) -> DecisionGraph:
    """The forest of variables is the tree; a node for every state of the variable above."""
    cards = tree.domain.cardinalities
    rows = [1 if above is None else cards[above] for above in tree.parents]
    parameters = tuple(
        table.reshape(count, -1) for table, count in zip(tree.tables, rows, strict=True)
    )
    successors = tuple(
        None if above is None else np.tile(np.arange(cards[above]), (rows[above], 1))
        for above in tree.parents
    )
    return reduced(DecisionGraph(tree.domain, tree.parents, parameters, successors))


def graph_of_components(model: TreeMixture | LatentClasses) -> DecisionGraph:
    """Through its network where the component is seen; else by looking at every joint state."""
    if isinstance(model, TreeMixture) and model.choice is not None:
        return graph_of_network(network_of_mixture(model))
    domain, states = model.domain, model.domain.joint_states()
    if states > MAX_STATES:
        raise TooLargeError(
            f"A mixture whose component is hidden becomes a decision graph by looking at all its "
            f"joint states: {count_text(states)}, where {MAX_STATES:,} are possible. Make a "
            "Bayesian network of it instead, or leave out variables."
        )
    codes = np.indices(domain.cardinalities).reshape(len(domain), -1)
    rows = DataSet(domain, codes.astype(code_dtype(domain)))
    return graph_of_joint(domain, np.exp2(model.log2_probabilities(rows)))


def labelled_of_mixture(mixture: TreeMixture) -> LabelledDag:
    """Its network, with a label wherever a tree does without an edge that another one has."""
    return labelled_from_rows(network_of_mixture(mixture))


def network_of_labelled(model: LabelledDag) -> BayesianNetwork:
    """Every row of every table written out."""
    return model.as_bayesian_network


def graph_of_labelled(model: LabelledDag) -> DecisionGraph:
    """Through the network with every row written out."""
    return graph_of_network(model.as_bayesian_network)


def _refuse(reason: str | None) -> None:
    if reason is not None:
        raise GraphError(reason)


def no_tree_reason(network: BayesianNetwork) -> str | None:
    """What keeps a network from being a tree, in a sentence; None when it is one."""
    for name, parents in zip(network.domain.names, network.dag.parent_indices, strict=True):
        if len(parents) > 1:
            return f"{name} has {len(parents)} parents; in a tree it may have one."
    return None


def no_classes_reason(network: BayesianNetwork) -> str | None:
    """What keeps a network from being naive Bayes, in a sentence; None when it is."""
    names, parents = network.domain.names, network.dag.parent_indices
    roots = [place for place, some in enumerate(parents) if not some]
    if len(roots) != 1 or len(names) < 2:
        return f"latent classes have one root over their items; this network has {len(roots)}."
    for name, some in zip(names, parents, strict=True):
        if some and tuple(some) != (roots[0],):
            return f"{name} has another parent than {names[roots[0]]}; classes have no such edges."
    return None


def no_classes_of_mixture_reason(mixture: TreeMixture) -> str | None:
    """What keeps a mixture from being one of latent classes; None when nothing does."""
    if mixture.choice is not None:
        return f"the component is seen, as {mixture.choice}; classes are hidden."
    if mixture.edge_counts:
        one, other = next(iter(mixture.edge_counts))
        return f"{one} – {other} is an edge; items of latent classes have none."
    return None


_REASONS: Mapping[tuple[str, str], Callable[[Any], str | None]] = {
    (BayesianNetwork.kind, Tree.kind): no_tree_reason,
    (BayesianNetwork.kind, LatentClasses.kind): no_classes_reason,
    (TreeMixture.kind, LatentClasses.kind): no_classes_of_mixture_reason,
}


def not_converted_reason(model: Model, kind: str) -> str | None:
    """Why the model cannot become one of this kind, as far as its graph tells at once."""
    if kind == model.kind:
        return "it is one already."
    if kind not in CONVERSIONS.get(model.kind, {}):
        return f"{a_kind(model.kind)} cannot become {a_kind(kind)}."
    reason = _REASONS.get((model.kind, kind))
    return None if reason is None else reason(model)


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
        hidden = Variable(component_root(mixture), component_names(mixture))
        domain, root = Domain((*mixture.domain.variables, hidden)), len(mixture.domain)
    place = [domain.index(name) for name in mixture.tree_domain.names]
    each = [_conditionals(tree, order) for tree in mixture.trees]
    parents: list[tuple[int, ...]] = [()] * len(domain)
    tables: list[Floats] = [mixture.weights] * len(domain)
    for variable in order:
        needed = sorted({p for found in each for p in found[variable][0]})
        shape = [mixture.tree_domain.cardinalities[i] for i in (*needed, variable)]
        by_tree = np.stack([_spread(*found[variable], needed, shape) for found in each])
        listed = [*(place[p] for p in needed), root]
        axes = sorted(range(len(listed)), key=listed.__getitem__)
        table = np.moveaxis(by_tree, 0, -2)  # component behind the other parents
        parents[place[variable]] = tuple(sorted(listed))
        tables[place[variable]] = table.transpose(*axes, len(listed))
    dag = Dag(domain.names, tuple(parents))
    return BayesianNetwork(domain, dag, tuple(tables))


def component_root(mixture: TreeMixture) -> str:
    """What the root of that network is called."""
    return mixture.choice or free_name(mixture.domain, "component")


def edges_with_root(mixture: TreeMixture) -> tuple[tuple[str, str], ...]:
    """The edges of `network_of_mixture`, also where its tables would be too large."""
    order, _ = _best_order(mixture)
    along = [_parents_along(_neighbours(tree), order) for tree in mixture.trees]
    names, root = mixture.tree_domain.names, component_root(mixture)
    found: list[tuple[str, str]] = []
    for variable in order:
        needed = sorted(set[int]().union(*(parents[variable] for parents in along)))
        found += [(names[parent], names[variable]) for parent in needed]
        found.append((root, names[variable]))
    return tuple(found)


def _spread(
    parents: Sequence[int], table: Floats, wanted: Sequence[int], shape: list[int]
) -> Floats:
    """A table P(x | parents) over more parents, which say nothing."""
    axes = [shape[i] if p in parents else 1 for i, p in enumerate(wanted)]
    return np.broadcast_to(table.reshape(*axes, shape[-1]), shape)


def _conditionals(tree: Tree, order: Sequence[int]) -> dict[int, tuple[tuple[int, ...], Floats]]:
    """P(x | those before it that it needs) along the order; parents sorted, x on the last axis."""
    factors: list[tuple[tuple[int, ...], Floats]] = []
    for place, (parent, table) in enumerate(zip(tree.parents, tree.tables, strict=True)):
        factors.append(((place,), table) if parent is None else ((parent, place), table))
    found = {}
    for variable in reversed(order):
        mine = [factor for factor in factors if variable in factor[0]]
        factors = [factor for factor in factors if variable not in factor[0]]
        others = tuple(sorted({p for scope, _ in mine for p in scope} - {variable}))
        out = (*others, variable)
        letters = {p: i for i, p in enumerate(out)}
        operands: list[Any] = []
        for scope, table in mine:
            operands += [table, [letters[p] for p in scope]]
        product = np.einsum(*operands, list(range(len(out))))
        sums = product.sum(axis=-1, keepdims=True)
        cards = product.shape[-1]
        rows = np.where(sums > 0, product / np.where(sums > 0, sums, 1), 1 / cards)
        found[variable] = (others, rows)
        factors.append((others, sums[..., 0]))
    return found


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
    found: Neighbours = {v: set() for v in range(len(tree.domain))}
    for v, parent in enumerate(tree.parents):
        if parent is not None:
            found[v].add(parent)
            found[parent].add(v)
    return found


def _parents_along(graph: Neighbours, order: Sequence[int]) -> Neighbours:
    """Who stands before a variable in the factor it is taken out of."""
    left = {v: set(others) for v, others in graph.items()}
    found: Neighbours = {}
    for v in reversed(order):
        found[v] = left.pop(v)
        for other in found[v]:
            left[other] |= found[v]
            left[other] -= {v, other}
    return found


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


def free_name(domain: Domain, name: str = "class") -> str:
    """A name for a hidden variable that no column has."""
    while name in domain:
        name = f"hidden {name}"
    return name


CONVERSIONS: Mapping[str, Mapping[str, Callable[[Any], Model]]] = {
    BayesianNetwork.kind: {
        Tree.kind: tree_of_network,
        LatentClasses.kind: classes_of_network,
        DecisionGraph.kind: graph_of_network,
        LabelledDag.kind: labelled_from_rows,
    },
    Tree.kind: {
        BayesianNetwork.kind: network_of_tree,
        TreeMixture.kind: mixture_of_tree,
        DecisionGraph.kind: graph_of_tree,
    },
    TreeMixture.kind: {
        BayesianNetwork.kind: network_of_mixture,
        LatentClasses.kind: classes_of_mixture,
        DecisionGraph.kind: graph_of_components,
        LabelledDag.kind: labelled_of_mixture,
    },
    LatentClasses.kind: {
        BayesianNetwork.kind: network_of_classes,
        TreeMixture.kind: mixture_of_classes,
        DecisionGraph.kind: graph_of_components,
    },
    DecisionGraph.kind: {BayesianNetwork.kind: network_of_graph},
    LabelledDag.kind: {
        BayesianNetwork.kind: network_of_labelled,
        DecisionGraph.kind: graph_of_labelled,
    },
}


def converted(model: Model, kind: str) -> Model:
    """The same distribution in another language; GraphError says what stands in the way."""
    if model.kind == kind:
        return model
    ways = CONVERSIONS.get(model.kind, {})
    if kind not in ways:
        known = ", ".join(ways) or "none"
        refused = f"{a_kind(model.kind)} cannot become {a_kind(kind)}"
        raise GraphError(f"{refused[:1].upper()}{refused[1:]}; what it can become: {known}.")
    return ways[kind](model)


MAX_COMPARED_STATES = 2**18
DRAWN_ROWS = 2000
# Bits by which rounding may make equal distributions differ.
ROUNDING_BITS = 1e-9


@dataclass(frozen=True, slots=True)
class SameDistribution:
    """The divergence in bits, over all joint states or over rows drawn from the first model."""

    bits: float
    cases: int
    is_exact: bool

    @property
    def is_same(self) -> bool:
        return abs(self.bits) < ROUNDING_BITS

    def sentence(self) -> str:
        """What was found, for people."""
        number = "0" if self.is_same else f"{self.bits:.3g}"
        over = "over all {} joint states" if self.is_exact else "on {} rows drawn from it"
        found = f"KL = {number} bits {over.format(f'{self.cases:,}'.replace(',', ' '))}"
        return f"The same distribution: {found}." if self.is_same else f"Not the same: {found}."


def same_distribution(before: Model, after: Model, cancel: CancelToken = NEVER) -> SameDistribution:
    """KL(before ‖ after) over the variables that both have; both have probabilities."""
    assert isinstance(before, ProbabilisticModel)
    assert isinstance(after, ProbabilisticModel)
    common = before.domain.restricted_to(n for n in before.domain.names if n in after.domain)
    is_exact = common.joint_states() <= MAX_COMPARED_STATES
    if is_exact:
        codes = np.indices(common.cardinalities).reshape(len(common), -1)
        rows = DataSet(common, codes.astype(code_dtype(common)))
    else:
        drawn = before.sample(DRAWN_ROWS, np.random.default_rng(0))
        rows = drawn.select_columns(common.names)
    one, other = (_log2_of(model, rows, cancel) for model in (before, after))
    weights = np.exp2(one) if is_exact else np.full(rows.row_count, 1 / rows.row_count)
    held = weights > 0
    with np.errstate(invalid="ignore"):
        bits = float((weights[held] * (one[held] - other[held])).sum())
    return SameDistribution(bits, rows.row_count, is_exact)


def _log2_of(model: ProbabilisticModel, rows: DataSet, cancel: CancelToken) -> NDArray[np.float64]:
    """log2 of the probability of each row, the model's other variables summed out."""
    hidden = [variable for variable in model.domain if variable.name not in rows.domain]
    domain = Domain((*rows.domain.variables, *hidden))
    logs = np.full(rows.row_count, -math.inf)
    for states in product(*(range(variable.cardinality) for variable in hidden)):
        cancel.raise_if_cancelled()
        more = np.tile(np.array(states, dtype=np.int64)[:, None], (1, rows.row_count))
        whole = np.concatenate((rows.codes.astype(np.int64), more)).astype(code_dtype(domain))
        data = DataSet(domain, whole).select_columns(model.domain.names)
        logs = np.logaddexp2(logs, model.log2_probabilities(data))
    return logs
