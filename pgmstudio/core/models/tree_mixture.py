"""Mixtures of trees: Q(x) = Σ_k λ_k T^k(x), each tree with its own edges (Meilă 1999, ch. 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError
from pgmstudio.core.models.components import checked_weights, log2_sums_in_blocks, rows_over, shares
from pgmstudio.core.models.tree import Tree
from pgmstudio.core.models.tree_arrays import TreeArrays, arrays_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TreeMixture:
    """`trees` are over the domain without the choice variable, `weights` are the λ_k.

    With `choice` the component is a variable of the domain, its states in the order of the trees;
    without it the component is never seen.
    """

    domain: Domain
    weights: Floats
    trees: tuple[Tree, ...]
    choice: str | None = None

    kind = "tree-mixture"

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", checked_weights(self.weights))
        if len(self.trees) != self.weights.size:
            raise GraphError(f"{len(self.trees)} trees have {self.weights.size} weights.")
        if self.choice is not None and self.domain[self.choice].cardinality != len(self.trees):
            raise GraphError(
                f"{self.choice} has {self.domain[self.choice].cardinality} states, "
                f"but there are {len(self.trees)} trees."
            )
        for number, tree in enumerate(self.trees, start=1):
            if tree.domain != self.tree_domain:
                raise GraphError(f"Tree {number} has other variables than the mixture.")

    def __getstate__(self) -> dict[str, Any]:
        return {
            "domain": self.domain,
            "weights": self.weights,
            "trees": self.trees,
            "choice": self.choice,
        }

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self.weights.flags.writeable = False

    @cached_property
    def tree_domain(self) -> Domain:
        """The variables of the trees: all but the choice variable."""
        if self.choice is None:
            return self.domain
        return self.domain.restricted_to(n for n in self.domain.names if n != self.choice)

    @cached_property
    def arrays(self) -> TreeArrays:
        return arrays_of(self.trees, self.tree_domain.cardinalities)

    @cached_property
    def edge_counts(self) -> Mapping[tuple[str, str], int]:
        """In how many trees two variables are joined; the names of a pair in domain order."""
        index, found = self.domain.index, dict[tuple[str, str], int]()
        for tree in self.trees:
            for one, other in tree.edges:
                pair = (one, other) if index(one) < index(other) else (other, one)
                found[pair] = found.get(pair, 0) + 1
        return found

    @property
    def is_shared(self) -> bool:
        """Whether all trees have the same edges."""
        return all(count == len(self.trees) for count in self.edge_counts.values())

    def representation_size(self) -> int:
        """(m − 1) + Σ free parameters of the trees (eq. 2.7)."""
        return len(self.trees) - 1 + sum(tree.representation_size() for tree in self.trees)

    def effective_size(self) -> int:
        """Σ over the trees of their clique-table cells: a belief is updated in each of them."""
        return sum(tree.effective_size() for tree in self.trees)

    def log2_parts(self, data: DataSet) -> Floats:
        """log2 λ_k T^k(observed cells of the row), trees × rows; missing cells are summed out."""
        data = rows_over(self.domain, data)
        with np.errstate(divide="ignore"):
            parts = np.repeat(np.log2(self.weights)[:, None], data.row_count, axis=1)
        if self.choice is not None:
            chosen = data.column(self.choice)
            for k in range(len(self.trees)):
                parts[k, (chosen != k) & (chosen != data.missing_code)] = -np.inf
            data = data.of_columns(self.tree_domain.names)
        self._add_tree_logs(data, parts)
        return parts

    def _add_tree_logs(self, data: DataSet, parts: Floats) -> None:
        from pgmstudio.core.models.mixture_kernels import add_complete_rows, add_incomplete_rows

        a = self.arrays
        if not data.has_missing:
            with np.errstate(divide="ignore"):
                logs = np.log2(a.tables)
            add_complete_rows(data.codes, a.parents, a.table_at, a.cards, logs, parts)
            return
        is_complete = ~(data.codes == data.missing_code).any(axis=0)
        whole, rest = parts[:, is_complete], parts[:, ~is_complete]
        self._add_tree_logs(data.of_rows(is_complete), whole)
        codes = np.ascontiguousarray(data.codes[:, ~is_complete])
        add_incomplete_rows(
            codes,
            data.missing_code,
            a.order,
            a.parents,
            a.table_at,
            a.state_at,
            a.cards,
            a.tables,
            rest,
        )
        parts[:, is_complete], parts[:, ~is_complete] = whole, rest

    def log2_probabilities(self, data: DataSet) -> Floats:
        """log2 Q(observed cells) per row; −inf for impossible rows."""
        return log2_sums_in_blocks(self.log2_parts, data, len(self.trees))

    def responsibilities(self, data: DataSet) -> Floats:
        """γ_k(row) = λ_k T^k(row) / Q(row), rows × trees (eq. 3.15)."""
        return shares(self.log2_parts(data), self.weights)

    def sample(self, count: int, rng: np.random.Generator) -> DataSet:
        """Independent rows: a component is drawn, then a row of its tree."""
        return self.sample_with_components(count, rng)[0]

    def sample_with_components(
        self, count: int, rng: np.random.Generator
    ) -> tuple[DataSet, NDArray[np.intp]]:
        """The rows and the component each came from."""
        components = rng.choice(len(self.trees), size=count, p=self.weights / self.weights.sum())
        codes = np.zeros((len(self.domain), count), dtype=code_dtype(self.domain))
        places = np.array([self.domain.index(name) for name in self.tree_domain.names], np.intp)
        for k, tree in enumerate(self.trees):
            rows = np.flatnonzero(components == k)
            codes[places[:, None], rows] = tree.sample(rows.size, rng).codes
        if self.choice is not None:
            codes[self.domain.index(self.choice)] = components
        return DataSet(self.domain, codes), components
