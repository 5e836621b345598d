"""Rows from random labelled graphs, the truths of Pensar et al. (2015)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.experiments.generators.generator import Generator
from pgmstudio.core.experiments.generators.random_networks import (
    RandomBnParams,
    check_states,
    random_network,
)
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import (
    Classes,
    class_count,
    full_partition,
    is_regular,
    label_of,
    with_context,
)
from pgmstudio.core.params import param


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomLdagParams:
    variables: int = param(10, title="Variables", low=1, high=2000, help="Columns.")
    max_parents: int = param(
        4, title="Maximum parents", low=0, high=8, help="Maximum number of parents of a variable."
    )
    least_states: int = param(2, title="Fewest states", low=2, high=20, help="Of any variable.")
    most_states: int = param(2, title="Most states", low=2, high=20, help="Of any variable.")
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
