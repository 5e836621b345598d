"""Learners of labelled graphs when cells are missing: parameters by EM for given labels."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import TypeVar

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.execution.events import NEVER, CancelToken, Note, Progress
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    MAX_COPIES,
    CompletingLearner,
)
from pgmstudio.core.languages.bayesian_network.learning.missing_data.em_steps import (
    FINAL_TOLERANCE,
    TOO_LARGE_FOR_EM,
    affordable_iterations,
    em_note,
    em_states,
    without_zeros,
)
from pgmstudio.core.languages.bayesian_network.learning.missing_data.expected_counts import (
    Expectation,
)
from pgmstudio.core.languages.ldag.learning.common_params import LabelParams
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.scores import PartitionScore
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.model import Model
from pgmstudio.core.params import AUTO

L = TypeVar("L", bound=LabelParams)


class LabelLearner(CompletingLearner[L]):
    """A learner of labelled graphs."""

    kind = "ldag"

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
