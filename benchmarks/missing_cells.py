"""Held-out bits of every language when cells are missing, beside complete data and alternatives.

    python benchmarks/missing_cells.py [--rows 2000] [--tables alarm,vote] [--removed 0.1,0.3]

From each table some rows are learned from and others kept for the test. Of the rows to learn from a
part of the cells is removed at random; the test rows stay as they are. A line has the bits per test
row of the model learned from all cells, of the learner's default, and of its alternatives: the
available cells, or the complete rows alone, as far as 30 are left. The last column is the default
minus the best alternative with the standard error of that difference over the test rows.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
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


def bits(logs: Logs | None) -> str:
    if logs is None:
        return "-"
    mean = float(logs.mean())
    return "-inf" if mean == -math.inf else f"{mean:.3f}"


def line(name: str, part: float, key: str, train: DataSet, test: DataSet, whole: Logs) -> str:
    learner = learner_of(key)
    default, seconds = scored(key, train, test)
    available = only_complete = None
    if any(spec.name == "missing" for spec in specs_of(learner.params_type)):
        available, _ = scored(key, train, test, missing="available")
    if train.complete_rows().row_count >= MIN_COMPLETE_ROWS:
        only_complete, _ = scored(key, train.complete_rows(), test)
    others = [logs for logs in (available, only_complete) if logs is not None]
    error = float(default.std()) / math.sqrt(default.size)
    verdict = "-"
    if others:
        gain = default - max(others, key=lambda logs: float(logs.mean()))
        gain_error = float(gain.std()) / math.sqrt(gain.size)
        verdict = f"{gain.mean():+.3f} ± {gain_error:.3f}"
    cells = (
        name,
        f"{part:.0%}",
        key,
        bits(whole),
        f"{bits(default)} ± {error:.3f}",
        bits(available),
        bits(only_complete),
        verdict,
        f"{seconds:.1f}",
    )
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--rows", type=int, default=2_000)
    reader.add_argument("--tables", default=",".join(TABLES))
    reader.add_argument("--removed", default="0.1,0.3,0.5")
    reader.add_argument("--learners", default=",".join(LEARNERS))
    chosen = reader.parse_args()
    print(
        "| table | removed | learner | all cells | default | available | complete rows | gain | s |"
    )
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for name in chosen.tables.split(","):
        train, test = parts(TABLES[name](), chosen.rows)
        for key in chosen.learners.split(","):
            whole, _ = scored(key, train, test)
            for part in map(float, chosen.removed.split(",")):
                print(line(name, part, key, with_removed(train, part), test, whole), flush=True)


if __name__ == "__main__":
    main()
