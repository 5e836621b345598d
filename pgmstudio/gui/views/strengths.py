"""How strong edges are, and how wide they are drawn for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal

from pgmstudio.core.inference.protocols import Finding
from pgmstudio.core.inference.sessions import open_session
from pgmstudio.core.models.protocols import Model
from pgmstudio.core.running import CancelToken
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.workers.questions import Asker

Edge = tuple[str, str]
# While evidence is being dragged, strengths wait until it rests.
REST_MS = 150


@dataclass(frozen=True)
class Strengths:
    """One number per edge; widths grow with its root, from the thinnest to the widest line."""

    title: str
    unit: str
    values: Mapping[Edge, float]

    @property
    def range(self) -> tuple[float, float]:
        return min(self.values.values()), max(self.values.values())

    def width_of(self, value: float) -> float:
        low, high = theme().line("edge_strength_min"), theme().line("edge_strength_max")
        most = self.range[1]
        return low + (high - low) * math.sqrt(max(0.0, value) / most) if most > 0 else low

    @property
    def widths(self) -> dict[Edge, float]:
        return {edge: self.width_of(value) for edge, value in self.values.items()}


@runtime_checkable
class JointSession(Protocol):
    """A session that knows the joint belief of several variables."""

    def joint(self, variables: Any) -> Any: ...


def mutual_information_bits(joint: NDArray[np.float64]) -> float:
    """I(X;Y) = Σ p(x,y) log2 p(x,y) / (p(x) p(y)), with 0 log 0 = 0."""
    p = joint / joint.sum()
    independent = p.sum(axis=1, keepdims=True) * p.sum(axis=0, keepdims=True)
    seen = p > 0
    return max(0.0, float(np.sum(p[seen] * np.log2(p[seen] / independent[seen]))))


def mutual_informations(
    model: Model, edges: tuple[Edge, ...], evidence: Mapping[str, Finding], cancel: CancelToken
) -> Strengths:
    """MI of the two ends of every edge given the evidence, in a session of its own."""
    session = open_session(model)
    for variable, finding in evidence.items():
        session.set_evidence(variable, finding)
    values: dict[Edge, float] = {}
    if isinstance(session, JointSession):
        for edge in edges:
            cancel.raise_if_cancelled()
            values[edge] = mutual_information_bits(np.asarray(session.joint(list(edge))))
    return Strengths("MI", "bits", values)


class StrengthKeeper(QObject):
    """Keeps the strengths of a model's edges up to date in the background."""

    changed = Signal(object)  # Strengths or None
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._asker = Asker(self)
        self._asker.answered.connect(self._on_answer)
        self._asker.failed.connect(self.failed)
        self._is_on = False
        self._question: tuple[Model, tuple[Edge, ...], dict[str, Finding]] | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self._ask)

    @property
    def is_on(self) -> bool:
        return self._is_on

    def switch(self, on: bool) -> None:
        self._is_on = on
        if on:
            self._ask()
        else:
            self._asker.forget()
            self._rest.stop()
            self.changed.emit(None)

    def follow(
        self, model: Model, edges: tuple[Edge, ...], evidence: Mapping[str, Finding]
    ) -> None:
        """The model or its evidence is new."""
        self._question = (model, edges, dict(evidence))
        if self._is_on:
            self._rest.start()

    def _ask(self) -> None:
        if self._is_on and self._question is not None:
            self._asker.ask(partial(mutual_informations, *self._question))

    def _on_answer(self, strengths: Strengths) -> None:
        if self._is_on:
            self.changed.emit(strengths)

    def stop(self) -> None:
        """The page is closed."""
        self._rest.stop()
        self._asker.forget()
