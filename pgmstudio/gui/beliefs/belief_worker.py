"""The owner of a model's inference session, used in the window thread if quick, else in a worker.

A session is used by one thread at a time, so a worker gets one query at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache, partial

from PySide6.QtCore import QObject, QTimer, Signal

from pgmstudio.core.analysis.belief_query import (
    Answer,
    Evidence,
    Opened,
    Opener,
    answer,
    open_and_answer,
    refined_answer,
)
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.base import InferenceSession, RefiningSession
from pgmstudio.core.languages.sessions import warm_up
from pgmstudio.core.model import Model
from pgmstudio.gui.jobs.latest_task import LatestTask

# The time the window thread may spend on one update.
MAX_MS_IN_THREAD = 15.0
# Smaller models are opened in the window thread; triangulating larger ones takes too long.
SMALL_VARIABLES, SMALL_CELLS = 20, 500
# Smaller models never do the work for which the compiled loops are worth loading; for the others
# they are loaded after the first pictures, not among them.
TINY_CELLS, WARM_UP_AFTER_MS = 100, 1500
# Estimates are shown again after so many seconds until all errors are small. Evidence that changes
# meanwhile is answered next.
REFINING_SECONDS, MAX_REFINING_SECONDS, SMALL_ERROR = 0.4, 60.0, 0.005


class BeliefWorker(QObject):
    """Opens a model and answers queries; in the window thread before `ask` returns."""

    opened = Signal(object)  # Opened
    answered = Signal(object)  # Answer
    failed = Signal(object)  # PgmStudioError: the model cannot be queried

    def __init__(self, opener: Opener, parent: QObject) -> None:
        super().__init__(parent)
        self._opener = opener
        self._model: Model | None = None
        self._session: InferenceSession | None = None
        self._is_here = False
        self._is_waiting = False
        self._refined_evidence: Evidence | None = None
        self._refined_seconds = 0.0
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_answer)
        self._latest_task.failed.connect(self._on_failed)

    @property
    def session(self) -> InferenceSession | None:
        """The session; None while a worker uses it."""
        return self._session if self._is_here else None

    @property
    def is_waiting(self) -> bool:
        """Whether a worker is busy."""
        return self._is_waiting

    def open(self, model: Model, wanted: Evidence, trusted: Evidence, explains: bool) -> None:
        """Open a model instead of the old one."""
        self._latest_task.forget()
        self._is_waiting = False
        self._model, self._session, self._is_here = model, None, False
        task = partial(open_and_answer, self._opener, model, wanted, trusted, explains)
        if not opens_at_once(model):
            self._ask_worker(lambda _cancel: task())
            return
        try:
            opened = task()
        except PgmStudioError as error:
            self.failed.emit(error)
        else:
            self._is_here = True
            self._take_opened(opened)

    def ask(self, wanted: Evidence, trusted: Evidence, explains: bool) -> None:
        """Query the beliefs; does nothing while a worker is busy: its answer leads to a new
        query."""
        if self._session is None or self._model is None or self._is_waiting:
            return
        task = partial(answer, self._session, self._model.domain, wanted, trusted, explains)
        if self._is_here:
            self._take(task())
        else:
            self._ask_worker(lambda _cancel: task())

    def _ask_worker(self, task: Callable[[CancelToken], Opened | Answer]) -> None:
        self._is_waiting = True
        self._latest_task.ask(task)

    def _on_answer(self, event: Opened | Answer) -> None:
        self._is_waiting = False
        if isinstance(event, Opened):
            self._take_opened(event)
            self._refine(event.answer)
        else:
            self._take(event)
            self._refine(event)

    def _refine(self, latest: Answer) -> None:
        """Go on with estimates until their errors are small, unless evidence has changed."""
        session, error = self._session, latest.largest_error
        if self._model is None or self._is_waiting or not isinstance(session, RefiningSession):
            return
        if latest.evidence != self._refined_evidence:
            self._refined_evidence, self._refined_seconds = latest.evidence, 0.0
        if error is None or error <= SMALL_ERROR or self._refined_seconds >= MAX_REFINING_SECONDS:
            return
        self._refined_seconds += REFINING_SECONDS
        domain, explains = self._model.domain, latest.explains
        self._ask_worker(
            lambda cancel: refined_answer(
                session, domain, explains, REFINING_SECONDS, SMALL_ERROR, cancel
            )
        )

    def _take_opened(self, opened: Opened) -> None:
        self._session = opened.session
        QTimer.singleShot(WARM_UP_AFTER_MS, self, self._warm_up)
        self.opened.emit(opened)

    def _take(self, answer: Answer) -> None:
        is_quick = answer.seconds * 1000 <= MAX_MS_IN_THREAD
        self._is_here = is_quick and not answer.errors  # estimates take long to move
        self.answered.emit(answer)

    def _on_failed(self, error: BaseException) -> None:
        self._is_waiting = False
        if not isinstance(error, PgmStudioError):
            raise error
        self.failed.emit(error)

    def _warm_up(self) -> None:
        """Load the compiled loops in the background for larger models."""
        if self._model is not None and _table_cells(self._model) > TINY_CELLS:
            _warm_up_once()


@cache
def _warm_up_once() -> None:
    threading.Thread(target=warm_up, daemon=True, name="warm-up").start()


def opens_at_once(model: Model) -> bool:
    """Whether opening it takes no longer than a frame."""
    return len(model.domain) <= SMALL_VARIABLES and _table_cells(model) <= SMALL_CELLS


def _table_cells(model: Model) -> int:
    return sum(int(table.size) for table in getattr(model, "tables", ()))
