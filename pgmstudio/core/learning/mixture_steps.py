"""The steps of EM for a mixture of trees; how the best trees are found is left to its heirs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Protocol

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.learning.mixture_expectation import TreeMixtureExpectation
from pgmstudio.core.learning.mixture_state import Floats
from pgmstudio.core.learning.mixture_work import Part

# What a part of a step is of.
ROWS, TREES = "rows", "trees"
# Cells whose first shares are asked for together, and how many numbers each stands for in time.
START_CELLS, START_VISITS = 2_000_000, 10
# Some components, and the workspace to use; yields when it looks up.
Task = Callable[[range, int], Iterator[None]]


class Sharing(Protocol):
    """A model with components."""

    def responsibilities(self, data: DataSet) -> Floats: ...


class TreeMixtureSteps(TreeMixtureExpectation):
    """The state of one EM run; `start`, then `improve` until it no longer pays."""

    # -- starting ---------------------------------------------------------------------------------

    def start(self, shares: Floats) -> None:
        """Begin with these responsibilities, rows × components, each row summing to 1."""
        _finish(self.starting(shares))

    def starting(self, shares: Floats) -> Iterator[Part]:
        """The same, telling how far it is when that takes long."""
        return self._starting(lambda begin, end: shares[begin:end])

    def start_at_random(self, rng: np.random.Generator, spread: float = 0.1) -> None:
        """Responsibilities drawn from a Dirichlet distribution; small `spread` parts the rows."""
        _finish(self.starting_at_random(rng, spread))

    def starting_at_random(self, rng: np.random.Generator, spread: float = 0.1) -> Iterator[Part]:
        """The same, telling how far it is."""
        even = np.full(self.count, spread)
        return self._starting(lambda begin, end: rng.dirichlet(even, size=end - begin))

    def starting_like(self, model: Sharing) -> Iterator[Part]:
        """Begin with the responsibilities that another model has."""
        return self._starting(
            lambda begin, end: model.responsibilities(self.rows.data_of(begin, end))
        )

    def _starting(self, shares_of: Callable[[int, int], Floats]) -> Iterator[Part]:
        """M step for given shares; in it a missing cell has the frequencies of its column."""
        self._clear()
        if self.rows.gap_count:
            self._tables[:] = self._column_tables()
            self.forests[:] = -1
            self._note_orders()
        width = len(self.rows.domain)
        step = max(1, START_CELLS // max(width, 1))
        for begin, end in self.rows.blocks:
            given = np.empty((end - begin, self.count))
            for first in range(begin, end, step):
                self._cancel.raise_if_cancelled()
                last = min(first + step, end)
                given[first - begin : last - begin] = shares_of(first, last)
                if self._works[0].spend((last - first) * width * START_VISITS):
                    yield Part(last / self.rows.row_count, ROWS)
            known = self.rows.choice[begin:end]
            given[known >= 0] = 0.0
            given[np.flatnonzero(known >= 0), known[known >= 0]] = 1.0
            given *= self.rows.weights[begin:end, None]
            self._add_given(begin, end, given)
        yield from self._maximising()

    def _add_given(self, begin: int, end: int, shares: Floats) -> None:
        """These shares of the rows begin … end − 1 to the sums."""
        work = self._works[0]
        if work.shares.shape[0] < end - begin:
            work.make_room(end - begin)
        work.shares[: end - begin, : shares.shape[1]] = shares
        work.masses += work.shares[: end - begin, : self.count].sum(axis=0)
        self._add(self.rows, begin, end, 0)

    # -- one iteration ----------------------------------------------------------------------------

    def improve(self) -> float:
        """One E and one M step; the log-likelihood in nats before the M step."""
        _finish(self.improving())
        return self.last_log_likelihood

    def improving(self) -> Iterator[Part]:
        """The same in parts, for large data: yields how far it is."""
        self._clear()
        yield from (Part(share, ROWS) for share in self._pass(self.rows, is_counting=True))
        yield from self._maximising()

    # -- the trees --------------------------------------------------------------------------------

    def _maximising(self) -> Iterator[Part]:
        self.masses = self._works[0].masses + self._works[1].masses
        total = self.rows.total_weight + self.priors.weight_rows
        self.weights = (self.masses + self.priors.weight_rows / self.count) / total
        yield from self.fitting()

    def smoothing(self, strength: float) -> Iterator[Part]:
        """The trees anew, from the same responsibilities, with other smoothing."""
        self.priors = replace(self.priors, strength=strength)
        yield from self.fitting()

    def fitting(self) -> Iterator[Part]:
        """The best trees for the shares of the last pass; yields how far it is, if that is long."""
        from pgmstudio.core.learning.mixture_em_kernels import new_edges

        before = self.forests.copy()
        for work in self._works:
            work.spent = 0
        yield from (Part(share, TREES) for share in self._fitting())
        self.changed_edges = sum(
            new_edges(old, new) for old, new in zip(before, self.forests, strict=True)
        )

    @abstractmethod
    def _fitting(self) -> Iterator[float]:
        """Forests and tables anew."""

    def _shared_out(self, task: Task, group: int = 1) -> Iterator[float]:
        """The task for all components, `group` at a time, every other group in a second thread.

        Yields the share that is done whenever the task looks up in this thread.
        """
        groups = [range(k, min(k + group, self.count)) for k in range(0, self.count, group)]
        mine, others = groups[::2], groups[1::2]

        def run_others() -> None:
            for group in others:
                _finish(task(group, 1))

        later = self._threads.submit(run_others) if others else None
        for done, one in enumerate(mine):
            for _ in task(one, 0):
                yield done / len(mine)
        if later is not None:
            later.result()

    def _imagined_rows(self) -> Floats:
        """Γ_k + N'_k, where the policy speaks of fictitious rows; else Γ_k."""
        return np.asarray(np.maximum(self.masses, 1e-12) + self.priors.own_rows / self.count)

    # -- what came out ----------------------------------------------------------------------------

    def prior_term(self) -> float:
        """Σ_k N'_k ⟨log T^k⟩_P' − Σ β + Σ (c/m) ln λ_k: what the objective has beside the data."""
        total = 0.0
        if self.priors.weight_rows > 0:
            own = self.priors.weight_rows / self.count
            total += own * float(np.log(self.weights).sum())
        rows = self._imagined_rows()
        for k in range(self.count):
            if self.priors.own_rows > 0:
                total += self.priors.own_rows / self.count * self._prior_log(k)
            if self.priors.is_shared and k > 0:
                continue
            mine = float(rows.sum() if self.priors.is_shared else rows[k])
            total -= self._penalty(k, mine)
        return total

    @abstractmethod
    def _penalty(self, k: int, rows: float) -> float:
        """Σ β over the edges of tree k, which has so many rows."""

    @abstractmethod
    def _prior_log(self, k: int) -> float:
        """⟨log T^k⟩_P'."""


def _finish(parts: Iterable[object]) -> None:
    for _ in parts:
        pass
