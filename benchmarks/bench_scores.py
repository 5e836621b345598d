"""BIC of every family with one parent: ours from raw columns, against pyAgrum and pgmpy.

    python benchmarks/bench_scores.py

Ours starts from the coded columns each time: packing, counting and scoring are in the time, reading
the file and compiling are not. pyAgrum and pgmpy have read the rows before the clock starts.
Quality is the sum of all scores in nats, which must agree.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from peers import as_frame
from reporting import Program, network_rows, report, write_csv

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import score_of


def ours(data: DataSet) -> float:
    scores = FamilyScores(data, score_of("bic", data.total_weight))
    n, total = len(data.domain), 0.0
    for child in range(n):
        others = np.delete(np.arange(n), child)
        total += float(scores.toggled(child, [], others)[others].sum())
    return total * math.log(2)


def pyagrum_learner(path: Path) -> Any:
    import pyagrum

    learner = pyagrum.BNLearner(str(path))
    learner.setNumberOfThreads(1)
    learner.useScoreBIC()
    learner.useNoPrior()
    return learner


def pyagrum_sum(learner: Any) -> float:
    names = list(learner.names())
    bits = sum(learner.score(child, [p]) for child in names for p in names if p != child)
    return float(bits * math.log(2))


def pgmpy_score(data: DataSet) -> Any:
    from pgmpy.structure_score import BIC

    return BIC(as_frame(data))


def pgmpy_sum(score: Any) -> float:
    names = list(score.data.columns)
    return sum(score.local_score(child, (p,)) for child in names for p in names if p != child)


def main() -> None:
    for rows in (10_000, 100_000):
        data = network_rows("alarm", rows)
        ours(data)  # compiles
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.csv"
            write_csv(data, path)
            report(
                "all families with one parent",
                f"alarm {rows}x{len(data.domain)}",
                [
                    Program("PGM Studio", "pgmstudio", lambda _, d=data: ours(d), repeats=30),
                    Program(
                        "pyAgrum (1 thread)",
                        "pyagrum",
                        pyagrum_sum,
                        lambda path=path: pyagrum_learner(path),
                        repeats=3,
                    ),
                    Program("pgmpy", "pgmpy", pgmpy_sum, lambda d=data: pgmpy_score(d), repeats=1),
                ],
                lambda total: f"sum {total:.1f}",
                {"R bnlearn": 0.24},
            )


if __name__ == "__main__":
    main()
