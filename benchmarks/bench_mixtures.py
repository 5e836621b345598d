"""Mixtures of trees: an EM iteration against dense numpy, and densities against published ones.

    python benchmarks/bench_mixtures.py                     # the iteration, and the small sets
    python benchmarks/bench_mixtures.py --sets nltcs,kdd    # only the densities of these sets
    python benchmarks/bench_mixtures.py --sets all --seeds 3
    python benchmarks/bench_mixtures.py --large             # 1 000 000 rows, and 10 000 columns

An iteration is one E and one M step at m = 20. The dense reference has a weighted float32 matrix
product for each tree; both may use two threads, the reference in its matrix products (the threads
of its BLAS as they are set).

Densities: default settings, everything chosen on the validation rows, nats per row of the test
rows. Libra's `mtlearn` was measured elsewhere, with few numbers of trees tried;
“published” are the numbers of the literature as far as they were at hand. Neither is of this run.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from reporting import SHARED, Program, binary_rows, report, say_line, table_data

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.execution.events import NEVER, Progress
from pgmstudio.core.experiments.generators.random_models import RandomTreesParams, random_trees
from pgmstudio.core.experiments.generators.textbook import RandomWalksParams, random_walks
from pgmstudio.core.languages.tree.learning.priors import TreePriors
from pgmstudio.core.languages.tree_mixture.learning.dense_em import TreeMixtureEm
from pgmstudio.core.languages.tree_mixture.learning.learner import MixtureLearner, MixtureSearch
from pgmstudio.core.languages.tree_mixture.learning.params import MixtureParams
from pgmstudio.core.learning.base import Finished, ImprovedModel
from pgmstudio.core.learning.sparse_rows import sparse_rows

LIBRA = {
    "nltcs": -6.020,
    "plants": -13.534,
    "baudio": -40.365,
    "jester": -53.076,
    "bnetflix": -57.111,
    "tretail": -10.846,
    "dna": -85.981,
    "msnbc": -6.305,
    "kdd": -2.143,
    "pumsb_star": -25.119,
}
PUBLISHED = {"nltcs": -6.01, "plants": -12.95, "baudio": -40.08, "dna": -85.14}
SMALL = ("nltcs", "plants", "dna", "tretail", "jester", "baudio", "bnetflix", "kdd", "msnbc")
ALL = (
    *SMALL,
    *("msweb", "kosarek", "pumsb_star", "book", "tmovie", "cwebkb", "cr52", "c20ng", "ad"),
)

Array = np.ndarray[Any, Any]


class Dense:
    """The same EM with matrices: a weighted product X' diag(γ_k) X for each tree."""

    def __init__(self, rows: Array, count: int) -> None:
        self.ones = rows.astype(np.float32)
        self.shares = np.random.default_rng(0).dirichlet(np.full(count, 0.1), len(rows))
        self.shares = self.shares.astype(np.float32)

    def step(self) -> float:
        ones, shares = self.ones, self.shares
        weights = shares.sum(axis=0)
        logs = np.empty_like(shares)
        for k in range(shares.shape[1]):
            together = (ones * shares[:, k : k + 1]).T @ ones
            base, alone, both, parents = _dense_tree(together.astype(np.float64), weights[k])
            joined = np.flatnonzero(parents >= 0)
            pairs = ones[:, joined] * ones[:, parents[joined]]
            logs[:, k] = ones @ alone + pairs @ both[joined] + base
        logs += np.log((weights + 1) / (weights.sum() + len(weights)))
        top = logs.max(axis=1, keepdims=True)
        parts = np.exp(logs - top)
        sums = parts.sum(axis=1, keepdims=True)
        self.shares = parts / sums
        return float((top + np.log(sums)).mean())


def _dense_tree(together: Array, weight: float) -> tuple[float, Array, Array, Array]:
    one = (np.diag(together) + 0.5) / (weight + 1)
    p11 = (together + 0.25) / (weight + 1)
    p10, p01 = one[:, None] - p11, one[None] - p11
    p00 = 1 - p11 - p10 - p01

    def xlogx(a: Array) -> Array:
        return a * np.log(np.maximum(a, 1e-300))

    entropy = xlogx(one) + xlogx(1 - one)
    information = xlogx(p11) + xlogx(p10) + xlogx(p01) + xlogx(p00)
    parents = _prim(information - entropy[:, None] - entropy[None])
    child = np.flatnonzero(parents >= 0)
    above, root = parents[child], np.flatnonzero(parents < 0)
    l11, l10 = (np.log(p[above, child] / one[above]) for p in (p11, p10))
    l01, l00 = (np.log(p[above, child] / (1 - one[above])) for p in (p01, p00))
    alone, both = np.zeros(len(one)), np.zeros(len(one))
    alone[root] += np.log(one[root] / (1 - one[root]))
    np.add.at(alone, child, l01 - l00)
    np.add.at(alone, above, l10 - l00)
    both[child] = l11 - l10 - l01 + l00
    base = float(np.log(1 - one[root]).sum() + l00.sum())
    return base, alone.astype(np.float32), both.astype(np.float32), parents


def _prim(weights: Array) -> Array:
    count = len(weights)
    best, source = weights[0].copy(), np.zeros(count, dtype=np.int64)
    done, parents = np.zeros(count, dtype=bool), np.full(count, -1)
    done[0], best[0] = True, -np.inf
    for _ in range(count - 1):
        chosen = int(best.argmax())
        parents[chosen], done[chosen] = source[chosen], True
        better = (weights[chosen] > best) & ~done
        best[better], source[better] = weights[chosen][better], chosen
        best[chosen] = -np.inf
    return parents


def iterations() -> None:
    for name, rows, columns in (("plants", 17_412, 69), ("baudio", 15_000, 100)):
        data = binary_rows(name, rows, columns)
        em = TreeMixtureEm(sparse_rows(data), 20, TreePriors(strength=20.0))
        em.start_at_random(np.random.default_rng(0))
        em.improve()  # compiles
        dense = Dense(np.ascontiguousarray(data.codes.T), 20)
        report(
            "mixture of trees, EM iteration, m=20",
            f"{name} {data.row_count}x{len(data.domain)}",
            [
                Program(
                    "PGM Studio",
                    "pgmstudio",
                    lambda _, e=em, n=data.row_count: e.improve() / n,
                    repeats=60,
                ),
                Program("numpy dense", "numpy", lambda _, d=dense: d.step(), repeats=8),
            ],
            lambda nats: f"{nats:.3f} nats per row",
        )


class Listening:
    """A cancel token that is never set, and knows the longest time between two looks at it."""

    is_cancelled = is_paused = False

    def __init__(self) -> None:
        self.longest, self._last = 0.0, time.perf_counter()

    def raise_if_cancelled(self) -> None:
        now = time.perf_counter()
        self.longest, self._last = max(self.longest, now - self._last), now


def large() -> None:
    """Very many rows, and very many columns: seconds, memory, and how closely it can be stopped."""
    params = RandomTreesParams(components=10, variables=100, states=2)
    cases: list[tuple[str, Callable[[], DataSet], int]] = [
        ("random walks 10000x10000", lambda: random_walks_of(10_000), 5),
        (
            "random trees 1000000x100",
            lambda: random_trees(params, np.random.default_rng(1), 1_000_000),
            10,
        ),
    ]
    for name, make, trees in cases:
        data = make()
        token, start, told = Listening(), time.perf_counter(), 0
        last, pause, steps = start, 0.0, []
        chosen = MixtureParams(components=(trees,), max_iterations=5)
        for event in MixtureLearner().run(data, chosen, rng=np.random.default_rng(0), cancel=token):
            now = time.perf_counter()
            pause, last, told = max(pause, now - last), now, told + 1
            if isinstance(event, Progress) and "EM step" in (event.counters or {}):
                steps.append(now)
        each = min(b - a for a, b in pairwise(steps))
        quality = (
            f"{len(steps)} EM steps, {each:.2f} s each at best; {told} events, the longest pause "
            f"{pause:.1f} s; listens to stop every {token.longest:.1f} s or more often"
        )
        seconds = time.perf_counter() - start
        say_line(f"mixture of trees, m={trees}", name, "PGM Studio", "-", seconds, quality)


def random_walks_of(columns: int) -> DataSet:
    params = RandomWalksParams(variables=columns, on=15)
    return random_walks(params, np.random.default_rng(1), 10_000)


def parts_of(name: str) -> list[DataSet]:
    """Train, validation and test rows over one domain."""
    domain = None
    found = []
    for part in ("train", "valid", "test"):
        path = SHARED / "density" / name / f"{part}.csv.gz"
        data = table_data(path if path.exists() else path.with_suffix(""))
        if domain is None:
            domain = Domain(tuple(Variable(v.name, ("0", "1")) for v in data.domain))
        codes = [
            np.array([int(state) for state in variable.states], dtype=np.uint8)[column]
            for variable, column in zip(data.domain, data.codes, strict=True)
        ]
        found.append(DataSet(domain, np.array(codes)))
    return found


def densities(names: tuple[str, ...], seconds: float, seeds: int) -> None:
    """The table of test nats per row; sets that would begin after `seconds` are left out."""
    began = time.perf_counter()
    for name in names:
        if not (SHARED / "density" / name).exists():
            print(f"{name}: not at hand, left out")
            continue
        if time.perf_counter() - began > seconds:
            print(f"{name}: no time left, left out")
            continue
        train, valid, test = parts_of(name)
        runs = [density(train, valid, test, seed) for seed in range(seeds)]
        nats = [run.nats for run in runs]
        spread = f" from {min(nats):.3f} to {max(nats):.3f} with {seeds} seeds" if seeds > 1 else ""
        trees = ", ".join(f"{run.trees:.0f}" for run in runs)
        told = (
            f"test {np.mean(nats):.3f} nats per row{spread} (m = {trees}; "
            f"single tree {runs[0].single:.3f}; "
            f"Libra {LIBRA.get(name, math.nan):.3f}; published {PUBLISHED.get(name, math.nan):.2f})"
        )
        say_line(
            "mixture of trees, default settings",
            f"{name} {train.row_count}x{len(train.domain)}",
            "PGM Studio",
            "-",
            float(np.mean([run.seconds for run in runs])),
            told,
        )


@dataclass(frozen=True)
class Density:
    """Nats per test row of a mixture chosen on validation rows, and of the single tree."""

    nats: float
    single: float
    trees: float
    seconds: float  # of the processor


def density(train: DataSet, valid: DataSet, test: DataSet, seed: int) -> Density:
    began = time.process_time()
    rng = np.random.default_rng(seed)
    search = MixtureSearch(
        train, MixtureParams(), is_shared=False, rng=rng, cancel=NEVER, held=valid
    )
    model, single, trees = None, None, 0.0
    for event in search.run():
        if isinstance(event, ImprovedModel | Finished):
            model, trees = event.model, event.measures["trees"]
            single = model if single is None else single
    seconds = time.process_time() - began
    nats = [
        float(one.log2_probabilities(test).mean()) * math.log(2)  # type: ignore[union-attr]
        for one in (model, single)
    ]
    return Density(nats[0], nats[1], trees, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", help="names with commas between, or all")
    parser.add_argument("--large", action="store_true", help="only very many rows and columns")
    parser.add_argument("--seconds", type=float, default=600.0, help="for the densities")
    parser.add_argument("--seeds", type=int, default=1, help="for the densities")
    chosen = parser.parse_args()
    if chosen.large:
        large()
        return
    if chosen.sets is None:
        iterations()
    names = ALL if chosen.sets == "all" else tuple((chosen.sets or ",".join(SMALL)).split(","))
    densities(names, chosen.seconds, chosen.seeds)


if __name__ == "__main__":
    main()
