"""The best tree or forest of sparse rows, without counting every pair (Meilă 1999, ch. 5).

Only pairs that occur together are counted. Pairs that never do need no counting: their mutual
information grows with the frequency of the rarer one alone, so they come in order by themselves
(§5.3.1, §5.4). The forest is the one that all pairs would give: exact.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.errors import ParameterError
from pgmstudio.core.learning.acl_rows import Floats, Ints, ListedRows
from pgmstudio.core.learning.search_value import value_of
from pgmstudio.core.running import NEVER, CancelToken, Progress

# Mutual information below this many nats per row is rounding, as in the dense method.
ROUNDING = 1e-13

# Pairs of a variable kept at a time; more cost time at first, fewer have to be made again.
BLOCK = 16

# Pairs visited between two looks at the cancel token: some hundredths of a second.
_VISITS_PER_CALL = 10_000_000
_NO_TRAIL = np.zeros((0, 3))


@dataclass(frozen=True, eq=False)
class AcceleratedForest:
    """What came out, and how little of all pairs had to be looked at."""

    parents: Ints  # −1 at a root
    edges: Ints  # k × 2, heaviest first
    information: Floats  # nats per row of weight, of the edges
    total: float  # N + N'
    examined: int  # n_K: edges Kruskal's algorithm looked at
    evaluated: int  # mutual informations computed
    refills: int  # times a variable's pairs had to be counted again
    together: int  # pairs that ever occur together

    def gain(self, edge_penalty: float = 0.0) -> float:
        """Σ over edges of (N + N') I − β, in nats."""
        return float(self.total * self.information.sum() - edge_penalty * len(self.edges))


class ForestOptions(TypedDict, total=False):
    """What `growing_forest` takes beside the rows and their weights."""

    edge_penalty: float
    prior: float
    isolate_constants: bool
    by_lists: bool
    block: int
    trail: Floats
    cancel: CancelToken


def accelerated_forest(
    rows: ListedRows, weights: Floats | None = None, **options: Unpack[ForestOptions]
) -> AcceleratedForest:
    """The forest that `growing_forest` grows, in one go."""
    return value_of(growing_forest(rows, weights, **options))


def growing_forest(
    rows: ListedRows,
    weights: Floats | None = None,
    *,
    edge_penalty: float = 0.0,
    prior: float = 0.0,
    isolate_constants: bool = True,
    by_lists: bool = False,
    block: int = BLOCK,
    trail: Floats = _NO_TRAIL,
    cancel: CancelToken = NEVER,
) -> Generator[Progress, None, AcceleratedForest]:
    """The forest of largest Σ (N I − β) over its edges, telling how far it is.

    `weights` take the place of the rows' own ones, such as one component's shares in EM. `prior`
    is N', rows of the uniform distribution added to the counts; for it all variables need two
    states. `by_lists` is aCL-I, for whole weights and two states; without it, aCL-II. `trail` is
    filled with the pairs examined (u, v, I).
    """
    from pgmstudio.core.learning import acl_kernels as kernels

    weights = rows.weights if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    check_settings(rows, weights, edge_penalty, prior, by_lists)
    n = rows.cell_at.size - 1
    cancel.raise_if_cancelled()
    yield Progress(0.1, "Ranking the columns")
    order, ranked, side = ranked_rows(rows, weights, prior, isolate_constants)
    least = max(edge_penalty / ranked.total, ROUNDING) if ranked.total > 0 else math.inf
    growth = new_growth(ranked, side, block, least, by_lists)
    tally = growth.tally
    next_blocks = kernels.next_blocks_of_lists if by_lists else kernels.next_blocks
    done = 0
    while done < order.size:
        cancel.raise_if_cancelled()
        told = f"Counting what occurs with column {done + 1} of {order.size}"
        yield Progress(0.1 + 0.4 * _share_counted(ranked, done), told)
        done = next_blocks(ranked, growth, done, order.size, _VISITS_PER_CALL, False)
    kernels.make_heap(growth.heap, growth.state, growth.information, tally)
    while not tally[kernels.DONE]:
        cancel.raise_if_cancelled()
        yield Progress(0.5, "Joining the heaviest pairs", _counters(kernels, growth))
        kernels.grow_on(ranked, growth, _VISITS_PER_CALL, trail, by_lists)
    yield Progress(0.6, "The forest is grown", _counters(kernels, growth))
    count = int(tally[kernels.EDGES])
    seen = min(int(tally[kernels.EXAMINED]), trail.shape[0])
    trail[:seen, :2] = order[trail[:seen, :2].astype(np.int64)]
    edges = order[growth.edges[:count]].reshape(count, 2)
    return AcceleratedForest(
        parents_of(edges, n),
        edges,
        growth.edge_information[:count].copy(),
        ranked.total,
        int(tally[kernels.EXAMINED]),
        int(tally[kernels.EVALUATED]),
        int(tally[kernels.REFILLS]),
        int(tally[kernels.TOGETHER]),
    )


def check_settings(
    rows: ListedRows, weights: Floats, edge_penalty: object, prior: float, by_lists: bool
) -> None:
    """ParameterError when the order of the pairs would not be known under these settings."""
    is_binary = bool((np.diff(rows.cell_at) <= 1).all())
    if not isinstance(edge_penalty, int | float | np.floating):
        raise ParameterError(
            {
                "edge-penalty": "the accelerated method needs the same penalty for every edge: "
                "with other ones the order of the pairs never counted is not known. "
                "Choose the dense method"
            }
        )
    if prior > 0 and not is_binary:
        raise ParameterError(
            {
                "prior": "the accelerated method knows the order of the pairs under a prior only "
                "for columns of two states. Choose the dense method, or no prior"
            }
        )
    if by_lists and not (is_binary and prior == 0 and (weights == np.floor(weights)).all()):
        raise ParameterError(
            {"backend": "acl-1 needs two states, whole weights and no prior. Choose acl-2"}
        )


def ranked_rows(
    rows: ListedRows, weights: Floats, prior: float, isolate_constants: bool
) -> tuple[Ints, Any, Floats]:
    """The variables by falling frequency, the rows in these ranks, and each variable's numbers."""
    from pgmstudio.core.learning import acl_kernels as kernels
    from pgmstudio.core.learning import acl_rows_kernels as passes

    cell_count, sizes = int(rows.cell_at[-1]), np.diff(rows.cell_at)
    mass, counts = np.zeros(cell_count), np.zeros(cell_count, dtype=np.int64)
    passes.add_cell_mass(rows.starts, rows.cells, weights, mass, counts)
    total = float(weights.sum())
    sums = np.concatenate(([0.0], np.cumsum(mass)))
    away = sums[rows.cell_at[1:]] - sums[rows.cell_at[:-1]]
    variable = np.repeat(np.arange(sizes.size), sizes)
    if sizes.max(initial=0) <= 1:
        away = np.bincount(variable, weights=mass, minlength=sizes.size)  # exact sums
    seen = np.bincount(variable[mass > 0], minlength=sizes.size) + (away < total * (1 - 1e-15))
    is_used = sizes > 0
    if isolate_constants or prior <= 0:
        is_used &= seen > 1
    used = np.flatnonzero(is_used)
    order = used[np.argsort(-away[used], kind="stable")].astype(np.int64)
    cell_at = np.concatenate(([0], np.cumsum(sizes[order]))).astype(np.int64)
    new_cell = np.full(cell_count, -1, dtype=np.int64)
    old_cells = np.repeat(rows.cell_at[order] - cell_at[:-1], sizes[order])
    old_cells = old_cells + np.arange(int(cell_at[-1]))
    new_cell[old_cells] = np.arange(int(cell_at[-1]))
    variable_of = np.repeat(np.arange(order.size), sizes[order]).astype(np.int32)
    per_variable = np.bincount(variable_of, weights=counts[old_cells], minlength=order.size)
    column_starts = np.concatenate(([0], np.cumsum(per_variable))).astype(np.int64)
    entries = int(column_starts[-1])
    entry_rows, entry_cells = np.empty(entries, np.int32), np.empty(entries, np.int32)
    lengths = np.zeros(rows.starts.size, dtype=np.int64)
    passes.rank_entries(
        rows.starts,
        rows.cells,
        weights,
        new_cell,
        variable_of,
        column_starts,
        entry_rows,
        entry_cells,
        lengths,
    )
    starts, places = np.cumsum(lengths), np.empty(entries, dtype=np.int64)
    cells = np.empty(entries, dtype=np.int32)
    passes.rank_rows(entry_rows, entry_cells, starts, cells, places)
    all_mass, everything = away[order] + prior / 2, total + prior
    spread = all_mass * (everything - all_mass)
    side = np.zeros((order.size, 2))
    side[:, kernels.MASS] = all_mass
    side[:, kernels.INVERSE] = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    ranked = kernels.Ranked(
        starts,
        cells,
        column_starts,
        places,
        entry_rows,
        np.array(weights),
        cell_at,
        variable_of,
        mass[old_cells] + prior / 2,
        everything,
        float(prior),
        bool(sizes.max(initial=0) <= 1),
    )
    return order, ranked, side


def new_growth(ranked: Any, side: Floats, block: int, least: float, by_lists: bool) -> Any:
    from pgmstudio.core.learning import acl_kernels as kernels

    n, widest = side.shape[0], int(np.diff(ranked.cell_at).max(initial=0))
    lists = n + 1 if by_lists else 0
    state = np.zeros((n, kernels.STATES), dtype=np.int64)
    state[:, kernels.FRONT] = np.arange(1, n + 1)
    state[:, kernels.BACK] = n - 1
    state[:, kernels.LOW] = -1
    return kernels.Growth(
        side=side,
        met=np.zeros(n),
        state=state,
        lows=np.full((n, 2), math.inf),
        block=np.zeros((n, block), dtype=np.int64),
        information=np.zeros((n, block)),
        group=np.arange(n),
        heap=np.zeros(n, dtype=np.int64),
        edges=np.zeros((max(n - 1, 0), 2), dtype=np.int64),
        edge_information=np.zeros(max(n - 1, 0)),
        table=np.zeros(0 if ranked.is_binary else widest * int(ranked.cell_at[-1])),
        touched=np.zeros(n + 1, dtype=np.int64),
        lists=np.zeros((lists, 4), dtype=np.int64),
        heads=np.zeros(lists, dtype=np.int64),
        head_information=np.zeros(lists),
        tally=np.zeros(kernels.TALLIES, dtype=np.int64),
        least=least,
    )


def _share_counted(ranked: Any, done: int) -> float:
    entries = int(ranked.column_starts[-1])
    return float(ranked.column_starts[done] / entries) if entries else 0.0


def _counters(kernels: Any, growth: Any) -> dict[str, float]:
    accepted = int(growth.tally[kernels.EDGES])
    counters = {
        "edges": float(accepted),
        "edges examined": float(growth.tally[kernels.EXAMINED]),
        "informations computed": float(growth.tally[kernels.EVALUATED]),
    }
    if accepted:
        nats = float(growth.edge_information[accepted - 1])
        counters["bits of the last edge"] = nats / math.log(2)
    return counters


def parents_of(edges: NDArray[Any], n: int) -> Ints:
    """Parents of a forest of undirected edges; the first variable of each tree is its root."""
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for one, other in edges.tolist():
        neighbours[one].append(other)
        neighbours[other].append(one)
    parents = np.full(n, -1, dtype=np.int64)
    is_reached = [False] * n
    for root in range(n):
        if is_reached[root]:
            continue
        is_reached[root] = True
        stack = [root]
        while stack:
            node = stack.pop()
            for other in neighbours[node]:
                if not is_reached[other]:
                    is_reached[other] = True
                    parents[other] = node
                    stack.append(other)
    return parents


def parent_tables(
    rows: ListedRows, parents: Ints, weights: Floats | None = None, prior: float = 0.0
) -> list[Floats]:
    """Per variable the weights of (parent's state, its state), of its states alone at a root.

    States are numbered as in the rows, the reference first. The prior's rows are spread evenly.
    """
    cards = np.diff(rows.cell_at) + 1
    sizes = np.where(parents >= 0, cards * cards[parents], cards)
    at = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    flat = np.zeros(int(at[-1]))
    fill_parent_tables(rows, parents, weights, prior, at, flat)
    return [
        flat[at[v] : at[v + 1]].reshape((int(cards[p]), -1) if p >= 0 else -1)
        for v, p in enumerate(parents.tolist())
    ]


def fill_parent_tables(
    rows: ListedRows, parents: Ints, weights: Floats | None, prior: float, at: Ints, flat: Floats
) -> None:
    """The same one after another, that of variable v from `at[v]` on, into zeros."""
    from pgmstudio.core.learning import acl_rows_kernels as passes

    weights = rows.weights if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    single, counts = np.zeros(int(rows.cell_at[-1])), np.zeros(int(rows.cell_at[-1]), np.int64)
    passes.add_cell_mass(rows.starts, rows.cells, weights, single, counts)
    passes.add_parent_counts(
        rows.starts, rows.cells, np.array(weights), parents, rows.cell_at, at, flat
    )
    total = float(weights.sum())
    passes.complete_tables(single, total, float(prior), parents, rows.cell_at, at, flat)
