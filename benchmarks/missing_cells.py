"""Held-out bits of every language when cells are missing, beside complete data and alternatives.

    python benchmarks/missing_cells.py [--rows 1000] [--tables alarm,vote] [--removed 0.1,0.3]

From each table some rows are learned from and others kept for the test. Of the rows to learn from a
part of the cells is removed at random; the test rows stay as they are. A line has the bits per test
row of the model learned from all cells, of the learner's default, and of its alternatives: the
available cells, or the complete rows alone, as far as 30 are left. The gain is the default minus
the best alternative, with the standard error of that difference over the test rows.

Lines are appended to `--out`, and those that it already has are not measured again; the manual's
page on missing data shows them.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from reporting import SHARED

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import read_data
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.likelihood import log2_probabilities
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.params import parse_params, specs_of

Logs = NDArray[np.float64]
Line = dict[str, str]
KEY = ("table", "removed", "learner")
RESULTS = Path(__file__).resolve().parents[1] / "docs/results/missing-cells.csv"
MIN_COMPLETE_ROWS = 30

# One learner for each language, and two more of networks; settings keep the slow ones short.
LEARNERS: dict[str, dict[str, Any]] = {
    "tree.chow-liu": {},
    "bn.hill-climb": {},
    "bn.kes": {"restarts": 5},
    "bn.tan": {},
    "bn.pc": {},
    "ldag.greedy": {"restarts": 1},
    "nb.latent": {},
    "mixture.trees": {"components": (2, 4), "restarts": 1},
    "pdg.hybrid": {"network": "bn.hill-climb"},
    "pdg.learn": {"population": 2, "lambdas": (0.9, 0.6, 0.3)},
}


def from_file(path: str, **options: Any) -> Callable[[], DataSet]:
    return lambda: read_data(SHARED / path, ImportOptions(**options))


def from_network() -> DataSet:
    model: Any = read_model(SHARED / "networks" / "insurance.bif").model
    sample: DataSet = model.sample(5_000, np.random.default_rng(5))
    return sample


TABLES: dict[str, Callable[[], DataSet]] = {
    "vote": from_file("uci/vote.csv"),
    "hypothyroid": from_file("uci/hypothyroid.csv", bins=4),
    "mushroom": from_file("seeds/mushroom.csv"),
    "insurance": from_network,
    "alarm": from_file("seeds/alarm_20000.csv.gz"),
}


def parts(data: DataSet, rows: int) -> tuple[DataSet, DataSet]:
    """Rows to learn from, at most seven tenths, and at most 3 000 to test on."""
    order = np.random.default_rng(1).permutation(data.row_count)
    count = min(rows, 7 * data.row_count // 10)
    train, test = np.sort(order[:count]), np.sort(order[count : count + 3_000])
    return data.take_rows(train), data.take_rows(test)


def with_removed(data: DataSet, part: float) -> DataSet:
    codes = data.codes.copy()
    codes[np.random.default_rng(7).random(codes.shape) < part] = data.missing_code
    return DataSet(data.domain, codes, data.weights)


def scored(key: str, train: DataSet, test: DataSet, **more: Any) -> tuple[Logs, float]:
    """log2 P of every test row, and the seconds that learning took."""
    learner = learner_of(key)
    settings = {**LEARNERS[key], **more}
    params = parse_params(learner.params_type, settings)
    began = time.perf_counter()
    *_, last = learner.run(train, params, rng=np.random.default_rng(1), cancel=NEVER)
    assert isinstance(last, Finished)
    seconds = time.perf_counter() - began
    model: Any = last.model
    return log2_probabilities(model, test), seconds


def measured(name: str, part: float, key: str, train: DataSet, test: DataSet, whole: Logs) -> Line:
    """One line: the default and its alternatives on the test rows."""
    learner = learner_of(key)
    default, seconds = scored(key, train, test)
    available = only_complete = None
    if any(spec.name == "missing" for spec in specs_of(learner.params_type)):
        available, _ = scored(key, train, test, missing="available")
    if train.complete_rows().row_count >= MIN_COMPLETE_ROWS:
        only_complete, _ = scored(key, train.complete_rows(), test)
    others = [logs for logs in (available, only_complete) if logs is not None]
    gain = default - max(others, key=lambda logs: float(logs.mean())) if others else None
    return {
        "table": name,
        "rows": str(train.row_count),
        "removed": f"{part:g}",
        "learner": key,
        "all cells": mean_of(whole),
        "default": mean_of(default),
        "default error": error_of(default),
        "available": mean_of(available),
        "complete rows": mean_of(only_complete),
        "gain": mean_of(gain),
        "gain error": error_of(gain),
        "seconds": f"{seconds:.1f}",
    }


def mean_of(logs: Logs | None) -> str:
    return "" if logs is None else f"{logs.mean():.4f}"


def error_of(logs: Logs | None) -> str:
    """The standard error of the mean; none where a row has probability 0."""
    if logs is None or not np.isfinite(logs).all():
        return ""
    return f"{logs.std() / math.sqrt(logs.size):.4f}"


def stored_lines(path: Path) -> list[Line]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--rows", type=int, default=1_000)
    reader.add_argument("--tables", default=",".join(TABLES))
    reader.add_argument("--removed", default="0,0.1,0.3,0.5")
    reader.add_argument("--learners", default=",".join(LEARNERS))
    reader.add_argument("--out", type=Path, default=RESULTS)
    chosen = reader.parse_args()
    done = {tuple(line[name] for name in KEY) for line in stored_lines(chosen.out)}
    for key, name in product(chosen.learners.split(","), chosen.tables.split(",")):
        train, test = parts(TABLES[name](), chosen.rows)
        whole: Logs | None = None
        for part in map(float, chosen.removed.split(",")):
            rows = with_removed(train, part)
            if not rows.has_missing or (name, f"{part:g}", key) in done:
                continue
            if whole is None:
                whole, _ = scored(key, train, test)
            add(chosen.out, measured(name, part, key, rows, test, whole))


def add(path: Path, line: Line) -> None:
    """Append a line to the file, below a header if it is the first."""
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, line, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(line)
    print(", ".join(line.values()), flush=True)


if __name__ == "__main__":
    main()
