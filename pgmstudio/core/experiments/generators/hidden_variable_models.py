"""Rows from H models: blocks of variables that a hidden variable holds apart (Meilă 1999, §6.5).

The edges of the source's figures are not in its text; blocks and loops are stand-ins of the same
size: 12 variables of three states around one hidden variable of three.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.counting import pair_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import DataError
from pgmstudio.core.experiments.generators.generator import (
    Generator,
    keep_hidden,
    without_columns,
)
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.em import heaviest_forest
from pgmstudio.core.languages.tree_mixture.model import Blocks, TreeMixture, blocks_of
from pgmstudio.core.params import param
from pgmstudio.core.scores.mutual_information import mutual_information_nats

HIDDEN = "h"
SIZE = 12
# A chain, a star, and a star that hangs on its first leaf: 0-1-2-3, 4-{5,6,7}, 8-9-{10,11}.
_PARENTS = (None, 0, 1, 2, None, 4, 4, 4, None, 8, 9, 9)
# Parameters are drawn again where a single tree shows the blocks already.
_MAX_DRAWS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeHParams:
    states: int = param(3, title="States", low=2, high=10, help="States of every variable.")
    hidden_states: int = param(
        3, title="Hidden states", low=1, high=20, help="States of the hidden variable."
    )
    concentration: float = param(
        1.0, title="Concentration", low=0, low_open=True, help="Dirichlet of the table rows."
    )
    keep_hidden: bool = keep_hidden("variable")


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralHParams(TreeHParams):
    structure: str = param(
        "s1",
        title="Structure",
        choices=("s1", "s2"),
        help="s1: three blocks of four, in which all depend on all. s2: two loops of six.",
    )
    only_hidden: bool = param(
        True,
        title="Hidden blocks only",
        help="Draw tables again until a single tree, cut into as many parts, shows other blocks.",
    )


def _domain(states: int) -> Domain:
    names = tuple(str(state) for state in range(states))
    return Domain(tuple(Variable(f"V{i + 1}", names) for i in range(SIZE)))


def tree_h_model(params: TreeHParams, rng: np.random.Generator) -> TreeMixture:
    """The distribution that rows are drawn from: one forest, tables for every hidden state."""
    domain, alpha = _domain(params.states), np.full(params.states, params.concentration)
    trees = tuple(
        Tree(
            domain,
            _PARENTS,
            tuple(
                rng.dirichlet(alpha, None if parent is None else params.states)
                for parent in _PARENTS
            ),
        )
        for _ in range(params.hidden_states)
    )
    even = np.full(params.hidden_states, 1 / params.hidden_states)
    return TreeMixture(domain, even, trees)


def tree_h(params: TreeHParams, rng: np.random.Generator, count: int) -> DataSet:
    """Rows of a tree H model whose tables are drawn first."""
    data, hidden = tree_h_model(params, rng).sample_with_components(count, rng)
    return _with_hidden(params, data, hidden.astype(np.int64))


def general_blocks(params: GeneralHParams) -> Blocks:
    """The true partition of `general-h`."""
    names = _domain(params.states).names
    width = 4 if params.structure == "s1" else 6
    return tuple(tuple(names[at : at + width]) for at in range(0, SIZE, width))


def general_h(params: GeneralHParams, rng: np.random.Generator, count: int) -> DataSet:
    """Rows of blocks that are no trees, drawn anew while one tree over all rows shows them."""
    blocks = general_blocks(params)
    for _ in range(_MAX_DRAWS):
        data = _general_rows(params, rng, count)
        seen = without_columns(data, HIDDEN) if params.keep_hidden else data
        if count == 0 or not params.only_hidden or tree_blocks(seen, len(blocks)) != blocks:
            return data
    raise DataError(
        f"In {_MAX_DRAWS} draws a single tree showed the blocks each time. Draw more rows, other "
        "states, or allow blocks that a single tree shows."
    )


def tree_blocks(data: DataSet, parts: int) -> Blocks:
    """The parts of the best single tree of all rows, cut at its weakest edges."""
    names = data.domain.names
    forest = heaviest_forest(mutual_information_nats(pair_counts(data)), parts)
    edges = ((names[v], names[parent]) for v, parent in enumerate(forest) if parent >= 0)
    return blocks_of(names, edges)


def _general_rows(params: GeneralHParams, rng: np.random.Generator, count: int) -> DataSet:
    hidden = rng.integers(0, params.hidden_states, count)
    codes = np.zeros((SIZE, count), dtype=np.uint8)
    width = len(general_blocks(params)[0])
    for at in range(0, SIZE, width):
        for state in range(params.hidden_states):
            joint = _joint(params, width, rng)
            rows = np.flatnonzero(hidden == state)
            drawn = rng.choice(joint.size, size=rows.size, p=joint)
            codes[at : at + width, rows] = np.unravel_index(drawn, (params.states,) * width)
    return _with_hidden(params, DataSet(_domain(params.states), codes), hidden)


def _joint(params: GeneralHParams, width: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The joint table of a block: every variable given all before it, or pairs around a loop."""
    states = params.states
    if params.structure == "s1":
        whole = np.ones(1)
        for _ in range(width):
            rows = rng.dirichlet(np.full(states, params.concentration), whole.size)
            whole = (whole[:, None] * rows).ravel()
        return np.asarray(whole / whole.sum())
    joint = np.ones((states,) * width)
    for index in range(width):
        ends = sorted((index, (index + 1) % width))
        pair = rng.dirichlet(np.full(states, params.concentration), states)
        shape = [states if axis in ends else 1 for axis in range(width)]
        joint = joint * pair.reshape(shape)
    return np.asarray(joint / joint.sum()).ravel()


def _with_hidden(params: TreeHParams, data: DataSet, hidden: NDArray[np.int64]) -> DataSet:
    if not params.keep_hidden:
        return data
    variable = Variable(HIDDEN, tuple(str(k + 1) for k in range(params.hidden_states)))
    codes = np.concatenate([data.codes, hidden[None].astype(data.codes.dtype)])
    return DataSet(Domain((*data.domain.variables, variable)), codes)


TREE_H = Generator(
    "tree-h",
    "Tree H model",
    "Three blocks of four variables, each a tree, that a hidden variable holds apart.",
    TreeHParams,
    tree_h,
)
GENERAL_H = Generator(
    "general-h",
    "General H model",
    "Blocks of variables that are no trees, held apart by a hidden variable.",
    GeneralHParams,
    general_h,
)
