"""What the table panel is at: numbers that wait for their column's sum, and what counts as alike.

The canvas, the inspector and the status bar ask here, so that they need not know the panel.
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
    title: str  # what is written on the node

    @property
    def sentence(self) -> str:
        return f"beliefs wait: {self.title} does not sum to 1"


class CptEditSession(QObject):
    """The state of the CPT editor; one per window."""

    changed = Signal()  # what waits
    typed = Signal()  # another number that waits
    taking_back = Signal()  # the number that was typed last is not wanted
    similarity_changed = Signal()  # ε, or whether alike columns are marked

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._waiting: Waiting | None = None
        self._epsilon = EVERYDAY_EPSILON
        self._marks_similar = False

    @property
    def waiting(self) -> Waiting | None:
        return self._waiting

    def wait_for(self, waiting: Waiting | None) -> None:
        """The table that has to be finished before beliefs can follow; None when it is."""
        if waiting != self._waiting:
            self._waiting = waiting
            self.changed.emit()

    def take_back(self) -> None:
        """Undo while a table waits: the number typed last goes, not what was done before it."""
        if self._waiting is not None:
            self.taking_back.emit()

    def stale_in(self, model_id: str, model: Model, evidence: Collection[str]) -> frozenset[str]:
        """The variables of a model whose beliefs do not say what the table will say."""
        waiting = self._waiting
        if waiting is None or waiting.model_id != model_id or waiting.variable not in model.domain:
            return frozenset()
        below = _descendants(model, waiting.variable)
        # Evidence below is heard everywhere.
        return frozenset(model.domain.names) if below & set(evidence) else below

    @property
    def epsilon(self) -> float:
        """Columns that differ by no more are alike."""
        return self._epsilon

    @property
    def marks_similar(self) -> bool:
        return self._marks_similar

    def set_similarity(self, *, marks: bool, epsilon: float | None = None) -> None:
        """Mark alike columns in the table or not, and how near they have to be."""
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
