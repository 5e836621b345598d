"""Rows from random Bayesian networks and random latent-class models (Nielsen 2007, ch. 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
from pgmstudio.core.params import param

CLASS = "class"


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomBnParams:
    variables: int = param(15, title="Variables", low=1, high=2000, help="Columns.")
    max_parents: int = param(
        3, title="Maximum parents", low=0, high=10, help="Maximum number of parents of a variable."
    )
    least_states: int = param(2, title="Fewest states", low=2, high=200, help="Of any variable.")
    most_states: int = param(4, title="Most states", low=2, high=200, help="Of any variable.")

    def __post_init__(self) -> None:
        check_states(self.least_states, self.most_states)


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomNbParams:
    variables: int = param(15, title="Variables", low=1, high=2000, help="Columns.")
    components: int = param(10, title="Components", low=1, high=250, help="Hidden classes.")
    least_states: int = param(2, title="Fewest states", low=2, high=200, help="Of any variable.")
    most_states: int = param(4, title="Most states", low=2, high=200, help="Of any variable.")
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
