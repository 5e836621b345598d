"""Rules about the edges of forests: the best forest that has what is required and nothing else
that is forbidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.errors import KnowledgeError
from pgmstudio.core.graphs.knowledge import Knowledge
from pgmstudio.core.learning.branching import branching_with_required
from pgmstudio.core.learning.edge_rules import allowed_edges
from pgmstudio.core.running import NEVER, CancelToken

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ForestRules:
    """`allowed[p, c]` says whether p → c may be there; `required` has the pairs that must."""

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
        place = {name: i for i, name in enumerate(names)}
        required = [(place[source], place[target]) for source, target in sorted(knowledge.required)]
        _check_single_parents(names, required, root)
        allowed = allowed_edges(names, knowledge).astype(bool)
        if root is not None:
            allowed[:, place[root]] = False
        return cls(allowed, tuple(required))

    def parents(self, weights: Floats, cancel: CancelToken = NEVER) -> list[int | None]:
        """The forest of largest total weight that obeys them: a maximum branching."""
        return branching_with_required(weights, self.allowed, list(self.required), cancel)


def rules_beside(choice: str, knowledge: Knowledge, names: Sequence[str]) -> Knowledge:
    """The rules about the other variables when `choice` chooses the tree and stands in none.

    KnowledgeError when an edge of it is required.
    """
    required = [edge for edge in sorted(knowledge.required) if choice in edge]
    if required:
        raise KnowledgeError(
            [
                f"{' → '.join(edge)} is required, but {choice} chooses the tree and stands in none."
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
