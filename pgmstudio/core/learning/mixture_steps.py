"""The steps of EM for a mixture of trees; how the best trees are found is left to its heirs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.learning.mixture_expectation import TreeMixtureExpectation
from pgmstudio.core.learning.mixture_state import Floats
from pgmstudio.core.learning.mixture_tables import TreeTables


class Sharing(Protocol):
    """A model with components."""

    def responsibilities(self, data: DataSet) -> Floats: ...


class TreeMixtureSteps(TreeMixtureExpectation):
    """The state of one EM run; `start`, then `improve` until it no longer pays."""

    # -- starting ---------------------------------------------------------------------------------

    def start(self, shares: Floats) -> None:
        """Begin with these responsibilities, rows × components, each row summing to 1."""
        self._start(lambda begin, end: shares[begin:end])

    def start_at_random(self, rng: np.random.Generator, spread: float = 0.1) -> None:
        """Responsibilities drawn from a Dirichlet distribution; small `spread` parts the rows."""
        even = np.full(self.count, spread)
        self._start(lambda begin, end: rng.dirichlet(even, size=end - begin))

    def start_like(self, model: Sharing) -> None:
        """Begin with the responsibilities that another model has."""
        self._start(lambda begin, end: model.responsibilities(self.rows.data_of(begin, end)))

    def start_from(self, tables: TreeTables) -> None:
        """Go on from these trees; the rows must have the reference states they were made with."""
        self.put(tables)
        self.improve()

    def _start(self, shares_of: Callable[[int, int], Floats]) -> None:
        """M step for given shares; in it a missing cell has the frequencies of its column."""
        self._clear()
        if self.rows.gap_count:
            self._tables[:] = self._column_tables()
            self.forests[:] = -1
            self._note_orders()
        for begin, end in self.rows.blocks:
            self._cancel.raise_if_cancelled()
            given = np.array(shares_of(begin, end))
            known = self.rows.choice[begin:end]
            given[known >= 0] = 0.0
            given[np.flatnonzero(known >= 0), known[known >= 0]] = 1.0
            given *= self.rows.weights[begin:end, None]
            self._add_given(begin, end, given)
        self._maximise()

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
        for _ in self.improving():
            pass
        return self.last_log_likelihood

    def improving(self) -> Iterator[float]:
        """The same in parts, for large data: yields which share of the rows is done."""
        self._clear()
        yield from self._pass(self.rows, is_counting=True)
        self._maximise()

    # -- the trees --------------------------------------------------------------------------------

    def _maximise(self) -> None:
        self.masses = self._works[0].masses + self._works[1].masses
        total = self.rows.total_weight + self.priors.weight_rows
        self.weights = (self.masses + self.priors.weight_rows / self.count) / total
        self.fit_trees()

    def smooth(self, strength: float) -> None:
        """The trees anew, from the same responsibilities, with other smoothing."""
        self.priors = replace(self.priors, strength=strength)
        self.fit_trees()

    def fit_trees(self) -> None:
        """The best trees for the shares of the last pass."""
        from pgmstudio.core.learning.mixture_em_kernels import new_edges

        before = self.forests.copy()
        self._fit_trees()
        self.changed_edges = sum(
            new_edges(old, new) for old, new in zip(before, self.forests, strict=True)
        )

    @abstractmethod
    def _fit_trees(self) -> None:
        """Forests and tables anew."""

    def _shared_out(self, task: Callable[[int, int], None]) -> None:
        """`task(k, workspace)` for all components, every other one in a second thread."""

        def run(number: int) -> None:
            for k in range(number, self.count, 2):
                task(k, number)

        later = self._threads.submit(run, 1) if self.count > 1 else None
        run(0)
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
