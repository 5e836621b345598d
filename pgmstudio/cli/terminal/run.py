"""Running a learner from the command line: Ctrl+C and time limits stop it, the best is kept."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, TypeVar

from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.events import CLOCK, CancelToken, Note, Progress, StopSwitch
from pgmstudio.core.languages.learners import LearnTask
from pgmstudio.core.languages.likelihood import log2_likelihood
from pgmstudio.core.learning.base import Finished, Found, Kept, LearnEvent, RunArtifact
from pgmstudio.core.model import Model, ProbabilisticModel

E = TypeVar("E")

# Compiling that took less is not worth a sentence.
SHOWN_COMPILE_SECONDS = 1.0


@dataclass(eq=False)
class Interrupts:
    """Whether Ctrl+C was pressed."""

    happened: bool = False


_STOPPING = [signal.SIGINT, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]


@contextmanager
def interrupts_press(switch: StopSwitch) -> Iterator[Interrupts]:
    """Ctrl+C, or a terminal that is closed, presses the switch, so that a run can stop and keep its
    best; a second one ends."""
    seen = Interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield seen  # signals reach the main thread only
        return

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        if seen.happened:
            raise KeyboardInterrupt
        seen.happened = True
        switch.cancel()

    before = {
        number: signal.signal(number, on_interrupt)
        for number in _STOPPING
        if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN  # by nohup
    }
    try:
        yield seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@dataclass(frozen=True, eq=False)
class RunEnd:
    """How a run ended, and the sentences it left."""

    is_finished: bool
    was_interrupted: bool
    seconds: float
    notes: list[str]

    @property
    def outcome(self) -> str:
        return "finished" if self.is_finished else "stopped"

    @property
    def words(self) -> str:
        return f"{self.outcome.capitalize()} after {self.seconds:.1f} s"

    @property
    def code(self) -> int:
        """Of the command: 130 after Ctrl+C, as shells have it."""
        return 130 if self.was_interrupted else 0


def follow(
    task: Callable[[CancelToken], Iterator[E]],
    take: Callable[[E], None],
    line: ProgressLine,
    *,
    time_limit: float | None = None,
    says: Callable[[Note], bool] = lambda note: True,
    returns_models: bool = False,
) -> RunEnd:
    """Run it here, to its end, to Ctrl+C or to the time limit, with progress on the line.

    Notes are kept and said, if `says` agrees; every other event goes to `take`. A task that
    `hands_over` what it has when it is stopped is waited for; any other is left at once.
    """
    switch = StopSwitch(seconds=time_limit)
    started, notes, is_finished = time.monotonic(), list[str](), False
    compiled_before = CLOCK.left_out
    with interrupts_press(switch) as interrupts:
        try:
            for event in task(switch):
                if isinstance(event, Progress):
                    line.show(event)
                elif isinstance(event, Note):
                    notes.append(event.message)
                    line.say(event.message if says(event) else "")
                else:
                    take(event)
                if not returns_models and not isinstance(event, Finished):
                    switch.raise_if_cancelled()
            is_finished = True
        except Cancelled:
            pass
        finally:
            line.clear()
    compiling = CLOCK.left_out - compiled_before
    if time_limit is not None and compiling >= SHOWN_COMPILE_SECONDS:
        line.say(
            f"{compiling:.1f} s went into loading and compiling the program's own code, mostly "
            "once on a machine; they do not count against the time limit."
        )
    return RunEnd(is_finished, interrupts.happened, time.monotonic() - started, notes)


@dataclass(frozen=True, eq=False)
class LearnOutcome(RunEnd):
    """What a run left behind; `model` is None when it was stopped before the first one."""

    model: Model | None
    measures: dict[str, float]
    trace: list[dict[str, Any]]
    kept: dict[str, RunArtifact]  # by kind
    is_start: bool  # whether the model is the one that the search began with


def _kept(found: list[Found | Finished], data: DataSet) -> Found | Finished | None:
    """The last one; of a run that was stopped, the start where that is still better by all means.

    A search from no edges may be stopped before it has come as far as the tree there was at first.
    """
    starts = [event for event in found if isinstance(event, Found) and event.is_start]
    last = found[-1] if found else None
    if not starts or not isinstance(last, Found) or last.is_start or data.has_missing:
        return last
    start, model = starts[-1].model, last.model
    if not (isinstance(start, ProbabilisticModel) and isinstance(model, ProbabilisticModel)):
        return last
    if not start.domain == model.domain == data.domain:  # a given graph may have other variables
        return last
    ahead = log2_likelihood(start, data) - log2_likelihood(model, data)
    saved = model.representation_size() - start.representation_size()
    bic_ahead = ahead + saved * math.log2(max(data.total_weight, 1.0)) / 2
    return starts[-1] if ahead > 0 and bic_ahead > 0 else last


def run_learner(
    task: LearnTask, line: ProgressLine, *, time_limit: float | None = None
) -> LearnOutcome:
    """The last model found is kept, and what was found before it."""
    found: list[Found | Finished] = []
    kept: dict[str, RunArtifact] = {}

    def take(event: LearnEvent) -> None:
        match event:
            case Kept(artifact):
                kept[artifact.kind] = artifact
            case Found() | Finished():
                found.append(event)

    end = follow(task, take, line, time_limit=time_limit)
    best = _kept(found, task.data)
    return LearnOutcome(
        model=None if best is None else best.model,
        measures={} if best is None else dict(best.measures),
        is_start=isinstance(best, Found) and best.is_start,
        is_finished=isinstance(best, Finished),
        was_interrupted=end.was_interrupted,
        seconds=end.seconds,
        trace=[dict(e.measures) for e in found if not (isinstance(e, Found) and e.is_start)],
        notes=end.notes,
        kept=kept,
    )
