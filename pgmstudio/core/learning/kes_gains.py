"""What each variable gains by joining or leaving the parents of another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.graphs.cpdag import bits_of
from pgmstudio.core.learning.kes_rules import ClassRules
from pgmstudio.core.running import CancelToken
from pgmstudio.core.scores.family_scores import MOST_KEPT, FamilyScores


def words_of(masks: Sequence[int], nodes: int) -> NDArray[np.uint64]:
    """Sets of nodes as rows of 64-bit words, the form the compiled kernels read."""
    if nodes <= 64:
        return np.array(masks, dtype=np.uint64).reshape(-1, 1)
    words = -(-nodes // 64)
    packed = b"".join(mask.to_bytes(words * 8, "little") for mask in masks)
    return np.frombuffer(packed, dtype="<u8").astype(np.uint64).reshape(-1, words)


FIRST_ROOM = 256


class GainRows:
    """Gains by (child, parents), kept as the rows of one array that kernels can read."""

    def __init__(self, scores: FamilyScores, rules: ClassRules) -> None:
        self.scores, self.rules = scores, rules
        self.values = np.empty((FIRST_ROOM, len(rules.names)))
        self._place: dict[tuple[int, int], int] = {}

    def row(self, child: int, parents: int, cancel: CancelToken) -> int:
        """The row of `values` for a child and the set of its parents; `values` may be a new one."""
        place = self._place.get((child, parents))
        if place is None:
            place = len(self._place)
            if place == len(self.values):
                self.values = np.concatenate([self.values, np.empty_like(self.values)])
            self.values[place] = self._gains(child, parents, cancel)
            self._place[child, parents] = place
        return place

    def take(self, rows: Mapping[tuple[int, int], NDArray[np.float64]]) -> None:
        """Know rows that somebody else has scored."""
        for key, row in rows.items():
            if len(self._place) == len(self.values):
                self.values = np.concatenate([self.values, np.empty_like(self.values)])
            self.values[len(self._place)] = row
            self._place[key] = len(self._place)

    def _gains(self, child: int, parents: int, cancel: CancelToken) -> NDArray[np.float64]:
        joining = 0
        if parents.bit_count() < self.rules.most_parents:
            joining = self.rules.joinable[child] & ~parents
        candidates = np.array([*bits_of(joining)], dtype=np.int64)
        scores = self.scores.toggled(child, [*bits_of(parents)], candidates, cancel)
        gains: NDArray[np.float64] = scores - scores[child]
        return gains

    def forget_if_many(self) -> bool:
        """Begin anew when too much is kept; places handed out before are worth nothing then."""
        is_full = len(self._place) * self.values.shape[1] > MOST_KEPT
        if is_full:
            self._place.clear()
        return is_full
