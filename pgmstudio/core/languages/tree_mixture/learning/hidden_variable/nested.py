"""Blocks that separators of their own divide further (Meilă 1999, §6.2): a model of several levels.

Given the component k of a division its parts are independent, and each of them is a forest or a
division again: Q(x) = Σ_k λ_k Π_j Q_j(x_Aj | k) with Q_j(x_Aj | k) = Σ_l μ_l|k Π_b T^kl(x_b). As a
mixture of trees it has a tree for every combination of components; they share their edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.description_length import (
    CORRECTED,
    ModelShape,
    Precision,
    shape_of_trees,
)
from pgmstudio.core.languages.tree_mixture.model import Blocks, TreeMixture, blocks_of

Path = tuple[int, ...]  # the number of a child, of its child, …; () is the division at the top
Family = tuple[str | None, Floats]  # the parent of a column and its table


@dataclass(frozen=True, eq=False)
class Division:
    """A separator of some columns, within every component of the division above, its contexts.

    `weights` is contexts × states; the trees, over all columns of the division, are in the same
    order. Separators that are columns are certain in every tree.
    """

    weights: Floats
    trees: tuple[Tree, ...]
    masses: Floats  # rows of every tree
    separator: tuple[str, ...] = ()
    children: tuple[Division, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return self.trees[0].domain.names

    @property
    def blocks(self) -> Blocks:
        """The parts of the forest, without the separators."""
        names = [name for name in self.names if name not in self.separator]
        return blocks_of(names, self.trees[0].edges)

    @property
    def own(self) -> tuple[str, ...]:
        """The columns that no division below has."""
        below = {name for child in self.children for name in child.names}
        return tuple(name for name in self.names if name not in below)

    def at(self, path: Path) -> Division:
        return self.children[path[0]].at(path[1:]) if path else self

    def with_child(self, path: Path, child: Division) -> Division:
        """With one more division below the one at the path."""
        if not path:
            return replace(self, children=(*self.children, child))
        return self._replaced(path[0], self.children[path[0]].with_child(path[1:], child))

    def with_division(self, path: Path, division: Division) -> Division:
        """With another division in the place of the one at the path."""
        if not path:
            return division
        return self._replaced(path[0], self.children[path[0]].with_division(path[1:], division))

    def _replaced(self, number: int, child: Division) -> Division:
        before, after = self.children[:number], self.children[number + 1 :]
        return replace(self, children=(*before, child, *after))

    def paths(self) -> Iterator[Path]:
        """Of all divisions, the top first."""
        yield ()
        for number, child in enumerate(self.children):
            yield from ((number, *path) for path in child.paths())

    def tree_count(self) -> int:
        """The trees of the mixture that `combined` makes."""
        return int(self._counts().sum())

    def _counts(self) -> NDArray[np.int64]:
        """The combinations in every context."""
        each = np.ones(self.weights.shape, dtype=np.int64)
        for child in self.children:
            each *= child._counts().reshape(each.shape)
        return np.asarray(each.sum(axis=1))

    def shape(self) -> NestedShape:
        return NestedShape(tuple(self._shapes()))

    def _shapes(self) -> Iterator[tuple[ModelShape, Floats]]:
        names = [name for name in self.own if name not in self.separator]
        contexts, states = self.weights.shape
        free = contexts * (states - 1)
        yield shape_of_trees(self.trees[0], names, contexts * states, free), self.masses
        for child in self.children:
            yield from child._shapes()


@dataclass(frozen=True, slots=True)
class NestedShape:
    """The shapes of all divisions with the rows of their trees; every table counts once."""

    parts: tuple[tuple[ModelShape, Floats], ...]

    @property
    def free_parameters(self) -> int:
        return sum(shape.free_parameters for shape, _ in self.parts)

    def bits(self, rows: float, precision: Precision, form: str = CORRECTED) -> float:
        return sum(shape.bits(rows, precision, form) for shape, _ in self.parts)

    def bic_bits(self, rows: float) -> float:
        return sum(shape.bic_bits(rows) for shape, _ in self.parts)

    def bic_h_bits(self, rows: float) -> float:
        return sum(shape.bic_h_bits(rows, masses) for shape, masses in self.parts)


@dataclass(frozen=True, eq=False)
class Combined:
    """The mixture of a division; per path the component that each of its trees is of."""

    model: TreeMixture
    components: dict[Path, NDArray[np.intp]]

    def posterior(self, path: Path, count: int, responsibilities: Floats) -> Floats:
        """Responsibilities of the components of a division, rows × components, from those of the
        trees."""
        which = self.components[path]
        return np.asarray(responsibilities @ np.eye(count)[which])


def combined(division: Division, domain: Domain) -> Combined:
    """The mixture with a tree for every combination of components."""
    found = list(_combinations(division, 0))
    trees = []
    for _, families, _ in found:
        above = [families[name][0] for name in domain.names]
        parents = tuple(None if name is None else domain.index(name) for name in above)
        trees.append(Tree(domain, parents, tuple(families[name][1] for name in domain.names)))
    weights = np.array([weight for weight, _, _ in found])
    paths = {path: np.array([at[path] for _, _, at in found]) for path in division.paths()}
    separators = {name for path in paths for name in division.at(path).separator}
    certain = tuple(name for name in domain.names if name in separators)
    whole = TreeMixture(domain, weights / weights.sum(), tuple(trees), certain=certain)
    return Combined(whole, paths)


def _combinations(
    division: Division, context: int
) -> Iterator[tuple[float, dict[str, Family], dict[Path, int]]]:
    """Of one context: the weight, the families of all columns, the component at every path."""
    states = division.weights.shape[1]
    for state, weight in enumerate(division.weights[context]):
        component = context * states + state
        families = families_of(division.trees[component], division.own)
        below = [list(_combinations(child, component)) for child in division.children]
        for chosen in product(*below):
            whole, all_families = float(weight), dict(families)
            at: dict[Path, int] = {(): component}
            for number, (part, more, inner) in enumerate(chosen):
                whole *= part
                all_families |= more
                at |= {(number, *path): one for path, one in inner.items()}
            yield whole, all_families, at


def families_of(tree: Tree, names: Sequence[str]) -> dict[str, Family]:
    """The parent and the table of some columns of a tree."""
    result: dict[str, Family] = {}
    for name in names:
        parent = tree.parents[tree.domain.index(name)]
        result[name] = None if parent is None else tree.domain.names[parent], tree.table(name)
    return result


def part_of_tree(tree: Tree, names: Sequence[str]) -> Tree:
    """Whole parts of a tree as a tree."""
    domain, families = tree.domain.restricted_to(names), families_of(tree, names)
    parents = (families[name][0] for name in names)
    return Tree(
        domain,
        tuple(None if parent is None else domain.index(parent) for parent in parents),
        tuple(families[name][1] for name in names),
    )
