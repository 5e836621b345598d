"""Random small networks, findings and rows, for property tests of every part.

`random_network(rng, …)` is for loops over seeds; `small_networks()` and `findings(domain)` are for
hypothesis, which draws a seed and shrinks the numbers around it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Excluded, Finding, Likelihood, Observed
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture


def domain_of(cardinalities: Sequence[int]) -> Domain:
    """Variables X0, X1, … with states s0, s1, …"""
    return Domain(
        tuple(
            Variable(f"X{i}", tuple(f"s{k}" for k in range(card)))
            for i, card in enumerate(cardinalities)
        )
    )


def random_table(
    rng: np.random.Generator, shape: Sequence[int], zeros: float = 0.0
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Rows that sum to 1; about `zeros` of the cells are 0, never a whole row."""
    table = rng.gamma(0.7, size=tuple(shape)) + 1e-3
    if zeros:
        struck = rng.random(table.shape) < zeros
        np.put_along_axis(struck, table.argmax(axis=-1, keepdims=True), False, axis=-1)
        table[struck] = 0.0
    return np.asarray(table / table.sum(axis=-1, keepdims=True))


def random_dag(
    rng: np.random.Generator, names: Sequence[str], density: float = 0.4, max_parents: int = 3
) -> Dag:
    """Edges along a random order, so that names and order tell nothing about each other."""
    order = rng.permutation(len(names))
    parents: list[tuple[int, ...]] = [()] * len(names)
    for index, child in enumerate(order):
        chosen = order[:index][rng.random(index) < density]
        chosen = rng.permutation(chosen)[:max_parents]
        parents[child] = tuple(int(p) for p in chosen)
    return Dag(tuple(names), tuple(parents))


def random_network(
    rng: np.random.Generator,
    variables: int = 6,
    *,
    cardinalities: Sequence[int] | tuple[int, int] | None = None,
    density: float = 0.4,
    max_parents: int = 3,
    zeros: float = 0.0,
) -> BayesianNetwork:
    """A network with random graph and tables; cardinalities are 2 to 4 unless given."""
    if cardinalities is None:
        cardinalities = [int(c) for c in rng.integers(2, 5, size=variables)]
    domain = domain_of(cardinalities)
    dag = random_dag(rng, domain.names, density, max_parents)
    shapes = [
        (*(domain.cardinalities[p] for p in parents), domain.cardinalities[i])
        for i, parents in enumerate(dag.parent_indices)
    ]
    return BayesianNetwork(domain, dag, tuple(random_table(rng, s, zeros) for s in shapes))


def random_tree(rng: np.random.Generator, variables: int = 6, *, zeros: float = 0.0) -> Tree:
    """A random forest with random tables."""
    network = random_network(rng, variables, density=0.6, max_parents=1, zeros=zeros)
    return Tree.from_bayesian_network(network)


def random_mixture(
    rng: np.random.Generator, variables: int = 5, components: int = 3, *, is_visible: bool = False
) -> TreeMixture:
    """Random forests over the same variables; with a visible choice variable it comes second."""
    cards = [int(card) for card in rng.integers(2, 5, size=variables)]
    trees = tuple(
        Tree.from_bayesian_network(
            random_network(rng, cardinalities=cards, density=0.6, max_parents=1, zeros=0.1)
        )
        for _ in range(components)
    )
    weights = random_table(rng, (components,))
    if not is_visible:
        return TreeMixture(trees[0].domain, weights, trees)
    first, *rest = trees[0].domain.variables
    choice = Variable("choice", tuple(f"k{k}" for k in range(components)))
    return TreeMixture(Domain((first, choice, *rest)), weights, trees, "choice")


def random_classes(rng: np.random.Generator, variables: int = 5, classes: int = 3) -> LatentClasses:
    """Latent classes with random tables."""
    domain = domain_of([int(card) for card in rng.integers(2, 5, size=variables)])
    tables = tuple(random_table(rng, (classes, v.cardinality), 0.1) for v in domain)
    return LatentClasses(domain, random_table(rng, (classes,)), tables)


def all_cases(domain: Domain) -> DataSet:
    """Every joint state once."""
    rows = itertools.product(*(range(card) for card in domain.cardinalities))
    codes = np.array(list(rows), dtype=code_dtype(domain)).reshape(-1, len(domain))
    return DataSet(domain, np.ascontiguousarray(codes.T))


def with_missing(rng: np.random.Generator, data: DataSet, share: float = 0.2) -> DataSet:
    """The same rows with about `share` of the cells missing."""
    codes = data.codes.copy()
    codes[rng.random(codes.shape) < share] = data.missing_code
    return DataSet(data.domain, codes, data.weights)


@st.composite
def small_networks(
    draw: st.DrawFn,
    max_variables: int = 7,
    max_cardinality: int = 4,
    min_cardinality: int = 1,
    max_parents: int = 3,
) -> BayesianNetwork:
    """Networks of 1 to `max_variables` variables, some with zeros in their tables."""
    cards = draw(
        st.lists(st.integers(min_cardinality, max_cardinality), min_size=1, max_size=max_variables)
    )
    density = draw(st.sampled_from([0.0, 0.3, 0.6, 1.0]))
    zeros = draw(st.sampled_from([0.0, 0.2, 0.5]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return random_network(
        rng, cardinalities=cards, density=density, max_parents=max_parents, zeros=zeros
    )


@st.composite
def findings(draw: st.DrawFn, variable: Variable) -> Finding:
    """Any kind of finding on one variable; it may be impossible in a model."""
    kind = draw(st.sampled_from(["observed", "excluded", "likelihood"]))
    states = variable.states
    if kind == "observed" or (kind == "excluded" and len(states) == 1):
        return Observed(draw(st.sampled_from(states)))
    if kind == "excluded":
        gone = draw(st.sets(st.sampled_from(states), min_size=1, max_size=len(states) - 1))
        return Excluded(frozenset(gone))
    weights = draw(
        st.lists(
            st.sampled_from([0.0, 0.01, 0.5, 1.0, 3.0, 200.0]),
            min_size=len(states),
            max_size=len(states),
        ).filter(any)
    )
    return Likelihood(tuple(zip(states, weights, strict=True)))


@st.composite
def evidence(draw: st.DrawFn, domain: Domain, max_findings: int = 4) -> dict[str, Finding]:
    """Findings on some variables; together they may be impossible."""
    names = draw(
        st.lists(
            st.sampled_from(domain.names), unique=True, max_size=min(max_findings, len(domain))
        )
    )
    return {name: draw(findings(domain[name])) for name in names}
