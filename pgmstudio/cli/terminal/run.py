"""Long tasks of a command: progress, time limits, and Ctrl+C that keeps the best result."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, TypeVar

from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.events import CLOCK, CancelToken, Note, Progress, StopSwitch
from pgmstudio.core.languages.learn_task import CollectedEvents, LearnTask
from pgmstudio.core.learning.base import Finished, ImprovedModel, RunArtifact
from pgmstudio.core.model import Model

E = TypeVar("E")

# Shorter compilations are not reported.
MIN_REPORTED_COMPILE_SECONDS = 1.0


@dataclass(eq=False)
class Interrupts:
    """Whether Ctrl+C was pressed."""

    happened: bool = False


_STOP_SIGNALS = [signal.SIGINT, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]


@contextmanager
def cancel_on_interrupt(switch: StopSwitch) -> Iterator[Interrupts]:
    """Cancel through the switch on Ctrl+C or when the terminal is closed; a second Ctrl+C raises
    KeyboardInterrupt."""
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
        for number in _STOP_SIGNALS
        if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN  # by nohup
    }
    try:
        yield seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@dataclass(frozen=True, eq=False)
class RunEnd:
    """How a run ended, and its notes."""

    is_finished: bool
    was_interrupted: bool
    seconds: float
    notes: list[str]

    @property
    def outcome(self) -> str:
        return "finished" if self.is_finished else "stopped"

    @property
    def summary(self) -> str:
        return f"{self.outcome.capitalize()} after {self.seconds:.1f} s"

    @property
    def exit_code(self) -> int:
        """130 after Ctrl+C, the convention of shells."""
        return 130 if self.was_interrupted else 0


def run_task(
    task: Callable[[CancelToken], Iterator[E]],
    take: Callable[[E], None],
    line: ProgressLine,
    *,
    time_limit: float | None = None,
    shows_note: Callable[[Note], bool] = lambda note: True,
    yields_after_stop: bool = False,
) -> RunEnd:
    """Run a task to its end, to Ctrl+C or to the time limit, and show its progress.

    Every event goes to `take`; notes are collected, and printed if `shows_note` agrees. A task with
    `yields_after_stop` ends by itself after a stop and is read to its end; any other is left at
    once.
    """
    switch = StopSwitch(seconds=time_limit)
    started = time.monotonic()
    compiled_before = CLOCK.left_out
    notes: list[str] = []
    is_finished = False
    with cancel_on_interrupt(switch) as interrupts:
        try:
            for event in task(switch):
                if isinstance(event, Progress):
                    line.show(event)
                elif isinstance(event, Note):
                    notes.append(event.message)
                    if shows_note(event):
                        line.message(event.message)
                take(event)
                if not yields_after_stop and not isinstance(event, Finished):
                    switch.raise_if_cancelled()
            is_finished = True
        except Cancelled:
            pass
        finally:
            line.clear()
    compiling = CLOCK.left_out - compiled_before
    if time_limit is not None and compiling >= MIN_REPORTED_COMPILE_SECONDS:
        line.message(
            f"{compiling:.1f} s went into loading and compiling the program's own code, mostly "
            "once on a machine; they do not count against the time limit."
        )
    return RunEnd(is_finished, interrupts.happened, time.monotonic() - started, notes)


@dataclass(frozen=True, eq=False)
class LearnOutcome(RunEnd):
    """The result of a learner's run; `model` is None when it was stopped before the first one."""

    model: Model | None
    measures: dict[str, float]
    trace: list[dict[str, Any]]
    artifacts: dict[str, RunArtifact]  # by kind
    is_start: bool  # whether the model is the one that the search started from


def run_learner(
    task: LearnTask, line: ProgressLine, *, time_limit: float | None = None
) -> LearnOutcome:
    """Run a learner and return its best model, with the measures of the models before it."""
    from pgmstudio.core.languages.compile_ahead import compiling_beside

    collected = CollectedEvents(task)
    with compiling_beside(task.learner_key, task.data):
        end = run_task(task, collected.take, line, time_limit=time_limit)
    best = collected.best()
    return LearnOutcome(
        model=None if best is None else best.model,
        measures={} if best is None else dict(best.measures),
        is_start=isinstance(best, ImprovedModel) and best.is_start,
        is_finished=isinstance(best, Finished),
        was_interrupted=end.was_interrupted,
        seconds=end.seconds,
        trace=collected.trace,
        notes=end.notes,
        artifacts=collected.artifacts,
    )
