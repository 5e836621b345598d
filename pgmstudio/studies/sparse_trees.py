"""Trees of sparse rows: steps of Kruskal's algorithm and seconds (Meilă 1999, §§5.3.4 and 5.7)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.experiments.generators.textbook import RandomWalksParams, random_walks
from pgmstudio.core.experiments.sl_curves.sweep import Curves
from pgmstudio.core.params import param
from pgmstudio.studies.recipe import Measured, RecipeContext, RecipeEvent, load_recipe, trials_param


@dataclass(frozen=True, slots=True, kw_only=True)
class KruskalParams:
    """The settings of the experiment."""

    trials: int = param(
        1000, title="Runs", low=1, high=100_000, help="Random weights for each number of nodes."
    )
    nodes: tuple[int, ...] = param(
        (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 3000),
        title="Nodes n",
        low=2,
        high=100_000,
        help="The x values of the curves are n log n.",
    )


def kruskal_steps(nodes: int, rng: np.random.Generator) -> int:
    """Edges that Kruskal's algorithm examines on a complete graph with equally distributed weights.

    Only their order matters, and only until the tree is complete, so edges are drawn in order.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    pairs = nodes * (nodes - 1) // 2
    drawn = min(pairs, math.ceil(nodes * (math.log(nodes) + 4) / 2))
    while True:
        codes = rng.permutation(pairs) if drawn == pairs else _distinct(pairs, drawn, rng)
        # Pairs (low, high) with low < high, numbered row by row of the lower triangle.
        high = ((np.sqrt(8.0 * codes + 1) + 1) / 2).astype(np.int64)
        high -= high * (high - 1) // 2 > codes
        low = codes - high * (high - 1) // 2
        order = np.arange(1.0, codes.size + 1)
        tree = minimum_spanning_tree(coo_array((order, (low, high)), shape=(nodes, nodes)))
        if tree.nnz == nodes - 1:
            return int(tree.data.max())
        drawn = min(pairs, 2 * drawn)


def _distinct(pairs: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """So many different numbers below `pairs`, in random order."""
    codes = rng.integers(pairs, size=2 * count + 10)
    _, first = np.unique(codes, return_index=True)
    kept = codes[np.sort(first)][:count]
    return kept if kept.size == count else rng.permutation(pairs)[:count]


def run_kruskal(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: KruskalParams = context.params
    ratios: dict[int, float] = {}
    context.expect_models(len(params.nodes))
    for number, nodes in enumerate(params.nodes):
        rng = context.rng(number)
        steps = []
        for _ in range(params.trials):
            context.cancel.raise_if_cancelled()
            steps.append(kruskal_steps(nodes, rng))
        yield context.advance(f"{nodes} nodes")
        size = nodes * math.log(nodes)
        values = {
            f"mean, n log n = {size:.4g}": float(np.mean(steps)),
            f"standard deviation, n log n = {size:.4g}": float(np.std(steps, ddof=len(steps) > 1)),
            f"maximum, n log n = {size:.4g}": float(max(steps)),
        }
        ratios[nodes] = float(np.mean(steps)) / size
        yield Measured(0, values)
    lengths = np.array([n * math.log(n) for n in ratios])
    means = lengths * np.array([*ratios.values()])
    values = {f"ratio_{nodes}": ratio for nodes, ratio in ratios.items()}
    if len(ratios) > 1:
        values["correlation"] = float(np.corrcoef(lengths, means)[0, 1])
    yield Measured(0, values)


KRUSKAL_STEPS = load_recipe(
    "kruskal-steps",
    KruskalParams,
    run_kruskal,
    has_parts=False,
    curves=Curves(
        "n log n", "Steps of Kruskal's algorithm", r"(?P<line>[a-z ]+), n log n = (?P<x>[\d.e+]+)"
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseTreesParams:
    """The settings of the experiment."""

    trials: int = trials_param(1)
    columns: tuple[int, ...] = param(
        (50, 100, 250, 500, 1000), title="Columns n", low=2, high=20_000, help="The x values."
    )
    on: tuple[int, ...] = param(
        (5, 10, 15, 100), title="Columns on", low=1, high=1000, help="Ones in a row, a line each."
    )
    rows: int = param(10_000, title="Rows", low=10, help="Rows to learn from.")


_SAMPLED_PAIRS = 500
_KINDS = {"TreeLearn": "dense", "aCL-II": "acl-2"}


def trees_of(*kinds: str, is_timed: bool) -> Callable[[RecipeContext], Iterator[RecipeEvent]]:
    """Learn a tree in each of these ways for each number of columns and of ones."""

    def run(context: RecipeContext) -> Iterator[RecipeEvent]:
        params: SparseTreesParams = context.params
        cases = [(on, n) for on in params.on for n in params.columns if on < n]
        context.expect_models(params.trials * len(cases) * len(kinds) + len(kinds))
        warm = random_walks(RandomWalksParams(variables=12, on=3), context.rng(0), 200)
        for name in kinds:  # compile first
            yield from context.learn(
                "compiling", "tree.chow-liu-sparse", warm, context.rng(0), backend=_KINDS[name]
            )
        for trial in context.trial_numbers:
            for number, (on, n) in enumerate(cases):
                rows = random_walks(
                    RandomWalksParams(variables=n, on=on),
                    context.rng(1, trial, number),
                    params.rows,
                )
                seconds: dict[str, float] = {}
                for name in kinds:
                    begin = time.process_time()
                    model = yield from context.learn(
                        f"{n} columns, {on} on, {name}",
                        "tree.chow-liu-sparse",
                        rows,
                        context.rng(2, trial, number),
                        backend=_KINDS[name],
                        smoothing=0.0,
                    )
                    seconds[name] = time.process_time() - begin
                if is_timed:
                    seconds["all pairs"] = seconds_by_pairs(rows, context.rng(3, trial, number))
                    values = {f"{k}, s = {on}, n = {n}: seconds": s for k, s in seconds.items()}
                    for kind_name in ("TreeLearn", "all pairs"):
                        ratio = seconds[kind_name] / max(seconds["aCL-II"], 1e-9)
                        values[f"ratio of seconds, {kind_name}, s = {on}, n = {n}"] = ratio
                else:
                    steps = context.measures["edges_examined"]
                    values = {
                        f"s = {on}, n = {n}": steps,
                        f"share of all pairs, s = {on}, n = {n}": steps / (n * (n - 1) / 2),
                    }
                yield Measured(trial, values, model, rows, f"{n} columns, {on} on")

    return run


def seconds_by_pairs(rows: DataSet, rng: np.random.Generator) -> float:
    """Seconds to count every pair of columns one after the other, from a sample of the pairs."""
    n = len(rows.domain)
    pairs = rng.integers(n, size=(_SAMPLED_PAIRS, 2))
    begin = time.process_time()
    for one, other in pairs:
        np.bincount(2 * rows.codes[one] + rows.codes[other], minlength=4)
    return (time.process_time() - begin) * (n * (n - 1) / 2) / _SAMPLED_PAIRS


ACL_SECONDS = load_recipe(
    "acl-seconds",
    SparseTreesParams,
    trees_of("TreeLearn", "aCL-II", is_timed=True),
    is_timed=True,
    curves=Curves(
        "Columns n",
        "Seconds of the processor ↓",
        r"(?P<line>[\w -]+, s = \d+), n = (?P<x>\d+): seconds",
        is_log=True,
        is_log_up=True,
    ),
)
ACL_STEPS = load_recipe(
    "acl-steps",
    SparseTreesParams,
    trees_of("aCL-II", is_timed=False),
    curves=Curves(
        "Columns n", "Steps of Kruskal's algorithm n_K", r"(?P<line>s = \d+), n = (?P<x>\d+)"
    ),
)
