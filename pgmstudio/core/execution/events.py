"""What any long run speaks: progress, notes, and the token that asks it to stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
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
    """A sentence worth keeping with the run."""

    message: str


class CancelToken(Protocol):
    """Asked by a run, between events and in inner loops, whether it should stop."""

    @property
    def is_cancelled(self) -> bool: ...

    @property
    def is_paused(self) -> bool: ...

    def raise_if_cancelled(self) -> None:
        """Raise Cancelled when asked to stop; while paused, wait here."""


class StepToken(CancelToken, Protocol):
    """A token by which a run can be walked through as well, one step at a time."""

    @property
    def is_stepping(self) -> bool:
        """Whether somebody walks: only then a run tells its steps."""

    def hold(self) -> None:
        """A step has been told: wait until the next is wished for, or nobody steps any more."""


def step_token(cancel: CancelToken) -> StepToken | None:
    """The token as one that can step; None for one by which nobody ever will."""
    return cast(StepToken, cancel) if hasattr(cancel, "hold") else None


class RunClock:
    """Seconds that count against time limits: not those in which this process compiles or loads
    code, which it does once and then keeps."""

    def __init__(self) -> None:
        self._left_out = 0.0
        self._depth = 0  # compiled code may call for more to be compiled
        self._since = 0.0

    @property
    def left_out(self) -> float:
        """Seconds that do not count, so far."""
        return self._left_out

    def now(self) -> float:
        return (self._since if self._depth else time.monotonic()) - self._left_out

    def pause(self) -> None:
        if self._depth == 0:
            self._since = time.monotonic()
        self._depth += 1

    def resume(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._left_out += time.monotonic() - self._since

    @contextmanager
    def paused(self) -> Iterator[None]:
        self.pause()
        try:
            yield
        finally:
            self.resume()


CLOCK = RunClock()


class StopSwitch:
    """A cancel token that someone can press, from any thread; with `seconds` it presses itself."""

    def __init__(self, *, seconds: float | None = None) -> None:
        # A plain value: a signal handler presses the switch in the thread that may just be asking,
        # and would wait for ever for a lock of its own.
        self._is_pressed = False
        self._go = threading.Event()
        self._go.set()
        self.is_stepping = False
        self.steps = self._steps_made = 0  # wished for so far, and made
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
        """Go on to the next step of a run that tells its steps, and pause there."""
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
    """The token of a run that nobody stops."""

    is_cancelled = False
    is_paused = False

    def raise_if_cancelled(self) -> None:
        """Do nothing."""


NEVER: CancelToken = NeverCancelled()
