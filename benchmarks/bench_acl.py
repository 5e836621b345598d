"""Accelerated Chow–Liu against plain Chow–Liu: time against columns and against sparsity.

    python benchmarks/bench_acl.py

The times cover coded columns to the forest's edges; not compiling, or filling tables. Rows are the
random walks of Meilă 1999, §5.7, and, for the sparsity, cells turned on at random, the hardest case
for the accelerated method: nearly every pair occurs together. The weights of the trees must agree.
Plots are written to benchmarks/results.
"""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
from log_plot import Curve, write_log_plot
from reporting import Program, race, say_line

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.experiments.generators.textbook import RandomWalksParams, random_walks
from pgmstudio.core.languages.tree.learning.accelerated import AcceleratedForest, growing_forest
from pgmstudio.core.languages.tree.learning.chow_liu_sparse import (
    ChowLiuSparseLearner,
    ChowLiuSparseParams,
    dense_weights,
)
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.learning.edge_constraints import best_forest
from pgmstudio.core.learning.sparse_rows import cell_rows

RESULTS = Path(__file__).resolve().parent / "results"
ROWS = 10_000
ACL_1, ACL_2, PLAIN = "aCL-I", "aCL-II", "plain Chow-Liu"
MAX_PLAIN = 5000  # all pairs of more columns take more memory than benchmarks should


def accelerated(data: DataSet, by_lists: bool) -> AcceleratedForest:
    return run_to_end(growing_forest(cell_rows(data), by_lists=by_lists))


def plain(data: DataSet) -> float:
    """The weight of the tree of all pairs, in nats."""
    _, weights = dense_weights(data)
    parents = best_forest(weights, data.domain.names)
    return sum(float(weights[p, c]) for c, p in enumerate(parents) if p is not None)


def walks(n: int, on: int) -> DataSet:
    return random_walks(RandomWalksParams(variables=n, on=on), np.random.default_rng(1), ROWS)


def scattered(n: int, share: float) -> DataSet:
    """Every cell on with the same chance."""
    codes = np.random.default_rng(1).random((n, ROWS), dtype=np.float32) < share
    names = walks(n, 0).domain
    return DataSet(names, codes.astype(np.uint8))


def measure(what: str, data: DataSet, repeats: int = 3) -> dict[str, float]:
    """A line per program; the seconds of each."""
    programs = [
        Program(ACL_2, "pgmstudio", lambda _: accelerated(data, False), repeats=repeats),
        Program(ACL_1, "pgmstudio", lambda _: accelerated(data, True), repeats=repeats),
    ]
    if len(data.domain) <= MAX_PLAIN:
        programs.append(Program(PLAIN, "pgmstudio", lambda _: plain(data), repeats=repeats))
    results = race(programs)
    ours = results[ACL_2][0]
    weight = results[ACL_2][1].gain()
    pairs = len(data.domain) * (len(data.domain) - 1) // 2
    for who, (seconds, answer) in results.items():
        if isinstance(answer, AcceleratedForest):
            log = len(data.domain) * math.log(len(data.domain))
            quality = (
                f"weight {answer.gain():.6f} n_K/(n ln n) {answer.examined / log:.2f} "
                f"informations {answer.evaluated} of {pairs}"
            )
            found = answer.gain()
        else:
            quality, found = f"weight {answer:.6f}", answer
        assert abs(found - weight) <= 1e-9 * abs(weight), (what, who, found, weight)
        say_line("accelerated Chow-Liu", what, who, "-", seconds, quality, seconds / ours)
    return {who: seconds for who, (seconds, _) in results.items()}


def learner(columns: int) -> None:
    """The whole learner, from coded columns to a tree with tables, as a person starts it."""
    data = walks(columns, 15)
    start = time.perf_counter()
    *_, last = ChowLiuSparseLearner().run(
        data, ChowLiuSparseParams(), rng=np.random.default_rng(0), cancel=NEVER
    )
    assert isinstance(last, Finished)
    seconds, bits = time.perf_counter() - start, last.measures["mutual_information_bits"]
    what = f"{ROWS}x{columns}, 15 on"
    say_line("tree.chow-liu-sparse", what, "PGM Studio", "-", seconds, f"{bits:.6f} bits")


def main() -> None:
    measure("compiling", walks(50, 5), repeats=1)
    print("-- the learner")
    learner(10_000)
    print("-- against columns: 15 on in a row")
    by_columns: dict[str, list[tuple[float, float]]] = {}
    for n in (250, 500, 1000, 2000, 5000, 10_000):
        for who, seconds in measure(f"{ROWS}x{n}, 15 on", walks(n, 15)).items():
            by_columns.setdefault(who, []).append((n, seconds))
    times = dict(by_columns[ACL_2])
    print(f"aCL-II, n = 1000 against n = 250: {times[1000] / times[250]:.2f} times")
    print("-- against sparsity: cells on at random")
    for share in (0.001, 0.01):
        measure(f"{ROWS}x5000, {share:.1%} on", scattered(5000, share))
    by_share: dict[str, list[tuple[float, float]]] = {}
    for share in (0.001, 0.003, 0.01, 0.03, 0.1):
        told = measure(f"{ROWS}x2000, {share:.1%} on", scattered(2000, share))
        for who, seconds in told.items():
            by_share.setdefault(who, []).append((share, seconds))
    curves: dict[str, dict[str, Curve]] = {"columns": {**by_columns}, "sparsity": {**by_share}}
    write_log_plot(
        RESULTS / "acl_columns.svg",
        "Tree of 10 000 rows, 15 ones in each",
        "columns",
        "seconds",
        curves["columns"],
    )
    write_log_plot(
        RESULTS / "acl_sparsity.svg",
        "Tree of 10 000 rows of 2 000 columns",
        "share of ones",
        "seconds",
        curves["sparsity"],
    )


if __name__ == "__main__":
    main()
