"""Columns in the place of a hidden variable: their joint states are the components."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.languages.latent_class.model import free_name
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.averaging import tree_beside, tree_over
from pgmstudio.core.languages.tree_mixture.model import TreeMixture

# Joint states of a pair of columns; more trees than that are never a short description.
MAX_PAIR_STATES = 100


def visible_separators(variables: Sequence[Variable], size: int) -> Iterator[tuple[str, ...]]:
    """The columns with several states, then pairs of them; none leaves fewer than one column."""
    several = [variable for variable in variables if variable.cardinality > 1]
    for count in range(1, min(size, len(variables) - 1) + 1):
        for chosen in combinations(several, count):
            if count == 1 or np.prod([v.cardinality for v in chosen]) <= MAX_PAIR_STATES:
                yield tuple(variable.name for variable in chosen)


def joint_codes(data: DataSet, names: Sequence[str]) -> NDArray[np.int64]:
    """The number of the joint state of some columns in every row; −1 where a cell is missing."""
    shape = [data.domain[name].cardinality for name in names]
    columns = [data.column(name).astype(np.int64) for name in names]
    is_missing = np.any([column == data.missing_code for column in columns], axis=0)
    known = [np.where(is_missing, 0, column) for column in columns]
    return np.where(is_missing, -1, np.ravel_multi_index(known, shape))


def as_one_column(data: DataSet, names: tuple[str, ...]) -> tuple[DataSet, str]:
    """The rows with one column, the last, in the place of several, and its name."""
    if len(names) == 1:
        return data, names[0]
    count = int(np.prod([data.domain[name].cardinality for name in names]))
    joint = Variable(free_name(data.domain, " × ".join(names)), tuple(map(str, range(count))))
    rest = data.select_columns([name for name in data.domain.names if name not in names])
    domain = Domain((*rest.domain.variables, joint))
    dtype = code_dtype(domain)
    missing = np.iinfo(dtype).max
    codes = np.where(rest.codes == rest.missing_code, missing, rest.codes).astype(dtype)
    numbers = joint_codes(data, names)
    last = np.where(numbers < 0, missing, numbers).astype(dtype)
    return DataSet(domain, np.concatenate([codes, last[None]]), data.weights), joint.name


def around_columns(hidden: TreeMixture, domain: Domain, names: tuple[str, ...]) -> TreeMixture:
    """A mixture whose components are the joint states of columns: one is the choice variable,
    several are certain in every tree."""
    if len(names) == 1:
        return TreeMixture(domain, hidden.weights, hidden.trees, names[0])
    shape = [domain[name].cardinality for name in names]
    trees = []
    for number, tree in enumerate(hidden.trees):
        for name, state in zip(names, np.unravel_index(number, shape), strict=True):
            tree = tree_beside(tree, domain[name], np.eye(domain[name].cardinality)[state])
        trees.append(tree_over(tree, domain))
    return TreeMixture(domain, hidden.weights, tuple(trees), certain=names)


def smoothed_weights(masses: Floats, strength: float) -> Floats:
    """P(state | context) from the rows of both, contexts × states, with so many pseudo-rows of the
    distribution of all rows and one even row, as the tables have."""
    contexts, states = masses.shape
    prior = (masses.sum(axis=0) + 1 / states) / (masses.sum() + 1)
    rows = masses + strength / contexts * prior
    totals = rows.sum(axis=1, keepdims=True)
    even = np.full_like(rows, 1 / states)
    return np.asarray(np.divide(rows, totals, out=even, where=totals > 0))


def with_certain_columns(trees: Sequence[Tree], names: tuple[str, ...]) -> tuple[Tree, ...]:
    """The trees of the joint states of columns without edges, repeated for every context, with
    the columns certain in their states."""
    if not names:
        return tuple(trees)
    shape = [trees[0].domain[name].cardinality for name in names]
    result = []
    for number, tree in enumerate(trees):
        states = np.unravel_index(number % int(np.prod(shape)), shape)
        for name, count, state in zip(names, shape, states, strict=True):
            tree = tree.with_table(name, np.eye(count)[state])
        result.append(tree)
    return tuple(result)
