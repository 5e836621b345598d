"""What data say about a Markov network, computed in the background."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.summaries import pseudo_likelihood_of
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.runs.model_data import model_sources


@dataclass(frozen=True, eq=False)
class Statistics:
    """The answer about a model; None where no data set has its variables."""

    model: MarkovNetwork
    about: Hashable
    answer: Any


class StatisticsTask(QObject):
    """Asks one question about one model at a time; the newest is answered."""

    computed = Signal(object)  # Statistics

    def __init__(self, app: AppContext, parent: QObject, question: Callable[..., Any]) -> None:
        """`question` gets the scores of the data, the structure, what it is about, and a token."""
        super().__init__(parent)
        self._app, self._question = app, question
        self._asked: tuple[object, object, Hashable] = (None, None, None)
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self.computed)
        self._latest_task.failed.connect(app.errors.at("inspectorPanel").report)

    def ask(self, model_id: str, model: MarkovNetwork, about: Hashable = None) -> None:
        """Nothing when it was asked last."""
        sources = model_sources(self._app)
        rows = sources.rows(model_id)
        data = None if rows is None else rows.data
        before, self._asked = self._asked, (model, data, about)
        if before[0] is model and before[1] is data and before[2] == about:
            return
        params = sources.params(model_id)
        ess = float(getattr(params, "ess", 1.0))
        self._latest_task.ask(partial(_answer, self._question, model, data, ess, about))


def _answer(
    question: Callable[..., Any],
    model: MarkovNetwork,
    data: DataSet | None,
    ess: float,
    about: Hashable,
    cancel: CancelToken,
) -> Statistics:
    scores = None if data is None else pseudo_likelihood_of(model.structure, data, ess)
    answer = None if scores is None else question(scores, model.structure, about, cancel)
    return Statistics(model, about, answer)
