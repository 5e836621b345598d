"""Settings that the learners of labelled graphs have in common, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.learning.hill_climb import largest_table
from pgmstudio.core.learning.label_scores import LabelScores
from pgmstudio.core.learning.ldag_inner import EXACT, GREEDY, LABELS, STRUCTURES
from pgmstudio.core.params import param
from pgmstudio.core.scores.family_scores import MAX_TABLE_CELLS
from pgmstudio.core.scores.partition_scores import (
    ELEMENTS,
    PARAMETERS,
    PARTITION_SCORES,
    partition_score_of,
)

KAPPA_HELP = (
    "Prior of labels: each parameter that labels save is taken to be κ times as probable as a "
    "table without. 1 favours dense graphs with many labels, small numbers plain networks"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelParams:
    """How the rows of one table come together and what they are worth."""

    structure: str = param(
        LABELS,
        title="Table structure",
        choices=STRUCTURES,
        help="Which rows of a table may be the same: labels, contexts in which an edge vanishes; "
        "csi-tree, the leaves of a tree of questions to parents; extended-tree, the same with "
        "groups of states; free, any rows; full, none.",
    )
    score: str = param(
        "bdeu",
        title="Score",
        choices=PARTITION_SCORES,
        help="What the search makes large beside the prior: bdeu and k2 average over tables, bic "
        "weighs fit against parameters.",
    )
    ess: float = param(
        1.0,
        title="Equivalent sample size",
        low=0,
        low_open=True,
        high=1000,
        help="How many imagined rows the prior of BDeu and of the final tables is worth.",
    )
    prior: str = param(
        PARAMETERS,
        title="κ counts",
        choices=(PARAMETERS, ELEMENTS),
        help="Whether κ is for each parameter that labels save or for each context in a label; "
        "trees and free classes always count parameters.",
        advanced=True,
    )
    parent_prior: float = param(
        1.0,
        title="Parent prior λ",
        low=0,
        low_open=True,
        high=1,
        help="Prior of the graph for each parent; 1 is uniform, 0.1 gives sparser graphs.",
    )
    inner: str = param(
        EXACT,
        title="Search for labels",
        choices=(EXACT, GREEDY),
        help="exact: the best labels where a table has at most 12 contexts, and one context at a "
        "time in larger ones; greedy: one at a time everywhere.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenKappaParams(LabelParams):
    """The same, with a κ that is told."""

    kappa: float = param(0.1, title="κ", low=0, low_open=True, high=1, help=f"{KAPPA_HELP}.")


def label_scores(
    data: DataSet,
    params: LabelParams,
    kappa: float,
    start: Dag | None = None,
    max_table_cells: int = MAX_TABLE_CELLS,
) -> LabelScores:
    """The scores that the settings ask for; the tables of `start` are never too large."""
    score = partition_score_of(
        params.score,
        data.total_weight,
        ess=params.ess,
        kappa=kappa,
        per=params.prior if params.structure == LABELS else PARAMETERS,
        parent_prior=params.parent_prior,
    )
    most = max_table_cells if start is None else max(max_table_cells, largest_table(start, data))
    return LabelScores(
        data, score, structure=params.structure, inner=params.inner, max_table_cells=most
    )
