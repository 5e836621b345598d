"""The time forecast before a run beside the time the run takes, for every learner.

    python benchmarks/forecasts.py [--tables coronary,vote] [--learners bn.kes] [--limit 30]

Each run is a process of its own, as in the window: loading counts, and with --cold compiling. The
seconds are processor time, so that a busy machine does not matter. A run that is stopped at the
limit counts as “at least”. Lines are CSV; the last column is forecast ÷ actual, which should be
between ⅓ and 3.
"""

from __future__ import annotations

import argparse
import csv
import resource
import sys
from collections.abc import Callable

import numpy as np
from reporting import SHARED

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import Cancelled, PgmStudioError
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import NEVER, StopSwitch
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import read_data
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import all_learners, learner_of
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.learning.cost_estimates import forecast_run
from pgmstudio.core.params import parse_params, specs_of

LIMIT_SECONDS = 30.0


def table(path: str) -> Callable[[], DataSet]:
    return lambda: read_data(SHARED / path, ImportOptions())


TABLES: dict[str, Callable[[], DataSet]] = {
    "coronary": table("seeds/coronary.csv"),  # 1 841 × 6
    "vote": table("uci/vote.csv"),  # 435 × 17, with missing cells
    "primary_tumor": table("uci/primary_tumor.csv"),  # 339 × 18, with missing cells
    "nltcs": table("density/nltcs/train.csv"),  # 16 181 × 16
    "mushroom": table("seeds/mushroom.csv"),  # 8 124 × 23, up to 12 states
    "alarm": table("seeds/alarm_20000.csv.gz"),  # 20 000 × 37
}


def processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def task_of(key: str, data: DataSet) -> LearnTask:
    """The learner with its defaults; a class and a start graph where it needs them."""
    learner = learner_of(key)
    names = {spec.name for spec in specs_of(learner.params_type)}
    values: dict[str, object] = {}
    if "class_" in names:
        values["class_"] = data.domain.names[-1]
    if getattr(learner, "needs_start", False):
        tree = learner_of("tree.chow-liu")
        rng = np.random.default_rng(0)
        events = tree.run(data, tree.params_type(), rng=rng, cancel=NEVER)
        values["start"] = next(e.model for e in events if isinstance(e, Finished))
    return LearnTask(key, data, parse_params(learner.params_type, values), 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--learners", default=",".join(all_learners()))
    parser.add_argument("--cold", action="store_true", help="nothing was compiled before")
    parser.add_argument("--limit", type=float, default=LIMIT_SECONDS)
    given = parser.parse_args()
    lines = csv.writer(sys.stdout)
    lines.writerow(["table", "rows", "columns", "learner", "forecast", "actual", "ratio"])
    for name in given.tables.split(","):
        data = TABLES[name]()
        for key in given.learners.split(","):
            if learner_of(key).refuses(data):
                continue
            task = task_of(key, data)
            learner = learner_of(key)
            forecast = forecast_run(learner, task.params, data, is_compiled=not given.cold)
            begin, at_least = processor_seconds(), ""
            try:
                for _ in in_process(task, StopSwitch(seconds=given.limit)):
                    pass
            except Cancelled:
                at_least = ">"
            except PgmStudioError as error:
                print(f"{name}, {key}: {error}", file=sys.stderr)
                continue
            seconds = processor_seconds() - begin
            size = (data.row_count, len(data.domain))
            known = forecast.seconds if forecast is not None else float("nan")
            ratio = f"{known / seconds:.2f}"
            lines.writerow([name, *size, key, f"{known:.2f}", f"{at_least}{seconds:.2f}", ratio])
            sys.stdout.flush()


if __name__ == "__main__":
    main()
