"""One climb over equivalence classes (Nielsen 2007, Algorithm 4.3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.pdag import Pdag, cpdag_of
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.neighbourhood import (
    ADDITIONS,
    REMOVALS,
    TURNS,
    Boundary,
    GainRows,
    Proposal,
)

# Phase by phase the kinds of moves, a later one where an earlier has nothing better.
PHASES = {
    "turning": ((TURNS, ADDITIONS | REMOVALS),),
    "full": ((ADDITIONS | REMOVALS,),),
    "two-phase": ((ADDITIONS,), (REMOVALS,)),
}


def least_gain(score: float) -> float:
    """Gains up to this are rounding."""
    return 1e-7 + 1e-13 * abs(score)


class ClassClimb:
    """The present class, its score, and steps to better ones."""

    def __init__(self, gains: GainRows, boundary: Boundary, *, has_missing: bool) -> None:
        self._gains = gains
        self._boundary = boundary
        self._has_missing = has_missing
        self._start = cpdag_of(gains.rules.start)
        # Whole scores must not depend on what other climbs have asked before.
        self._scores = gains.scores.afresh()
        self.step = 0
        self.last: Proposal | None = None  # the step taken last
        self.cpdag = self._start
        self.score = self._total(self._start, NEVER)

    def _total(self, cpdag: Pdag, cancel: CancelToken) -> float:
        return self._scores.total(self._gains.rules.member(cpdag).parent_indices, cancel)

    def climb(
        self, greediness: float, phases: str, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[float]:
        """From the start to a class none of whose neighbours is better; yields each new score."""
        self.score = self._total(self._start, cancel)
        self.cpdag = self._start
        self.step = 0
        self.last = None
        for phase in PHASES[phases]:
            while any(self._improve(greediness, kinds, rng, cancel) for kinds in phase):
                self.step += 1
                yield self.score
        self.score = self._total(self.cpdag, cancel)

    def _improve(
        self, greediness: float, kinds: int, rng: np.random.Generator, cancel: CancelToken
    ) -> bool:
        cancel.raise_if_cancelled()
        least = least_gain(self.score)
        for proposal in self._boundary.proposals(self.cpdag, least, greediness, kinds, rng, cancel):
            score = self.score + proposal.gain
            if self._has_missing:
                # Families counted over different rows: the members of a class need not score
                # the same, so the member that would be returned decides.
                score = self._total(proposal.cpdag, cancel)
                if score <= self.score + least:
                    continue
            self.cpdag = proposal.cpdag
            self.score = score
            self.last = proposal
            return True
        return False
