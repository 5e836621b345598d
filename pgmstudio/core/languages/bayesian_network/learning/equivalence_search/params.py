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
        help="Share of the better neighbours from which the best is taken; each of the list is "
        "run. 1 without turning edges is greedy equivalence search (GES).",
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
        "against parameters (aic-thesis: a bit each, not a nat), bdeu averages over tables, "
        "lambda weighs as you say.",
    )
    lambda_: float | None = lambda_param()
    ess: float = bdeu_rows_param()
    phases: str = param(
        "turning",
        title="Phases",
        choices=tuple(PHASES),
        help="turning: an edge is turned where that helps, else one is added or removed; full: "
        "added or removed only; two-phase: first only added, then only removed.",
    )
    neighbourhood: str = param(
        "exact",
        title="Neighbours",
        choices=("exact", "sampled"),
        help="exact: every neighbouring class is looked at; sampled: as many random ones as are "
        "expected to cover the share.",
    )
    max_parents: int | None = max_parents_param()
    smoothing: float | Literal["auto"] = smoothing_param()
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param(
        "only classes with a graph that obeys are visited."
    )
    start: DirectedModel | None = param(
        None,
        title="Start",
        none_label="no edges",
        help="A model whose edges every run starts from.",
    )
    processes: int | None = param(
        None,
        title="Processes",
        low=1,
        none_label="as fits",
        help="Over how many processes the runs are spread; the result is the same for any number.",
        advanced=True,
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
    max_table_cells: int = max_table_cells_param()
