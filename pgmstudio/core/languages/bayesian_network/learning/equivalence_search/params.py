"""The settings of the k-greedy equivalence search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.climb import PHASES
from pgmstudio.core.learning.params import (
    bdeu_rows_param,
    knowledge_param,
    lambda_param,
    max_parents_param,
    max_table_cells_param,
    missing_param,
    smoothing_param,
)
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.params import param

# K2 is not among them: it scores the members of one class differently.
EQUIVALENT_SCORES = ("bic", "aic", "aic-thesis", "bdeu", "lambda")


@dataclass(frozen=True, slots=True, kw_only=True)
class KesParams:
    """The settings of the k-greedy equivalence search."""

    greediness: tuple[float, ...] = param(
        (1.0, 0.9, 0.7, 0.5, 0.3),
        title="Greediness k",
        low=0,
        high=1,
        help="Fraction of the better neighbours from which the best is taken; every value of the "
        "list is run. 1 without the turning phase is greedy equivalence search (GES).",
    )
    restarts: int = param(
        10,
        title="Runs per k",
        low=1,
        help="Searches for each greediness; with 1 and exact neighbours all are identical, so "
        "there is one.",
    )
    score: str = param(
        "bic",
        title="Score",
        choices=EQUIVALENT_SCORES,
        help="Score to maximize, in bits: bic and aic penalize parameters (aic-thesis: one bit "
        "each instead of one nat), bdeu is a marginal likelihood, lambda uses the given weight.",
    )
    lambda_: float | None = lambda_param()
    ess: float = bdeu_rows_param()
    phases: str = param(
        "turning",
        title="Phases",
        choices=tuple(PHASES),
        help="turning: reverse an edge if that helps, otherwise add or remove one. full: add or "
        "remove edges. two-phase: first add edges, then remove edges.",
    )
    neighbourhood: str = param(
        "exact",
        title="Neighbours",
        choices=("exact", "sampled"),
        help="exact: evaluate every neighbouring class. sampled: evaluate as many random ones as "
        "are expected to cover the fraction.",
    )
    max_parents: int | None = max_parents_param()
    smoothing: float | Literal["auto"] = smoothing_param()
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param(
        "the search visits only classes with a graph that satisfies them."
    )
    start: DirectedModel | None = param(
        None,
        title="Start",
        none_label="no edges",
        help="A model with the initial edges of every run.",
    )
    processes: int | None = param(
        None,
        title="Processes",
        low=1,
        none_label="as fits",
        help="Number of parallel processes; the result is the same for any number.",
        advanced=True,
    )
    epsilon: float = param(
        0.001,
        title="ε of sampling",
        low=0,
        low_open=True,
        high=0.1,
        help="Sampling stops when all but this fraction of the neighbours are expected to be "
        "covered.",
        advanced=True,
    )
    max_table_cells: int = max_table_cells_param()
