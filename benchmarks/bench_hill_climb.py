"""Hill climbing on BIC: ours against pyAgrum's greedy searches and pgmpy's.

    python benchmarks/bench_hill_climb.py

Ours is a whole run of bn.hill-climb with its defaults (one climb, 50 restarts) and tables by
relative frequencies, from coded columns; reading the file and compiling are not in the time. The
peers have read the rows before the clock starts and fit no tables. Quality: BIC in nats of the
graph found, by one function for all of them, and its number of edges; the true graph's is printed
where it is known.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from peers import as_frame
from reporting import SHARED, Program, network_rows, report, table_data, write_csv

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing import (
    HillClimbLearner,
    HillClimbParams,
)
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import score_of

Edges = list[tuple[str, str]]


def ours(data: DataSet, restarts: int) -> Edges:
    params = HillClimbParams(smoothing=0.0, restarts=restarts)
    rng = np.random.default_rng(1)
    *_, last = HillClimbLearner().run(data, params, rng=rng, cancel=NEVER)
    assert isinstance(last.model, DirectedModel)  # type: ignore[union-attr]
    return list(last.model.edges)  # type: ignore[union-attr]


def pyagrum_learner(path: Path, algorithm: str) -> Any:
    import pyagrum

    learner = pyagrum.BNLearner(str(path))
    learner.setNumberOfThreads(1)
    learner.useScoreBIC()
    learner.useNoPrior()
    if algorithm == "tabu":
        learner.useLocalSearchWithTabuList(100, 2)
    else:
        learner.useGreedyHillClimbing()
    return learner


def pyagrum_edges(learner: Any) -> Edges:
    names = list(learner.names())
    return [(names[a], names[b]) for a, b in learner.learnDAG().arcs()]


def pgmpy_search(data: DataSet) -> Any:
    from pgmpy.estimators import HillClimbSearch

    return HillClimbSearch(as_frame(data))


def pgmpy_edges(search: Any) -> Edges:
    return list(search.estimate(scoring_method="bic-d", show_progress=False).edges())


def main() -> None:
    cases = {
        "alarm 10000": _alarm_10000(),
        "alarm 100000": network_rows("alarm", 100_000),
        "insurance 10000": network_rows("insurance", 10_000),
    }
    for name, data in cases.items():
        scores = FamilyScores(data, score_of("bic", data.total_weight))

        def bic(edges: Edges, data: DataSet = data, scores: FamilyScores = scores) -> float:
            parents: list[list[int]] = [[] for _ in data.domain]
            for source, target in edges:
                parents[data.domain.index(target)].append(data.domain.index(source))
            return scores.total(parents) * math.log(2)

        truth = SHARED / "networks" / f"{name.split()[0]}.bif"
        true_bic = ""
        if truth.exists():
            model = read_model(truth).model
            assert isinstance(model, DirectedModel)
            if {*model.domain.names} == {*data.domain.names}:
                true_bic = f" (truth {bic(list(model.edges)):.1f})"
        ours(data, 1)  # compiles
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.csv"
            write_csv(data, path)
            report(
                "hill climbing",
                name,
                [
                    Program("PGM Studio", "pgmstudio", lambda _, d=data: ours(d, 50), repeats=20),
                    Program(
                        "pyAgrum greedy (1 thread)",
                        "pyagrum",
                        pyagrum_edges,
                        lambda path=path: pyagrum_learner(path, "greedy"),
                        repeats=4,
                    ),
                    Program(
                        "pyAgrum tabu (1 thread)",
                        "pyagrum",
                        pyagrum_edges,
                        lambda path=path: pyagrum_learner(path, "tabu"),
                        repeats=3,
                    ),
                    Program(
                        "PGM Studio (one climb)",
                        "pgmstudio",
                        lambda _, d=data: ours(d, 0),
                        repeats=20,
                    ),
                    Program(
                        "pgmpy", "pgmpy", pgmpy_edges, lambda d=data: pgmpy_search(d), repeats=1
                    ),
                ],
                lambda edges, bic=bic, told=true_bic: (
                    f"BIC {bic(edges):.1f}{told}; {len(edges)} edges"
                ),
                {"R bnlearn hc": 0.68} if "100000" in name else None,
            )


def _alarm_10000() -> DataSet:
    path = SHARED / "seeds" / "alarm_20000.csv.gz"
    return table_data(path, 10_000) if path.exists() else network_rows("alarm", 10_000)


if __name__ == "__main__":
    main()
