"""Where the runs of a plan are made: in this process or in a pool of processes; `cluster` has the
third place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.point_work import PointEvent, PointWork
from pgmstudio.core.process_pools import WorkAgain, WorkEnded, WorkFailed, in_pool
from pgmstudio.core.running import CancelToken

PlaceEvent = PointEvent | WorkFailed | WorkAgain | WorkEnded


class Place(Protocol):
    """Makes runs and gives their events, each with the number of its run, as they come."""

    def events(
        self, rows: PlanRows, works: Sequence[PointWork], cancel: CancelToken
    ) -> Iterator[tuple[int, PlaceEvent]]: ...


@dataclass(frozen=True)
class Here:
    """One run after the other in this process."""

    def events(
        self, rows: PlanRows, works: Sequence[PointWork], cancel: CancelToken
    ) -> Iterator[tuple[int, PlaceEvent]]:
        for number, work in enumerate(works):
            cancel.raise_if_cancelled()
            for event in work(rows, cancel):
                yield number, event
            yield number, WorkEnded()


@dataclass(frozen=True)
class LocalPool:
    """So many processes on this machine; None is one for each core.

    Who looks on may be told the models of runs that go on, too.
    """

    processes: int | None = None
    tells_so_far: bool = False

    def events(
        self, rows: PlanRows, works: Sequence[PointWork], cancel: CancelToken
    ) -> Iterator[tuple[int, PlaceEvent]]:
        if self.tells_so_far:
            works = [replace(work, tells_so_far=True) for work in works]
        yield from in_pool(rows, works, cancel, processes=self.processes)
