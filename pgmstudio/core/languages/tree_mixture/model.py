"""Mixtures of trees: Q(x) = Σ_k λ_k T^k(x), each tree with its own edges (Meilă 1999, ch. 3).

A mixture of trees with the same edges is a tree H model (§6.3): given the hidden variable h the
connected parts of its forest are independent of each other, A_1 ⟂ A_2 ⟂ … | h.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.components import (
    checked_weights,
    log2_sums_in_blocks,
    needs_no_kernels,
    responsibilities_of,
)
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.tree.model import Tree, TreeArrays, arrays_of, marginals_of
from pgmstudio.core.large_counts import count_text
from pgmstudio.core.model import SealedFields


@dataclass(frozen=True, eq=False)
class TreeMixture(SealedFields):
    """A mixture of trees. `trees` are over the domain without the choice variable, `weights` are
    the λ_k.

    With `choice` the component is a variable of the domain, its states in the order of the trees;
    without it the component is hidden. With `certain` it is a joint state of several variables,
    which stand in the trees without edges, each tree certain of another joint state.
    """

    domain: Domain
    weights: Floats
    trees: tuple[Tree, ...]
    choice: str | None = None
    certain: tuple[str, ...] = ()

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
        if self.certain and len(set(self._joint_states)) < len(self.trees):
            raise GraphError(f"{' and '.join(self.certain)} do not tell the trees apart.")

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
        index, result = self.domain.index, dict[tuple[str, str], int]()
        for tree in self.trees:
            for one, other in tree.edges:
                pair = (one, other) if index(one) < index(other) else (other, one)
                result[pair] = result.get(pair, 0) + 1
        return result

    @property
    def separators(self) -> tuple[str, ...]:
        """The variables that tell the component of a row."""
        return self.certain if self.choice is None else (self.choice,)

    @cached_property
    def component_names(self) -> tuple[str, ...]:
        """The states of the separators, or the numbers of the trees."""
        if self.choice is not None:
            return self.domain[self.choice].states
        if self.certain:
            return tuple(", ".join(states) for states in self._joint_states)
        return tuple(f"tree {k + 1}" for k in range(len(self.trees)))

    @property
    def _joint_states(self) -> list[tuple[str, ...]]:
        """The states of `certain` in every tree; GraphError where one is not certain."""
        result = []
        for number, tree in enumerate(self.trees, start=1):
            states = []
            for name in self.certain:
                table = tree.table(name)
                if table.ndim > 1 or table.max() < 1:
                    raise GraphError(f"{name} has an edge or several states in tree {number}.")
                states.append(self.domain[name].states[int(table.argmax())])
            result.append(tuple(states))
        return result

    @property
    def component_title(self) -> str:
        """The name of the choice variable, or "component"."""
        return self.choice or "component"

    def component_marginals(self) -> dict[str, Floats]:
        """P(X | component) of every variable of the trees, components × states."""
        each = [marginals_of(tree) for tree in self.trees]
        return {
            name: np.stack([marginals[index] for marginals in each])
            for index, name in enumerate(self.tree_domain.names)
        }

    def target_log2(self, rows: DataSet, target: str) -> Floats | None:
        """log2 P(target, other cells), states × rows, if the target is the choice variable."""
        return self.component_log2_likelihoods(rows) if target == self.choice else None

    @property
    def is_shared(self) -> bool:
        """Whether all trees have the same edges."""
        return all(count == len(self.trees) for count in self.edge_counts.values())

    def representation_size(self) -> int:
        """(m − 1) + Σ free parameters of the trees (eq. 2.7); certain variables have none."""
        fixed = sum(self.domain[name].cardinality - 1 for name in self.certain)
        own = sum(tree.representation_size() - fixed for tree in self.trees)
        return len(self.trees) - 1 + own

    def effective_size(self) -> int:
        """Σ over the trees of their clique-table cells: a belief is updated in each of them."""
        return sum(tree.effective_size() for tree in self.trees)

    def component_log2_likelihoods(self, data: DataSet) -> Floats:
        """log2 λ_k T^k(observed cells of the row), trees × rows; missing cells are summed out."""
        data = data.for_model(self.domain)
        with np.errstate(divide="ignore"):
            parts = np.repeat(np.log2(self.weights)[:, None], data.row_count, axis=1)
        if self.choice is not None:
            chosen = data.column(self.choice)
            for k in range(len(self.trees)):
                parts[k, (chosen != k) & (chosen != data.missing_code)] = -np.inf
            data = data.select_columns(self.tree_domain.names)
        self._add_tree_logs(data, parts)
        return parts

    def _add_tree_logs(self, data: DataSet, parts: Floats) -> None:
        a = self.arrays
        with np.errstate(divide="ignore"):
            logs = np.log2(a.tables)
        if not data.has_missing and needs_no_kernels(data, a.parents.size):  # the same sums
            codes = data.codes.astype(np.int64)
            for (k, v), parent in np.ndenumerate(a.parents):
                above = codes[parent] * a.cards[v] if parent >= 0 else 0
                parts[k] += logs[a.table_at[k, v] + above + codes[v]]
            return
        from pgmstudio.core.languages.latent_class.kernels import (
            add_complete_rows,
            add_incomplete_rows,
        )

        if not data.has_missing:
            add_complete_rows(data.codes, a.parents, a.table_at, a.cards, logs, parts)
            return
        is_complete = ~(data.codes == data.missing_code).any(axis=0)
        whole, rest = parts[:, is_complete], parts[:, ~is_complete]
        self._add_tree_logs(data.take_rows(is_complete), whole)
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
        return log2_sums_in_blocks(self.component_log2_likelihoods, data, len(self.trees))

    def responsibilities(self, data: DataSet) -> Floats:
        """γ_k(row) = λ_k T^k(row) / Q(row), rows × trees (eq. 3.15)."""
        return responsibilities_of(self.component_log2_likelihoods(data), self.weights)

    def sample(self, count: int, rng: np.random.Generator) -> DataSet:
        """Independent rows: a component is drawn, then a row of its tree."""
        return self.sample_with_components(count, rng)[0]

    def sample_with_components(
        self, count: int, rng: np.random.Generator
    ) -> tuple[DataSet, NDArray[np.intp]]:
        """The rows and the component each came from."""
        components = rng.choice(len(self.trees), size=count, p=self.weights / self.weights.sum())
        codes = np.zeros((len(self.domain), count), dtype=code_dtype(self.domain))
        indices = np.array([self.domain.index(name) for name in self.tree_domain.names], np.intp)
        for k, tree in enumerate(self.trees):
            rows = np.flatnonzero(components == k)
            codes[indices[:, None], rows] = tree.sample(rows.size, rng).codes
        if self.choice is not None:
            codes[self.domain.index(self.choice)] = components
        return DataSet(self.domain, codes), components


Blocks = tuple[tuple[str, ...], ...]

GUARANTEED = "guaranteed"
NOT_GUARANTEED = "not guaranteed"
NOT_IDENTIFIABLE = "not identifiable"
UNKNOWN = "unknown"


def blocks_of(names: Iterable[str], edges: Iterable[tuple[str, str]]) -> Blocks:
    """The connected parts of a graph, each in the order of the names, the first name first."""
    order = tuple(names)
    head = {name: name for name in order}

    def root_of(name: str) -> str:
        while head[name] != name:
            head[name] = name = head[head[name]]
        return name

    for one, other in edges:
        head[root_of(one)] = root_of(other)
    parts: dict[str, list[str]] = {}
    for name in order:
        parts.setdefault(root_of(name), []).append(name)
    return tuple(tuple(part) for part in parts.values())


def partition_of(model: TreeMixture) -> Blocks | None:
    """The blocks around the component of a mixture, without the columns that separate them; None
    where trees differ in their edges."""
    if not model.is_shared:
        return None
    names = [name for name in model.domain.names if name not in model.separators]
    return blocks_of(names, model.trees[0].edges)


def identifiability(model: TreeMixture) -> tuple[str, str]:
    """Whether the hidden variable is identifiable, and a message about it.

    Sufficient where every variable has two states, the hidden one included (Stanghellini and
    Vantaggi, cited in §6.2): three blocks, or two of which neither is fully connected; a tree is
    so up to two variables. It cannot be where the free parameters outnumber the free cells of the
    joint table.
    """
    if model.separators:
        named, one = " and ".join(model.separators), len(model.separators) == 1
        return GUARANTEED, f"Identifiable: {named} {'is a column' if one else 'are columns'}."
    parameters, cells = _free_parameters(model), model.domain.joint_states() - 1
    if parameters > cells:
        return NOT_IDENTIFIABLE, (
            f"Not identifiable: the model has {parameters:,} free parameters, and the joint table "
            f"of the variables only {count_text(cells)}. Use fewer hidden states."
        )
    blocks = partition_of(model)
    if blocks is None:
        return UNKNOWN, "The trees differ in their edges, so identifiability is unknown."
    if len(model.trees) != 2 or any(card != 2 for card in model.domain.cardinalities):
        return UNKNOWN, (
            "Identifiability is unknown: the rule holds only where every variable, the hidden one "
            "included, has two states."
        )
    if len(blocks) >= 3:
        return GUARANTEED, f"Identifiable: {len(blocks)} blocks, three are enough."
    if len(blocks) == 2 and all(len(block) > 2 for block in blocks):
        return GUARANTEED, "Identifiable: two blocks, and neither is fully connected."
    why = "one block only" if len(blocks) == 1 else "two blocks, one of them fully connected"
    return NOT_GUARANTEED, (
        f"Not guaranteed to be identifiable: {why}. Other hidden variables may give the same rows."
    )


def _free_parameters(model: TreeMixture) -> int:
    """Of a mixture whose component is hidden: its weights and the tables of its trees."""
    parameters = len(model.trees) - 1
    for tree in model.trees:
        for table in tree.tables:
            parameters += table.size - table.size // table.shape[-1]
    return parameters


Mixture = TreeMixture | LatentClasses


def tree_roles(model: TreeMixture, target: str) -> dict[str, str]:
    """The variables that predict the target: its neighbours in the trees, and the choice."""
    if target == model.choice:
        others = (name for name in model.domain.names if name != target)
        return dict.fromkeys(others, "in the trees it chooses")
    count = len(model.trees)
    roles = {}
    for pair, trees in model.edge_counts.items():
        if target in pair:
            other = pair[1] if pair[0] == target else pair[0]
            roles[other] = f"neighbour in {trees} of {count} trees" if count > 1 else "neighbour"
    if model.choice is not None:
        roles[model.choice] = "chooses the tree"
    return roles


def violations(model: TreeMixture, knowledge: Knowledge) -> list[str]:
    """The constraints that any of the trees violates."""
    return [
        f"Tree {number}: {message}"
        for number, tree in enumerate(model.trees, start=1)
        for message in knowledge.among(tree.domain.names).violations(tree.edges)
    ]


def nearly_empty(weights: Floats) -> NDArray[np.bool_]:
    """Which components have less than a quarter of an equal weight, 1/(4m)."""
    result: NDArray[np.bool_] = weights < 1 / (4 * weights.size)
    return result


def effective_count(weights: Floats) -> float:
    """2^H(λ): the number of equally weighted components with the same entropy."""
    some = weights[weights > 0]
    return float(np.exp2(-np.sum(some * np.log2(some))))
