"""KES, the k-greedy equivalence search (Nielsen 2007, §4.3; Nielsen, Kočka and Peña 2003).

The search moves from one equivalence class of graphs to the next. Its neighbours are the classes
with one edge more or less in any of their members (the inclusion boundary); one step takes the best
of a random fraction k of the neighbours that score higher. k = 1 is greedy equivalence search (GES,
Chickering 2002) and always the same; smaller k differ from run to run and meet other optima. For
data that have the independencies of some graph, every k finds it as the number of rows grows
(Theorem 4.2).

Before an edge is added or removed, edges are turned as long as that helps (the third kind of move
of Hauser and Bühlmann 2012, who make it last): an early edge in a wrong direction otherwise draws
in others that make up for it. A class at which a run ends has no better neighbour of any kind, so
what is proved of the inclusion boundary holds. The phases `full` and `two-phase` turn nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.events import CancelToken, Note
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
)
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.search import (
    ClimbEvent,
    ClimbResult,
    KesParams,
    KesSearch,
    least_gain,
)
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    completed_rows,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import (
    Fitted,
    fit_tables,
    refined,
)
from pgmstudio.core.learning.base import (
    ArtifactSaved,
    BaseLearner,
    Finished,
    ImprovedModel,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.edge_constraints import left_out_note


class KesLearner(BaseLearner[KesParams]):
    """A Bayesian network by k-greedy search over equivalence classes."""

    key = "bn.kes"
    title = "Equivalence search (KES)"
    kind = "bayesian-network"
    params_type = KesParams
    cost = Cost(0.7, 0.5, 2.2, repeats="restarts", each=0.002)
    artifacts = (KesOptima,)

    def events(
        self, data: DataSet, params: KesParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rows = yield from completed_rows(data, params.missing, rng=rng, cancel=cancel)
        search = KesSearch(rows, params, rng)
        if search.rules.left_out:
            yield Note(left_out_note(search.rules.left_out))
        best = _BestModel(rows, data, params, search, int(rng.integers(2**63)))
        saved_runs = 0
        try:
            for event, progress in search.runs(cancel):
                if event is not None:
                    yield from best.improved(event, cancel)
                yield progress
                # Less and less often, since each artifact has all runs so far.
                if search.run_count > 1.3 * saved_runs or search.is_done:
                    saved_runs = search.run_count
                    yield ArtifactSaved(search.optima())
        except Cancelled:
            if search.run_count > saved_runs:
                yield ArtifactSaved(search.optima())
            raise
        yield from map(Note, search.notes(best.cpdag))
        best.fitted = yield from refined(best.fitted, data, params.missing, cancel=cancel)
        yield Finished(best.fitted.network, best.measures())


class _BestModel:
    """The best class so far, as a network with tables."""

    def __init__(
        self,
        rows: DataSet,
        observed: DataSet,
        params: KesParams,
        search: KesSearch,
        fold_seed: int,
    ) -> None:
        self.rows = rows
        self.observed = observed
        self.params = params
        self.search = search
        self._fold_seed = fold_seed
        self.cpdag = search.climb.cpdag
        self._score = -math.inf
        self._reported_at = 0
        self.fitted: Fitted

    def improved(self, event: ClimbEvent, cancel: CancelToken) -> Iterator[ImprovedModel]:
        """A better model than any before, at the end of a run or after enough work for one.

        Work is estimated and not read off a clock, so that the same seed gives the same events.
        """
        is_end = isinstance(event, ClimbResult)
        is_better = event.score > self._score + least_gain(event.score)
        if event.cpdag is not None and is_better and (is_end or self._is_time(event.step)):
            self.cpdag = event.cpdag
            self._score = event.score
            self._reported_at = event.step
            self.fitted = self._fit(cancel)
            yield ImprovedModel(self.fitted.network, self.measures())
        if is_end:
            self._reported_at = 0

    def _is_time(self, step: int) -> bool:
        cells = self.rows.row_count * len(self.rows.domain)
        seconds_per_row = cells * (2e-10 if self.rows.weights is None else 1.5e-9) + 1e-5
        # About three variables get other parents in a step.
        work = 3 * (step - self._reported_at) * seconds_per_row
        return work >= max(0.3, cells * 1e-8)

    def _fit(self, cancel: CancelToken) -> Fitted:
        """Tables for a member of the class that obeys the rules; every fit splits the rows in the
        same way."""
        return fit_tables(
            self.rows,
            self.search.rules.member(self.cpdag),
            self.params.smoothing,
            rng=np.random.default_rng(self._fold_seed),
            counter=self.search.scores.counter,
            observed=self.observed,
            cancel=cancel,
        )

    def measures(self) -> dict[str, float]:
        runs = self.search.optima()
        result = {
            "score": self._score,
            "edges": float(self.cpdag.edge_count),
            "compelled_edges": float(len(self.cpdag.directed)),
            "runs": float(len(runs.runs)),
            "distinct_optima": float(len(runs.optima)),
            "runs_to_best": float(sum(run.cpdag == self.cpdag for run in runs.runs)),
            "smoothing": self.fitted.smoothing,
        }
        if self.params.score == "lambda":
            result["lambda"] = self.search.scores.score.cost_per_parameter
        return result | self.fitted.per_row(self.observed)
