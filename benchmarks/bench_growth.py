"""How the time of every learner grows with the rows and columns of a table, with exponents.

    python benchmarks/bench_growth.py [KEY…] [--seconds S]

The tables are rows and columns of ALARM. Rows double from 2 000, with twelve columns, and columns
grow from six, with 2 000 rows, until a run takes so many processor seconds; learners that refuse
twelve columns get six, of which most rows are equal. A learner has its defaults in
every run, and compiling does not count. The exponent is the slope of log(time) against log(rows)
through the last four runs, less what a run on 500 rows takes, which is what a learner
needs for any table. The time of a search also depends on how many steps the rows ask for. A run of
all learners renews the plots of the manual.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from forecasts import task_of
from log_plot import Curve, write_log_panels
from reporting import network_rows, say_line

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import Cancelled, PgmStudioError
from pgmstudio.core.execution.events import CLOCK, StopSwitch
from pgmstudio.core.languages.learners import all_learners, learner_of
from pgmstudio.version import __version__

FEWEST_ROWS, FEWEST_COLUMNS, MOST_ROWS, MOST_COLUMNS = 2000, 6, 1_024_000, 37
COLUMNS = 12  # so many that most rows differ
FIXED_ROWS = 500  # the time of so few is that of any table
FITTED = 4  # runs
REPEATS, REPEATED_SECONDS = 5, 1.0
NOTE = (
    "Rows: everything is counted in one pass, so the exponent is 1 but for caches; that of runs "
    "below a second varies by 0.1 on a busy machine. Equal rows are merged first, and what comes "
    "after hardly grows (below 1). `nb.latent` and mixtures take more steps of EM for more rows, "
    "`pdg.learn` sweeps over larger graphs; with the same steps both are linear. Columns: 2 where "
    "all pairs are counted, on top of reading them (1); 2ⁿ for exact searches; searches and tests "
    "take as many steps as the data ask for."
)
PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"


def seconds_of(key: str, data: DataSet, limit: float) -> float | None:
    """Processor seconds of a run with defaults, the least of several short ones; None if it was
    stopped or refused."""
    if learner_of(key).refuses(data):
        return None
    spent: list[float] = []
    while len(spent) < REPEATS and sum(spent) < REPEATED_SECONDS:
        began = CLOCK.processor_now()
        try:
            for _ in task_of(key, data)(StopSwitch(seconds=20 * limit)):
                pass
        except (Cancelled, PgmStudioError):
            return None
        spent.append(CLOCK.processor_now() - began)
    return min(spent)


def growth(
    key: str, tables: Iterator[tuple[int, DataSet]], limit: float, fixed: float
) -> tuple[list[tuple[int, float]], float]:
    """Sizes with seconds, and the exponent of the last of them; nan for a single one."""
    runs: list[tuple[int, float]] = []
    for size, data in tables:
        seconds = seconds_of(key, data, limit)
        if seconds is None:
            break
        runs.append((size, seconds))
        if seconds > limit:
            break
    if len(runs) < 2:
        return runs, math.nan
    last = runs[-FITTED:]
    if all(seconds > 1.2 * fixed for _, seconds in last):
        last = [(size, seconds - fixed) for size, seconds in last]
    logs = np.log(np.array(last))
    return runs, float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("keys", nargs="*", metavar="KEY")
    parser.add_argument("--seconds", type=float, default=2.0)
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

    panels: dict[str, dict[str, Curve]] = {"rows": {}, "columns": {}}
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
            panels[what][f"{key} {text}"] = runs
            say_line(f"time against {what}", data, key, __version__, runs[-1][1], f"{what}^{text}")
    print(f"note: {NOTE}")
    if not args.keys:
        for what, curves in panels.items():
            path = PICTURES / f"growth-{what}.svg"
            title = f"Processor seconds against {what}, with the fitted exponent"
            write_log_panels(path, title, what, curves)


if __name__ == "__main__":
    main()
