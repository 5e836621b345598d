"""Statistics of a labelled DAG on data, computed in the background: rows, score, independences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.ldag.contexts import Statement, statements_in
from pgmstudio.core.languages.ldag.learning.label_learner import LabelParams, kappa_of
from pgmstudio.core.languages.ldag.learning.label_learner import score_of as score_of_params
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.scores import (
    USUAL_KAPPA,
    LabelCost,
    PartitionScore,
    counts_of,
    fits,
    label_cost,
    partition_score_of,
)
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.runs.model_data import model_sources


@dataclass(frozen=True, eq=False)
class LabelNumbers:
    """Of one variable's table and of the whole model; None where no data set fits."""

    model: LabelledDag
    variable: str
    score: PartitionScore
    counts: NDArray[np.float64] | None  # by parents in domain order, then the variable
    cost: LabelCost | None
    statements: tuple[Statement, ...] = ()


def score_of(app: AppContext, model_id: str, data: DataSet | None) -> PartitionScore:
    """The score of the run that made the model, or the usual one."""
    total = 1.0 if data is None else data.total_weight
    params = model_sources(app).params(model_id)
    if not isinstance(params, LabelParams):
        return partition_score_of("bdeu", total, kappa=USUAL_KAPPA)
    return score_of_params(params, kappa_of(params), total)


def numbers_of(
    model: LabelledDag,
    variable: str,
    data: DataSet | None,
    score: PartitionScore,
    context: Mapping[int, int],
    cancel: CancelToken,
) -> LabelNumbers:
    """Counted, scored and read off the graph."""
    counts = cost = None
    if data is not None and fits(model, data):
        counts = counts_of(model, data, variable, cancel)
        cost = label_cost(model, data, score, cancel)
    statements = tuple(statements_in(model, context, cancel)) if context else ()
    return LabelNumbers(model, variable, score, counts, cost, statements)


class LabelCounter(QObject):
    """Asks for one variable of one model at a time; the newest question is answered."""

    computed = Signal(object)  # LabelNumbers

    def __init__(self, app: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._app = app
        self._asked: tuple[object, ...] = ()
        self._latest_task = LatestTask(self, self.computed, app.errors.report)

    def ask(
        self, model_id: str, model: LabelledDag, variable: str, context: Mapping[int, int]
    ) -> None:
        """Nothing when it was asked last."""
        rows = model_sources(self._app).rows(model_id)
        data = None if rows is None else rows.data
        asked = (model, variable, data, tuple(context.items()))
        same = len(asked) == len(self._asked) and all(
            a is b or (not isinstance(a, LabelledDag | DataSet) and a == b)
            for a, b in zip(asked, self._asked, strict=True)
        )
        if same:
            return
        self._asked = asked
        score = score_of(self._app, model_id, data)
        self._latest_task.ask(partial(numbers_of, model, variable, data, score, dict(context)))

    def stop(self) -> None:
        self._asked = ()
        self._latest_task.forget()
