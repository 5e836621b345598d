"""One climb over equivalence classes (Nielsen 2007, Algorithm 4.3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pgmstudio.core.graphs.cpdag import Pdag, cpdag_of
from pgmstudio.core.learning.kes_boundary import ADDITIONS, REMOVALS, Boundary
from pgmstudio.core.learning.kes_gains import GainRows
from pgmstudio.core.running import CancelToken

# Which moves are looked at, phase by phase.
PHASES = {"full": (ADDITIONS | REMOVALS,), "two-phase": (ADDITIONS, REMOVALS)}


class ClassClimb:
    """The present class, its score, and steps to better ones."""

    def __init__(self, gains: GainRows, boundary: Boundary, *, has_missing: bool) -> None:
        self._gains, self._boundary, self._has_missing = gains, boundary, has_missing
        self._start = cpdag_of(gains.rules.start)
        self.step = 0
        self.cpdag, self.score = self._start, self._total(self._start)

    def _total(self, cpdag: Pdag) -> float:
        return self._gains.scores.total(self._gains.rules.member(cpdag).parent_indices)

    @property
    def least_gain(self) -> float:
        """Gains up to this are rounding."""
        return 1e-7 + 1e-13 * abs(self.score)

    def climb(
        self, greediness: float, phases: str, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[float]:
        """From the start to a class none of whose neighbours is better; yields each new score."""
        self.cpdag, self.score, self.step = self._start, self._total(self._start), 0
        for kinds in PHASES[phases]:
            while self._improve(greediness, kinds, rng, cancel):
                self.step += 1
                yield self.score
        self.score = self._total(self.cpdag)

    def _improve(
        self, greediness: float, kinds: int, rng: np.random.Generator, cancel: CancelToken
    ) -> bool:
        cancel.raise_if_cancelled()
        proposals = self._boundary.proposals(
            self.cpdag, self.least_gain, greediness, kinds, rng, cancel
        )
        for proposal in proposals:
            score = self.score + proposal.gain
            if self._has_missing:
                # Families counted over different rows: the members of a class need not score
                # alike, so the member that would be handed out decides.
                score = self._total(proposal.cpdag)
                if score <= self.score + self.least_gain:
                    continue
            self.cpdag, self.score = proposal.cpdag, score
            return True
        return False
