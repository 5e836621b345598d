"""What the learners of labelled DAGs share: settings, the scores they select, and parameters by EM
where cells are missing.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.execution.events import NEVER, CancelToken, Note, Progress
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    MAX_COPIES,
    CompletingLearner,
)
from pgmstudio.core.languages.bayesian_network.learning.missing_data.expected_counts import (
    Expectation,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import (
    FINAL_TOLERANCE,
    TOO_LARGE_FOR_EM,
    affordable_iterations,
    em_note,
    em_states,
    without_zeros,
)
from pgmstudio.core.languages.ldag.learning.label_search import (
    DEFAULT_TABLE,
    EXACT,
    FREE,
    FULL,
    GREEDY,
    GROUPED_TREE,
    LABELS,
    STRUCTURES,
    LabelScores,
)
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.scores import (
    CONTEXTS,
    DEFAULT_ROW,
    ELEMENTS,
    PARAMETERS,
    PARTITION_SCORES,
    ROWS,
    SHARED,
    STATES,
    USUAL_KAPPA,
    PartitionScore,
    partition_score_of,
)
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.learning.params import missing_param
from pgmstudio.core.learning.score_definition import ScoreKind
from pgmstudio.core.model import Model
from pgmstudio.core.params import AUTO, param
from pgmstudio.core.scores.family_cache import MAX_TABLE_CELLS, largest_table

KAPPA_HELP = (
    "Prior of labels: a factor κ for each parameter that labels save. 1 favours dense graphs with "
    "many labels, small values plain networks; usual is "
    f"{USUAL_KAPPA:g} with the prior of a graph divided among its labels"
)
USUAL = "usual"
_MERGING = {FREE: ROWS, GROUPED_TREE: STATES, DEFAULT_TABLE: DEFAULT_ROW}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelParams:
    """The structure of tables and its score."""

    structure: str = param(
        LABELS,
        title="Table structure",
        choices=STRUCTURES,
        help="Rows of a table that can share parameters. labels: contexts in which an edge "
        "vanishes. csi-tree: leaves of a decision tree over the parents. extended-tree: the "
        "same with groups of states. default-table: some rows are their own, all others share a "
        "default row. free: any rows. full: none.",
    )
    score: str = param(
        "bdeu",
        title="Score",
        choices=PARTITION_SCORES,
        help="Score of the search, in addition to the prior: bdeu and k2 are marginal likelihoods,"
        " bic penalizes parameters.",
    )
    ess: float = param(
        1.0,
        title="Equivalent sample size",
        low=0,
        low_open=True,
        high=1000,
        help="Equivalent sample size of the BDeu prior and of the final tables, in rows.",
    )
    prior: str = param(
        AUTO,
        title="κ counts",
        choices=(AUTO, SHARED, PARAMETERS, ELEMENTS),
        help="parameters: κ for each parameter that labels save. shared: the same, with the prior "
        "of a graph divided among its labels, so that graphs with many possible labels have "
        "no advantage. contexts: κ for each context in a label. auto: parameters if κ is a "
        "number, else shared. Trees, default tables and free classes always count parameters.",
        advanced=True,
    )
    parent_prior: float = param(
        1.0,
        title="Parent prior λ",
        low=0,
        low_open=True,
        high=1,
        help="Prior factor for each parent; 1 is uniform, 0.1 gives sparser graphs.",
    )
    inner: str = param(
        EXACT,
        title="Search for labels",
        choices=(EXACT, GREEDY),
        help="exact: the best labels if a table has at most 12 contexts, one context at a time in "
        "larger tables. greedy: one context at a time everywhere.",
    )
    missing: str = missing_param()


def kappa_param(more: str = "") -> Any:
    """κ: one declaration for every learner of labels; `more` is appended to its help text."""
    return param(
        None,
        title="κ",
        low=0,
        low_open=True,
        high=1,
        none_label=USUAL,
        help=f"{KAPPA_HELP}{more}.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenKappaParams(LabelParams):
    """The same, with a given κ."""

    kappa: float | None = kappa_param()


def given_kappa(params: LabelParams) -> float | None:
    """The κ that was given, if it is a number."""
    kappa = getattr(params, "kappa", None)
    return float(kappa) if isinstance(kappa, float | int) else None


def kappa_of(params: LabelParams) -> float:
    """The κ that was given, else the default."""
    given = given_kappa(params)
    return USUAL_KAPPA if given is None else given


def score_of(
    params: LabelParams, kappa: float, total_weight: float, *, is_given_graph: bool = False
) -> PartitionScore:
    """The score of the settings; the shared prior does not apply to a given graph or without
    labels."""
    per = params.prior
    if per == AUTO:
        per = SHARED if given_kappa(params) is None else PARAMETERS
    is_alone = is_given_graph or params.structure == FULL
    if (per == SHARED and is_alone) or (per == ELEMENTS and params.structure != LABELS):
        per = PARAMETERS
    return partition_score_of(
        params.score,
        total_weight,
        ess=params.ess,
        kappa=kappa,
        per=per,
        parent_prior=params.parent_prior,
        merging=_MERGING.get(params.structure, CONTEXTS),
    )


def label_scores(
    data: DataSet,
    params: LabelParams,
    kappa: float,
    start: Dag | None = None,
    max_table_cells: int = MAX_TABLE_CELLS,
    *,
    is_given_graph: bool = False,
) -> LabelScores:
    """The label scores of the settings; the tables of `start` are never too large."""
    score = score_of(params, kappa, data.total_weight, is_given_graph=is_given_graph)
    most = max_table_cells if start is None else max(max_table_cells, largest_table(start, data))
    return LabelScores(
        data, score, structure=params.structure, inner=params.inner, max_table_cells=most
    )


L = TypeVar("L", bound=LabelParams)


class LabelLearner(CompletingLearner[L]):
    """A learner of labelled graphs."""

    kind = "ldag"
    score_kind = ScoreKind.LABELS

    def max_copies(self, params: L) -> int:
        return 1 if getattr(params, "kappa", None) == AUTO else MAX_COPIES  # folds choose κ

    def refit(
        self, result: Finished, data: DataSet, params: L, cancel: CancelToken
    ) -> Generator[Progress | Note, None, tuple[Model, float]]:
        assert isinstance(result.model, LabelledDag)
        score = PartitionScore(params.score, params.ess)
        try:
            return (yield from labels_refitted(result.model, data, score, cancel))
        except TooLargeError:
            yield Note(TOO_LARGE_FOR_EM)
            return result.model, math.nan


def labels_refitted(
    model: LabelledDag, data: DataSet, score: PartitionScore, cancel: CancelToken = NEVER
) -> Generator[Progress | Note, None, tuple[LabelledDag, float]]:
    """The same graph and labels with the parameters of largest posterior given observed cells."""
    cards = data.domain.cardinalities
    expectation = Expectation(model.dag, data, cancel)
    pseudo = [score.pseudo_counts(cards[i], c) for i, c in enumerate(model.classes)]
    start = [without_zeros(table) for table in model.as_bayesian_network.tables]
    most = affordable_iterations(expectation.seconds)
    steps = em_states(
        expectation,
        start,
        pseudo,
        classes=model.classes,
        tolerance=FINAL_TOLERANCE,
        most=most,
        cancel=cancel,
    )
    for state in steps:
        yield Progress(None, f"Tables by EM, iteration {state.iteration}")
    yield em_note(state.iteration, most, state.log2_likelihood / data.total_weight)
    rows = []
    for table, classes in zip(state.tables, model.classes, strict=True):
        _, first = np.unique(classes.ravel(), return_index=True)
        rows.append(table.reshape(classes.size, -1)[first])
    return LabelledDag(data.domain, model.dag, model.classes, tuple(rows)), state.log2_likelihood
