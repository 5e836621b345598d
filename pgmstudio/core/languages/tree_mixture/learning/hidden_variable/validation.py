"""TestIndependence: a test on held-out rows whether a hidden variable separates its blocks.

Meilă 1999, §6.7.3, with the errata: the hidden variable is drawn for every row from its posterior,
repeatedly; a pair u ⟂ v | h is rejected when Pr[Î_k ≥ M_k for some k] is shown to be above δ,
accepted when it is shown to be below. A test can reject independence, never prove it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.tree_mixture.model import Blocks, TreeMixture
from pgmstudio.core.scores.independence import (
    SANOV,
    attainable,
    level_of_each,
    pair_statistics,
    quantile_threshold,
    sanov_threshold,
)

ACCEPTED, REJECTED, UNDECIDED, NOT_TESTED = "accepted", "rejected", "undecided", "not tested"
BATCH = 100
MAX_SAMPLES = 20_000


@dataclass(frozen=True, slots=True)
class PairCheck:
    """One pair across blocks; `information` and `thresholds` are means over the samples, per k."""

    one: str
    other: str
    verdict: str
    outside: int  # samples in which some group exceeded its threshold
    samples: int
    low: float  # interval of that probability
    high: float
    information: tuple[float, ...]
    thresholds: tuple[float, ...]
    attainable: float  # the most that Î can be, in bits

    @property
    def is_vacuous(self) -> bool:
        """The threshold of every group lies above anything Î can be, so it cannot reject."""
        return all(threshold >= self.attainable for threshold in self.thresholds)


@dataclass(frozen=True, slots=True)
class PartitionCheck:
    """The check of all pairs across blocks, with its settings."""

    pairs: tuple[PairCheck, ...]
    delta: float
    epsilon: float
    test: str
    rows: float

    @property
    def verdict(self) -> str:
        """Accepted only if every pair is; undecided is never accepted."""
        if not self.pairs:
            return NOT_TESTED
        verdicts = {pair.verdict for pair in self.pairs}
        if REJECTED in verdicts:
            return REJECTED
        return UNDECIDED if UNDECIDED in verdicts else ACCEPTED

    def pairs_with(self, verdict: str) -> tuple[PairCheck, ...]:
        return tuple(pair for pair in self.pairs if pair.verdict == verdict)

    def summary(self) -> str:
        """The verdict as text, with the pairs it depends on."""
        if not self.pairs:
            return "Not tested: there is only one block."
        verdict_text = f"{self.verdict.capitalize()} on {self.rows:.0f} held-out rows"
        if self.verdict == ACCEPTED:
            vacuous = sum(pair.is_vacuous for pair in self.pairs)
            tail = f" ({vacuous} could not have been: too few rows)" if vacuous else ""
            return (
                f"{verdict_text}: none of {len(self.pairs)} pairs across blocks was rejected{tail}."
            )
        hanging = self.pairs_with(self.verdict)
        named = ", ".join(f"{pair.one} – {pair.other}" for pair in hanging[:4])
        more = f" and {len(hanging) - 4} more" if len(hanging) > 4 else ""
        counted = f"{len(hanging)} of {len(self.pairs)} pairs across blocks"
        if self.verdict == UNDECIDED:
            return f"{verdict_text}: {counted} could not be decided: {named}{more}."
        return f"{verdict_text}: dependence is left in {counted}: {named}{more}."


def checks(
    model: TreeMixture,
    data: DataSet,
    blocks: Blocks,
    *,
    rng: np.random.Generator,
    delta: float,
    epsilon: float,
    test: str,
    most_samples: int,
    cancel: CancelToken = NEVER,
) -> Iterator[PartitionCheck]:
    """The check after each batch of samples; the last is the answer.

    Weights count as repeated rows, rounded; a pair is counted over the rows that have both cells.
    """
    work = _Samples(model, data, blocks, delta, epsilon, test)
    yield work.check
    while work.open_pairs and work.samples < most_samples:
        for _ in range(min(BATCH, most_samples - work.samples)):
            cancel.raise_if_cancelled()
            work.draw(rng)
        yield work.updated_check()


class _Samples:
    """Counts over the samples so far."""

    def __init__(
        self,
        model: TreeMixture,
        data: DataSet,
        blocks: Blocks,
        delta: float,
        epsilon: float,
        test: str,
    ) -> None:
        data = data.select_columns(model.domain.names).merged()
        domain = data.domain
        weights = np.ones(data.row_count) if data.weights is None else np.rint(data.weights)
        self._repeats = weights.astype(np.int64)
        self._responsibilities = model.responsibilities(data)
        # The random generator requires that each row sums to at most 1.
        self._responsibilities /= self._responsibilities.sum(axis=1, keepdims=True) * (1 + 1e-12)
        self._cards = np.array(domain.cardinalities, dtype=np.int64)
        self._begins = np.concatenate(([0], np.cumsum(self._cards)[:-1])).astype(np.int64)
        is_there = data.codes != data.missing_code
        cells = np.where(is_there, data.codes.astype(np.int64) + self._begins[:, None], -1)
        self._cells = np.ascontiguousarray(cells.T, dtype=np.int32)
        self._delta, self._test = delta, test
        index, self._names = domain.index, domain.names
        crossing = [(index(u), index(v)) for a, b in combinations(blocks, 2) for u in a for v in b]
        self._level = epsilon / max(1, len(crossing))
        self._each = level_of_each(delta, len(model.trees))
        ends = np.array(crossing, dtype=np.intp).reshape(-1, 2).T
        self._one, self._other = ends[0], ends[1]
        size = (len(crossing), len(model.trees))
        self._seen, self._limits = np.zeros(size), np.zeros(size)
        self._outside = np.zeros(len(crossing), dtype=np.int64)
        self.samples = 0
        pairs = tuple(
            PairCheck(
                self._names[u],
                self._names[v],
                UNDECIDED,
                0,
                0,
                0.0,
                1.0,
                (),
                (),
                attainable(int(self._cards[u]), int(self._cards[v])),
            )
            for u, v in crossing
        )
        total = float(self._repeats.sum())
        self.check = PartitionCheck(pairs, delta, epsilon, test, total)

    @property
    def open_pairs(self) -> int:
        return len(self.check.pairs_with(UNDECIDED))

    def draw(self, rng: np.random.Generator) -> None:
        """One completion of all rows; Î_k of every pair against its M_k."""
        from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.kernels import (
            add_drawn_pairs,
        )

        drawn = rng.multinomial(self._repeats, self._responsibilities)
        one, other = self._one, self._other
        cells = (self._cards[one] * self._cards[other]).astype(np.float64)
        freedom = ((self._cards[one] - 1) * (self._cards[other] - 1)).astype(np.float64)
        is_outside = np.zeros(one.size, dtype=bool)
        size = int(self._cards.sum())
        counts = np.zeros((drawn.shape[1], size, size))
        add_drawn_pairs(self._cells, drawn, counts)
        for k in range(drawn.shape[1]):
            values, rows = pair_statistics(counts[k], self._begins, self._test)
            seen, totals = values[one, other], rows[one, other]
            if self._test == SANOV:
                limits = sanov_threshold(totals, cells, self._each)
            else:
                limits = quantile_threshold(totals, freedom, self._each)
            is_outside |= seen > limits
            self._seen[:, k] += seen
            self._limits[:, k] += limits
        self._outside += is_outside
        self.samples += 1

    def updated_check(self) -> PartitionCheck:
        """The check after deciding the pairs whose interval excludes δ; decided pairs do not
        change."""
        low, high = exact_interval(self._outside, self.samples, self._level)
        pairs = list(self.check.pairs)
        for at, pair in enumerate(pairs):
            if pair.verdict != UNDECIDED:
                continue
            verdict = UNDECIDED
            if low[at] > self._delta:
                verdict = REJECTED
            elif high[at] < self._delta:
                verdict = ACCEPTED
            pairs[at] = replace(
                pair,
                verdict=verdict,
                outside=int(self._outside[at]),
                samples=self.samples,
                low=float(low[at]),
                high=float(high[at]),
                information=tuple((self._seen[at] / self.samples).tolist()),
                thresholds=tuple((self._limits[at] / self.samples).tolist()),
            )
        self.check = replace(self.check, pairs=tuple(pairs))
        return self.check


def exact_interval(hits: NDArray[np.int64], trials: int, level: float) -> tuple[Floats, Floats]:
    """The interval of Clopper and Pearson (1934) for a probability, of confidence 1 − level."""
    from scipy.special import betaincinv

    some, most = np.maximum(hits, 1), np.minimum(hits, trials - 1)
    low = np.where(hits > 0, betaincinv(some, trials - some + 1, level / 2), 0.0)
    high = np.where(hits < trials, betaincinv(most + 1, trials - most, 1 - level / 2), 1.0)
    return low, high
