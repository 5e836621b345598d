"""Compiles the code of all learners ahead, so that the first run of each is as fast as the next.

Every learner runs once on made-up rows, complete and with missing cells, at the lowest priority. A
file in the user's cache folder records that this version has been compiled on this computer.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import Cancelled, PgmStudioError
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress, StopSwitch
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.learning.base import Finished, Learner
from pgmstudio.core.resources import cache_folder
from pgmstudio.version import __version__

ROWS, COLUMNS = 3000, 6  # enough for the compiled ways, few enough to be quick
MISSING = 0.03
MAX_SECONDS = 5.0  # of one run, without compiling
LOWEST_PRIORITY = 19
_PACKAGE = Path(__file__).parents[2]


def is_compiled() -> bool:
    """Whether all learners of this version have been compiled on this computer."""
    return _record().is_file()


class CompileAhead:
    """A task for a process of its own; it yields a `Progress` for each learner."""

    def __call__(self, cancel: CancelToken) -> Iterator[Progress]:
        with suppress(OSError, AttributeError):  # not every system has priorities of this kind
            os.nice(LOWEST_PRIORITY)
        learners = [*all_learners().values()]
        tables = (_rows(0.0), _rows(MISSING))
        for number, learner in enumerate(learners):
            yield Progress(number / len(learners), learner.title)
            for data in tables:
                cancel.raise_if_cancelled()
                _run(learner, data, cancel)
        record = _record()
        with suppress(OSError):
            record.parent.mkdir(parents=True, exist_ok=True)
            record.touch()


def _run(learner: Learner[object], data: DataSet, cancel: CancelToken) -> None:
    """The learner with its defaults, and a question to its model; what it refuses or cannot do is
    no matter here."""
    if learner.refuses(data) is not None:
        return
    limit = StopSwitch(seconds=MAX_SECONDS)
    try:
        for event in LearnTask(learner.key, data, learner.params_type(), 0)(limit):
            cancel.raise_if_cancelled()
            if isinstance(event, Finished):
                session = open_session(event.model)
                session.set_evidence("x0", Observed("a"))
                session.belief("x1")
    except (PgmStudioError, Cancelled):
        cancel.raise_if_cancelled()


def _rows(missing: float) -> DataSet:
    """A chain of variables with noise."""
    rng = np.random.default_rng(0)
    codes = np.zeros((COLUMNS, ROWS), dtype=np.uint8)
    for column in range(COLUMNS):
        states = 2 + column % 2
        before = codes[column - 1] % states
        codes[column] = np.where(rng.random(ROWS) < 0.7, before, rng.integers(states, size=ROWS))
    domain = Domain.of({f"x{i}": "abc"[: 2 + i % 2] for i in range(COLUMNS)})
    data = DataSet(domain, codes)
    if not missing:
        return data
    holes = rng.random(codes.shape) < missing
    return DataSet(domain, np.where(holes, data.missing_code, codes).astype(np.uint8))


def _record() -> Path:
    """The file that says so; other versions, Pythons and processors have others."""
    parts = [__version__, version("numba"), sys.version, platform.processor(), str(_PACKAGE)]
    for path in sorted(_PACKAGE.rglob("*_kernels.py")):
        stamp = path.stat()
        parts.append(f"{path.name} {stamp.st_mtime_ns} {stamp.st_size}")
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return cache_folder() / f"compiled-{key}"


if __name__ == "__main__":
    if not is_compiled():
        for _progress in CompileAhead()(NEVER):
            pass
