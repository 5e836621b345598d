"""Events of long runs (progress, notes) and the tokens that stop, pause or step them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Protocol, cast

from pgmstudio.core.errors import Cancelled


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is; `fraction` is None when the end is not known."""

    fraction: float | None
    message: str = ""
    counters: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Note:
    """A message that is stored with the run."""

    message: str


class CancelToken(Protocol):
    """Polled by a run, between events and in inner loops: should it stop?"""

    @property
    def is_cancelled(self) -> bool: ...

    @property
    def is_paused(self) -> bool: ...

    def raise_if_cancelled(self) -> None:
        """Raise Cancelled after a stop request; block while paused."""


class StepToken(CancelToken, Protocol):
    """A token that can also advance a run one step at a time."""

    @property
    def is_stepping(self) -> bool:
        """Whether the run is stepped through: only then it reports its steps."""

    def hold(self) -> None:
        """Block after a reported step until the next one is requested or stepping ends."""


def step_token(cancel: CancelToken) -> StepToken | None:
    """The token as one that can step; None if it cannot."""
    return cast(StepToken, cancel) if hasattr(cancel, "hold") else None


class RunClock:
    """Seconds that count against time limits: not those in which this process compiles or loads
    code, which it does once and then keeps."""

    def __init__(self) -> None:
        self._left_out = self._processor_left_out = 0.0
        self._depth = 0  # compiled code may call for more to be compiled
        self._since = self._processor_since = 0.0

    @property
    def left_out(self) -> float:
        """Seconds that do not count, so far."""
        return self._left_out

    def now(self) -> float:
        return (self._since if self._depth else time.monotonic()) - self._left_out

    def processor_now(self) -> float:
        """The same in processor time of this process, which a busy machine does not change."""
        now = self._processor_since if self._depth else time.process_time()
        return now - self._processor_left_out

    def pause(self) -> None:
        if self._depth == 0:
            self._since, self._processor_since = time.monotonic(), time.process_time()
        self._depth += 1

    def resume(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._left_out += time.monotonic() - self._since
            self._processor_left_out += time.process_time() - self._processor_since

    @contextmanager
    def paused(self) -> Iterator[None]:
        self.pause()
        try:
            yield
        finally:
            self.resume()


CLOCK = RunClock()


@cache
def _processor_began(key: str) -> float:
    return CLOCK.processor_now()


def processor_seconds_since_first(key: str) -> float:
    """Processor seconds since this process first called with that key, for the runs that a process
    makes one after another of one budget."""
    began = _processor_began(key)
    return CLOCK.processor_now() - began


# A machine so busy that a run gets less than this part of a core ends it, but not before so long.
MIN_CORE_FRACTION, MIN_CLOCK_SECONDS = 0.01, 60.0


def latest_end(processor_seconds: float) -> float:
    """When a run that begins now and may use so much is over in any case, on the clock of
    `time.monotonic`."""
    return time.monotonic() + max(MIN_CLOCK_SECONDS, processor_seconds / MIN_CORE_FRACTION)


class StopSwitch:
    """A cancel token that any thread can trigger; with `seconds` it triggers itself."""

    def __init__(self, *, seconds: float | None = None) -> None:
        # A plain value: a signal handler presses the switch in the thread that may just be asking,
        # and would wait for ever for a lock of its own.
        self._is_pressed = False
        self._go = threading.Event()
        self._go.set()
        self.is_stepping = False
        self.steps = self._steps_made = 0  # requested so far, and made
        self._deadline = None if seconds is None else CLOCK.now() + seconds

    def cancel(self) -> None:
        self._is_pressed = True
        self._go.set()

    def pause(self) -> None:
        if not self._is_pressed:
            self._go.clear()

    def resume(self) -> None:
        self.is_stepping = False
        self._go.set()

    def step(self) -> None:
        """Advance to the next step of a run that reports its steps, and pause there."""
        self.is_stepping = True
        self.steps += 1
        self._go.set()

    def hold(self) -> None:
        self._steps_made += 1
        if self.is_stepping and self._steps_made >= self.steps:
            self.pause()
            if not self.is_stepping:  # resumed meanwhile, from another thread
                self.resume()
        self.raise_if_cancelled()

    @property
    def is_paused(self) -> bool:
        return not self._go.is_set()

    @property
    def is_cancelled(self) -> bool:
        if self._deadline is not None and CLOCK.now() >= self._deadline:
            self._is_pressed = True
        return self._is_pressed

    def raise_if_cancelled(self) -> None:
        while not self._go.is_set() and not self.is_cancelled:
            self._go.wait(timeout=0.1)
        if self.is_cancelled:
            raise Cancelled


class NeverCancelled:
    """The token of a run that is never stopped."""

    is_cancelled = False
    is_paused = False

    def raise_if_cancelled(self) -> None:
        """Do nothing."""


NEVER: CancelToken = NeverCancelled()
