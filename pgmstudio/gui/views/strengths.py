"""How strong edges are, and how wide they are drawn for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, runtime_checkable

import numpy as np
from PySide6.QtCore import QObject, Signal

from pgmstudio.core.inference.measures import mutual_information_bits
from pgmstudio.core.inference.protocols import InferenceSession
from pgmstudio.core.models.protocols import DirectedModel, Model
from pgmstudio.core.running import CancelToken
from pgmstudio.gui.document.live_beliefs import LiveBeliefs
from pgmstudio.gui.style.theme import theme

Edge = tuple[str, str]
TOPIC = "edge strengths"


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


def mutual_informations(
    edges: tuple[Edge, ...], session: InferenceSession, cancel: CancelToken
) -> Strengths:
    """MI of the two ends of every edge, without evidence."""
    session.retract_all()
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

    def __init__(self, live: LiveBeliefs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._live = live
        self._is_on = False
        self._asked_for: Model | None = None

    @property
    def is_on(self) -> bool:
        return self._is_on

    def switch(self, on: bool) -> None:
        if on == self._is_on:
            return
        if on:
            self._is_on = True
            self._live.side.answered.connect(self._on_answer)
            self._live.side.failed.connect(self._on_failed)
            self.follow()
        else:
            self.stop()
            self.changed.emit(None)

    def follow(self) -> None:
        """The model may be another."""
        model = self._live.model
        if not self._is_on or self._asked_for is model or self._live.error is not None:
            return
        self._asked_for = model
        if isinstance(model, DirectedModel):
            self._live.side.ask(TOPIC, partial(mutual_informations, model.edges))

    def _on_answer(self, topic: str, strengths: Strengths) -> None:
        if topic == TOPIC and self._is_on:
            self.changed.emit(strengths)

    def _on_failed(self, topic: str, error: object) -> None:
        if topic == TOPIC:
            self.failed.emit(error)

    def stop(self) -> None:
        """Nobody looks at strengths any more."""
        if self._is_on:
            self._is_on, self._asked_for = False, None
            side = self._live.side
            side.forget(TOPIC)
            side.answered.disconnect(self._on_answer)
            side.failed.disconnect(self._on_failed)
