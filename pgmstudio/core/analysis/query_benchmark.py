"""Query benchmark: accuracy and time of models on random queries (Nielsen 2007, §5.1.1, §5.4).

A query is a row d of the test rows and two disjoint random sets of columns: what is the
probability of d[Q] given d[E]? All models are asked the same queries.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pgmstudio.core.analysis.model_comparison import row_log2
from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError, ImpossibleEvidenceError, ParameterError
from pgmstudio.core.inference.base import Finding, InferenceSession, observed_cells
from pgmstudio.core.languages.sessions import open_session, warm_up
from pgmstudio.core.model import Model
from pgmstudio.core.params import param, params_to_dict


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryPlan:
    """How many queries, and of which kind."""

    count: int = param(
        1000,
        title="Queries",
        low=1,
        high=1_000_000,
        help="Random queries, the same for all.",
    )
    targets: int = param(4, title="Asked columns |Q|", low=0, help="Columns that are asked about.")
    given: int = param(3, title="Given columns |E|", low=0, help="Columns that are known.")
    timed: int = param(
        20, title="Timed queries", low=0, help="Of these, all beliefs are updated and timed."
    )
    seed: int = param(0, title="Seed", low=0, help="For rows and columns of the queries.")

    def plain(self) -> dict[str, Any]:
        """The entries of a plan file."""
        return params_to_dict(self)


@dataclass(frozen=True, eq=False)
class Queries:
    """Rows with the cells of Q and E, and the same rows with those of E alone."""

    asked: DataSet  # the other cells are missing
    known: DataSet

    @property
    def count(self) -> int:
        return self.asked.row_count


def random_queries(test: DataSet, plan: QueryPlan) -> Queries:
    """The queries of a plan; the same rows and plan give the same queries.

    Rows are drawn with their weights. A missing cell of a row that is drawn stays missing, so such
    a query asks about fewer columns.
    """
    columns = len(test.domain)
    if plan.targets + plan.given > columns:
        message = f"with {plan.given} given columns must not be more than the {columns} there are"
        raise ParameterError({"targets": message})
    if test.total_weight <= 0:
        raise DataError("Queries need test rows.")
    rng = np.random.default_rng(plan.seed)
    fractions = None if test.weights is None else test.weights / test.total_weight
    rows = test.take_rows(rng.choice(test.row_count, plan.count, p=fractions))
    order = np.argsort(rng.random((columns, plan.count)), axis=0)
    indices = np.arange(plan.count)
    known = np.full(rows.codes.shape, rows.missing_code, dtype=rows.codes.dtype)
    asked = known.copy()
    for index in range(plan.given + plan.targets):
        column = order[index]
        asked[column, indices] = rows.codes[column, indices]
        if index < plan.given:
            known[column, indices] = rows.codes[column, indices]
    return Queries(DataSet(test.domain, asked), DataSet(test.domain, known))


def query_log2(model: Model, queries: Queries) -> Floats:
    """log2 P(Q = d[Q] | E = d[E]) of every query, as log2 P(q, e) − log2 P(e).

    −∞ when the model rules out what is asked, or already what is given.
    """
    both, given = row_log2(model, queries.asked), row_log2(model, queries.known)
    result = np.full(queries.count, -math.inf)
    np.subtract(both, given, out=result, where=np.isfinite(given))
    return result


def inference_seconds(
    model: Model, queries: Queries, timed: int, clock: Callable[[], float] = time.perf_counter
) -> float | None:
    """Mean seconds of updating all beliefs with the evidence of a query; None without queries.

    The first update, which lays out tables and loads compiled code, is not counted. With
    `time.thread_time` as the clock, what else the machine does is not counted either.
    """
    warm_up()  # small models would be asked without compiled loops, and large ones with them
    session = open_session(model)
    spent: list[float] = []
    for row in range(min(timed, queries.count)):
        observed = observed_cells(queries.known, row)
        session.retract_all()
        if row == 0:
            _beliefs(session, model, observed)
            session.retract_all()
        begin = clock()
        if _beliefs(session, model, observed) is not None:
            spent.append(clock() - begin)
    return float(np.mean(spent)) if spent else None


def query_distance(model: Model, reference: Model, queries: Queries, count: int) -> float:
    """Mean over queries and columns that are not given of KL(reference's belief, model's), in bits.

    ∞ when the model rules out what the reference thinks possible.
    """
    one, other = open_session(reference), open_session(model)
    total, asked = 0.0, 0
    for row in range(min(count, queries.count)):
        observed = observed_cells(queries.known, row)
        one.retract_all()
        other.retract_all()
        truth = _beliefs(one, reference, observed)
        if truth is None:
            continue  # the row is not one of the reference's
        beliefs = _beliefs(other, model, observed)
        if beliefs is None:
            return math.inf
        for name, belief in truth.items():
            if name not in observed:
                total += relative_entropy(belief, beliefs[name])
                asked += 1
    return total / asked if asked else 0.0


def relative_entropy(p: Floats, q: Floats) -> float:
    """D_KL(P‖Q) = Σ P log2(P/Q); 0·log(0/q) = 0 and p·log(p/0) = ∞ (eq. 4.1)."""
    used = p > 0
    if (q[used] <= 0).any():
        return math.inf
    return float(p[used] @ np.log2(p[used] / q[used]))


def _beliefs(
    session: InferenceSession, model: Model, observed: Mapping[str, Finding]
) -> dict[str, Floats] | None:
    """All beliefs with this evidence by name; None when the model rules it out."""
    try:
        for name, finding in observed.items():
            session.set_evidence(name, finding)
    except ImpossibleEvidenceError:
        return None
    return {variable.name: session.belief(variable.name).values for variable in model.domain}


@dataclass(frozen=True, slots=True)
class LineFit:
    """time = α·size + β by least squares, the standard error of α, and R² (Table 5.8)."""

    slope: float
    intercept: float
    slope_error: float | None
    r_squared: float

    @property
    def is_clear(self) -> bool:
        """Whether times grow with size by more than their noise."""
        return self.slope > (self.slope_error or 0.0)


def line_fit(sizes: Sequence[float], seconds: Sequence[float]) -> LineFit | None:
    """The line through (size, time); None for fewer than two different sizes."""
    x, y = np.asarray(sizes, dtype=float), np.asarray(seconds, dtype=float)
    if len(set(sizes)) < 2:
        return None
    spread = x - x.mean()
    slope = float(spread @ y / (spread @ spread))
    intercept = float(y.mean() - slope * x.mean())
    left = y - (slope * x + intercept)
    total = float(((y - y.mean()) ** 2).sum())
    error = None
    if len(x) > 2:
        error = math.sqrt(float(left @ left) / (len(x) - 2) / float(spread @ spread))
    return LineFit(slope, intercept, error, 1 - float(left @ left) / total if total else 1.0)
