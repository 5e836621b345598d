"""Trees and forests: every variable has at most one parent (Meilă 1999; Chow and Liu 1968).

Stored in directed form, a root per component. As a distribution the direction does not matter; as
knowledge about edges it does. `TreeArrays` has several trees over the same variables as flat
arrays, for loops that visit every table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork, Table
from pgmstudio.core.languages.components import spread_bits
from pgmstudio.core.model import SealedFields


@dataclass(frozen=True, eq=False)
class Tree(SealedFields):
    """`parents[i]` is the parent's index or None; tables as in a Bayesian network."""

    domain: Domain
    parents: tuple[int | None, ...]
    tables: tuple[Table, ...]

    kind = "tree"

    def __post_init__(self) -> None:
        if len(self.parents) != len(self.domain):
            raise GraphError(f"{len(self.domain)} variables have {len(self.parents)} parents.")
        # The network checks shapes, sums and cycles, and seals the tables.
        object.__setattr__(self, "tables", self.as_bayesian_network.tables)

    @cached_property
    def as_bayesian_network(self) -> BayesianNetwork:
        """The same distribution as a Bayesian network."""
        parents = tuple(() if parent is None else (parent,) for parent in self.parents)
        return BayesianNetwork(self.domain, Dag(self.domain.names, parents), self.tables)

    @classmethod
    def from_bayesian_network(cls, network: BayesianNetwork) -> Tree:
        """GraphError names the variable with more than one parent."""
        reason = no_tree_reason(network)
        if reason is not None:
            raise GraphError(reason)
        single = tuple(p[0] if p else None for p in network.dag.parent_indices)
        return cls(network.domain, single, network.tables)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        return self.as_bayesian_network.edges

    def table(self, name: str) -> Table:
        return self.tables[self.domain.index(name)]

    def with_table(self, name: str, table: Table) -> Tree:
        index = self.domain.index(name)
        return replace(self, tables=(*self.tables[:index], table, *self.tables[index + 1 :]))

    def representation_size(self) -> int:
        return self.as_bayesian_network.representation_size()

    def effective_size(self) -> int:
        """A tree is its own clique tree: cliques are its edges and its lonely variables."""
        cards = self.domain.cardinalities
        has_child = {p for p in self.parents if p is not None}
        return sum(
            cards[i] * cards[parent]
            if parent is not None
            else (cards[i] if i not in has_child else 0)
            for i, parent in enumerate(self.parents)
        )

    def log2_probabilities(self, data: DataSet) -> Floats:
        return self.as_bayesian_network.log2_probabilities(data)

    def sample(self, count: int, rng: np.random.Generator) -> DataSet:
        return self.as_bayesian_network.sample(count, rng)


Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TreeArrays:
    """Per tree k and variable v: its parent (−1 at a root) and where its table begins.

    A table has a row per state of the parent (one row at a root), so P(x_v | x_pa) stands at
    `table_at[k, v] + x_pa · cards[v] + x_v`. `order[k]` lists parents before their children;
    `state_at[v]` is the index of a variable's first state when all states are listed one after
    another.
    """

    cards: Indices
    state_at: Indices
    order: Indices
    parents: Indices
    table_at: Indices
    tables: Floats


def arrays_of(trees: Sequence[Tree], cardinalities: Sequence[int]) -> TreeArrays:
    """The trees, all over variables of these cardinalities, as flat arrays."""
    cards = np.array(cardinalities, dtype=np.int64)
    count, width = len(trees), len(cardinalities)
    parents = np.full((count, width), -1, dtype=np.int64)
    order = np.empty((count, width), dtype=np.int64)
    table_at = np.zeros((count, width), dtype=np.int64)
    tables: list[Floats] = []
    filled = 0
    for k, tree in enumerate(trees):
        order[k] = tree.as_bayesian_network.dag.topological_order
        for v, (parent, table) in enumerate(zip(tree.parents, tree.tables, strict=True)):
            if parent is not None:
                parents[k, v] = parent
            table_at[k, v] = filled
            tables.append(table.ravel())
            filled += table.size
    flat = np.concatenate(tables) if tables else np.zeros(0)
    state_at = np.concatenate(([0], np.cumsum(cards))).astype(np.int64)
    return TreeArrays(cards, state_at, order, parents, table_at, np.ascontiguousarray(flat))


Edge = tuple[str, str]


def marginals_of(tree: Tree) -> tuple[Floats, ...]:
    """P(X) of every variable of a tree, in the order of its domain."""
    result: dict[int, Floats] = {}
    for index in tree.as_bayesian_network.dag.topological_order:
        parent, table = tree.parents[index], tree.tables[index]
        result[index] = table if parent is None else result[parent] @ table
    return tuple(result[index] for index in range(len(tree.domain)))


def edge_information(tree: Tree) -> dict[Edge, float]:
    """I(U; X) in bits of the two ends of every edge; the names of a pair in domain order."""
    names = tree.domain.names
    marginals = marginals_of(tree)
    result = {}
    for index, parent in enumerate(tree.parents):
        if parent is not None:
            low, high = min(index, parent), max(index, parent)
            bits = spread_bits(marginals[parent], tree.tables[index])
            result[names[low], names[high]] = bits
    return result


def neighbour_roles(model: Tree, target: str) -> dict[str, str]:
    """The neighbours of the target, which are its Markov blanket in a tree."""
    parents = [parent for parent, child in model.edges if child == target]
    children = [child for parent, child in model.edges if parent == target]
    return dict.fromkeys((*parents, *children), "neighbour")


def no_tree_reason(network: BayesianNetwork) -> str | None:
    """Why a network is not a tree, as text; None if it is one."""
    for name, parents in zip(network.domain.names, network.dag.parent_indices, strict=True):
        if len(parents) > 1:
            return f"{name} has {len(parents)} parents; in a tree it may have one."
    return None
