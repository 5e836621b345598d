"""What any long run speaks: progress, notes, and the token that asks it to stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

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
    def raise_if_cancelled(self) -> None: ...


class StopSwitch:
    """A cancel token that someone can press, from any thread; it may also press itself.

    `also` is asked too, so a time limit or another token can join in.
    """

    def __init__(
        self, *, seconds: float | None = None, also: Callable[[], bool] | None = None
    ) -> None:
        self._event = threading.Event()
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._also = also

    def cancel(self) -> None:
        self._event.set()

    @property
    def is_cancelled(self) -> bool:
        if self._event.is_set():
            return True
        late = self._deadline is not None and time.monotonic() >= self._deadline
        if late or (self._also is not None and self._also()):
            self._event.set()
            return True
        return False

    def raise_if_cancelled(self) -> None:
        if self.is_cancelled:
            raise Cancelled


class NeverCancelled:
    """The token of a run that nobody stops."""

    is_cancelled = False

    def raise_if_cancelled(self) -> None:
        """Do nothing."""


NEVER: CancelToken = NeverCancelled()
