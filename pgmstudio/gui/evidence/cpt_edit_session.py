"""The state of the CPT editor: unfinished columns, and the tolerance for similar columns.

Canvas, inspector and status bar read it here, so that they do not depend on the panel.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.model import DirectedModel, Model
from pgmstudio.gui.context import AppContext

EVERYDAY_EPSILON = 0.05


@dataclass(frozen=True, slots=True)
class Waiting:
    """A table with typed numbers whose columns do not sum to 1 yet."""

    model_id: str
    variable: str
    title: str  # the title of the node

    @property
    def message(self) -> str:
        return f"beliefs not updated: a column of {self.title} does not sum to 1"


class CptEditSession(QObject):
    """The state of the CPT editor; one per window."""

    changed = Signal()  # the unfinished table
    typed = Signal()  # a number was typed
    taking_back = Signal()  # undo the number that was typed last
    similarity_changed = Signal()  # the tolerance, or whether similar columns are marked

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._waiting: Waiting | None = None
        self._epsilon = EVERYDAY_EPSILON
        self._marks_similar = False

    @property
    def waiting(self) -> Waiting | None:
        return self._waiting

    def wait_for(self, waiting: Waiting | None) -> None:
        """Set the table that must be finished before beliefs are updated; None: no table."""
        if waiting != self._waiting:
            self._waiting = waiting
            self.changed.emit()

    def take_back(self) -> None:
        """Undo the number typed last while a table is unfinished."""
        if self._waiting is not None:
            self.taking_back.emit()

    def stale_in(self, model_id: str, model: Model, evidence: Collection[str]) -> frozenset[str]:
        """The variables whose beliefs depend on the unfinished table."""
        waiting = self._waiting
        if waiting is None or waiting.model_id != model_id or waiting.variable not in model.domain:
            return frozenset()
        below = _descendants(model, waiting.variable)
        # Evidence on a descendant makes all beliefs depend on the table.
        return frozenset(model.domain.names) if below & set(evidence) else below

    @property
    def epsilon(self) -> float:
        """The largest difference of similar columns."""
        return self._epsilon

    @property
    def marks_similar(self) -> bool:
        return self._marks_similar

    def set_similarity(self, *, marks: bool, epsilon: float | None = None) -> None:
        """Set whether similar columns are marked, and their tolerance."""
        before = (self._marks_similar, self._epsilon)
        self._marks_similar = marks
        self._epsilon = self._epsilon if epsilon is None else min(1.0, max(0.0, epsilon))
        if (self._marks_similar, self._epsilon) != before:
            self.similarity_changed.emit()


def _descendants(model: Model, variable: str) -> frozenset[str]:
    edges = model.edges if isinstance(model, DirectedModel) else ()
    result, new = {variable}, [variable]
    while new:
        name = new.pop()
        new += [target for source, target in edges if source == name and target not in result]
        result.update(new)
    return frozenset(result)


def cpt_edit_session(app: AppContext) -> CptEditSession:
    """The `CptEditSession` of a window, made on first use."""
    return app.service(CptEditSession)
