"""Models whose blocks are separated by a pair of columns, or on two levels."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.nested import (
    Division,
    combined,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.separators import around_columns
from pgmstudio.core.languages.tree_mixture.model import TreeMixture

A, B, C = (tuple(f"{letter}{i}" for i in range(3)) for letter in "abc")
NAMES = (*A, *B, *C)


def chains(
    names: tuple[str, ...], count: int, rng: np.random.Generator, states: int = 3
) -> tuple[Tree, ...]:
    """Random trees: each three names are a chain."""
    domain = Domain.of({name: map(str, range(states)) for name in names})
    parents = tuple(None if i % 3 == 0 else i - 1 for i in range(len(names)))
    rows = np.full(states, 0.4)
    return tuple(
        Tree(
            domain,
            parents,
            tuple(rng.dirichlet(rows, None if p is None else states) for p in parents),
        )
        for _ in range(count)
    )


def two_levels(rng: np.random.Generator, states: int = 3) -> Division:
    """A hidden variable parts A from B and C; given it, one of their own parts B from C."""
    top = chains(NAMES, 2, rng, states)
    below = Division(
        np.array([[0.6, 0.4], [0.35, 0.65]]), chains((*B, *C), 4, rng, states), np.full(4, 25.0)
    )
    return Division(np.array([[0.55, 0.45]]), top, np.full(2, 50.0), children=(below,))


def two_level_rows(count: int, seed: int = 5) -> DataSet:
    rng = np.random.default_rng(seed)
    top = two_levels(rng)
    return combined(top, top.trees[0].domain).model.sample(count, rng)


PAIR_BLOCKS = (("a0", "a1", "a2"), ("b0", "b1", "b2"))


def pair_model(rng: np.random.Generator) -> TreeMixture:
    """Two chains of three variables, independent given u and v together."""
    inner = Domain.of({name: "012" for block in PAIR_BLOCKS for name in block})
    domain = Domain.of({"a0": "012", "u": "01", "a1": "012", "a2": "012"})
    domain = Domain((*domain.variables, *inner.variables[3:], *Domain.of({"v": "012"}).variables))
    parents = (None, 0, 1, None, 3, 4)
    rows = np.full(3, 0.4)
    trees = tuple(
        Tree(inner, parents, tuple(rng.dirichlet(rows, None if p is None else 3) for p in parents))
        for _ in range(6)
    )
    weights = rng.dirichlet(np.full(6, 10.0))
    return around_columns(TreeMixture(inner, weights, trees), domain, ("u", "v"))
