"""Running a learner from the command line: Ctrl+C and time limits stop it, the best is kept."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from pgmstudio.cli.progress import ProgressLine
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.learning.protocols import Finished, Found, Keepsake, Kept
from pgmstudio.core.learning.task import LearnTask
from pgmstudio.core.models.protocols import Model
from pgmstudio.core.running import Note, Progress, StopSwitch


@dataclass(eq=False)
class Interrupts:
    """Whether Ctrl+C was pressed."""

    happened: bool = False


@contextmanager
def interrupts_press(switch: StopSwitch) -> Iterator[Interrupts]:
    """Ctrl+C presses the switch, so that a run can stop and keep its best; a second one ends."""
    seen = Interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield seen  # signals reach the main thread only
        return

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        if seen.happened:
            raise KeyboardInterrupt
        seen.happened = True
        switch.cancel()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass(frozen=True, eq=False)
class LearnOutcome:
    """What a run left behind; `model` is None when it was stopped before the first one."""

    model: Model | None
    measures: dict[str, float]
    is_finished: bool
    was_interrupted: bool
    seconds: float
    trace: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    kept: dict[str, Keepsake] = field(default_factory=dict)  # by kind

    @property
    def outcome(self) -> str:
        return "finished" if self.is_finished else "stopped"


def run_learner(
    task: LearnTask, line: ProgressLine, *, time_limit: float | None = None
) -> LearnOutcome:
    """Run it here, to its end, to Ctrl+C or to the time limit; the last model found is kept."""
    switch = StopSwitch(seconds=time_limit)
    started = time.monotonic()
    best: Found | Finished | None = None
    trace: list[dict[str, Any]] = []
    notes: list[str] = []
    kept: dict[str, Keepsake] = {}
    with interrupts_press(switch) as interrupts:
        try:
            for event in task(switch):
                match event:
                    case Progress():
                        line.show(event)
                    case Note(message):
                        notes.append(message)
                        line.say(message)
                    case Kept(keepsake):
                        kept[keepsake.kind] = keepsake
                    case Found() | Finished():
                        best = event
                        trace.append(dict(event.measures))
                if not isinstance(event, Finished):
                    switch.raise_if_cancelled()
        except Cancelled:
            pass
        finally:
            line.clear()
    return LearnOutcome(
        model=None if best is None else best.model,
        measures={} if best is None else dict(best.measures),
        is_finished=isinstance(best, Finished),
        was_interrupted=interrupts.happened,
        seconds=time.monotonic() - started,
        trace=trace,
        notes=notes,
        kept=kept,
    )
