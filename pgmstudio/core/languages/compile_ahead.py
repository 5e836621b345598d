"""Compiles kernels in processes of their own, before or beside the run that calls them.

All kernels once after each installation, at the lowest priority. Those of one learner at its first
run: the run compiles them from the first to the last, as it comes to them, and a second process
from the last to the first. Files in the user's cache folder record what this version has compiled
on this computer.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.cores import core_count
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.languages.kernel_lists import (
    TABLES,
    compile_kernel,
    kernels_of,
    tables_like,
)
from pgmstudio.core.languages.learners import learner_keys
from pgmstudio.core.resources import cache_folder
from pgmstudio.version import __version__

# With fewer kernels a process beside the run would start for nothing.
MIN_KERNELS = 5
LOWEST_PRIORITY = 19
_ALL = "all"
_PACKAGE = Path(__file__).parents[2]


def is_compiled(what: str = _ALL) -> bool:
    """Whether the kernels of all learners of this version have been compiled on this computer."""
    return _record(_ALL).is_file() or (what != _ALL and _record(what).is_file())


@dataclass(frozen=True)
class CompileAhead:
    """A task that compiles everything, at the lowest priority; it yields a `Progress` for each
    kernel."""

    processes: int = 1

    def __call__(self, cancel: CancelToken) -> Iterator[Progress]:
        kernels = kernels_of(learner_keys(), TABLES)
        yield from _in_parts(kernels, self.processes, cancel, priority=LOWEST_PRIORITY)
        _note(_ALL)


def compile_for(
    keys: Sequence[str], data: DataSet, processes: int, cancel: CancelToken
) -> Iterator[Progress]:
    """Compile what these learners call on this data, before processes of their own run them: each
    would compile it for itself."""
    tables = _kinds(data)
    what = " ".join((*sorted(keys), *tables))
    kernels = kernels_of(keys, tables)
    if processes > 1 and len(kernels) >= MIN_KERNELS and not is_compiled(what):
        yield from _in_parts(kernels, processes, cancel)
        _note(what)


def _in_parts(
    kernels: Sequence[str], processes: int, cancel: CancelToken, *, priority: int = 0
) -> Iterator[Progress]:
    """Several processes at once; those of a module call each other, so they stay together."""
    # Here, not above: a run that is compiled needs no processes.
    from pgmstudio.core.execution.child_process import in_processes

    ordered, size = sorted(kernels), -(-len(kernels) // processes)
    parts = [_Part(ordered[at : at + size], priority) for at in range(0, len(kernels), size)]
    for done, (_part, kernel) in enumerate(in_processes(parts, cancel)):
        yield Progress(done / len(kernels), f"Compiling {kernel}")


@dataclass(frozen=True)
class _Part:
    """Compiles these kernels, and yields the name of each."""

    kernels: Sequence[str]
    priority: int

    def __call__(self, cancel: CancelToken) -> Iterator[str]:
        with suppress(OSError, AttributeError):  # not every system has priorities of this kind
            os.nice(self.priority)
        for kernel in self.kernels:
            cancel.raise_if_cancelled()
            with suppress(Exception):  # what is wrong with it the run says that calls it
                compile_kernel(kernel)
            yield kernel.partition("(")[0].partition(":")[2]


def _kinds(data: DataSet) -> tuple[str, ...]:
    """Not of rows that are read in chunks: whether cells are missing is not known."""
    return () if isinstance(data, ChunkedData) else tables_like(data)


@contextmanager
def compiling_beside(key: str, data: DataSet) -> Iterator[None]:
    """While a learner runs on this data for the first time, a second process compiles what it
    will call last, where a core is free for it."""
    tables = _kinds(data)
    what = " ".join((key, *tables))
    if len(kernels_of([key], tables)) < MIN_KERNELS or is_compiled(what):
        yield
        return
    words = [sys.executable, "-m", __name__, key, *tables]
    none = subprocess.DEVNULL
    beside = None
    if _is_core_free():
        with suppress(OSError):  # without it the run compiles everything, as it did before
            beside = subprocess.Popen(words, stdin=none, stdout=none, stderr=none)
    try:
        yield
        _note(what)
    finally:
        if beside is not None:
            beside.kill()  # what it has not compiled was not needed
            beside.wait()


def _is_core_free() -> bool:
    """Whether a second process would not take from the first; not every system reports its load."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return core_count() > max(1.0, load)


def _compile_from_last(key: str, tables: Sequence[str]) -> None:
    """What the process beside a run does, unless the run has ended."""
    parent = os.getppid()
    for kernel in reversed(kernels_of([key], tables)):
        if os.getppid() != parent:
            return
        compile_kernel(kernel)


def _note(what: str) -> None:
    record = _record(what)
    with suppress(OSError):
        record.parent.mkdir(parents=True, exist_ok=True)
        record.touch()


def _record(what: str) -> Path:
    """The file that says so; other versions, Pythons and processors have others."""
    kernels = {kernel.partition(":")[0] for kernel in kernels_of(learner_keys(), TABLES)}
    parts = [what, __version__, version("numba"), sys.version, platform.processor(), str(_PACKAGE)]
    parts.append(os.environ.get("NUMBA_CACHE_DIR", ""))
    for module in sorted(kernels):
        with suppress(OSError):  # a bundle has no sources
            stamp = _PACKAGE.parent.joinpath(*module.split(".")).with_suffix(".py").stat()
            parts.append(f"{module} {stamp.st_mtime_ns} {stamp.st_size}")
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return cache_folder() / f"compiled-{key}"


def main(arguments: Sequence[str]) -> None:
    """`KEY TABLE…` compiles what a run calls, from the last kernel on; no words, everything."""
    if arguments:
        _compile_from_last(arguments[0], arguments[1:])
    elif not is_compiled():
        for _progress in CompileAhead(core_count())(NEVER):
            pass


if __name__ == "__main__":
    from pgmstudio.core.languages import compile_ahead  # whose tasks processes find by this name

    compile_ahead.main(sys.argv[1:])
