"""Rows from a random mixture of trees (Meilă 1999, §7.1.1; distributions completed by us)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.experiments.generators.generator import (
    Generator,
    keep_hidden,
    without_columns,
)
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.learning.initialization import random_spanning_tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.params import param

COMPONENT = "component"


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomTreesParams:
    components: int = param(5, title="Components", low=1, high=200, help="Trees in the mixture.")
    variables: int = param(30, title="Variables", low=2, high=2000, help="Columns.")
    states: int = param(4, title="States", low=2, high=200, help="States of every variable.")
    weight_concentration: float = param(
        1.0, title="Weight concentration", low=0, low_open=True, help="Dirichlet of the weights."
    )
    table_concentration: float = param(
        1.0, title="Table concentration", low=0, low_open=True, help="Dirichlet of the table rows."
    )
    keep_hidden: bool = keep_hidden("component")


def random_tree(domain: Domain, concentration: float, rng: np.random.Generator) -> Tree:
    """A uniform random spanning tree, a random root, table rows from a symmetric Dirichlet."""
    size, cards = len(domain), domain.cardinalities
    neighbours: list[list[int]] = [[] for _ in range(size)]
    for a, b in enumerate(random_spanning_tree(size, rng)):
        if b is not None:
            neighbours[a].append(b)
            neighbours[b].append(a)
    root = int(rng.integers(size))
    parents: list[int | None] = [None] * size
    stack = [root]
    while stack:
        node = stack.pop()
        for other in neighbours[node]:
            if other != parents[node]:
                parents[other] = node
                stack.append(other)
    tables = []
    for node, parent in enumerate(parents):
        alpha = np.full(cards[node], concentration)
        tables.append(rng.dirichlet(alpha, None if parent is None else cards[parent]))
    return Tree(domain, tuple(parents), tuple(tables))


def random_mixture(params: RandomTreesParams, rng: np.random.Generator) -> TreeMixture:
    """A mixture with random weights, structures and tables."""
    states = tuple(str(state) for state in range(params.states))
    domain = Domain(tuple(Variable(f"V{i + 1}", states) for i in range(params.variables)))
    weights = rng.dirichlet(np.full(params.components, params.weight_concentration))
    trees = [random_tree(domain, params.table_concentration, rng) for _ in range(params.components)]
    return TreeMixture(domain, weights, tuple(trees))


def random_trees(params: RandomTreesParams, rng: np.random.Generator, count: int) -> DataSet:
    """Rows from a mixture whose weights, structures and tables are drawn first."""
    mixture = random_mixture(params, rng)
    domain, weights, trees = mixture.domain, mixture.weights, mixture.trees
    chosen = rng.choice(params.components, size=count, p=weights)
    codes = np.zeros((params.variables + 1, count), dtype=np.uint8)
    codes[-1] = chosen
    for component, tree in enumerate(trees):
        rows = np.flatnonzero(chosen == component)
        codes[:-1, rows] = tree.sample(rows.size, rng).codes
    hidden = Variable(COMPONENT, tuple(str(c + 1) for c in range(params.components)))
    data = DataSet(Domain((*domain.variables, hidden)), codes)
    return data if params.keep_hidden else without_columns(data, COMPONENT)


def _true_mixture(params: RandomTreesParams, rng: np.random.Generator) -> TreeMixture | None:
    return None if params.keep_hidden else random_mixture(params, rng)


RANDOM_TREES = Generator(
    "random-trees",
    "Random mixture of trees",
    "Rows from a mixture of random trees; the component is hidden.",
    RandomTreesParams,
    random_trees,
    _true_mixture,
)
