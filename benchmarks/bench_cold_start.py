"""Every learner from the command line, its kernels not compiled yet and compiled: a table of both.

    python benchmarks/bench_cold_start.py [KEY…]

Processor seconds of the whole command, since those do not depend on what else the machine does;
the difference is what compiling takes. Learners that search on until they are told to stop get a
time limit, against which compiling does not count.
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
from reporting import network_rows

from pgmstudio.core.languages.learners import all_learners

ROOT = Path(__file__).resolve().parent.parent
LIMIT_SECONDS = 10
ALARM_ROWS = 2000


def processor_seconds(words: Sequence[str], cache: Path) -> float | None:
    """Of a command and all that it starts; None if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "pgmstudio", *words],
        cwd=ROOT,
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
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
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for table in (ROOT / "sample_data/coronary.csv", alarm_file(folder)):
            print(f"{table.stem:<30} {'cold':>7} {'warm':>7} {'more':>7}  processor seconds")
            for key in keys or all_learners():
                cache = folder / f"{table.stem} {key}"
                words = ["learn", key, str(table), "--time-limit", str(LIMIT_SECONDS)]
                cold, warm = (processor_seconds(words, cache) for _ in range(2))
                if cold is None or warm is None:
                    print(f"{key:<30} does not learn from this table with its defaults")
                else:
                    print(f"{key:<30} {cold:7.2f} {warm:7.2f} {cold - warm:7.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
