"""The state of a search over equivalence classes, and its steps (Nielsen 2007, Algorithm 4.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.graphs.cpdag import Pdag, bits_of
from pgmstudio.core.graphs.cpdag_moves import parent_choices, with_joined, with_left
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.learning.kes_rules import ClassRules
from pgmstudio.core.running import CancelToken
from pgmstudio.core.scores.family_scores import MOST_KEPT, FamilyScores

# Choices of parents looked at per variable. A variable has more only when it sits in a clique of
# more than ten undirected edges; every subset of the clique is a choice then.
MOST_CHOICES = 1 << 10


def words_of(masks: Sequence[int], nodes: int) -> NDArray[np.uint64]:
    """Sets of nodes as rows of 64-bit words."""
    words = max(1, -(-nodes // 64))
    packed = b"".join(mask.to_bytes(words * 8, "little") for mask in masks)
    return np.frombuffer(packed, dtype="<u8").astype(np.uint64).reshape(-1, words)


class GainRows:
    """What each variable gains by joining or leaving the parents of another; kept in one array."""

    def __init__(self, scores: FamilyScores, rules: ClassRules) -> None:
        self.scores, self.rules = scores, rules
        self.values = np.empty((64, len(rules.names)))
        self.rows_scored = 0
        self._place: dict[tuple[int, int], int] = {}

    def row(self, child: int, parents: int, cancel: CancelToken) -> int:
        """The row of `values` for a child and its parents."""
        place = self._place.get((child, parents))
        return self._score(child, parents, cancel) if place is None else place

    def _score(self, child: int, parents: int, cancel: CancelToken) -> int:
        candidates = np.empty(0, dtype=np.int64)
        if parents.bit_count() < self.rules.most_parents:
            joinable = self.rules.joinable[child] & ~parents
            candidates = np.array(list(bits_of(joinable)), dtype=np.int64)
        scored = self.scores.toggled(child, list(bits_of(parents)), candidates, cancel)
        if self.scores.score.name
        place = len(self._place)
        ...
