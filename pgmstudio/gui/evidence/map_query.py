"""The MAP query: the jointly most probable states of some variables, one search per window."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken, StopSwitch
from pgmstudio.core.inference.base import Finding
from pgmstudio.core.inference.map_search import MapAnswer
from pgmstudio.core.languages.sessions import most_probable_together
from pgmstudio.core.model import Model
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask

SECONDS, LONGER_SECONDS = 2.0, 60.0
# The number of combinations listed.
BEST = 5


@dataclass(frozen=True, eq=False)
class MapQuestion:
    """The model, the variables and the evidence of a MAP query."""

    model: Model
    names: tuple[str, ...]
    evidence: Mapping[str, Finding]

    def is_same(self, other: MapQuestion | None) -> bool:
        return (
            other is not None
            and other.model is self.model
            and set(other.names) == set(self.names)
            and other.evidence == self.evidence
        )


class MapQuery(QObject):
    """The MAP search; `stop` keeps the best result so far, a new search cancels the old one."""

    changed = Signal()

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._question: MapQuestion | None = None
        self._answer: MapAnswer | None = None
        self._problem = ""
        self._seconds = SECONDS
        self._stop: StopSwitch | None = None
        self._latest_task = LatestTask(self, self._on_answer, self._on_failed)
        app.document.replaced.connect(self.forget)

    @property
    def is_searching(self) -> bool:
        return self._stop is not None

    def is_about(self, question: MapQuestion) -> bool:
        return question.is_same(self._question)

    def answer_to(self, question: MapQuestion) -> MapAnswer | None:
        return self._answer if self.is_about(question) else None

    def problem_of(self, question: MapQuestion) -> str:
        return self._problem if self.is_about(question) else ""

    def answer_text(self, answer: MapAnswer) -> str:
        """Whether the answer is proved to be best, else its guaranteed quality."""
        if answer.is_exact:
            return "Exact: no combination is more probable."
        fraction = math.floor(1000 * answer.fraction_of_bound) / 10
        return (
            f"Best found in {self._seconds:g} s; at least {fraction:g} % as probable as the best "
            "possible."
        )

    def search(self, question: MapQuestion, seconds: float = SECONDS) -> None:
        """Start the search; `changed` is emitted when it is done."""
        stop = StopSwitch(seconds=seconds)
        self._question, self._answer, self._problem = question, None, ""
        self._seconds, self._stop = seconds, stop

        def task(cancel: CancelToken) -> MapAnswer:
            return most_probable_together(
                question.model,
                question.names,
                question.evidence,
                best=BEST,
                stop=stop,
                cancel=cancel,
            )

        self._latest_task.ask(task)
        self.changed.emit()

    def stop(self) -> None:
        """Stop with the best result so far as the answer."""
        if self._stop is not None:
            self._stop.cancel()

    def forget(self) -> None:
        """Cancel the search and drop the answer."""
        self._latest_task.forget()
        self._stop = self._question = self._answer = None

    def _on_answer(self, answer: MapAnswer) -> None:
        self._answer, self._stop = answer, None
        self.changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self._stop = None
        if not isinstance(error, PgmStudioError):
            raise error
        self._problem = str(error)
        self.changed.emit()


def map_query_of(app: AppContext) -> MapQuery:
    """The `MapQuery` of a window, made on first use."""
    return app.service(MapQuery)
