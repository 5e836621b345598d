"""The climbs of a k-greedy search, made here or spread over processes.

Every climb has random numbers of its own and asks for whole scores afresh, so what it tells does
not depend on the climbs beside it. Put into the order of the plan, the events are therefore the
same to the last bit in any number of processes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.cpdag import Pdag
from pgmstudio.core.learning.edge_rules import EdgeRules
from pgmstudio.core.learning.hill_climb import largest_table
from pgmstudio.core.learning.kes_boundary import Boundary, ExactBoundary
from pgmstudio.core.learning.kes_climb import ClassClimb
from pgmstudio.core.learning.kes_gains import GainRows
from pgmstudio.core.learning.kes_params import KesParams
from pgmstudio.core.learning.kes_rules import ClassRules
from pgmstudio.core.learning.kes_sampling import SampledBoundary
from pgmstudio.core.processes import in_processes
from pgmstudio.core.running import CancelToken
from pgmstudio.core.scores.family_scores import FamilyScores, mask_of
from pgmstudio.core.scores.local_scores import score_of

FirstRows = Mapping[tuple[int, int], NDArray[np.float64]]

# A process of its own takes a second or two to begin and scores much again that others have.
WORK_FOR_PROCESSES = 10.0  # seconds


@dataclass(frozen=True, slots=True)
class Planned:
    """One climb to make: its place in the plan, its greediness, its random numbers."""

    number: int
    greediness: float
    rng: np.random.Generator


@dataclass(frozen=True, slots=True)
class Climbing:
    """A climb on its way; the class comes now and then, for a model that can be looked at."""

    step: int
    score: float
    edges: int
    move: str
    better: int | None  # better neighbours of the class before, where all were counted
    cpdag: Pdag | None


@dataclass(frozen=True, slots=True)
class Climbed:
    """A climb that has ended; `is_cut` when not every set of parents was looked at."""

    step: int
    score: float
    cpdag: Pdag
    is_cut: bool
    seconds: float = field(compare=False)


ClimbEvent = Climbing | Climbed


class Climber:
    """Rules, scores and gains of one data set, kept from climb to climb."""

    def __init__(self, data: DataSet, params: KesParams) -> None:
        names = data.domain.names
        self.rules = ClassRules(
            EdgeRules.of(names, params.knowledge, params.max_parents),
            () if params.start is None else params.start.edges,
        )
        self.scores = FamilyScores(
            data,
            score_of(params.score, data.total_weight, lambda_=params.lambda_, ess=params.ess),
            max_table_cells=max(params.max_table_cells, largest_table(self.rules.start, data)),
        )
        self.gains = GainRows(self.scores, self.rules)
        self._exact = ExactBoundary(self.gains)
        boundary: Boundary = self._exact
        if params.neighbourhood != "exact":
            boundary = SampledBoundary(self.gains, params.epsilon)
        self.climb = ClassClimb(self.gains, boundary, has_missing=data.has_missing)
        self._phases = params.phases
        # Steps are slow where there are many columns, and classes are large to send.
        self._tell_every = 8 if len(names) < 200 else 1
        self._show_every = max(8, len(names) // 8)

    def first_rows(self, cancel: CancelToken) -> Iterator[tuple[tuple[int, int], int]]:
        """Score what the first step of every climb asks for; yields each key and its row."""
        for child, parents in enumerate(self.rules.start.parent_indices):
            mask = mask_of(parents)
            yield (child, mask), self.gains.row(child, mask, cancel)

    def events(self, planned: Planned, cancel: CancelToken) -> Iterator[ClimbEvent]:
        """One climb, told step by step."""
        climb, begin = self.climb, time.perf_counter()
        for score in climb.climb(planned.greediness, self._phases, planned.rng, cancel):
            step, shown = climb.step, climb.step % self._show_every == 0
            if (shown or step % self._tell_every == 0) and climb.last is not None:
                yield Climbing(
                    step,
                    score,
                    climb.cpdag.edge_count,
                    str(climb.last),
                    climb.last.better,
                    climb.cpdag if shown else None,
                )
        seconds = time.perf_counter() - begin
        yield Climbed(climb.step, climb.score, climb.cpdag, self._exact.is_cut, seconds)


@dataclass(frozen=True, eq=False)
class ClimbTask:
    """Some climbs of a plan as a value that can be sent to a process."""

    data: DataSet
    params: KesParams
    plan: tuple[Planned, ...]
    first_rows: FirstRows

    def __call__(self, cancel: CancelToken) -> Iterator[tuple[int, ClimbEvent]]:
        climber = Climber(self.data, self.params)
        climber.gains.take(self.first_rows)
        for planned in self.plan:
            for event in climber.events(planned, cancel):
                yield planned.number, event


def process_count(data: DataSet, params: KesParams, climbs: int) -> int:
    """As many processes as were asked for, or as pay for the work that is to be expected.

    Work is estimated from measured speeds; it decides how long a search takes and nothing else.
    """
    if params.processes is not None:
        return max(1, min(params.processes, climbs))
    n = len(data.domain)
    seconds = climbs * n * 3 * (data.row_count * n * 2e-10 + 1e-4)
    return max(1, min(os.cpu_count() or 1, climbs)) if seconds > WORK_FOR_PROCESSES else 1


def spread(
    data: DataSet,
    params: KesParams,
    plan: Sequence[Planned],
    processes: int,
    first_rows: FirstRows,
    cancel: CancelToken,
) -> Iterator[tuple[int, ClimbEvent]]:
    """The climbs of a plan over several processes, told in the order of the plan."""
    tasks = [
        ClimbTask(data, params, tuple(plan[part::processes]), first_rows)
        for part in range(processes)
    ]
    told = (event for _, event in in_processes(tasks, cancel))
    return in_plan_order(told)


def in_plan_order(
    events: Iterable[tuple[int, ClimbEvent]],
) -> Iterator[tuple[int, ClimbEvent]]:
    """Events of climbs side by side, held back until every climb before them has ended."""
    now = 0
    waiting: dict[int, list[ClimbEvent]] = {}
    for number, event in events:
        if number != now:
            waiting.setdefault(number, []).append(event)
            continue
        yield number, event
        while isinstance(event, Climbed):
            now += 1
            held = waiting.pop(now, [])
            yield from ((now, told) for told in held)
            if not held:
                break
            event = held[-1]
