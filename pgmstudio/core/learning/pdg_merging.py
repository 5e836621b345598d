"""Merging the nodes of a compiled graph, for one λ after the other (Nielsen 2007, §4.6.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.learning.pdg_state import Ints, PdgState

# How many pairs of nodes may be compared, a few nanoseconds each, before it is told.
_PAIRS_TOLD = 10_000_000


@dataclass(frozen=True, slots=True)
class MergeTold:
    """How far a traversal is: variables done, of how many, and nodes merged so far."""

    done: int
    variables: int
    merged: int


class CompiledState(PdgState):
    """A compiled graph on its way down; what no row reaches stays apart from the rest.

    Merging an idle node loses nothing on the rows, so it would join any other at once, and rows of
    combinations never seen would be taken for ones that they are not.
    """

    def merge_for(self, lambda_: float) -> Iterator[MergeTold]:
        """Every merge that raises S_λ, from the leaves up; told between variables, now and then."""
        limits = self.merge_limits(lambda_)
        done, merged, pairs = 0, 0, 0
        order = self.order
        for i in reversed(order):
            merged += self._merge_equal(i)
            size = self.bits[i].size
            # The limit has grown since these nodes were compared.
            self.is_changed[i] = np.ones(size, dtype=bool)
            merged += self.merge_nodes_of(i, limits[i])
            done, pairs = done + 1, pairs + size * size
            if pairs > _PAIRS_TOLD:
                pairs = 0
                yield MergeTold(done, len(order), merged)
        yield MergeTold(done, len(order), merged)

    def _merge_equal(self, i: int) -> int:
        """Join the nodes with equal distributions and successors at once: pairs would be many."""
        if self.bits[i].size < 3:
            return 0
        counts = self.counts[i]
        totals = counts.sum(axis=1, keepdims=True)
        shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
        alike = np.column_stack([shares, self._heads(i)])
        _, first, group = np.unique(alike, axis=0, return_index=True, return_inverse=True)
        home = first[group.ravel()].astype(np.int32)
        made = home.size - first.size
        if made:
            sums = np.zeros_like(counts)
            np.add.at(sums, home, counts)
            bits = np.zeros_like(self.bits[i])
            np.add.at(bits, home, self.bits[i])
            self._leave_out(i, home, sums, bits)
            self.is_changed[i] = np.ones(self.bits[i].size, dtype=bool)
        return made

    def _heads(self, i: int) -> Ints:
        is_idle = self.counts[i].sum(axis=1) == 0
        return np.ascontiguousarray(np.column_stack([super()._heads(i), is_idle]), dtype=np.int32)
