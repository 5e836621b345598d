"""The best tree or forest of sparse rows, without counting every pair (Meilă 1999, ch. 5).

Only pairs that occur together are counted. Pairs that never do need no counting: their mutual
information grows with the frequency of the rarer one alone, so they come in order by themselves
(§5.3.1, §5.4). The forest is the one that all pairs would give: exact. The method (dense, aCL-I or
aCL-II) is chosen by an estimate of the cost of each.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError, TooLargeError
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.languages.tree.learning.priors import TreePriors
from pgmstudio.core.learning.responsibilities import padded
from pgmstudio.core.learning.sparse_rows import CellRows, Ints, SparseRows
from pgmstudio.core.number_format import whole

AUTO, DENSE, ACL_1, ACL_2 = "auto", "dense", "acl-1", "acl-2"
BACKENDS = (AUTO, DENSE, ACL_1, ACL_2)
# Inside EM weights are not whole, so there is one accelerated method.
ACCELERATED = "accelerated"
EM_BACKENDS = (AUTO, DENSE, ACCELERATED)

# Seconds, as measured on one core of a small machine: a pair counted by bits, its bit words, the
# weight of a row added to a pair; a cell read, a cooccurrence, a column ranked.
_PAIR, _WORD, _WEIGHT = 170e-9, 0.4e-9, 2.6e-9
_CELL, _COOCCURRENCE, _COLUMN = 0.7e-9, 12e-9, 10e-6
# The same in EM: a pair of cells of a row added for a tree, a tree's pair of cells weighed; and for
# an accelerated tree a cooccurrence.
_EM_VISIT, _EM_PAIR, _EM_COOCCURRENCE = 0.5e-9, 60e-9, 6.5e-9
_MAX_MEGABYTES = 1500.0  # more is only taken when nothing else is exact
_SMALL = 0.05  # below this many seconds it does not matter; dense needs no further compiling


@dataclass(frozen=True, slots=True)
class Cost:
    """A forecast."""

    seconds: float
    megabytes: float

    def __str__(self) -> str:
        return f"{self.seconds:.2g} s and {self.megabytes:.3g} MB"


def dense_cost(data: DataSet) -> Cost:
    """What counting all pairs of columns takes."""
    cards = np.array(data.domain.cardinalities, dtype=np.float64)
    n = len(cards)
    state_pairs = ((cards.sum() ** 2) - (cards**2).sum()) / 2
    free = (cards - 1).sum()
    per_pair = n * n / 2 * _PAIR
    if data.is_weighted:
        seconds = per_pair + n * n / 2 * data.row_count * _WEIGHT
    else:
        seconds = per_pair + free * free / 2 * data.row_count / 64 * _WORD
    return Cost(seconds, (8 * state_pairs + 18 * n * n) / 1e6)


def accelerated_cost(rows: CellRows) -> Cost:
    """What counting only the pairs that occur together takes."""
    n = rows.variable_count
    listed = rows.cells.size
    seconds = n * rows.row_count * _CELL + rows.cooccurrences * _COOCCURRENCE + n * _COLUMN
    widest = int(np.diff(rows.cell_at).max(initial=0))
    # The counts of one column with all others; columns of two states need no table.
    table = widest * int(rows.cell_at[-1]) if widest > 1 else 0
    return Cost(seconds, (40 * listed + 500 * n + 24 * rows.row_count + 8 * table) / 1e6)


def constant_penalty(data: DataSet, edge_penalty: float, penalty: str) -> float | None:
    """β in nats when it is the same for every edge; None when it is not."""
    if penalty == "constant":
        return edge_penalty
    free = {card - 1 for card in data.domain.cardinalities if card > 1}
    if len(free) > 1:
        return None
    parameters = float(max(free, default=0) ** 2)
    each = edge_penalty if penalty == "mdl" else 0.5 * math.log(max(data.total_weight, 1.0))
    return each * parameters


def obstacles(data: DataSet, beta: float | None, prior: float) -> list[str]:
    """Why the accelerated methods would not be exact here; empty when they are."""
    result = []
    if isinstance(data, ChunkedData):
        result.append("the rows are read in chunks")
    if data.has_missing:
        result.append("cells are missing, so pairs have different rows")
    if beta is None:
        result.append(
            "the penalty differs between edges, as columns have different numbers of states"
        )
    if prior > 0 and max(data.domain.cardinalities, default=0) > 2:
        result.append("the prior orders unseen pairs only for columns of two states")
    return result


def em_dense_cost(rows: SparseRows, count: int) -> Cost:
    """What one EM step takes, of so many trees, when all pairs of cells are counted."""
    pairs = rows.cell_count * (rows.cell_count + 1) / 2
    lanes = padded(count)
    seconds = rows.pair_visits * lanes * _EM_VISIT + pairs * count * _EM_PAIR
    return Cost(seconds, 8 * pairs * (lanes + 4) / 1e6 + 24 * len(rows.domain) ** 2 / 1e6)


def em_accelerated_cost(rows: SparseRows, count: int) -> Cost:
    """What one EM step takes when only the pairs that occur together are."""
    n = len(rows.domain)
    listed = rows.cells.size
    each = rows.pair_visits * _EM_COOCCURRENCE + n * _COLUMN
    return Cost(count * each, (80 * listed + 1000 * n + 8 * (count + 4) * rows.row_count) / 1e6)


def em_obstacles(rows: SparseRows, priors: TreePriors) -> list[str]:
    """Why accelerated trees inside EM would not be the best ones; empty when they are."""
    cards = set(rows.domain.cardinalities) - {1}
    result = []
    if priors.is_shared:
        result.append("the trees share their edges")
    if rows.gap_count:
        result.append("cells are missing")
    if priors.costs is not None:
        result.append("edges have prices, or are expected to be like those of a model")
    if priors.rules is not None:
        result.append("there are rules about edges")
    if priors.toward in ("product", "model"):
        result.append("the tables to smooth towards are those of no rows")
    if priors.penalty in ("mdl", "bic") and len(cards) > 1:
        result.append("the penalty differs between edges")
    is_spread = priors.strength > 0 and (priors.toward == "uniform" or priors.even_rows > 0)
    if is_spread and max(cards, default=0) > 2:
        result.append("smoothing by even rows orders unseen pairs only for columns of two states")
    if rows.total_weight <= 0:
        result.append("there are no rows")
    return result


def choose_in_em(rows: SparseRows, count: int, priors: TreePriors, tree: str) -> Choice:
    """How EM finds its trees; ParameterError when what was asked for would not be exact."""
    why = em_obstacles(rows, priors)
    if tree == ACCELERATED and why:
        reasons = "; ".join(why)
        raise ParameterError(
            {"tree": f"accelerated trees are not optimal here: {reasons}. Choose auto or dense"}
        )
    if tree != AUTO:
        return Choice(tree, "The method was chosen by hand.")
    if why:
        return Choice(DENSE, f"All pairs are counted: {'; '.join(why)}.")
    dense, accelerated = em_dense_cost(rows, count), em_accelerated_cost(rows, count)
    forecast = f"Forecast for a step: dense {dense}, accelerated {accelerated}."
    if dense.megabytes < _MAX_MEGABYTES and dense.seconds < max(accelerated.seconds, _SMALL):
        return Choice(DENSE, f"All pairs are counted quickly here. {forecast}")
    return Choice(ACCELERATED, f"The rows are sparse: accelerated trees are used. {forecast}")


@dataclass(frozen=True, slots=True)
class Choice:
    """A method, and the reason for it as text."""

    backend: str
    reason: str


def refuse_accelerated(backend: str, why: list[str]) -> None:
    """ParameterError when an accelerated method was asked for where it would not be exact."""
    if backend in (ACL_1, ACL_2) and why:
        reasons = "; ".join(why)
        raise ParameterError(
            {"backend": f"{backend} is not optimal here: {reasons}. Choose auto or dense"}
        )


def choose(data: DataSet, rows: CellRows, backend: str, prior: float) -> Choice:
    """The method for rows on which the accelerated ones are exact."""
    if backend == ACL_1:
        if max(data.domain.cardinalities, default=0) > 2:
            return Choice(ACL_2, "aCL-I needs columns of two states; aCL-II is used.")
        if prior > 0 or not rows.has_whole_weights:
            return Choice(ACL_2, "aCL-I needs whole counts; aCL-II is used.")
    dense, accelerated = dense_cost(data), accelerated_cost(rows)
    is_too_large = accelerated.megabytes > _MAX_MEGABYTES
    if is_too_large and (backend != AUTO or dense.megabytes > _MAX_MEGABYTES):
        widest = max(data.domain, key=lambda variable: len(variable.states))
        raise TooLargeError(
            f"{widest.name} has {whole(len(widest.states))} states: counting pairs of "
            f"columns would take {accelerated.megabytes / 1000:.1f} GB. Leave the column out, or "
            "merge its states."
        )
    if backend != AUTO:
        return Choice(backend, "The method was chosen by hand.")
    forecast = f"Forecast: dense {dense}, accelerated {accelerated}."
    if is_too_large:
        return Choice(DENSE, f"The dense method is used, as it needs less memory. {forecast}")
    if dense.seconds < max(accelerated.seconds, _SMALL):
        fraction = rows.longest / max(rows.variable_count, 1)
        why = "The rows are not sparse" if fraction > 0.3 else "All pairs are counted quickly here"
        return Choice(DENSE, f"{why}: the dense method is used. {forecast}")
    return Choice(ACL_2, f"The rows are sparse: aCL-II is used. {forecast}")


def sparsity_note(rows: CellRows) -> str:
    """A note on the sparsity: n, N, s, mean |x| and N_C."""
    mean = rows.lengths.mean() if rows.row_count else 0.0
    return (
        f"{whole(rows.variable_count)} columns, {whole(rows.row_count)} rows; a "
        f"row differs from the reference states in {mean:.3g} columns on average, "
        f"{whole(rows.longest)} at most; {whole(rows.cooccurrences)} "
        "cooccurrences."
    )


# Mutual information below this many nats per row is rounding, as in the dense method.
ROUNDING = 1e-13

# Pairs of a variable stored at a time; more cost time at first, fewer have to be made again.
BLOCK = 16

# Pairs visited between two looks at the cancel token: some hundredths of a second.
_VISITS_PER_CALL = 10_000_000
_NO_TRAIL = np.zeros((0, 3))


@dataclass(frozen=True, eq=False)
class AcceleratedForest:
    """The resulting forest, and the number of pairs that were examined."""

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


def growing_forest(
    rows: CellRows,
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
    """The forest of largest Σ (N I − β) over its edges, with its progress.

    `weights` replace those of the rows, such as the responsibilities of one component in EM.
    `prior` is N', rows of the uniform distribution added to the counts; for it all variables need
    two states. `by_lists` is aCL-I, for whole weights and two states; without it, aCL-II. `trail`
    is filled with the pairs examined (u, v, I).
    """
    from pgmstudio.core.languages.tree.learning import kernels

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
        reasons = f"Counting what occurs with column {done + 1} of {order.size}"
        yield Progress(0.1 + 0.4 * _fraction_counted(ranked, done), reasons)
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
    rows: CellRows, weights: Floats, edge_penalty: object, prior: float, by_lists: bool
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
    rows: CellRows, weights: Floats, prior: float, isolate_constants: bool
) -> tuple[Ints, Any, Floats]:
    """The variables by falling frequency, the rows in these ranks, and each variable's numbers."""
    from pgmstudio.core.languages.tree.learning import kernels
    from pgmstudio.core.learning import sparse_rows_kernels as passes

    cell_count = int(rows.cell_at[-1])
    sizes = np.diff(rows.cell_at)
    mass = np.zeros(cell_count)
    counts = np.zeros(cell_count, dtype=np.int64)
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
    starts = np.cumsum(lengths)
    indices = np.empty(entries, dtype=np.int64)
    cells = np.empty(entries, dtype=np.int32)
    passes.rank_rows(entry_rows, entry_cells, starts, cells, indices)
    all_mass = away[order] + prior / 2
    everything = total + prior
    spread = all_mass * (everything - all_mass)
    side = np.zeros((order.size, 2))
    side[:, kernels.MASS] = all_mass
    side[:, kernels.INVERSE] = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    ranked = kernels.Ranked(
        starts,
        cells,
        column_starts,
        indices,
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
    from pgmstudio.core.languages.tree.learning import kernels

    n = side.shape[0]
    widest = int(np.diff(ranked.cell_at).max(initial=0))
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


def _fraction_counted(ranked: Any, done: int) -> float:
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


def fill_parent_tables(
    rows: CellRows, parents: Ints, weights: Floats | None, prior: float, at: Ints, flat: Floats
) -> None:
    """The same one after another, that of variable v from `at[v]` on, into zeros."""
    from pgmstudio.core.learning import sparse_rows_kernels as passes

    weights = rows.weights if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    single = np.zeros(int(rows.cell_at[-1]))
    counts = np.zeros(int(rows.cell_at[-1]), np.int64)
    passes.add_cell_mass(rows.starts, rows.cells, weights, single, counts)
    passes.add_parent_counts(
        rows.starts, rows.cells, np.array(weights), parents, rows.cell_at, at, flat
    )
    total = float(weights.sum())
    passes.complete_tables(single, total, float(prior), parents, rows.cell_at, at, flat)
