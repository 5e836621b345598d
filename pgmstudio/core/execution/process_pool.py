"""Many short runs over a few child processes that stay, with their common data sent once.

`in_pool(shared, works, cancel)` gives the events of every work with its number, as they come. What
the works have in common (rows, a model) lies in one block of shared memory that all children read.
`open_pool` keeps the processes for several lists of works, so that they load and compile once, and
can suspend works.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol, TypeVar

from pgmstudio.core.errors import Cancelled, PgmStudioError, RunFailedError
from pgmstudio.core.execution.child_process import (
    GRACE_SECONDS,
    PAUSE,
    POLL_SECONDS,
    RESUME,
    STOP,
    ChildError,
    Packed,
    PipeToken,
    end_child,
    end_with_parent,
    pack,
    send_to_child,
    start_process,
    unpack,
)
from pgmstudio.core.execution.cores import core_count
from pgmstudio.core.execution.events import CancelToken

# Work whose process died is restarted; after a third death it counts as failed.
TRIES = 3
NICENESS = 5

Shared_contra = TypeVar("Shared_contra", contravariant=True)
Event_co = TypeVar("Event_co", covariant=True)


class Work(Protocol[Shared_contra, Event_co]):
    """A picklable callable that runs with the common data and a token, and yields events."""

    def __call__(self, shared: Shared_contra, cancel: CancelToken, /) -> Iterator[Event_co]: ...


@dataclass(frozen=True, slots=True)
class WorkFailed:
    """Replaces further events of one piece of work; the others go on."""

    error: Exception  # PgmStudioError for people, ChildError for a bug


@dataclass(frozen=True, slots=True)
class WorkAgain:
    """The process died, so the work is restarted; its events come again from the start."""


@dataclass(frozen=True, slots=True)
class WorkEnded:
    """All events of one work have come."""


@dataclass(frozen=True, slots=True)
class _Stopped:
    pass


def in_pool(
    shared: Shared_contra,
    works: Sequence[Work[Shared_contra, Event_co]],
    cancel: CancelToken,
    *,
    processes: int | None = None,
) -> Iterator[tuple[int, Event_co | WorkFailed | WorkAgain | WorkEnded]]:
    """The events of every work with its number; works begin in the order given.

    Cancelling stops all and raises Cancelled after the events they had yielded. A process that dies
    is replaced and its work restarted. Leaving the iterator early ends the processes.
    """
    with open_pool(shared, processes=min(processes or core_count(), len(works))) as pool:
        yield from pool.events(works, cancel, is_last=True)


@contextlib.contextmanager
def open_pool(shared: object, *, processes: int | None = None) -> Iterator[ProcessPool]:
    """A pool of so many processes, one for each core if None, which end when it is left."""
    # A daemon may have no children; these end with it all the same, by their own watch.
    multiprocessing.current_process().daemon = False
    packed, block = pack(shared)
    pool = ProcessPool(packed, max(1, core_count() if processes is None else processes))
    try:
        yield pool
    finally:
        pool.end()
        if block is not None:
            block.close()
            block.unlink()


class _Member:
    """One child process and the work it is at."""

    def __init__(self, packed: Packed) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe(duplex=True)
        self.child: Any = context.Process(target=_member_main, args=(theirs, packed), daemon=True)
        start_process(self.child)
        theirs.close()
        self.number: int | None = None
        self.is_suspended = False

    def give(self, number: int, work: object) -> None:
        self.number = number
        self.pipe.send_bytes(pickle.dumps(work, protocol=5))

    def end(self) -> None:
        self.pipe.close()
        end_child(self.child)


class ProcessPool:
    """Processes that make works; see `open_pool`."""

    def __init__(self, packed: Packed, count: int) -> None:
        self._packed, self._count = packed, count
        self._members: list[_Member] = []
        self._idle: list[_Member] = []
        self._is_stopping = self._was_paused = self._is_last = False
        self._grace = GRACE_SECONDS

    def events(
        self, works: Sequence[Any], cancel: CancelToken, *, is_last: bool = False
    ) -> Iterator[tuple[int, Any]]:
        """The events of every work with its number; see `in_pool`. Where these works are the last,
        a process without further work ends at once."""
        self._works, self._is_last = works, is_last
        self._waiting = deque(range(len(works)))
        self._tries = [0] * len(works)
        self._fill()
        while self._members:
            ready = wait([member.pipe for member in self._members], timeout=POLL_SECONDS)
            for member in [member for member in self._members if member.pipe in ready]:
                yield from self._heard(member)
            self._look(cancel, bool(ready))
        if self._is_stopping:
            raise Cancelled

    def end(self) -> None:
        for member in [*self._members, *self._idle]:
            member.end()

    @property
    def free_slots(self) -> int:
        """How many works could begin or go on now."""
        return self._count - sum(not member.is_suspended for member in self._members)

    def suspend(self, number: int) -> None:
        """Pause a work, so that a waiting one can begin in another process."""
        for member in self._members:
            if member.number == number and not member.is_suspended:
                member.is_suspended = True
                send_to_child(member.pipe, PAUSE)
        self._fill()

    def resume(self, number: int) -> None:
        """Let a suspended work continue."""
        for member in self._members:
            if member.number == number and member.is_suspended:
                member.is_suspended = False
                if not self._was_paused:
                    send_to_child(member.pipe, RESUME)

    def _fill(self) -> None:
        while self._waiting and self.free_slots > 0 and not self._is_stopping:
            member = self._idle.pop() if self._idle else self._new_member()
            self._members.append(member)
            self._next(member)

    def _new_member(self) -> _Member:
        member = _Member(self._packed)
        if self._was_paused:
            send_to_child(member.pipe, PAUSE)
        return member

    def _next(self, member: _Member) -> None:
        """Give the member its next work, or let it go."""
        if self._is_stopping or not self._waiting or self.free_slots < 0:
            self._members.remove(member)
            if self._is_stopping or self._is_last:
                member.end()
            else:
                self._idle.append(member)
            return
        number = self._waiting.popleft()
        self._tries[number] += 1
        with contextlib.suppress(OSError):  # it has ended; the next read of its pipe shows it
            member.give(number, self._works[number])

    def _heard(self, member: _Member) -> Iterator[tuple[int, Any]]:
        number = member.number
        assert number is not None
        try:
            message = member.pipe.recv()
        except (EOFError, OSError):
            yield from self._died(member, number)
            return
        if not isinstance(message, WorkEnded | WorkFailed | _Stopped):
            yield number, message
            return
        self.resume(number)  # it had ended when it was suspended
        if not isinstance(message, _Stopped):
            yield number, message
        self._next(member)

    def _died(self, member: _Member, number: int) -> Iterator[tuple[int, Any]]:
        self._members.remove(member)
        member.child.join(GRACE_SECONDS)
        status = member.child.exitcode
        member.end()
        if self._is_stopping:
            return
        if self._tries[number] < TRIES:
            self._waiting.appendleft(number)
            yield number, WorkAgain()
        else:
            queues = f"Its process ended {TRIES} times, at last with status {status}. "
            queues += "It may have needed more memory than there is; try fewer rows or columns."
            yield number, WorkFailed(RunFailedError(queues))
        self._fill()

    def _look(self, cancel: CancelToken, was_heard: bool) -> None:
        """Forward the state of the token; members that do not stop in time are terminated."""
        if not self._is_stopping and cancel.is_cancelled:
            self._is_stopping = True
            for member in [*self._members, *self._idle]:
                send_to_child(member.pipe, STOP)
        elif not self._is_stopping and cancel.is_paused != self._was_paused:
            self._was_paused = cancel.is_paused
            for member in [*self._members, *self._idle]:  # work may have ended while it was paused
                if not member.is_suspended:
                    send_to_child(member.pipe, PAUSE if self._was_paused else RESUME)
        elif self._is_stopping and not was_heard:
            self._grace -= POLL_SECONDS
            if self._grace <= 0:
                self.end()
                self._members.clear()
                self._idle.clear()


def _member_main(pipe: Connection, packed: Packed) -> None:
    # Ctrl+C goes to the whole group; the parent decides and sends a message.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    _stand_back()
    shared, _block = unpack(packed)
    token = PipeToken(pipe)
    try:
        while True:
            work = pickle.loads(pipe.recv_bytes())
            if isinstance(work, str):  # a word that came when the work before had just ended
                token.receive(work)
            else:
                pipe.send(_done(work, shared, pipe, token))
    except (EOFError, OSError):
        pass  # the parent closed its end: there is no more work
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # arrays still point into the shared block, whose clean-up would complain of that


def _stand_back() -> None:
    """All cores are used, at a lower priority than interactive programs."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)


def _done(
    work: Any, shared: Any, pipe: Connection, token: PipeToken
) -> WorkEnded | WorkFailed | _Stopped:
    try:
        for event in work(shared, token):
            pipe.send(event)
    except Cancelled:
        return _Stopped()
    except PgmStudioError as error:
        return WorkFailed(error)
    except OSError as error:
        if isinstance(error, BrokenPipeError | ConnectionResetError):
            raise
        return WorkFailed(ChildError(traceback.format_exc()))
    except Exception:
        return WorkFailed(ChildError(traceback.format_exc()))
    return WorkEnded()
