"""Every learner from the command line, its kernels not compiled yet and compiled: a table of both.

    python benchmarks/bench_cold_start.py [KEY…]

Seconds of the whole command, which say something only on a quiet machine, and those of all its
processors; the difference is what compiling takes. Beside a first run a second process compiles
where a core is free, so that the first difference is smaller than the second. Python's own bytecode
is there in both, as after any first command. Learners that search on until they are told to stop
get a time limit, against which compiling does not count.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from reporting import network_rows, say_line

from pgmstudio.core.languages.learners import all_learners
from pgmstudio.version import __version__

ROOT = Path(__file__).resolve().parent.parent
LIMIT_SECONDS = 10
ALARM_ROWS = 2000


def seconds_of(words: Sequence[str], cache: Path) -> tuple[float, float] | None:
    """Of a command, and of the processors for it and all that it starts; None if it fails."""
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(cache),
        "XDG_CACHE_HOME": f"{cache} records",
        "PYTHONPYCACHEPREFIX": str(cache.parent / "bytecode"),
        "PYTHONDONTWRITEBYTECODE": "",
    }
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "pgmstudio", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return None if done.returncode else (time.monotonic() - began, spent)


def alarm_file(folder: Path) -> Path:
    """Rows of ALARM as a table."""
    data = network_rows("alarm", ALARM_ROWS)
    columns = {
        variable.name: np.array(variable.states)[codes]
        for variable, codes in zip(data.domain.variables, data.codes, strict=True)
    }
    pl.DataFrame(columns).write_csv(folder / "alarm.csv")
    return folder / "alarm.csv"


def main(keys: Sequence[str]) -> None:
    chosen = [*(keys or all_learners())]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for table in (ROOT / "sample_data/coronary.csv", alarm_file(folder)):

            def learn(key: str, what: str, file: Path = table) -> tuple[float, float] | None:
                words = ["learn", key, str(file), "--time-limit", str(LIMIT_SECONDS)]
                return seconds_of(words, folder / f"{file.stem} {key} {what}")

            learn(chosen[0], "bytecode")
            for key in chosen:
                cold, warm = learn(key, "kernels"), learn(key, "kernels")
                if cold is None or warm is None:
                    print(f"{key} does not learn from {table.stem} with its defaults")
                    continue
                more = [first - again for first, again in zip(cold, warm, strict=True)]
                quality = f"{warm[0]:.2f} s again; {more[0]:.2f} s more the first time"
                quality += f" ({more[1]:.2f} of all processors)"
                say_line("first and second run", table.stem, key, __version__, cold[0], quality)


if __name__ == "__main__":
    main(sys.argv[1:])
