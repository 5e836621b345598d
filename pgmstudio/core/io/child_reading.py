"""Reading in a child process whose memory is limited.

The native readers of Parquet and Excel files abort the process when an allocation fails, and one
wrong byte can request any size. In a child process only the child dies.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pgmstudio.core.errors import DataFileError, FileError, ModelFileError, RunFailedError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.io.data.formats.raw_table import RawTable
from pgmstudio.core.io.reading_limits import HOW_TO_RAISE, ErrorType, read_limit, size_text

if TYPE_CHECKING:
    from pgmstudio.core.io.models.files import ModelFile

# Threads of the readers reserve addresses that they never fill.
_RESERVED = 1 << 30

_is_limited = False


def is_limited() -> bool:
    """Whether a memory limit is already set for this process."""
    return _is_limited


def limit_memory(limit: int) -> None:
    """Limit the further memory of this process to `limit` bytes; larger allocations fail.

    Has no effect on Windows, where the child process may still run out of memory alone.
    """
    global _is_limited
    _is_limited = True
    try:
        import resource
    except ImportError:
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    soft = _address_space() + _RESERVED + limit
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    with contextlib.suppress(OSError, ValueError):  # a system may refuse; then there is no limit
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _address_space() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def beyond_limit(path: Path) -> FileError:
    """The error for a table that needs more memory than the limit."""
    return _beyond_limit(path, DataFileError)


def _beyond_limit(path: Path, error: ErrorType) -> FileError:
    limit = size_text(read_limit())
    message = f"needs more than {limit} of memory to read, the limit, or is damaged. {HOW_TO_RAISE}"
    return error(path, message)


def read_in_child(path: Path, read: Callable[[], RawTable], cancel: CancelToken) -> RawTable:
    """Result of `read` in a child process; `read` must be picklable.

    The cells come back in a file, so that they are in memory once and not three times.
    """
    import multiprocessing
    import tempfile

    import polars

    from pgmstudio.core.execution.child_process import in_process

    # A daemon may have no children; this one ends with it all the same, by its own watch.
    multiprocessing.current_process().daemon = False
    with tempfile.TemporaryDirectory(prefix="pgmstudio-") as folder:
        cells = Path(folder) / "cells"
        try:
            (table,) = in_process(_Reading(read, cells, read_limit()), cancel)
        except RunFailedError as died:
            raise beyond_limit(path) from died
        cancel.raise_if_cancelled()  # it may have finished before the cancellation arrived
        frame = polars.read_ipc_stream(cells)
    return replace(table, frame=frame)


def read_model_in_child(path: Path, cancel: CancelToken) -> ModelFile:
    """Read a model in a child process, which can be stopped at any time."""
    from pgmstudio.core.execution.child_process import in_process

    try:
        (file,) = in_process(partial(_model_events, path, read_limit()), cancel)
    except RunFailedError as died:
        raise _beyond_limit(path, ModelFileError) from died
    cancel.raise_if_cancelled()
    return file


def _model_events(path: Path, limit: int, _cancel: CancelToken) -> Iterator[ModelFile]:
    from pgmstudio.core.io.models.files import read_model

    limit_memory(limit)
    try:
        yield read_model(path)
    except MemoryError as problem:
        raise _beyond_limit(path, ModelFileError) from problem


@dataclass(frozen=True)
class _Reading:
    """The task of the child."""

    read: Callable[[], RawTable]
    cells: Path
    limit: int

    def __call__(self, _cancel: CancelToken) -> Iterator[RawTable]:
        # The output of a native reader that crashes is of no use to people.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        limit_memory(self.limit)
        table = self.read()
        table.frame.write_ipc_stream(self.cells)
        yield replace(table, frame=table.frame.clear())
