"""Generators that draw a random model first: Bayesian networks and latent classes (Nielsen 2007,
ch. 5), labelled DAGs, decision graphs and mixtures of trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.experiments.generators.generator import (
    Generator,
    keep_hidden,
    without_columns,
)
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import (
    Classes,
    class_count,
    full_partition,
    is_regular,
    label_of,
    with_context,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.learning.initialization import random_spanning_tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.params import param

CLASS = "class"


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomBnParams:
    variables: int = param(15, title="Variables", low=1, high=2000, help="Columns.")
    max_parents: int = param(
        3, title="Maximum parents", low=0, high=10, help="Maximum number of parents of a variable."
    )
    least_states: int = param(2, title="Minimum states", low=2, high=200, help="Of any variable.")
    most_states: int = param(4, title="Maximum states", low=2, high=200, help="Of any variable.")

    def __post_init__(self) -> None:
        check_states(self.least_states, self.most_states)


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomNbParams:
    variables: int = param(15, title="Variables", low=1, high=2000, help="Columns.")
    components: int = param(10, title="Components", low=1, high=250, help="Hidden classes.")
    least_states: int = param(2, title="Minimum states", low=2, high=200, help="Of any variable.")
    most_states: int = param(4, title="Maximum states", low=2, high=200, help="Of any variable.")
    keep_hidden: bool = keep_hidden("class")

    def __post_init__(self) -> None:
        check_states(self.least_states, self.most_states)


def check_states(least: int, most: int) -> None:
    if least > most:
        raise ParameterError({"least-states": f"must be at most {most}, the most states"})


def random_domain(count: int, least: int, most: int, rng: np.random.Generator) -> Domain:
    sizes = rng.integers(least, most + 1, size=count)
    return Domain(
        tuple(
            Variable(f"V{number + 1}", tuple(str(state) for state in range(size)))
            for number, size in enumerate(sizes)
        )
    )


def random_tables(domain: Domain, dag: Dag, rng: np.random.Generator) -> BayesianNetwork:
    """A network on `dag` whose table rows are uniform on the simplex."""
    cards = domain.cardinalities
    tables = tuple(
        rng.dirichlet(np.ones(cards[i]), tuple(cards[p] for p in parents))
        for i, parents in enumerate(dag.parent_indices)
    )
    return BayesianNetwork(domain, dag, tables)


def random_network(params: RandomBnParams, rng: np.random.Generator) -> BayesianNetwork:
    """A random order; each variable has 0 to `max_parents` random parents before it."""
    domain = random_domain(params.variables, params.least_states, params.most_states, rng)
    order = rng.permutation(params.variables)
    parents: list[tuple[int, ...]] = [()] * params.variables
    for index, node in enumerate(order):
        many = min(int(rng.integers(0, params.max_parents + 1)), index)
        parents[node] = tuple(int(p) for p in rng.choice(order[:index], size=many, replace=False))
    return random_tables(domain, Dag(domain.names, tuple(parents)), rng)


def random_bn(params: RandomBnParams, rng: np.random.Generator, count: int) -> DataSet:
    return random_network(params, rng).sample(count, rng)


def random_classes(params: RandomNbParams, rng: np.random.Generator) -> BayesianNetwork:
    """A naive Bayes model with its class as the last variable; tables uniform on the simplex."""
    seen = random_domain(params.variables, params.least_states, params.most_states, rng)
    classes = Variable(CLASS, tuple(str(c + 1) for c in range(params.components)))
    domain = Domain((*seen.variables, classes))
    dag = Dag(domain.names, (*(((params.variables,),) * params.variables), ()))
    return random_tables(domain, dag, rng)


def random_nb(params: RandomNbParams, rng: np.random.Generator, count: int) -> DataSet:
    """Rows of a naive Bayes model with a hidden class."""
    data = random_classes(params, rng).sample(count, rng)
    return data if params.keep_hidden else without_columns(data, CLASS)


def _true_classes(
    params: RandomNbParams, rng: np.random.Generator
) -> BayesianNetwork | LatentClasses:
    """The class is a variable where it is a column, else hidden."""
    network = random_classes(params, rng)
    if params.keep_hidden:
        return network
    seen = Domain(network.domain.variables[:-1])
    return LatentClasses(seen, network.tables[-1], network.tables[:-1], CLASS)


RANDOM_NETWORKS = (
    Generator(
        "random-bn",
        "Random Bayesian network",
        "Rows from a random network with random tables.",
        RandomBnParams,
        random_bn,
        random_network,
    ),
    Generator(
        "random-nb",
        "Random latent classes",
        "Rows from a random naive Bayes model; the class is hidden.",
        RandomNbParams,
        random_nb,
        _true_classes,
    ),
)


# Rows from random labelled graphs, the truths of Pensar et al. (2015).


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomLdagParams:
    variables: int = param(10, title="Variables", low=1, high=2000, help="Columns.")
    max_parents: int = param(
        4, title="Maximum parents", low=0, high=8, help="Maximum number of parents of a variable."
    )
    least_states: int = param(2, title="Minimum states", low=2, high=20, help="Of any variable.")
    most_states: int = param(2, title="Maximum states", low=2, high=20, help="Of any variable.")
    labels: float = param(
        0.5,
        title="Fraction of labels",
        low=0,
        high=1,
        help="Contexts join labels until this fraction of a table's rows is saved, or an edge "
        "would vanish everywhere.",
    )

    def __post_init__(self) -> None:
        check_states(self.least_states, self.most_states)


def random_ldag(params: RandomLdagParams, rng: np.random.Generator) -> LabelledDag:
    """A random graph, random contexts in its labels, and rows uniform on the simplex."""
    network = random_network(
        RandomBnParams(
            variables=params.variables,
            max_parents=params.max_parents,
            least_states=params.least_states,
            most_states=params.most_states,
        ),
        rng,
    )
    classes = tuple(
        _random_labels(table.shape[:-1], params.labels, rng) for table in network.tables
    )
    rows = tuple(
        rng.dirichlet(np.ones(table.shape[-1]), class_count(part))
        for table, part in zip(network.tables, classes, strict=True)
    )
    return LabelledDag(network.domain, network.dag, classes, rows)


def _random_labels(cards: tuple[int, ...], fraction: float, rng: np.random.Generator) -> Classes:
    classes = full_partition(cards)
    while len(cards) > 1 and classes.size - class_count(classes) < fraction * classes.size:
        open_contexts = [
            (axis, tuple(context))
            for axis in range(len(cards))
            for context in np.argwhere(~label_of(classes, axis)).tolist()
        ]
        for index in rng.permutation(len(open_contexts)).tolist():
            merged = with_context(classes, *open_contexts[index])
            if is_regular(merged):
                classes = merged
                break
        else:
            return classes
    return classes


def random_ldag_rows(params: RandomLdagParams, rng: np.random.Generator, count: int) -> DataSet:
    return random_ldag(params, rng).sample(count, rng)


RANDOM_LDAG = Generator(
    "random-ldag",
    "Random labelled graph",
    "Rows from a random network some of whose edges vanish in random contexts.",
    RandomLdagParams,
    random_ldag_rows,
    random_ldag,
)


# Rows from random decision graphs (Nielsen 2007, §5.2; the structure is drawn in our own way).

# Graphs are drawn until one has the size asked for, or nearly, but not for ever.
_MAX_TRIES = 5000
_NEARLY = 0.1
_MAX_BELOW = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomPdgParams:
    variables: int = param(15, title="Variables", low=1, high=2000, help="Columns.")
    least_states: int = param(2, title="Minimum states", low=2, high=200, help="Of any variable.")
    most_states: int = param(3, title="Maximum states", low=2, high=200, help="Of any variable.")
    most_nodes: int = param(4, title="Most nodes", low=1, high=1000, help="Of any variable.")
    size: int = param(
        0,
        title="Size",
        low=0,
        help="Effective size of the graph, met to a tenth: 182 and 233 for the 15 and 20 variables "
        "of the thesis; 0 takes any.",
    )

    def __post_init__(self) -> None:
        check_states(self.least_states, self.most_states)


def random_decision_graph(params: RandomPdgParams, rng: np.random.Generator) -> DecisionGraph:
    """One tree with at most two variables below each; parameters uniform on the simplex."""
    for _ in range(_MAX_TRIES):
        drawn = _Drawn(params, rng)
        size = drawn.effective_size()
        if params.size == 0 or abs(size - params.size) <= _NEARLY * params.size:
            return drawn.graph(rng)
    raise ParameterError(
        {"size": f"no graph of {params.variables} variables came near {params.size}; try another"}
    )


class _Drawn:
    """A random structure, of which most are thrown away."""

    def __init__(self, params: RandomPdgParams, rng: np.random.Generator) -> None:
        self._domain = random_domain(params.variables, params.least_states, params.most_states, rng)
        self._cards, size = self._domain.cardinalities, len(self._domain)
        self._forest: list[int | None] = [None] * size
        self._counts, self._below = [1] * size, [0] * size
        for i in range(1, size):
            free = [j for j in range(i) if self._below[j] < _MAX_BELOW]
            above = free[int(rng.integers(len(free)))]
            self._forest[i] = above
            self._below[above] += 1
            most = min(params.most_nodes, self._counts[above] * self._cards[above])
            self._counts[i] = int(rng.integers(1, most + 1))

    def effective_size(self) -> int:
        parts = zip(self._cards, self._counts, self._below, strict=True)
        return sum(card * count * max(1, below) for card, count, below in parts)

    def graph(self, rng: np.random.Generator) -> DecisionGraph:
        successors: list[NDArray[np.int64] | None] = []
        for above, count in zip(self._forest, self._counts, strict=True):
            if above is None:
                successors.append(None)
                continue
            shape = (self._counts[above], self._cards[above])
            more = rng.integers(count, size=shape[0] * shape[1] - count)
            edges = np.concatenate([np.arange(count), more])  # every node has an edge
            successors.append(rng.permutation(edges).reshape(shape))
        parameters = tuple(
            rng.dirichlet(np.ones(card), count)
            for card, count in zip(self._cards, self._counts, strict=True)
        )
        return DecisionGraph(self._domain, tuple(self._forest), parameters, tuple(successors))


def random_pdg(params: RandomPdgParams, rng: np.random.Generator, count: int) -> DataSet:
    """Rows of a random decision graph."""
    return random_decision_graph(params, rng).sample(count, rng)


RANDOM_PDG = Generator(
    "random-pdg",
    "Random decision graph",
    "Rows from a random decision graph over one tree of variables.",
    RandomPdgParams,
    random_pdg,
    random_decision_graph,
)


# Rows from a random mixture of trees (Meilă 1999, §7.1.1; distributions completed by us).

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
