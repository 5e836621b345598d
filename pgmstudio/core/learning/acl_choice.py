"""Which method finds the tree of sparse rows: dense, aCL-I or aCL-II, and what each would cost."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.learning.acl_rows import CellRows
from pgmstudio.core.learning.missing_cells import grouped_digits

AUTO, DENSE, ACL_1, ACL_2 = "auto", "dense", "acl-1", "acl-2"
BACKENDS = (AUTO, DENSE, ACL_1, ACL_2)

# Seconds, as measured on one core of a small machine: a pair counted by bits, its bit words, the
# weight of a row added to a pair; a cell read, a cooccurrence, a column ranked.
_PAIR, _WORD, _WEIGHT = 170e-9, 0.4e-9, 2.6e-9
_CELL, _COOCCURRENCE, _COLUMN = 0.7e-9, 12e-9, 10e-6
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
    return Cost(seconds, (40 * listed + 500 * n + 24 * rows.row_count) / 1e6)


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
    if backend != AUTO:
        return Choice(backend, "The method was chosen by hand.")
    dense, accelerated = dense_cost(data), accelerated_cost(rows)
    forecast = f"Forecast: dense {dense}, accelerated {accelerated}."
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
