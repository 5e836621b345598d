"""Polytrees: graphs without a cycle even when directions are ignored (Rebane and Pearl 1987).

The skeleton is the Chow–Liu tree without the edges whose ends a test finds independent. Where two
neighbours of a column are independent of each other, both point into it; then the other neighbours
of a column with a known parent are parents if they are independent of that parent and children if
not. Directions that this leaves open are free; the network takes some without a new v-structure.
If the data come from a polytree, the learner recovers its equivalence class as the number of rows
grows.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.counting import pair_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import KnowledgeError
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.graphs.pdag import bits_of
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.orientation import (
    oriented_skeleton,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import (
    PcResult,
    TestParams,
    skeleton_events,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    AskedTests,
    LoggedTest,
    Pair,
    PairRules,
    Skeleton,
)
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    completed_rows,
)
from pgmstudio.core.learning.base import (
    BaseLearner,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.scores.independence import DataTests
from pgmstudio.core.scores.mutual_information import mutual_information_nats


@dataclass(frozen=True, slots=True, kw_only=True)
class PolytreeParams(TestParams):
    """The settings of the polytree learner."""


def polytree_search(
    data: DataSet, params: PolytreeParams, cancel: CancelToken = NEVER
) -> Generator[Progress, None, PcResult]:
    """Tree, tests of neighbours and directions; the generator's value is the result."""
    names = data.domain.names
    rules = EdgeRules.of(names, params.knowledge, None)
    required = _required_pairs(names, rules)
    yield Progress(0.0, "Counting pairs of columns")
    information = mutual_information_nats(pair_counts(data, cancel))
    tests = AskedTests(DataTests(data, params.rule()))
    adjacent = [0] * len(names)
    separated: dict[Pair, LoggedTest] = {}
    for a, b in spanning_pairs(information, rules, required):
        test = tests.ask((a, b), (), cancel)
        if (a, b) not in required and test is not None and test.outcome.independent:
            separated[a, b] = test
        else:
            adjacent[a] |= 1 << b
            adjacent[b] |= 1 << a
    yield tests.progress("Testing pairs of neighbours", 0, adjacent)
    for near in adjacent:
        for pair in combinations(bits_of(near), 2):
            test = tests.ask(pair, (), cancel)
            if test is not None and test.outcome.independent:
                separated[pair] = test
    skeleton = Skeleton(names, tuple(adjacent), separated, tuple(tests.made), tests.left_out)
    return PcResult(skeleton, oriented_skeleton(skeleton, rules))


def spanning_pairs(
    information: NDArray[np.float64], rules: EdgeRules, required: frozenset[Pair]
) -> list[Pair]:
    """The pairs of the maximum spanning tree with every required pair and no forbidden one."""
    from pgmstudio.core.graphs.spanning_forest_kernels import grow_forest

    n = len(rules.names)
    joinable = PairRules.of(rules).joinable
    may = np.array([[joinable[a] >> b & 1 for b in range(n)] for a in range(n)], dtype=bool)
    weights = np.where(may.reshape(n, n), information, 0.0)
    above_all = float(information.max(initial=0.0)) + 1.0
    for a, b in required:
        weights[a, b] = weights[b, a] = above_all
    parents = np.empty(n, dtype=np.int64)
    grow_forest(weights, parents)
    return sorted((min(p, c), max(p, c)) for c, p in enumerate(parents.tolist()) if p >= 0)


def _required_pairs(names: tuple[str, ...], rules: EdgeRules) -> frozenset[Pair]:
    """The pairs with a required edge; KnowledgeError when they would close a cycle of edges."""
    group = list(range(len(names)))
    pairs = set()
    clashes = []
    for p, c in np.argwhere(rules.required).tolist():
        if group[p] == group[c]:
            clashes.append(
                f"{names[p]} → {names[c]} is required and joins two columns that required edges "
                "join already, but a polytree has one path between two columns."
            )
        group = [group[c] if g == group[p] else g for g in group]
        pairs.add((min(p, c), max(p, c)))
    if clashes:
        raise KnowledgeError(clashes)
    return frozenset(pairs)


class PolytreeLearner(BaseLearner[PolytreeParams]):
    """At most one path between two variables."""

    key = "bn.polytree"
    passes = Passes(columns=0.05)
    title = "Polytree (Rebane–Pearl)"
    kind = "bayesian-network"
    params_type = PolytreeParams
    cost = Cost(0.02)

    def events(
        self, data: DataSet, params: PolytreeParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rules = EdgeRules.of(data.domain.names, params.knowledge, None)
        rows = yield from completed_rows(data, params.missing, rng=rng, cancel=cancel)
        result = yield from polytree_search(rows, params, cancel)
        yield from skeleton_events(
            data,
            result.skeleton,
            result.orientation,
            rules,
            params,
            rows=rows,
            rng=rng,
            cancel=cancel,
        )
