"""Which method finds the tree of sparse rows: dense, aCL-I or aCL-II, and what each would cost."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError, TooLargeError
from pgmstudio.core.learning.acl_rows import CellRows
from pgmstudio.core.learning.component_shares import padded
from pgmstudio.core.learning.missing_cells import grouped_digits
from pgmstudio.core.learning.mixture_priors import TreePriors
from pgmstudio.core.learning.mixture_rows import SparseRows

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
_MOST_MEGABYTES = 1500.0  # more is only taken when nothing else is exact
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
    if data.weights is None:
        seconds = per_pair + free * free / 2 * data.row_count / 64 * _WORD
    else:
        seconds = per_pair + n * n / 2 * data.row_count * _WEIGHT
    return Cost(seconds, (8 * state_pairs + 18 * n * n) / 1e6)


def accelerated_cost(rows: CellRows) -> Cost:
    """What counting only the pairs that occur together takes."""
    n, listed = rows.variable_count, rows.cells.size
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
    found = []
    if data.has_missing:
        found.append("cells are missing, so pairs have different rows")
    if beta is None:
        found.append(
            "the penalty differs between edges, as columns have different numbers of states"
        )
    if prior > 0 and max(data.domain.cardinalities, default=0) > 2:
        found.append("the prior orders unseen pairs only for columns of two states")
    return found


def em_dense_cost(rows: SparseRows, count: int) -> Cost:
    """What one EM step takes, of so many trees, when all pairs of cells are counted."""
    pairs = rows.cell_count * (rows.cell_count + 1) / 2
    lanes = padded(count)
    seconds = rows.pair_visits * lanes * _EM_VISIT + pairs * count * _EM_PAIR
    return Cost(seconds, 8 * pairs * (lanes + 4) / 1e6 + 24 * len(rows.domain) ** 2 / 1e6)


def em_accelerated_cost(rows: SparseRows, count: int) -> Cost:
    """What one EM step takes when only the pairs that occur together are."""
    n, listed = len(rows.domain), rows.cells.size
    each = rows.pair_visits * _EM_COOCCURRENCE + n * _COLUMN
    return Cost(count * each, (80 * listed + 1000 * n + 8 * (count + 4) * rows.row_count) / 1e6)


def em_obstacles(rows: SparseRows, priors: TreePriors) -> list[str]:
    """Why accelerated trees inside EM would not be the best ones; empty when they are."""
    cards, found = set(rows.domain.cardinalities) - {1}, []
    if priors.is_shared:
        found.append("the trees share their edges")
    if rows.gap_count:
        found.append("cells are missing")
    if priors.costs is not None:
        found.append("the edges are expected to be like those of a model")
    if priors.rules is not None:
        found.append("there are rules about edges")
    if priors.penalty in ("mdl", "bic") and len(cards) > 1:
        found.append("the penalty differs between edges")
    is_spread = priors.strength > 0 and (priors.toward == "uniform" or priors.even_rows > 0)
    if is_spread and max(cards, default=0) > 2:
        found.append("smoothing by even rows orders unseen pairs only for columns of two states")
    if rows.total_weight <= 0:
        found.append("there are no rows")
    return found


def choose_in_em(rows: SparseRows, count: int, priors: TreePriors, tree: str) -> Choice:
    """How EM finds its trees; ParameterError when what was asked for would not be exact."""
    why = em_obstacles(rows, priors)
    if tree == ACCELERATED and why:
        told = "; ".join(why)
        raise ParameterError(
            {"tree": f"accelerated trees are not the best ones here: {told}. Choose auto or dense"}
        )
    if tree != AUTO:
        return Choice(tree, "The method was chosen by hand.")
    if why:
        return Choice(DENSE, f"All pairs are counted: {'; '.join(why)}.")
    dense, accelerated = em_dense_cost(rows, count), em_accelerated_cost(rows, count)
    forecast = f"Forecast for a step: dense {dense}, accelerated {accelerated}."
    if dense.megabytes < _MOST_MEGABYTES and dense.seconds < max(accelerated.seconds, _SMALL):
        return Choice(DENSE, f"All pairs are counted quickly here. {forecast}")
    return Choice(ACCELERATED, f"The rows are sparse: accelerated trees are used. {forecast}")


@dataclass(frozen=True, slots=True)
class Choice:
    """A method, and a sentence on why."""

    backend: str
    reason: str


def refuse_accelerated(backend: str, why: list[str]) -> None:
    """ParameterError when an accelerated method was asked for where it would not be exact."""
    if backend in (ACL_1, ACL_2) and why:
        told = "; ".join(why)
        raise ParameterError(
            {"backend": f"{backend} does not give the best tree here: {told}. Choose auto or dense"}
        )


def choose(data: DataSet, rows: CellRows, backend: str, prior: float) -> Choice:
    """The method for rows on which the accelerated ones are exact."""
    if backend == ACL_1:
        if max(data.domain.cardinalities, default=0) > 2:
            return Choice(ACL_2, "aCL-I needs columns of two states; aCL-II is used.")
        if prior > 0 or not rows.has_whole_weights:
            return Choice(ACL_2, "aCL-I needs whole counts; aCL-II is used.")
    dense, accelerated = dense_cost(data), accelerated_cost(rows)
    is_too_large = accelerated.megabytes > _MOST_MEGABYTES
    if is_too_large and (backend != AUTO or dense.megabytes > _MOST_MEGABYTES):
        widest = max(data.domain, key=lambda variable: len(variable.states))
        raise TooLargeError(
            f"{widest.name} has {grouped_digits(len(widest.states))} states: counting pairs of "
            f"columns would take {accelerated.megabytes / 1000:.1f} GB. Leave the column out, or "
            "merge its states."
        )
    if backend != AUTO:
        return Choice(backend, "The method was chosen by hand.")
    forecast = f"Forecast: dense {dense}, accelerated {accelerated}."
    if is_too_large:
        return Choice(DENSE, f"The dense method is used, as it needs less memory. {forecast}")
    if dense.seconds < max(accelerated.seconds, _SMALL):
        share = rows.longest / max(rows.variable_count, 1)
        why = "The rows are not sparse" if share > 0.3 else "All pairs are counted quickly here"
        return Choice(DENSE, f"{why}: the dense method is used. {forecast}")
    return Choice(ACL_2, f"The rows are sparse: aCL-II is used. {forecast}")


def sparsity_sentence(rows: CellRows) -> str:
    """n, N, s, mean |x| and N_C for people."""
    mean = rows.lengths.mean() if rows.row_count else 0.0
    return (
        f"{grouped_digits(rows.variable_count)} columns, {grouped_digits(rows.row_count)} rows; a "
        f"row differs from the reference states in {mean:.3g} columns on average, "
        f"{grouped_digits(rows.longest)} at most; {grouped_digits(rows.cooccurrences)} "
        "cooccurrences."
    )
