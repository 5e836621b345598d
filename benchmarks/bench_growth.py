"""How the time of every learner grows with the rows and columns of a table, with exponents.

    python benchmarks/bench_growth.py [KEY…] [--seconds S]

The tables are rows and columns of ALARM. Rows double from 2 000, with twelve columns, and columns
grow from six, with 2 000 rows, until a run takes so many processor seconds; learners that refuse
twelve columns get six, of which most rows are equal. A learner has its defaults in
every run, in a process that has compiled its code. The exponent is the slope of log(time) against
log(rows) through the last three runs, less what a run on 500 rows takes, which is what a learner
needs for any table. The time of a search also depends on how many steps the rows ask for.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator, Sequence

import numpy as np
from forecasts import task_of
from reporting import network_rows, say_line

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import Cancelled, PgmStudioError
from pgmstudio.core.execution.events import StopSwitch
from pgmstudio.core.languages.learners import all_learners, learner_of
from pgmstudio.version import __version__

FEWEST_ROWS, FEWEST_COLUMNS, MOST_ROWS, MOST_COLUMNS = 2000, 6, 1_024_000, 37
COLUMNS = 12  # so many that most rows differ
FIXED_ROWS = 500  # the time of so few is that of any table
FITTED = 3  # runs


def seconds_of(key: str, data: DataSet, limit: float) -> float | None:
    """Processor seconds of a run with defaults; None if it was stopped or refused."""
    if learner_of(key).refuses(data):
        return None
    task = task_of(key, data)
    began = time.process_time()
    try:
        for _ in task(StopSwitch(seconds=20 * limit)):
            pass
    except (Cancelled, PgmStudioError):
        return None
    return time.process_time() - began


def growth(
    key: str, tables: Iterator[tuple[int, DataSet]], limit: float, fixed: float
) -> tuple[list[tuple[int, float]], float]:
    """Sizes with seconds, and the exponent of the last of them; nan for too few."""
    runs: list[tuple[int, float]] = []
    for size, data in tables:
        seconds = seconds_of(key, data, limit)
        if seconds is None:
            break
        runs.append((size, seconds))
        if seconds > limit:
            break
    last = [(size, seconds - fixed) for size, seconds in runs[-FITTED:] if seconds > 1.2 * fixed]
    if len(last) < FITTED:
        return runs, math.nan
    logs = np.log(np.array(last))
    return runs, float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("keys", nargs="*", metavar="KEY")
    parser.add_argument("--seconds", type=float, default=4.0)
    args = parser.parse_args(argv)
    alarm = network_rows("alarm", MOST_ROWS)

    def table(rows: int, columns: int) -> DataSet:
        names = alarm.domain.names[:columns]
        return alarm.take_rows(np.arange(rows)).select_columns(names)

    def by_rows(columns: int) -> Iterator[tuple[int, DataSet]]:
        rows = FEWEST_ROWS
        while rows <= MOST_ROWS:
            yield rows, table(rows, columns)
            rows *= 2

    def by_columns() -> Iterator[tuple[int, DataSet]]:
        columns = FEWEST_COLUMNS
        while columns <= MOST_COLUMNS:
            yield columns, table(FEWEST_ROWS, columns)
            columns = columns * 3 // 2

    for key in args.keys or all_learners():
        for columns in (COLUMNS, FEWEST_COLUMNS):
            if seconds_of(key, table(FIXED_ROWS, columns), args.seconds) is not None:
                break
        else:
            print(f"{key} does not learn from these tables with its defaults", flush=True)
            continue
        fixed = seconds_of(key, table(FIXED_ROWS, columns), args.seconds) or 0.0
        # Code for large tables is compiled before they are timed.
        seconds_of(key, table(4 * FEWEST_ROWS, columns), args.seconds)
        for what, tables in (("rows", by_rows(columns)), ("columns", by_columns())):
            runs, exponent = growth(key, tables, args.seconds, 0.0 if what == "columns" else fixed)
            if not runs:
                continue
            text = "-" if math.isnan(exponent) else f"{exponent:.2f}"
            data = f"{runs[0][0]} to {runs[-1][0]} {what}"
            say_line("growth", data, key, __version__, runs[-1][1], f"{what}^{text}")


if __name__ == "__main__":
    main()
