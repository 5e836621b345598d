"""KES, the k-greedy equivalence search (Nielsen 2007, §4.3; Nielsen, Kočka and Peña 2003).

The search moves from one equivalence class of graphs to the next. Its neighbours are the classes
with one edge more or less in any of their members (the inclusion boundary); one step takes the best
of a random share k of the neighbours that score higher. k = 1 is greedy equivalence search (GES,
Chickering 2002) and always the same; smaller k differ from run to run and meet other optima. For
data that have the independencies of some graph, every k finds it as rows become many (Theorem 4.2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.cpdag import Pdag
from pgmstudio.core.graphs.knowledge import Knowledge
from pgmstudio.core.learning.edge_rules import EdgeRules
from pgmstudio.core.learning.fitting import Fitted, fit_tables
from pgmstudio.core.learning.hill_climb import ON_MISSING_SCORES
from pgmstudio.core.learning.kes_boundary import Boundary, ExactBoundary
from pgmstudio.core.learning.kes_climb import PHASES, ClassClimb
from pgmstudio.core.learning.kes_gains import GainRows
from pgmstudio.core.learning.kes_optima import KesOptima, KesRun
from pgmstudio.core.learning.kes_rules import ClassRules
from pgmstudio.core.learning.kes_sampling import SampledBoundary
from pgmstudio.core.learning.missing_cells import missing_sentence, refuse_empty
from pgmstudio.core.learning.protocols import Finished, Found, LearnEvent
from pgmstudio.core.learning.smoothing import SMOOTHING_HELP
from pgmstudio.core.params import param
from pgmstudio.core.running import NEVER, CancelToken, Note, Progress
from pgmstudio.core.scores.family_scores import MAX_TABLE_CELLS, FamilyScores
from pgmstudio.core.scores.local_scores import score_of

# K2 is not among them: it scores the members of one class differently.
EQUIVALENT_SCORES = ("bic", "aic", "bdeu", "lambda")


@dataclass(frozen=True, slots=True, kw_only=True)
class KesParams:
    """The settings of the k-greedy equivalence search."""

    greediness: tuple[float, ...] = param(
        (1.0, 0.8, 0.6, 0.4),
        title="Greediness k",
        low=0,
        high=1,
        help="Share of the better neighbours from which the best is taken; each of the list is "
        "run. 1 is greedy equivalence search (GES).",
    )
    restarts: int = param(
        10,
        title="Runs for each k",
        low=1,
        help="Searches for each greediness; with 1 and exact neighbours all would be the same, so "
        "it is run once.",
    )
    score: str = param(
        "bic",
        title="Score",
        choices=EQUIVALENT_SCORES,
        help="What the search makes large, in bits, higher is better: bic and aic weigh fit "
        "against parameters, bdeu averages over tables, lambda weighs as you say.",
    )
    lambda_: float | None = param(
        None,
        title="λ",
        low=0,
        high=1,
        none_label="as in BIC",
        help="Weight of the size in the lambda score; larger gives smaller networks.",
    )
    ess: float = param(
        1.0,
        title="Equivalent sample size",
        low=0,
        low_open=True,
        help="How many imagined rows the prior of BDeu is worth.",
    )
    phases: str = param(
        "full",
        title="Phases",
        choices=tuple(PHASES),
        help="full: edges are added and removed in every step; two-phase: first only added, then "
        "only removed.",
    )
    neighbourhood: str = param(
        "exact",
        title="Neighbours",
        choices=("exact", "sampled"),
        help="exact: every neighbouring class is looked at; sampled: as many random ones as are "
        "expected to cover the share.",
    )
    max_parents: int | None = param(
        None, title="Most parents", low=0, none_label="no limit", help="A limit for each variable."
    )
    smoothing: float | Literal["auto"] = param(
        "auto", title="Smoothing α", low=0, help=SMOOTHING_HELP
    )
    knowledge: Knowledge | None = param(
        None,
        title="Knowledge",
        help="Required and forbidden edges and tiers; only classes with a graph that obeys are "
        "visited.",
    )
    epsilon: float = param(
        0.001,
        title="ε of sampling",
        low=0,
        low_open=True,
        high=0.1,
        help="Sampling stops when all but this share of the neighbours are expected to be seen.",
        advanced=True,
    )
    max_table_cells: int = param(
        MAX_TABLE_CELLS,
        title="Largest table",
        low=1,
        help="Families whose table would have more cells are not considered.",
        advanced=True,
    )


class KesLearner:
    """A Bayesian network by k-greedy search over equivalence classes."""

    key = "bn.kes"
    title = "Equivalence search (KES)"
    kind = "bayesian-network"
    params_type = KesParams

    def refuses(self, data: DataSet) -> str | None:
        return refuse_empty(data)

    def on_missing(self, data: DataSet) -> str:
        return missing_sentence(data, ON_MISSING_SCORES)

    def run(
        self, data: DataSet, params: KesParams, *, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        cancel.raise_if_cancelled()
        search = KesSearch(data, params, rng)
        keeper = _Keeper(data, params, search, int(rng.integers(2**63)))
        for progress in search.runs(cancel):
            yield from keeper.found_by_now(cancel)
            yield progress
        fitted = keeper.fit(search.optima().best.cpdag, cancel)
        yield from (Note(sentence) for sentence in search.sentences())
        if fitted.tuned is not None:
            yield Note(str(fitted.tuned))
        yield Finished(fitted.network, keeper.measures(fitted))


def kes_optima(
    data: DataSet, params: KesParams, *, rng: np.random.Generator, cancel: CancelToken = NEVER
) -> KesOptima:
    """All local optima that the runs of a search end in, without fitting any table."""
    search = KesSearch(data, params, rng)
    for _ in search.runs(cancel):
        cancel.raise_if_cancelled()
    return search.optima()


class KesSearch:
    """All runs of one search; gains once computed serve all of them."""

    def __init__(self, data: DataSet, params: KesParams, rng: np.random.Generator) -> None:
        rules = EdgeRules.of(data.domain.names, params.knowledge, params.max_parents)
        class_rules = ClassRules(rules)
        scores = FamilyScores(
            data,
            score_of(params.score, data.total_weight, lambda_=params.lambda_, ess=params.ess),
            max_table_cells=max(params.max_table_cells, largest_table(class_rules.start, data)),
        )
        self.params, self.scores, self.rules = params, scores, class_rules
        self.gains = GainRows(scores, class_rules)
        self._exact = ExactBoundary(self.gains)
        boundary: Boundary = self._exact
        if params.neighbourhood == "sampled":
            boundary = SampledBoundary(self.gains, params.epsilon)
        self.climb = ClassClimb(self.gains, boundary, has_missing=data.has_missing)
        plan = [
            (greediness, restart)
            for greediness in params.greediness
            for restart in range(params.restarts)
            if not (restart and greediness == 1 and params.neighbourhood == "exact")
        ]
        # A generator for each, so that no run depends on those before it.
        self._plan = list(zip(plan, rng.spawn(len(plan)), strict=True))
        self._runs: list[KesRun] = []
        self._seen: set[Pdag] = set()
        self.best_score = -math.inf

    def optima(self) -> KesOptima:
        return KesOptima(tuple(self._runs))

    def runs(self, cancel: CancelToken) -> Iterator[Progress]:
        """Make all runs; each keeps where it ended."""
        ...
