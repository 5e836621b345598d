"""Tables for a given graph from data: α-smoothed frequencies, and EM where cells are missing
(Dempster, Laird and Rubin 1977; Lauritzen 1995).

Each step of EM takes the expected counts N of every family under the present tables and fits them:

    θ(y|u) = (N_yu + a_yu) / Σ_y (N_yu + a_yu)

which never lowers the penalised log-likelihood  log2 P(observed cells | θ) + Σ a_yu log2 θ(y|u).
Without pseudo-counts a that is the log-likelihood itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.counting import FamilyCounter, family_counter, joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError, TooLargeError
from pgmstudio.core.execution.events import NEVER, CancelToken, Note, Progress
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.missing_data.expected_counts import (
    EM_SECONDS,
    Expectation,
    expectation_of,
)
from pgmstudio.core.languages.bayesian_network.missing_cells import Counts, Table
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.learning.base import EM, Finished, ImprovedModel, LearnEvent
from pgmstudio.core.learning.smoothing import TunedSmoothing, smoothed, tune_smoothing
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import count_of
from pgmstudio.core.params import AUTO

Smoothing = float | Literal["auto"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A network with its tables, and how they fit.

    `log2_likelihood` sums every table over the rows that have its cells: the log2-likelihood of
    the data when no cell is missing. After EM (`is_em`) it is that of the observed cells.
    """

    network: BayesianNetwork
    smoothing: float
    tuned: TunedSmoothing | None
    log2_likelihood: float
    is_em: bool = False

    def per_row(self, data: DataSet) -> dict[str, float]:
        """The measure of the fit; empty when missing cells leave it without a meaning."""
        if data.has_missing and not self.is_em:
            return {}
        return {"log2_likelihood_per_row": self.log2_likelihood / data.total_weight}


def fit_tables(
    data: DataSet,
    dag: Dag,
    smoothing: Smoothing = 1.0,
    *,
    rng: np.random.Generator | None = None,
    counter: FamilyCounter | None = None,
    observed: DataSet | None = None,
    cancel: CancelToken = NEVER,
) -> Fitted:
    """P(x | parents) from the counts of the rows that have these cells, each smoothed by α.

    "auto" tunes α by cross-validation, whose random split needs `rng`; on the `observed` rows where
    `data` are their completions, which would stand in several folds. A `counter` of the same data,
    where there is one, counts faster.
    """
    if dag.names != data.domain.names:
        raise DataError("The graph and the data have different columns; choose the same ones.")
    families = [(*parents, child) for child, parents in enumerate(dag.parent_indices)]
    tuned = None
    if smoothing == AUTO:
        if rng is None:
            raise ValueError("smoothing “auto” splits the rows at random and needs rng")
        tuned = tune_smoothing(data if observed is None else observed, families, rng, cancel)
        smoothing = tuned.smoothing
    assert isinstance(smoothing, float | int)
    if counter is None and isinstance(data, ChunkedData):
        counter = family_counter(data)
    if counter is not None:
        counter.prefetch([(family[:-1], family[-1:]) for family in families], cancel)
    count = partial(joint_counts, data) if counter is None else counter.counts
    tables = []
    log2_likelihood = 0.0
    for family in families:
        counts = count(family, cancel)
        table = smoothed(counts, smoothing)
        seen = counts > 0
        log2_likelihood += float(counts[seen] @ np.log2(table[seen]))
        tables.append(table)
    network = BayesianNetwork(data.domain, dag, tuple(tables))
    return Fitted(network, float(smoothing), tuned, log2_likelihood)


TOLERANCE = 1e-6  # bits per row
MAX_ITERATIONS = 500
# The first tables have no zeros, since what is 0 once stays 0 without pseudo-counts.
MIN_INITIAL = 0.1
ZERO_FREE = 0.01
# The end of a run: when it settles, and about how long it may take.
FINAL_TOLERANCE = 1e-5
FEWEST_ITERATIONS = 10
TOO_LARGE_FOR_EM = (
    "The network is too large to sum missing cells out, so its parameters were counted on the "
    "completed rows instead of fitted by EM."
)


@dataclass(frozen=True, eq=False)
class EmState:
    """Tables after a number of steps, and the likelihood of the observed cells."""

    iteration: int
    tables: tuple[Table, ...]
    log2_likelihood: float
    penalised: float


def em_states(
    expectation: Expectation,
    tables: Sequence[Table],
    pseudo_counts: Sequence[Counts | float],
    *,
    learned: Sequence[bool] | None = None,
    classes: Sequence[NDArray[np.int64]] | None = None,
    tolerance: float = TOLERANCE,
    most: int = MAX_ITERATIONS,
    cancel: CancelToken = NEVER,
) -> Iterator[EmState]:
    """The tables given, then those after each step, until one gains less than `tolerance` bits per
    unit of weight; tables that are not to be learned stay as they are. Rows of a table that are in
    one of its `classes` are the same."""
    chosen = [True] * len(tables) if learned is None else list(learned)
    now = tuple(tables)
    before = -math.inf
    least_gain = tolerance * max(expectation.total_weight, 1.0)
    for iteration in range(most + 1):
        cancel.raise_if_cancelled()
        expected = expectation.step(now, cancel)
        penalised = expected.log2_likelihood + sum(
            _log2_prior(now[c], pseudo_counts[c]) for c in range(len(now)) if chosen[c]
        )
        yield EmState(iteration, now, expected.log2_likelihood, penalised)
        if iteration > 0 and (expectation.is_complete or penalised - before < least_gain):
            return
        before = penalised
        now = tuple(
            fitted_table(counts, pseudo_counts[c], None if classes is None else classes[c])
            if chosen[c]
            else now[c]
            for c, counts in enumerate(expected.counts)
        )


def fitted_table(
    counts: Counts, pseudo_counts: Counts | float, classes: NDArray[np.int64] | None = None
) -> Table:
    """Rows (N + a) / Σ(N + a), summed over those of one class; uniform where that is 0/0."""
    summed = counts + pseudo_counts
    if classes is not None:
        together = np.zeros((int(classes.max(initial=0)) + 1, summed.shape[-1]))
        np.add.at(together, classes.ravel(), summed.reshape(classes.size, -1))
        summed = together[classes]
    return smoothed(summed, 0.0)


def _log2_prior(table: Table, pseudo_counts: Counts | float) -> float:
    weights = np.broadcast_to(pseudo_counts, table.shape)
    some = weights > 0
    with np.errstate(divide="ignore"):
        return float(weights[some] @ np.log2(table[some]))


def first_tables(expectation: Expectation, rng: np.random.Generator) -> tuple[Table, ...]:
    """Smoothed relative frequencies of the rows that have a family's cells.

    A family that no row has in full is drawn at random near the uniform table: from the uniform
    one itself EM could never distinguish the states of a hidden variable.
    """
    return tuple(
        smoothed(counts, MIN_INITIAL) if counts.sum() > 0 else _random_rows(counts, rng, 1.0)
        for counts in expectation.observed
    )


def random_tables(expectation: Expectation, rng: np.random.Generator) -> tuple[Table, ...]:
    """Every row drawn with equal chances for all distributions."""
    return tuple(_random_rows(counts, rng, 0.0) for counts in expectation.observed)


def _random_rows(
    like: NDArray[np.float64], rng: np.random.Generator, towards_uniform: float
) -> Table:
    rows = rng.standard_exponential(like.shape) + towards_uniform + 1e-9
    return np.asarray(rows / rows.sum(axis=-1, keepdims=True))


def progress_of(state: EmState, total_weight: float, restart: int = 0, step: int = 0) -> Progress:
    """A point of the curve: the penalised log2-likelihood against the steps of all starts.

    The tables of a start are no point of it; random ones are so poor that the rest would be flat.
    """
    if state.iteration == 0:
        return Progress(None, "Begins", {"restart": float(restart)})
    counters = {
        "score": state.penalised,
        "bits per row": state.log2_likelihood / total_weight,
        "step": float(step),
        "restart": float(restart),
    }
    return Progress(None, f"Iteration {state.iteration}", counters)


def refined(
    fitted: Fitted,
    data: DataSet,
    missing: str,
    *,
    cancel: CancelToken = NEVER,
) -> Generator[Progress | Note, None, Fitted]:
    """A note on the tuned smoothing, then the same graph with tables by EM if `missing` asks for it
    and cells are missing, with that smoothing. Progress has no score: the curve is the search's.
    """
    if fitted.tuned is not None:
        yield Note(str(fitted.tuned))
    if missing != EM or not data.has_missing:
        return fitted
    try:
        expectation = expectation_of(fitted.network.dag, data, cancel)
    except TooLargeError:
        yield Note(TOO_LARGE_FOR_EM)
        return fitted
    pseudo = [fitted.smoothing] * len(data.domain)
    state: EmState | None = None
    start = [without_zeros(table) for table in fitted.network.tables]
    most = affordable_iterations(expectation.seconds)
    steps = em_states(
        expectation, start, pseudo, tolerance=FINAL_TOLERANCE, most=most, cancel=cancel
    )
    try:
        for state in steps:
            yield Progress(None, f"Tables by EM, iteration {state.iteration}")
    except TooLargeError:  # where rows are read in chunks, at the first step
        yield Note(TOO_LARGE_FOR_EM)
        return fitted
    assert state is not None
    yield em_note(state.iteration, most, state.log2_likelihood / data.total_weight)
    network = BayesianNetwork(data.domain, fitted.network.dag, state.tables)
    return Fitted(network, fitted.smoothing, fitted.tuned, state.log2_likelihood, is_em=True)


class FittingParams(Protocol):
    """How the tables of a network are fitted."""

    @property
    def smoothing(self) -> Smoothing: ...

    @property
    def missing(self) -> str: ...


def network_events(
    dag: Dag,
    rows: DataSet,
    data: DataSet,
    params: FittingParams,
    measures: Mapping[str, float],
    *,
    as_model: Callable[[BayesianNetwork], Model] | None = None,
    rng: np.random.Generator,
    cancel: CancelToken,
) -> Iterator[LearnEvent]:
    """The end of a run: the network of a graph with its tables, as `as_model` makes of it.

    `rows` are the data as they were searched: with their missing cells completed, or themselves.
    """
    fitted = fit_tables(rows, dag, params.smoothing, rng=rng, observed=data, cancel=cancel)
    fitted = yield from refined(fitted, data, params.missing, cancel=cancel)
    model = fitted.network if as_model is None else as_model(fitted.network)
    measures = {
        **measures,
        "edges": float(len(dag.edges)),
        "smoothing": fitted.smoothing,
        **fitted.per_row(data),
    }
    yield ImprovedModel(model, measures)
    yield Finished(model, measures)


def affordable_iterations(seconds: float) -> int:
    """How often EM may go through rows that take so many seconds each time."""
    return int(np.clip(EM_SECONDS / max(seconds, 1e-9), FEWEST_ITERATIONS, MAX_ITERATIONS))


def em_note(iterations: int, most: int, bits_per_row: float) -> Note:
    """How EM ended."""
    bits = f"{bits_per_row:.4f}".replace("-", "−")
    times = count_of(iterations, "iteration")
    cut = " It was stopped there because an iteration takes long." if iterations >= most else ""
    return Note(f"EM fitted the parameters in {times}: {bits} bits per row.{cut}")


def fit_observed(
    data: DataSet,
    dag: Dag,
    smoothing: Smoothing = 1.0,
    missing: str = EM,
    *,
    rng: np.random.Generator | None = None,
    cancel: CancelToken = NEVER,
) -> Fitted:
    """Tables of a given graph as a learner fits them: by EM where cells are missing."""
    fitted = fit_tables(data, dag, smoothing, rng=rng, cancel=cancel)
    return run_to_end(refined(fitted, data, missing, cancel=cancel))


def without_zeros(table: Table) -> Table:
    """A table for EM to start from: what is 0 once would stay 0 without pseudo-counts."""
    return np.asarray((1 - ZERO_FREE) * table + ZERO_FREE / table.shape[-1])
