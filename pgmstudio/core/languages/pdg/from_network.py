"""A Bayesian network as a decision graph, through its clique tree (Nielsen 2007, Algs. 4.13–4.17).

The new variables of a clique become a chain below the last variable of the clique above; each gets
a node for every combination of those before it in the clique. Given its separator to the
clique above, a clique depends only on itself and the cliques below: one pass of messages towards
the root gives P(new variables | separator) everywhere.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError, TooLargeError
from pgmstudio.core.graphs.junction_tree import CliqueTree
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.pdg.measures import refitted
from pgmstudio.core.languages.pdg.model import DecisionGraph, without_unreachable
from pgmstudio.core.large_counts import count_text

Indices = NDArray[np.int64]

# Which of a clique's new variables come first: those that most other cliques have too, so that
# these can hang above the rest; those with the fewest states; or as in the domain.
SHARED, FEWEST_STATES, COLUMNS = "shared", "fewest states", "columns"
ORDERS = (SHARED, FEWEST_STATES, COLUMNS)

# Maximum cells of all cliques together; larger graphs are of no use.
MAX_CELLS = 2**24


@dataclass(frozen=True)
class Rooted:
    """A rooted clique tree: the cliques, parents first, and the parent of each."""

    order: tuple[int, ...]
    above: tuple[int | None, ...]


def rooted(tree: CliqueTree, root: int | None = None) -> Rooted:
    """Each part from its largest clique; the part of `root` from that clique."""
    if root is not None and not 0 <= root < len(tree.cliques):
        raise GraphError(f"There is no clique {root + 1}; the tree has {len(tree.cliques)}.")
    near: list[list[int]] = [[] for _ in tree.cliques]
    for clique, parent in enumerate(tree.parents):
        if parent is not None:
            near[clique].append(parent)
            near[parent].append(clique)
    above: list[int | None] = [None] * len(tree.cliques)
    order: list[int] = []
    seen: set[int] = set()
    largest = sorted(range(len(tree.cliques)), key=lambda c: (-tree.cells[c], c))
    for top in ([] if root is None else [root]) + largest:
        if top in seen:
            continue
        waiting = [top]
        seen.add(top)
        while waiting:
            clique = waiting.pop()
            order.append(clique)
            for other in sorted(near[clique], reverse=True):
                if other not in seen:
                    seen.add(other)
                    above[other] = clique
                    waiting.append(other)
    return Rooted(tuple(order), tuple(above))


def compiled_graph(
    network: BayesianNetwork, root: int | None = None, *, order: str = FEWEST_STATES
) -> DecisionGraph:
    """The same distribution as a decision graph with at most twice the cells of the clique tree.

    `root` is the clique to begin with, the largest unless given; `order`, of ORDERS, is the order
    of a clique's new variables in its chain.
    """
    tree, domain = network.clique_tree, network.domain
    if tree.table_cells > MAX_CELLS:
        raise TooLargeError(
            f"The clique tree of this network has {count_text(tree.table_cells)} cells; a decision "
            f"graph can be made of {MAX_CELLS:,}. Remove edges or merge states."
        )
    cards, names = domain.cardinalities, domain.names
    seen_from = rooted(tree, root)
    chains = chains_of(tree, seen_from, order)
    conditionals = _conditionals(network, seen_from, chains)
    forest: list[int | None] = [None] * len(names)
    parameters: list[Floats] = [np.zeros((0, 0))] * len(names)
    successors: list[Indices | None] = [None] * len(names)
    for step in steps_of(tree, seen_from, chains):
        variable = step.variable
        table = conditionals[step.clique][chains[step.clique].index(variable)]
        parameters[variable] = table.reshape(-1, cards[variable])
        if step.path:
            forest[variable] = step.path[-1]
            successors[variable] = _projected(step.path, step.scope, cards)
    return DecisionGraph(domain, tuple(forest), tuple(parameters), tuple(successors))


@dataclass(frozen=True, slots=True)
class Placement:
    """The placement of a variable in the forest, below the last one of `path`.

    It has a node for every combination of the states of `scope`; the states of `path` determine
    which one a node of the variable above leads to.
    """

    clique: int
    variable: int
    path: tuple[int, ...]
    scope: tuple[int, ...]


def steps_of(
    tree: CliqueTree,
    seen_from: Rooted,
    chains: dict[int, tuple[int, ...]],
    *,
    is_early: bool = False,
) -> Iterator[Placement]:
    """Every variable, after the one above it.

    The chain of a clique hangs below the last variable of the clique above it (Alg. 4.14), or when
    `is_early` below the first one that determines the separator: by running intersection the scope
    of the shared variable that was placed last has the others.
    """
    leaves: dict[int, tuple[int, ...]] = {}  # of a clique: its variables in the order of the chain
    paths: dict[int, tuple[int, ...]] = {}  # of a variable: its scope and itself
    for clique in seen_from.order:
        parent = seen_from.above[clique]
        path = () if parent is None else leaves[parent]
        shared = [v for v in paths if v in tree.cliques[clique]]
        if is_early and shared:
            path = paths[shared[-1]]
        scope = tuple(v for v in path if v in shared)
        for variable in chains[clique]:
            yield Placement(clique, variable, path, scope)
            scope = path = paths[variable] = (*scope, variable)
        leaves[clique] = path


def chains_of(tree: CliqueTree, seen_from: Rooted, order: str) -> dict[int, tuple[int, ...]]:
    """The variables that each clique is the first to have, in the order of their chain."""
    shared = Counter(v for clique in tree.cliques for v in clique)
    sort_keys: dict[str, Callable[[int], tuple[int, ...]]] = {
        SHARED: lambda v: (-shared[v], tree.cardinalities[v], v),
        FEWEST_STATES: lambda v: (tree.cardinalities[v], v),
        COLUMNS: lambda v: (v,),
    }
    placed: set[int] = set()
    chains = {}
    for clique in seen_from.order:
        new = [v for v in tree.cliques[clique] if v not in placed]
        chains[clique] = tuple(sorted(new, key=sort_keys[order]))
        placed.update(new)
    return chains


def _projected(path: tuple[int, ...], scope: tuple[int, ...], cards: Sequence[int]) -> Indices:
    """For each node and state of the last variable of `path`, the node its values of `scope` name.

    A node is numbered by the states of the variables of its scope, the last running fastest.
    """
    shape = [cards[v] for v in path]
    result = np.zeros(shape, dtype=np.int64)
    for axis, variable in enumerate(path):
        if variable in scope:
            behind = scope[scope.index(variable) + 1 :]
            stride = math.prod(cards[v] for v in behind)
            sides = [1] * len(shape)
            sides[axis] = -1
            result += (np.arange(cards[variable]) * stride).reshape(sides)
    return result.reshape(-1, cards[path[-1]])


def _conditionals(
    network: BayesianNetwork, seen_from: Rooted, chains: dict[int, tuple[int, ...]]
) -> dict[int, list[Floats]]:
    """P(new variable | shared variables and the new ones before it), a table each.

    The shared variables stand in the order of the chain of the clique above them.
    """
    tree, cards = network.clique_tree, network.domain.cardinalities
    factors: dict[int, list[tuple[tuple[int, ...], Floats]]] = {c: [] for c in seen_from.order}
    homes = [set(clique) for clique in tree.cliques]
    for child, parents in enumerate(network.dag.parent_indices):
        family = (*parents, child)
        home = next(c for c in seen_from.order if homes[c].issuperset(family))
        factors[home].append((family, network.tables[child]))
    scopes: dict[int, tuple[int, ...]] = {}
    for clique in seen_from.order:
        parent = seen_from.above[clique]
        before = () if parent is None else scopes[parent]
        scopes[clique] = (*(v for v in before if v in homes[clique]), *chains[clique])
    result = {}
    for clique in reversed(seen_from.order):
        scope = scopes[clique]
        table = np.ones([cards[v] for v in scope])
        for variables, factor in factors[clique]:
            table = table * _aligned(factor, variables, scope)
        tables = []
        for variable in reversed(chains[clique]):
            sums = table.sum(axis=-1, keepdims=True)
            safe = np.where(sums > 0, sums, 1.0)
            tables.append(np.where(sums > 0, table / safe, 1.0 / cards[variable]))
            table = sums[..., 0]
        result[clique] = tables[::-1]
        parent = seen_from.above[clique]
        if parent is not None:
            shared = scope[: len(scope) - len(chains[clique])]
            top = float(table.max())
            factors[parent].append((shared, table / top if top > 0 else table))
    return result


def _aligned(table: Floats, variables: tuple[int, ...], scope: tuple[int, ...]) -> Floats:
    """The table with an axis for every variable of `scope`, of length 1 where it has none."""
    present = [v for v in scope if v in variables]
    turned = table.transpose([variables.index(v) for v in present])
    sizes = iter(turned.shape)
    return turned.reshape([next(sizes) if v in variables else 1 for v in scope])


# Reduction of decision graphs: unreached nodes collapsed, equal nodes merged, small joint tables.
# Nodes that no row reaches are replaced by one per variable (Nielsen 2007, §4.6.3). Over a chain
# of the variables a fully expanded graph represents every distribution (Lemma 4.5); nodes with
# equal distributions and equal edges are then merged.


def graph_of_rows(
    tree: CliqueTree, data: DataSet, *, order: str = FEWEST_STATES, is_early: bool = False
) -> DecisionGraph:
    """The graph of a clique tree without idle nodes, fitted to complete rows.

    The same as compiling, leaving out and fitting again, but nodes are made for what rows have and
    not for every combination of states: the time goes with the rows, however large the cliques are.
    `is_early` attaches a clique below the first variable that determines its separator, which more
    often leaves nodes that can be merged.
    """
    if max(tree.cells) >= 2**62:
        raise TooLargeError(
            "A clique of this network has too many combinations of states to be counted. Remove "
            "edges or merge states."
        )
    seen_from = rooted(tree)
    chains = chains_of(tree, seen_from, order)
    codes, cards = data.codes.astype(np.int64), data.domain.cardinalities
    size = len(cards)
    forest: list[int | None] = [None] * size
    successors: list[Indices | None] = [None] * size
    parameters = [np.full((1, card), 1 / card) for card in cards]
    firsts: dict[int, Indices] = {}  # a row of each node of a variable
    has_garbage = [False] * size
    for step in steps_of(tree, seen_from, chains, is_early=is_early):
        i, scope = step.variable, step.scope
        keys, first = np.unique(_key(codes, scope, cards), return_index=True)
        firsts[i] = first
        if not step.path:
            continue
        above = forest[i] = step.path[-1]
        is_full = keys.size == math.prod(cards[v] for v in scope)
        has_garbage[i] = has_garbage[above] or not is_full
        edges = _edges(step, codes[:, firsts[above]], keys, cards)
        if has_garbage[above]:
            edges = np.vstack([edges, np.full(edges.shape[1], keys.size, dtype=np.int64)])
        successors[i] = edges
        parameters[i] = np.full((keys.size + has_garbage[i], cards[i]), 1 / cards[i])
    graph = DecisionGraph(data.domain, tuple(forest), tuple(parameters), tuple(successors))
    return refitted(graph, data)


def _key(codes: Indices, scope: tuple[int, ...], cards: tuple[int, ...]) -> Indices:
    """The states of the variables as one number, the last running fastest."""
    result = np.zeros(codes.shape[1:], dtype=np.int64)
    for variable in scope:
        result = result * cards[variable] + codes[variable]
    return result


def _edges(step: Placement, samples: Indices, keys: Indices, cards: tuple[int, ...]) -> Indices:
    """For each node above, known by a row, and each state: the index of the node in `keys`, or
    their number when no row has that node."""
    above = step.path[-1]
    wanted = np.zeros((samples.shape[1], cards[above]), dtype=np.int64)
    for variable in step.scope:
        states = samples[variable][:, None] if variable != above else np.arange(cards[above])
        wanted = wanted * cards[variable] + states
    indices = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return np.where(keys[indices] == wanted, indices, keys.size)


# Distributions that agree to so many digits are the same.
_DIGITS = 12


def reduced(graph: DecisionGraph) -> DecisionGraph:
    """The same distribution with equal nodes made one, from the leaves of the forest upwards.

    The target of the edge of an impossible state does not matter: it is set to that of the most
    probable state, so that it neither distinguishes two nodes nor keeps an otherwise unreachable
    one.
    """
    parameters, successors = list(graph.parameters), list(graph.successors)
    for i in reversed(graph.order):
        columns = [np.round(parameters[i], _DIGITS) + 0.0]  # no minus zero
        is_impossible = parameters[i] == 0
        likeliest = parameters[i].argmax(axis=1)[:, None]
        for child in graph.children[i]:
            edges = successors[child]
            assert edges is not None
            edges = np.where(is_impossible, np.take_along_axis(edges, likeliest, axis=1), edges)
            successors[child] = edges
            columns.append(edges.astype(np.float64))
        _, first, group = np.unique(
            np.hstack(columns), axis=0, return_index=True, return_inverse=True
        )
        order = np.argsort(first)
        representatives, index = first[order], np.argsort(order)[group.ravel()]
        parameters[i] = parameters[i][representatives]
        for child in graph.children[i]:
            edges = successors[child]
            assert edges is not None
            successors[child] = edges[representatives]
        mine = successors[i]
        if mine is not None:
            successors[i] = index[mine]
    return without_unreachable(
        graph.domain, graph.forest, tuple(parameters), tuple(successors), graph.order
    )


def graph_of_joint(domain: Domain, joint: Floats) -> DecisionGraph:
    """A chain in the order of the domain with this joint distribution, equal nodes made one."""
    cards = domain.cardinalities
    parameters: list[Floats] = []
    table = np.asarray(joint, dtype=np.float64).reshape(cards)
    for card in reversed(cards):
        sums = table.sum(axis=-1, keepdims=True)
        rows = np.where(sums > 0, table / np.where(sums > 0, sums, 1.0), 1.0 / card)
        parameters.append(rows.reshape(-1, card))
        table = sums[..., 0]
    parameters.reverse()
    successors: list[Indices | None] = [None]
    for rows in parameters[:-1]:
        successors.append(np.arange(rows.size).reshape(rows.shape))
    forest = (None, *range(len(cards) - 1))
    return reduced(DecisionGraph(domain, forest, tuple(parameters), tuple(successors)))
