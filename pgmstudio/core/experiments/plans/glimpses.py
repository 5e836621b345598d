"""Glimpses of a run that goes on: models it would give now, as often as that costs it little."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pgmstudio.core.experiments.plans.harvest import Harvested

# Of the seconds of learning, for measuring and sending what may be replaced soon.
SHARE = 0.05
# What the first one is taken to cost before that is known; so none comes earlier than 0.4 s.
FIRST_SECONDS = 0.02


@dataclass(frozen=True, eq=False, slots=True)
class Glimpse:
    """Numbers of the models that stand, and those among them that are new."""

    new: tuple[tuple[int, Harvested], ...]
    standing: tuple[int, ...]


class Glimpses:
    """Says when there is time for one, and gives each model a number that it keeps."""

    def __init__(self) -> None:
        self._spent, self._next = 0.0, FIRST_SECONDS
        self._numbers: dict[int, tuple[int, Harvested]] = {}  # by the identity of their models
        self._count = 0

    def are_due(self, learned_seconds: float) -> bool:
        """Whether the next would still keep to its share of the run."""
        return self._spent + self._next <= SHARE * learned_seconds

    def of(self, models: Sequence[Harvested]) -> Iterator[Glimpse]:
        """One if any model is new; until the next step is asked for, its time is counted."""
        before, self._numbers, new = self._numbers, {}, list[tuple[int, Harvested]]()
        for one in models:
            known = before.get(id(one.model))
            if known is None:
                known = self._count, one
                self._count += 1
                new.append(known)
            self._numbers[id(one.model)] = known
        if not new:
            return
        began = time.perf_counter()
        yield Glimpse(tuple(new), tuple(number for number, _ in self._numbers.values()))
        self._next = time.perf_counter() - began
        self._spent += self._next
