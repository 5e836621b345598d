"""Constraints on edges for whole equivalence classes: whether some member satisfies them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pgmstudio.core.graphs.background_knowledge import Edge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import Pdag, bits_of, extension_of, oriented
from pgmstudio.core.learning.edge_constraints import EdgeRules


class ClassRules:
    """Which pairs may be joined, and which members of a class may be returned.

    How many parents its variables have at most is the same for all members of a class, since they
    have the same largest families; so a limit needs no choice between members.
    """

    def __init__(self, rules: EdgeRules, start: Iterable[Edge] = ()) -> None:
        self.names = rules.names
        self.most_parents = rules.most_parents
        allowed, required = rules.allowed.astype(bool), rules.required.astype(bool)
        self.joinable = _masks(allowed | allowed.T)
        self._must_join = _masks(required | required.T)
        # If p and c are joined, the edge has to be p → c.
        one_way = allowed & ~allowed.T | required
        self._forced = _masks(one_way)
        self.are_none = not one_way.any() and bool(
            (allowed | np.eye(len(allowed)).astype(bool)).all()
        )
        self.start, self.left_out = rules.starting_graph(start)

    def narrowed(self, cpdag: Pdag) -> Pdag | None:
        """The class with the edges directed that the rules direct; None when no member obeys."""
        if self.are_none:
            return cpdag
        for node, near in enumerate(cpdag.adjacent_masks):
            if near & ~self.joinable[node] or self._must_join[node] & ~near:
                return None
        return oriented(
            cpdag,
            (
                (parent, child)
                for child, near in enumerate(cpdag.adjacent_masks)
                for parent in bits_of(near & self._forced[child])
            ),
        )

    def member(self, cpdag: Pdag) -> Dag:
        """A DAG of the class that obeys the rules; only for classes that have one."""
        narrowed = self.narrowed(cpdag)
        dag = None if narrowed is None else extension_of(narrowed)
        if dag is None:
            raise ValueError("no member of this class obeys the rules")
        return dag


def _masks(flags: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> list[int]:
    """Per column, the rows that are set, as bits."""
    return [sum(1 << int(row) for row in np.flatnonzero(column)) for column in flags.T]
