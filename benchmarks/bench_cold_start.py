"""Every learner from the command line, its kernels not compiled yet and compiled: a table of both.

    python benchmarks/bench_cold_start.py [KEY…]

Processor seconds of the whole command, since those do not depend on what else the machine does;
the difference is what compiling takes. Python's own bytecode is there in both, as after any first
command. Learners that search on until they are told to stop get a time limit, against which
compiling does not count.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
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


def processor_seconds(words: Sequence[str], cache: Path) -> float | None:
    """Of a command and all that it starts; None if it fails."""
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(cache),
        "PYTHONPYCACHEPREFIX": str(cache.parent / "bytecode"),
        "PYTHONDONTWRITEBYTECODE": "",
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "pgmstudio", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return None if done.returncode else spent


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

            def learn(key: str, what: str, file: Path = table) -> float | None:
                words = ["learn", key, str(file), "--time-limit", str(LIMIT_SECONDS)]
                return processor_seconds(words, folder / f"{file.stem} {key} {what}")

            learn(chosen[0], "bytecode")
            for key in chosen:
                cold, warm = learn(key, "kernels"), learn(key, "kernels")
                if cold is None or warm is None:
                    print(f"{key} does not learn from {table.stem} with its defaults")
                    continue
                quality = f"{warm:.2f} s again; {cold - warm:.2f} s more the first time"
                say_line("first and second run", table.stem, key, __version__, cold, quality)


if __name__ == "__main__":
    main(sys.argv[1:])
