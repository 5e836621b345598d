"""Knowledge about edges as arrays, the graph a search starts from, and the check after a run.

Rules about the edges of forests: the best forest that has what is required and nothing else
that is forbidden.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.errors import CycleError, KnowledgeError, ParameterError, no_column
from pgmstudio.core.execution.events import NEVER, CancelToken, Note
from pgmstudio.core.graphs.background_knowledge import Edge, Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.maximum_branching import branching_with_required
from pgmstudio.core.graphs.spanning_forest import grow
from pgmstudio.core.model import DirectedModel

Flags = NDArray[np.uint8]


def allowed_edges(names: Sequence[str], knowledge: Knowledge) -> Flags:
    """For every p → c whether the knowledge allows it; `Knowledge.allows` for all pairs at once."""
    # Columns in no tier are as far behind as in front: no comparison holds.
    tiers = np.array([knowledge.tier_of.get(name, np.nan) for name in names], dtype=np.float64)
    before, after = tiers[:, None], tiers[None, :]
    is_closed = np.isin(tiers, list(knowledge.closed_tiers))
    kept_out = (before > after) | ((before == after) & is_closed[:, None])
    index = {name: i for i, name in enumerate(names)}
    for source, target in knowledge.forbidden:
        if source in index and target in index:
            kept_out[index[source], index[target]] = True
    allowed: Flags = (~kept_out).astype(np.uint8)
    return allowed


@dataclass(frozen=True, eq=False)
class EdgeRules:
    """`allowed[p, c]` and `required[p, c]`: p → c may, or must, be present."""

    names: tuple[str, ...]
    allowed: Flags
    required: Flags
    most_parents: int

    @classmethod
    def of(
        cls, names: Sequence[str], knowledge: Knowledge | None, max_parents: int | None
    ) -> EdgeRules:
        """KnowledgeError or ParameterError when the rules cannot hold together."""
        n = len(names)
        allowed = np.ones((n, n), dtype=np.uint8)
        np.fill_diagonal(allowed, 0)
        required = np.zeros((n, n), dtype=np.uint8)
        most = n if max_parents is None else max_parents
        if knowledge is not None and not knowledge.is_empty:
            knowledge.check(names)
            allowed &= allowed_edges(names, knowledge)
            index = {name: i for i, name in enumerate(names)}
            for source, target in knowledge.required:
                required[index[source], index[target]] = 1
        for c, count in enumerate(required.sum(axis=0)):
            if count > most:
                message = f"is {most}, but {count} parents of {names[c]} are required"
                raise ParameterError({"max_parents": message})
        return cls(tuple(names), allowed, required, most)

    def starting_graph(self, edges: Iterable[Edge]) -> tuple[Dag, int]:
        """The required edges and as many of `edges` as the rules let in; and how many they do not.

        An edge is left out when it is forbidden, would close a cycle, or is one parent too many.
        """
        p_c = np.argwhere(self.required)
        required = [(self.names[p], self.names[c]) for p, c in p_c]
        edges = list(edges)
        with contextlib.suppress(CycleError):  # mostly all of them can be there: one look is enough
            whole = Dag.from_edges(self.names, dict.fromkeys([*required, *edges]))
            if all(len(above) <= self.most_parents for above in whole.parent_indices) and all(
                self.allowed[p, c] for c, above in enumerate(whole.parent_indices) for p in above
            ):
                return whole, 0
        dag = Dag.from_edges(self.names, required)
        left_out = 0
        for source, target in edges:
            p, c = dag.index(source), dag.index(target)
            if dag.has_edge(source, target):
                continue
            if not self.allowed[p, c] or len(dag.parent_indices[c]) >= self.most_parents:
                left_out += 1
                continue
            try:
                dag = dag.with_edge(source, target)
            except CycleError:
                left_out += 1
        return dag, left_out

    def start_of(self, model: DirectedModel | None) -> Generator[Note, None, Dag]:
        """The graph a search starts from when a start model is given, or none; notes what is
        lost."""
        start, left_out = self.starting_graph(() if model is None else model.edges)
        if left_out:
            yield Note(left_out_note(left_out))
        return start


def left_out_note(count: int) -> str:
    """The note when the rules exclude edges of the start model."""
    edges = "1 edge" if count == 1 else f"{count} edges"
    return f"The rules do not allow {edges} of the start; the search begins without."


@dataclass(frozen=True, eq=False)
class ForestRules:
    """`allowed[p, c]`: p → c may be present; `required` has the pairs that must be."""

    allowed: NDArray[np.bool_]
    required: tuple[tuple[int, int], ...]

    @classmethod
    def of(
        cls, names: Sequence[str], knowledge: Knowledge | None, root: str | None = None
    ) -> ForestRules | None:
        """None without rules; KnowledgeError when no forest can obey them."""
        if knowledge is None or knowledge.is_empty:
            return None
        knowledge.check(names)
        index = {name: i for i, name in enumerate(names)}
        required = [(index[source], index[target]) for source, target in sorted(knowledge.required)]
        _check_single_parents(names, required, root)
        allowed = allowed_edges(names, knowledge).astype(bool)
        if root is not None:
            allowed[:, index[root]] = False
        return cls(allowed, tuple(required))

    def parents(self, weights: Floats, cancel: CancelToken = NEVER) -> list[int | None]:
        """The forest of largest total weight that obeys them: a maximum branching."""
        return branching_with_required(weights, self.allowed, list(self.required), cancel)


def rules_beside(choice: str, knowledge: Knowledge, names: Sequence[str]) -> Knowledge:
    """The rules about the other variables when `choice` selects the tree and is in none of them.

    KnowledgeError when an edge of it is required.
    """
    required = [edge for edge in sorted(knowledge.required) if choice in edge]
    if required:
        raise KnowledgeError(
            [
                f"{' → '.join(edge)} is required, but {choice} selects the tree and is in none."
                for edge in required
            ]
        )
    return knowledge.among(name for name in names if name != choice)


def _check_single_parents(
    names: Sequence[str], required: list[tuple[int, int]], root: str | None
) -> None:
    parents: dict[int, list[str]] = {}
    for source, target in required:
        parents.setdefault(target, []).append(names[source])
    clashes = [
        f"{' and '.join(above)} are both required as parents of {names[child]}, "
        "but in a tree it may have one."
        for child, above in parents.items()
        if len(above) > 1
    ]
    clashes += [
        f"{above[0]} → {root} is required, but {root} is to be the root."
        for child, above in parents.items()
        if names[child] == root
    ]
    if clashes:
        raise KnowledgeError(clashes)


# The maximum spanning forest over the variables that obeys a root and edge constraints.


def best_forest(
    weights: NDArray[np.float64],
    names: tuple[str, ...],
    root: str | None = None,
    knowledge: Knowledge | None = None,
    cancel: CancelToken = NEVER,
) -> list[int | None]:
    """The parents of the forest of largest total weight that obeys root and knowledge."""
    if root is not None and root not in names:
        raise ParameterError({"root": no_column(root, names)})
    top = 0 if root is None else names.index(root)
    rules = ForestRules.of(names, knowledge, root)
    if rules is None:
        parents = maximum_forest(weights)
        return parents if root is None else rooted_at(parents, top)
    return rules.parents(weights, cancel)


# The nodes whose forest takes less time than to load compiled code.
PLAIN_NODES = 10


def maximum_forest(weights: NDArray[np.float64]) -> list[int | None]:
    """The parent of every node in the forest of the largest total weight, None for a root."""
    parents = np.empty(weights.shape[0], dtype=np.int64)
    if weights.shape[0] <= PLAIN_NODES:
        grow(weights, parents)
    else:
        from pgmstudio.core.graphs.spanning_forest_kernels import grow_forest

        grow_forest(weights, parents)
    return [None if parent < 0 else int(parent) for parent in parents]


def rooted_at(parents: list[int | None], root: int) -> list[int | None]:
    """The same tree with the edges turned that led into `root`'s ancestors and itself."""
    turned = list(parents)
    child, node = None, root
    while True:
        above = parents[node]
        turned[node] = child
        if above is None:
            return turned
        child, node = node, above
