"""Whether a comparison gives the same verdict whatever its budget and the state of the machine.

    python benchmarks/bench_verdicts.py [TABLE…] [--budgets 20,60]
    python benchmarks/bench_verdicts.py [TABLE…] --forms [--seeds N] [--splits K]

Each table is compared as in the window, with each budget, then with the last one beside as many
busy processes as there are cores, and with an empty cache of compiled code. All comparisons in
which no language was cut short have to give the same sentence.

With `--forms` each table is compared as it is, as a table of counts, with its columns in the
opposite order, and with other seeds, which split and learn in another way. Two comparisons agree
when they recommend the same language, or when the choice of each is not distinguishable from the
best in the other; every form of a table has to agree with all before it. Runs have all the time
they need, one after another: a table takes some minutes. Tables that are not in the repository are
read from the folder of data sets next to it, and skipped without one.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from reporting import say_line

from pgmstudio.core.analysis.model_comparison import row_log2
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.cores import core_count
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.experiments.language_comparison.candidates import (
    LANGUAGES,
    languages_plan,
    train_valid_test_splits,
)
from pgmstudio.core.experiments.language_comparison.results import (
    AllSplitsState,
    LanguageTable,
    recommended,
    undistinguished,
    verdict,
)
from pgmstudio.core.experiments.language_comparison.scheduler import (
    Budget,
    Finish,
    RowScores,
    RunEnded,
    RunQueued,
    SplitBegan,
    SplitOver,
    SplitsTask,
)
from pgmstudio.core.experiments.plans.run_task import PointWork
from pgmstudio.core.experiments.plans.runner import planned_keys
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import read_data
from pgmstudio.studies.recipe_data import data_folder
from pgmstudio.version import __version__

SAMPLES = Path(__file__).resolve().parents[1] / "sample_data"
TABLES = {
    "asia": "asia_sample.csv",
    "coronary": "coronary.csv",
    "logic1": "logic1.csv",
    "car": "uci/car.csv",
    "tic-tac-toe": "uci/tic_tac_toe.csv",
    "titanic": "uci/titanic.csv",
    "balance-scale": "uci/balance_scale.csv",
    "solar-flare": "uci/solar_flare2.csv",
    "supreme": "seeds/supreme.csv",
    "vote": "uci/vote.csv",
    "breast-cancer": "uci/breast_cancer.csv",
    "cmc": "uci/cmc.csv",
}
# A missing cell is a state here: this is about verdicts, not about missing cells.
READING = ImportOptions(bins=4, missing_as_state=True)


@dataclass(frozen=True)
class Verdict:
    """The language a comparison recommends, and those not distinguishable from the best."""

    taken: str
    equal: frozenset[str]

    @classmethod
    def of(cls, table: LanguageTable) -> Verdict:
        taken = recommended(table)
        equal = frozenset(row.language.short for row in undistinguished(table))
        return cls("" if taken is None else taken.language.short, equal)

    def agrees_with(self, other: Verdict) -> bool:
        return self.taken == other.taken or (
            self.taken in other.equal and other.taken in self.equal
        )


def compared(data: DataSet, seed: int, count: int | None) -> Verdict:
    """The verdict of a comparison in this process and without a budget: no run is cut short."""
    splits = train_valid_test_splits(data, count=count, seed=seed)
    state = AllSplitsState(list(LANGUAGES), splits)
    plan = languages_plan(LANGUAGES, splits[0], seeds=(seed,))
    for number, rows in enumerate(splits):
        state.take(SplitBegan(number))
        for key, run in planned_keys(plan, rows).items():
            state.take(RunQueued(key, run.name, math.inf))
            for event in PointWork(run, key)(rows, NEVER):
                if isinstance(event, CurvePoint) and event.model is not None:
                    state.take(RowScores(event.key, row_log2(event.model, rows.test)))
                state.take(event)
            state.take(RunEnded(key, run.name))
        state.take(SplitOver(number))
    state.end()
    return Verdict.of(state.table())


def variants(data: DataSet, seeds: int) -> Iterator[tuple[str, DataSet, int]]:
    yield "rows", data, 0
    yield "counts", data.merged(), 0
    yield "columns", data.select_columns(reversed(data.domain.names)), 0
    for seed in range(1, seeds):
        yield f"seed {seed}", data, seed


def _work_for_ever() -> None:
    while True:
        pass


@contextmanager
def busy_cores() -> Iterator[None]:
    """Beside as many busy processes as there are cores."""
    others = [multiprocessing.Process(target=_work_for_ever) for _ in range(core_count())]
    for other in others:
        other.start()
    try:
        yield
    finally:
        for other in others:
            other.kill()


@contextmanager
def empty_cache() -> Iterator[None]:
    """Processes that start now have no compiled code."""
    before = os.environ.get("NUMBA_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["NUMBA_CACHE_DIR"]
            else:
                os.environ["NUMBA_CACHE_DIR"] = before


def within(data: DataSet, budget: float) -> tuple[LanguageTable, float]:
    """The table of a comparison as in the window, and how long it took."""
    began, splits = time.monotonic(), train_valid_test_splits(data)
    state = AllSplitsState(list(LANGUAGES), splits)
    plan = languages_plan(LANGUAGES, splits[0])
    for event in SplitsTask(plan, splits, Budget(budget), Finish())(NEVER):
        state.take(event)
    state.end()
    return state.table(), time.monotonic() - began


def say(data: str, seconds: float, outcome: str) -> None:
    say_line("verdict", data, "PGM Studio", __version__, seconds, outcome)


def sentences_by_budget(name: str, data: DataSet, budgets: list[float]) -> int:
    """Print the sentences; how many differ among comparisons in which nothing was cut short."""
    sentences: list[str] = []

    def compared_within(budget: float, how: str) -> None:
        table, seconds = within(data, budget)
        cut = [row.language.short for row in table.left_out]
        if not cut:
            sentences.append(verdict(table))
        outcome = f"cut short: {', '.join(cut)}" if cut else sentences[-1]
        say(f"{name}, a budget of {budget:g} s{how}", seconds, outcome)

    for budget in budgets:
        compared_within(budget, "")
    with busy_cores():
        compared_within(budgets[-1], " beside load")
    with empty_cache():
        compared_within(budgets[-1], " with an empty cache")
    return len(set(sentences[1:]) - set(sentences[:1]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", choices=[[], *TABLES], metavar="TABLE")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--splits", type=int, default=None)
    parser.add_argument("--budgets", default="20,60", metavar="S,S…")
    parser.add_argument("--forms", action="store_true")
    args = parser.parse_args()
    folder = data_folder()
    apart = 0
    here = [name for name, file in TABLES.items() if "/" not in file]
    for name in args.tables or (TABLES if args.forms else here):
        path = SAMPLES / TABLES[name]
        if "/" in TABLES[name]:
            if folder is None or not (folder / TABLES[name]).exists():
                print(f"{name:14s} {TABLES[name]} not found")
                continue
            path = folder / TABLES[name]
        if not args.forms:
            budgets = sorted(map(float, args.budgets.split(",")))
            apart += sentences_by_budget(name, read_data(path, READING), budgets)
            continue
        verdicts: list[Verdict] = []
        for label, rows, seed in variants(read_data(path, READING), args.seeds):
            began = time.monotonic()
            verdict = compared(rows, seed, args.splits)
            outcome = "agrees" if all(map(verdict.agrees_with, verdicts)) else "DIFFERS"
            verdicts.append(verdict)
            apart += outcome == "DIFFERS"
            equal = ", ".join(sorted(verdict.equal))
            text = f"takes {verdict.taken} of {equal}: {outcome}"
            say(f"{name}, {label}", time.monotonic() - began, text)
    print(f"{apart} differ")
    return 1 if apart else 0


if __name__ == "__main__":
    raise SystemExit(main())
