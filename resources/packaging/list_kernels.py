"""Write the list of the compiled kernels that each learner calls, with the types of its calls.

    python resources/packaging/list_kernels.py [KEY…]

Runs every learner, or those named, on made-up rows of each kind of table, and asks the model a
question. Kernels are taken from the disk where they have been compiled, and compiled where not:
some minutes.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Mapping, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # from a checkout, whether or not the package is installed
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from numba.core import sigutils
from numba.core.dispatcher import Dispatcher

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import Cancelled, PgmStudioError
from pgmstudio.core.execution.cores import core_count
from pgmstudio.core.execution.events import StopSwitch
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.kernel_lists import (
    BINARY,
    FEW,
    LIST,
    MANY,
    MISSING,
    TABLES,
    kernels_of,
    text_of,
)
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_keys, learner_of
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.learning.base import Finished

ROWS = 3000  # enough for the compiled ways, few enough to be quick
COLUMNS = {FEW: 6, MANY: 36, BINARY: 6, MISSING: 6}
MISSING_FRACTION = 0.03
MAX_SECONDS = 60.0  # of one run, without compiling


def rows(table: str) -> DataSet:
    """A chain of variables with noise."""
    rng = np.random.default_rng(0)
    codes = np.zeros((COLUMNS[table], ROWS), dtype=np.uint8)
    for column in range(len(codes)):
        states = 2 + column % 2 * (table != BINARY)
        before = codes[column - 1] % states
        codes[column] = np.where(rng.random(ROWS) < 0.7, before, rng.integers(states, size=ROWS))
    cards = codes.max(axis=1) + 1
    data = DataSet(Domain.of({f"x{i}": "abc"[:card] for i, card in enumerate(cards)}), codes)
    if table != MISSING:
        return data
    holes = rng.random(codes.shape) < MISSING_FRACTION
    return DataSet(data.domain, np.where(holes, data.missing_code, codes).astype(np.uint8))


def kernels_called(key: str, table: str) -> list[str]:
    """What a learner with its defaults and a question to its model call first, in this order."""
    calls = _noted_calls()
    learner, data = learner_of(key), rows(table)
    if learner.refuses(data) is not None:
        return []
    try:
        task = LearnTask(key, data, learner.params_type(), 0)
        for event in task(StopSwitch(seconds=MAX_SECONDS)):
            if isinstance(event, Finished):
                session = open_session(event.model)
                session.set_evidence("x0", Observed("a"))
                session.belief("x1")
    except (PgmStudioError, Cancelled):  # what it refuses or cannot do is no matter here
        pass
    return [*dict.fromkeys(filter(None, map(_text, calls)))]  # two threads may call the same


def _text(call: tuple[Any, Any]) -> str | None:
    """By the module that compiles the kernel; its loops may be written in another."""
    kernel, types = call
    for module in [*sys.modules.values()]:
        for name, value in vars(module).items() if "kernels" in module.__name__ else ():
            if value is kernel:
                text = text_of(module.__name__, name, types)
                if text is None:
                    print(f"{module.__name__}:{name} is not listed: {types}", file=sys.stderr)
                return text
    return None


def _noted_calls() -> list[tuple[Any, Any]]:
    """Kernels that Python calls from now on, and types; none may have been imported before."""
    calls: list[tuple[Any, Any]] = []
    here = threading.local()
    prepare = Dispatcher.compile

    def prepare_noted(self: Any, signature: Any) -> Any:
        here.depth = getattr(here, "depth", 0) + 1  # kernels call kernels, in the same thread
        try:
            if here.depth == 1 and self.py_func.__module__.startswith("pgmstudio."):
                calls.append((self, sigutils.normalize_signature(signature)[0]))
            return prepare(self, signature)
        finally:
            here.depth -= 1

    Dispatcher.compile = prepare_noted
    return calls


def main(keys: Sequence[str]) -> None:
    used: dict[str, dict[str, list[str]]] = {table: {} for table in TABLES}
    if keys:  # the others stay as they are
        used = {t: {k: kernels_of([k], [t]) for k in learner_keys()} for t in TABLES}
    runs = [(key, table) for key in keys or learner_keys() for table in TABLES]
    with get_context("spawn").Pool(core_count(), maxtasksperchild=1) as pool:
        called = pool.starmap(kernels_called, runs, chunksize=1)
    for (key, table), kernels in zip(runs, called, strict=True):
        used[table] = used[table] | {key: kernels}
    write_list(used)


def write_list(used: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
    """Of each kind of table the kernels of every learner that has some."""
    kernels = sorted({one for by_key in used.values() for ones in by_key.values() for one in ones})
    number = {kernel: n for n, kernel in enumerate(kernels)}
    tables = []
    for table, by_key in used.items():
        lines = [
            f"      {json.dumps(key)}: {[number[one] for one in ones]}"
            for key, ones in by_key.items()
            if ones
        ]
        tables.append(f"    {json.dumps(table)}: {{\n" + ",\n".join(lines) + "\n    }")
    listed = ",\n".join(f"    {json.dumps(kernel)}" for kernel in kernels)
    of_learners = ",\n".join(tables)
    LIST.write_text(
        f'{{\n  "kernels": [\n{listed}\n  ],\n  "learners": {{\n{of_learners}\n  }}\n}}\n',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main(sys.argv[1:])
