"""Runs in a child process, event by event, with large arrays in shared memory.

`in_process(task, cancel)` is an iterator of the very events that `task(token)` yields, so a caller
sees no difference from the generator itself. Arrays inside the task travel as pickle's out-of-band
buffers in one block of shared memory: the child reads them in place, and nothing here needs to
know what a data set is.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import resource_tracker, shared_memory
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, Protocol, TypeVar, cast

from pgmstudio.core.errors import Cancelled, PgmStudioError, RunFailedError
from pgmstudio.core.execution.events import CancelToken, StopSwitch

Event_co = TypeVar("Event_co", covariant=True)

# How often the parent looks at its own token while the child is silent.
POLL_SECONDS = 0.05
# How often a child listens for a word; a look at its pipe costs as much as a step of a search.
LISTEN_SECONDS = 0.002
# How long a child may take to finish after a stop request before it is terminated.
GRACE_SECONDS = 0.7

STOP, PAUSE, RESUME, STEP = "stop", "pause", "resume", "step"


class Task(Protocol[Event_co]):
    """A picklable callable that runs with a token and yields events."""

    def __call__(self, cancel: CancelToken, /) -> Iterator[Event_co]: ...


@dataclass(frozen=True, slots=True)
class Packed:
    """A pickled value whose buffers lie one after another in a block of shared memory."""

    pickled: bytes
    block_name: str | None
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Done:
    pass


@dataclass(frozen=True, slots=True)
class _Stopped:
    pass


@dataclass(frozen=True, slots=True)
class _Failed:
    error: PgmStudioError | None  # None for a bug, whose traceback is in `details`
    details: str


class ChildError(RuntimeError):
    """A bug in a child process; the message holds the child's traceback."""


def pack(task: object) -> tuple[Packed, shared_memory.SharedMemory | None]:
    """The task for a child, and the block to remove when no child reads it any more."""
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(task, protocol=5, buffer_callback=buffers.append)
    views = [buffer.raw() for buffer in buffers]
    total = sum(view.nbytes for view in views)
    if total == 0:
        return Packed(pickled, None, tuple((0, 0) for _ in views)), None
    _start_tracker()
    block = shared_memory.SharedMemory(create=True, size=total)
    weakref.finalize(block, _remove_left, block.name)  # also when the program ends in the middle
    assert block.buf is not None
    spans, start = [], 0
    for view in views:
        block.buf[start : start + view.nbytes] = view
        spans.append((start, start + view.nbytes))
        start += view.nbytes
    return Packed(pickled, block.name, tuple(spans)), block


def _start_tracker() -> None:
    """Start the process that removes what this one leaves behind, deaf to a hang-up.

    That signal goes to every process of a terminal; Python lets its tracker ignore Ctrl+C only. A
    signal that is blocked here stays blocked in a process that is started meanwhile.
    """
    if sys.platform == "win32":
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    try:
        resource_tracker.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _remove_left(name: str) -> None:
    """Remove a block whose owner ended before it could."""
    with contextlib.suppress(FileNotFoundError):
        left = shared_memory.SharedMemory(name=name)
        left.close()
        left.unlink()


def unpack(
    packed: Packed, *, is_writable: bool = False
) -> tuple[Any, shared_memory.SharedMemory | None]:
    """The task in the child; its arrays live as long as the block is held."""
    if packed.block_name is None:
        return pickle.loads(packed.pickled, buffers=[b"" for _ in packed.spans]), None
    block = _attach(packed.block_name)
    assert block.buf is not None
    whole = block.buf if is_writable else block.buf.toreadonly()
    return pickle.loads(packed.pickled, buffers=[whole[a:b] for a, b in packed.spans]), block


def _attach(name: str) -> shared_memory.SharedMemory:
    """The parent's block. It alone removes it, so the child must not register it for clean-up."""
    if sys.version_info >= (3, 13):
        return shared_memory.SharedMemory(name=name, track=False)
    register = resource_tracker.register
    resource_tracker.register = lambda *_: None
    try:
        return shared_memory.SharedMemory(name=name)
    finally:
        resource_tracker.register = register


def in_process(task: Task[Event_co], cancel: CancelToken) -> Iterator[Event_co]:
    """The events of `task`, run in a child process of its own.

    Cancelling asks the child to stop; every event it had yielded before is still delivered, then
    Cancelled is raised. A child that does not answer within GRACE_SECONDS is ended. An error for
    people comes out as itself; a bug as ChildError with the child's traceback; a child that died,
    as RunFailedError. Leaving the iterator early ends the child.
    """
    packed, block = pack(task)
    child = None
    try:
        child = SPARE_CHILD.take(packed) or _Child(packed)
        token_relay = _TokenRelay(child.pipe, cancel)
        token_relay.catch_up()  # so that a run which starts paused finds the message waiting
        child.start()
        yield from _relay(child.pipe, child.process, token_relay)
    finally:
        if child is not None:
            child.end()
        if block is not None:
            block.close()
            block.unlink()
        SPARE_CHILD.renew()


_starting = threading.Lock()


def start_process(process: BaseProcess) -> None:
    """Start a child without the caller's script, which multiprocessing would run once more in the
    child: a script needs no `if __name__ == "__main__"`, and what it prints is printed once."""
    with _starting:
        script = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            process.start()
        finally:
            sys.modules["__main__"] = script


class _Child:
    """A process for one task, which it gets at its start or, with `modules`, once they are loaded
    and the task is sent."""

    def __init__(self, packed: Packed | None, modules: tuple[str, ...] = ()) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, self._theirs = context.Pipe(duplex=True)
        self.process = context.Process(
            target=_child_main, args=(self._theirs, packed, modules), daemon=True
        )

    def start(self) -> None:
        """Unless it has started."""
        if self.process.pid is None:
            start_process(self.process)
            self._theirs.close()

    def end(self) -> None:
        end_child(self.process)
        self.pipe.close()
        self._theirs.close()


class SpareChild:
    """A child process that has loaded what most tasks need, ready for the next one.

    Loading takes most of a second, which is the time until the first event of a short run. Only a
    program that keeps one has it: the window, where somebody is waiting.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._modules: tuple[str, ...] | None = None

    def keep(self, modules: Sequence[str]) -> None:
        """Start one that loads these modules, and another after each run that has taken it."""
        self._modules = tuple(modules)
        self.renew()

    def drop(self) -> None:
        """End it, and keep none."""
        self._modules = None
        with self._lock:
            child, self._child = self._child, None
        if child is not None:
            child.end()

    def take(self, packed: Packed) -> _Child | None:
        """The process, which has been sent the task; None where there is none."""
        with self._lock:
            child, self._child = self._child, None
        if child is None:
            return None
        try:
            child.pipe.send(packed)
        except OSError:  # it has ended
            child.end()
            child = None
        return child

    def renew(self) -> None:
        """Start another if one was taken; at the end of a run, which needs the processor itself."""
        with self._lock:
            if self._child is None and self._modules is not None:
                self._child = _Child(None, self._modules)
                self._child.start()


SPARE_CHILD = SpareChild()


def in_processes(
    tasks: Sequence[Task[Event_co]], cancel: CancelToken
) -> Iterator[tuple[int, Event_co]]:
    """The events of several tasks, each in a process of its own, with the task's number, as they
    come.

    Cancelling stops all of them and raises Cancelled after the events they had yielded; the first
    error of one ends the others. May be called inside a child of `in_process`.
    """
    # A daemon may have no children; these end with it all the same, by their own watch.
    multiprocessing.current_process().daemon = False
    arrived: queue.SimpleQueue[tuple[int, object]] = queue.SimpleQueue()
    switch = StopSwitch()

    def relay(number: int, task: Task[Event_co]) -> None:
        try:
            for event in in_process(task, switch):
                arrived.put((number, event))
            arrived.put((number, _Done()))
        except BaseException as error:  # re-raised in the calling thread
            arrived.put((number, error))

    threads = [
        threading.Thread(target=relay, args=pair, daemon=True, name="process relay")
        for pair in enumerate(tasks)
    ]
    was_stopped = False
    try:
        for thread in threads:
            thread.start()
        left = len(tasks)
        while left:
            if cancel.is_cancelled:
                switch.cancel()
            elif cancel.is_paused != switch.is_paused:
                (switch.pause if cancel.is_paused else switch.resume)()
            try:
                number, event = arrived.get(timeout=POLL_SECONDS)
            except queue.Empty:
                continue
            if isinstance(event, _Done | Cancelled):
                left -= 1
                was_stopped |= isinstance(event, Cancelled)
            elif isinstance(event, BaseException):
                raise event
            else:
                yield number, cast(Event_co, event)
    finally:
        switch.cancel()
        for thread in threads:
            thread.join()
    if was_stopped:
        raise Cancelled


class _TokenRelay:
    """Sends the changes of the parent's token to a child."""

    def __init__(self, pipe: Connection, cancel: CancelToken) -> None:
        self._pipe, self._cancel = pipe, cancel
        self.is_stop = self._is_pause = False
        self._steps = 0

    def catch_up(self) -> None:
        """Send what has changed; a child that steps counts as paused."""
        cancel = self._cancel
        if self.is_stop:
            return
        if cancel.is_cancelled:
            self.is_stop = True
            send_to_child(self._pipe, STOP)
        elif isinstance(cancel, StopSwitch) and cancel.is_stepping:
            self._is_pause = True
            while self._steps < cancel.steps:
                self._steps += 1
                send_to_child(self._pipe, STEP)
        elif cancel.is_paused != self._is_pause:
            self._is_pause = cancel.is_paused
            send_to_child(self._pipe, PAUSE if self._is_pause else RESUME)


def _relay(pipe: Connection, child: Any, token_relay: _TokenRelay) -> Iterator[Any]:
    seconds_left = GRACE_SECONDS
    while True:
        ready = wait([pipe], timeout=POLL_SECONDS)
        if ready:
            try:
                message = pipe.recv()
            except (EOFError, OSError):
                message = None
            match message:
                case None:
                    if token_relay.is_stop:
                        raise Cancelled
                    child.join(GRACE_SECONDS)
                    raise RunFailedError(
                        f"The run's process ended with status {child.exitcode} before its run did. "
                        "It may have needed more memory than there is; try fewer rows or columns."
                    )
                case _Done():
                    return
                case _Stopped():
                    raise Cancelled
                case _Failed(error, details):
                    if error is not None:
                        raise error
                    raise ChildError(details)
                case _:
                    yield message
        if token_relay.is_stop and not ready:
            seconds_left -= POLL_SECONDS
            if seconds_left <= 0:
                raise Cancelled
        token_relay.catch_up()


def send_to_child(pipe: Connection, word: str) -> None:
    """Send STOP, PAUSE, RESUME or STEP; a child that has ended is ignored."""
    with contextlib.suppress(OSError):  # the child has ended
        pipe.send(word)


class PipeToken:
    """The child's end of the parent's token; a parent that is gone counts as stop."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._cancelled = False
        self._paused = False
        self._steps = 0  # requested and not yet made
        self._is_stepping = False
        self._next_poll = 0.0

    @property
    def is_cancelled(self) -> bool:
        now = time.monotonic()
        if now < self._next_poll:
            return self._cancelled
        self._next_poll = now + LISTEN_SECONDS
        try:
            while not self._cancelled and self._pipe.poll():
                self.receive(self._pipe.recv())
        except (EOFError, OSError):
            self._cancelled = True
        return self._cancelled

    @property
    def is_paused(self) -> bool:
        return self._paused

    def raise_if_cancelled(self) -> None:
        stop = self.is_cancelled
        try:
            while self._paused and not stop:
                self.receive(self._pipe.recv())
                stop = self._cancelled
        except (EOFError, OSError):
            stop = self._cancelled = True
        if stop:
            raise Cancelled

    @property
    def is_stepping(self) -> bool:
        return self._is_stepping

    def hold(self) -> None:
        if self._is_stepping:
            self._steps -= 1
            self._paused = self._steps <= 0
        self.raise_if_cancelled()

    def receive(self, word: str) -> None:
        """Apply a message of the parent."""
        self._cancelled = self._cancelled or word == STOP
        self._paused = word == PAUSE
        self._is_stepping = word == STEP or (self._is_stepping and word == PAUSE)
        self._steps = self._steps + 1 if word == STEP else 0


def end_with_parent() -> None:
    """End this process when its parent is gone, however it went."""

    def watch() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True, name="parent watch").start()


def end_child(child: Any) -> None:
    """Wait a moment for it to end by itself, then end it."""
    if child.pid is None:
        return
    child.join(0.05)
    if child.is_alive():
        child.terminate()
        child.join(0.5)
    if child.is_alive():
        child.kill()
        child.join()
    child.close()


def _child_main(pipe: Connection, packed: Packed | None, modules: tuple[str, ...]) -> None:
    # Ctrl+C goes to the whole group; the parent decides and sends a message.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    token = PipeToken(pipe)
    last: object = _Done()
    try:
        if packed is None:
            for module in modules:
                importlib.import_module(module)
            packed = pipe.recv()
        task, _block = unpack(packed)  # the arrays live as long as the block is held
        for event in task(token):
            pipe.send(event)
    except Cancelled:
        last = _Stopped()
    except PgmStudioError as error:
        last = _Failed(error, traceback.format_exc())
    except (BrokenPipeError, ConnectionResetError, EOFError):
        return  # the parent has ended
    except Exception:
        last = _Failed(None, traceback.format_exc())
    with contextlib.suppress(OSError):
        pipe.send(last)
        pipe.close()
    # Arrays of the task still point into the shared block, whose clean-up would complain of that.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
