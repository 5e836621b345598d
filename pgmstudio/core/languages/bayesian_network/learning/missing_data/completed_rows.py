"""Complete rows for a search when cells are missing: one mechanism for every learner.

A structure is judged by counts of several columns at once. Counted over the rows that happen to
have them, two structures are judged on different rows, and a parent that is missing wherever its
child is hard to predict looks perfect. So missing cells are completed first, given the observed
cells of their row, and every structure is judged on the same rows (the completion step of
structural EM, Friedman 1998, with draws as in multiple imputation, Rubin 1987).

The completing network decides what a search can see. A dependence that it lacks is diluted in the
completed rows, and no later round brings it back; one too many is only a little noise, which the
search's own score judges. So it is denser than a network one would show: by AIC, from the
best forest, first over the available rows of each family, then in rounds over its own completions.
How much more a parameter costs where few rows have the cells of its family depends on the table:
a column that is there only where another has one value needs it, and columns that nearly determine
each other do not, as their missing cells are hardly in doubt. Of several answers that one is taken
by which the observed cells of rows held out are most probable.

The structure alone comes from completed rows. Parameters are then fitted by EM to the observed
cells (`parameter_fitting.refined` and its relatives), so the draws leave no trace in them.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Generator, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.counting import pair_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import canonical, hold_out
from pgmstudio.core.execution.events import NEVER, CancelToken, Note, Progress
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.triangulation import eliminate, moral_graph, strip
from pgmstudio.core.languages.bayesian_network.learning.missing_data.imputation import completed
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.languages.bayesian_network.learning.score_based.climb import (
    REMOVE,
    REVERSE,
    GraphClimb,
    flags_of,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.likelihood import log2_likelihood
from pgmstudio.core.learning.base import (
    AVAILABLE,
    EM,
    BaseLearner,
    Finished,
    ImprovedModel,
    LearnEvent,
    P,
)
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.model import Model
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import score_of
from pgmstudio.core.scores.mutual_information import mutual_information_nats

# A small table gets several completions of each row, which settles its counts. From this many rows
# on one is enough, and a search takes no longer than on complete rows.
TARGET_ROWS = 20_000
MAX_COPIES = 64
# The completing network: rows it is learned from, rounds, and bounds that keep completing quick.
SAMPLE_ROWS = 5_000
ROUNDS = 4
MAX_PARENTS = 3
MAX_TABLE_CELLS = 5_000
MAX_CLIQUE_CELLS = 30_000  # of all cliques, through which some rows may have to go
MAX_NETWORK_COLUMNS = 100  # more are completed by a forest
SMOOTHING = 0.1
# Powers of N / (rows with the cells of a family) by which its costs may grow, and the part of the
# rows that is held out to choose one.
GROWTHS = (1.0, 0.5, 0.0)
HELD_OUT = 0.2
# Beyond these a table is searched over its available cases: columns² × rows, and cells of pairs.
MAX_WORK = 1e11
MAX_PAIR_CELLS = 5e7
# What is done where completing takes too long.
AVAILABLE_ROWS = (
    "missing cells are not completed: each part of the structure is judged on the rows that have "
    "its cells."
)
PER_ROW = "log2_likelihood_per_row"


def completed_rows(
    data: DataSet,
    missing: str,
    *,
    is_tree: bool = False,
    max_copies: int = MAX_COPIES,
    rng: np.random.Generator,
    cancel: CancelToken = NEVER,
) -> Generator[Progress | Note, None, DataSet]:
    """The rows to search on: `data` itself when no cell is missing, when `missing` is “available”,
    or when completing would take too long, which a note reports.

    With `is_tree` the completing network is the best tree. With
    `max_copies` 1 a row is completed once, so that rows can be held out.
    """
    if missing == AVAILABLE or not data.has_missing:
        return data
    if isinstance(data, ChunkedData):
        yield Note(
            f"The rows are read in chunks, so {AVAILABLE_ROWS} "
            "Import the table, or a part of it, to have them completed."
        )
        return data
    if _is_too_large(data):
        yield Note(
            f"The table is too large, so {AVAILABLE_ROWS} "
            "Learn from fewer rows or columns to have them completed."
        )
        return data
    # Its own draws: what the learner draws does not depend on how many cells are missing.
    (own,) = rng.spawn(1)
    rows = canonical(data, cancel)
    sample = rows
    if rows.row_count > SAMPLE_ROWS:
        chosen = own.choice(rows.row_count, SAMPLE_ROWS, replace=False)
        sample = rows.take_rows(np.sort(chosen))
    is_tree = is_tree or len(data.domain) > MAX_NETWORK_COLUMNS
    growth = GROWTHS[0]
    if not is_tree:
        growth = yield from _best_growth(sample, own, cancel)
    network = yield from _network(sample, is_tree, growth, own, cancel)
    yield Progress(None, "Completing missing cells of all rows")
    return _unit_rows(
        completed(network, rows, copies=min(max_copies, _copies(rows)), rng=own, cancel=cancel)
    )


def _best_growth(
    sample: DataSet, rng: np.random.Generator, cancel: CancelToken
) -> Generator[Progress, None, float]:
    """The growth of costs with which the observed cells of rows held out are most probable."""
    rows, held = hold_out(sample, HELD_OUT, rng)
    result = []
    for growth in GROWTHS:
        network = yield from _network(rows, False, growth, rng, cancel)
        result.append(log2_likelihood(network, held))
    return GROWTHS[int(np.argmax(result))]


def _network(
    sample: DataSet,
    is_tree: bool,
    growth: float,
    rng: np.random.Generator,
    cancel: CancelToken,
) -> Generator[Progress, None, BayesianNetwork]:
    """The completing network of these rows."""
    yield Progress(None, "Completing missing cells")
    dag = _forest(sample, sample, cancel)
    if not is_tree:
        dag = _climbed(dag, ObservedCosts(sample, sample, growth), cancel)
    network = fit_tables(sample, dag, SMOOTHING, cancel=cancel).network
    for number in range(1, ROUNDS + 1):
        yield Progress(None, f"Completing missing cells, round {number} of {ROUNDS}")
        filled = completed(network, sample, copies=_copies(sample), rng=rng, cancel=cancel)
        if is_tree:
            dag = _forest(filled, sample, cancel)
        else:
            dag = _climbed(dag, ObservedCosts(filled, sample, growth), cancel)
        network = fit_tables(filled, dag, SMOOTHING, cancel=cancel).network
    return network


def _is_too_large(data: DataSet) -> bool:
    pair_cells = sum(data.domain.cardinalities) ** 2 / 2
    return data.row_count * len(data.domain) ** 2 > MAX_WORK or pair_cells > MAX_PAIR_CELLS


def _forest(rows: DataSet, observed: DataSet, cancel: CancelToken) -> Dag:
    """The tree of largest likelihood, without edges that the rows with both ends do not pay for."""
    from pgmstudio.core.graphs.spanning_forest_kernels import grow_forest

    information = mutual_information_nats(pair_counts(rows, cancel), cancel)
    has = (observed.codes != observed.missing_code).astype(np.float64)
    both = (has * observed.row_weights) @ has.T
    free = rows.card_array - 1.0
    weights = np.where(both * information > np.outer(free, free), information, 0.0)
    np.fill_diagonal(weights, 0.0)
    parents = np.empty(len(free), dtype=np.int64)
    grow_forest(weights, parents)
    return Dag(rows.domain.names, tuple((int(p),) if p >= 0 else () for p in parents))


class CompletingLearner(BaseLearner[P]):
    """A learner whose search sees completed rows; EM then fits the parameters to observed cells."""

    @abstractmethod
    def search(
        self, data: DataSet, params: P, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        """The events of the whole run where no cell is missing."""

    @abstractmethod
    def refit(
        self, result: Finished, data: DataSet, params: P, cancel: CancelToken
    ) -> Generator[Progress | Note, None, tuple[Model, float]]:
        """The model with its parameters by EM, and the log2-likelihood of the observed cells; nan
        where EM is not affordable."""

    def max_copies(self, params: P) -> int:
        """How often a row is completed; once where the search holds rows out."""
        return MAX_COPIES

    def events(
        self, data: DataSet, params: P, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        missing = getattr(params, "missing", EM)
        copies = self.max_copies(params)
        rows = yield from completed_rows(data, missing, max_copies=copies, rng=rng, cancel=cancel)
        is_refitted = missing != AVAILABLE and data.has_missing
        for event in self.search(rows, params, rng, cancel):
            if not is_refitted or not isinstance(event, Finished | ImprovedModel):
                yield event
                continue
            # The likelihood of completed rows is left out.
            measures = {k: v for k, v in event.measures.items() if k != PER_ROW}
            if isinstance(event, ImprovedModel):
                yield ImprovedModel(event.model, measures)
                continue
            model, log2_likelihood = yield from self.refit(event, data, params, cancel)
            if not math.isnan(log2_likelihood):
                measures[PER_ROW] = log2_likelihood / data.total_weight
            yield Finished(model, measures)


class ObservedCosts(FamilyScores):
    """Scores whose parameters cost more where fewer rows have all the cells of a family.

    The likelihood of such a family is scaled to all rows, by available cases or by completions, and
    what its noise seems to gain grows with it; so does the cost here, to the power `growth`.
    """

    def __init__(self, rows: DataSet, observed: DataSet, growth: float) -> None:
        score = score_of("aic", rows.total_weight)
        super().__init__(rows, score, max_table_cells=MAX_TABLE_CELLS)
        self._has = observed.codes != observed.missing_code
        self._weights = observed.row_weights
        self._growth = growth

    def toggled(
        self,
        child: int,
        parents: Sequence[int],
        candidates: NDArray[np.int64],
        cancel: CancelToken = NEVER,
    ) -> Floats:
        scores = super().toggled(child, parents, candidates, cancel)
        factor = np.array(self.cards, dtype=np.float64)
        factor[list(parents)] = 1 / factor[list(parents)]
        factor[child] = 1.0
        q = math.prod(self.cards[p] for p in parents)
        fraction = np.maximum(self._seen(child, parents), 1.0) / self.total_weight
        more = fraction**-self._growth - 1
        return np.asarray(scores - self._cost(child, q) * factor * np.maximum(more, 0.0))

    def _seen(self, child: int, parents: Sequence[int]) -> Floats:
        """The weight of the rows that have the cells of each family that `toggled` scores."""
        family = [*parents, child]
        here = self._has[family].all(axis=0)
        seen: Floats = self._has[:, here] @ self._weights[here]
        for parent in parents:
            rest = self._has[[v for v in family if v != parent]].all(axis=0)
            seen[parent] = self._weights[rest].sum()
        return seen


def _climbed(start: Dag, scores: ObservedCosts, cancel: CancelToken) -> Dag:
    """The graph that a greedy climb ends with, without edges that make completing too long."""
    rules = EdgeRules.of(start.names, None, MAX_PARENTS)
    climb = GraphClimb(scores, rules)
    dag = start
    for _ in climb.go_to(flags_of(start), cancel):
        cancel.raise_if_cancelled()
    for move in climb.steps(0, cancel):
        cancel.raise_if_cancelled()
        result = climb.dag()
        if move.kind != REMOVE and _is_too_dense(result, scores.cards):
            edge = move.source, move.target
            rules.allowed[edge[::-1] if move.kind == REVERSE else edge] = 0
            for _ in climb.go_to(flags_of(dag), cancel):
                cancel.raise_if_cancelled()
        else:
            dag = result
    return dag


def _is_too_dense(dag: Dag, cards: Sequence[int]) -> bool:
    """Whether summing all variables out, one by one, needs too large tables."""
    graph = strip(moral_graph(dag.parent_indices))
    result = eliminate(graph, cards, "fill by weight", most_cells=MAX_CLIQUE_CELLS)
    if result is None:
        return True
    sizes = (
        math.prod(cards[v] for v in (node, *near)) for node, near in enumerate(result.left_behind)
    )
    return sum(sizes) > MAX_CLIQUE_CELLS


def _copies(rows: DataSet) -> int:
    """How many completions each incomplete row has at most."""
    return max(1, min(MAX_COPIES, TARGET_ROWS // max(rows.incomplete_row_count, 1)))


def _unit_rows(rows: DataSet) -> DataSet:
    """Whole weights as so many rows, which are counted many times faster."""
    weights = rows.weights
    if weights is None or weights.sum() > 10 * rows.row_count or (weights % 1 != 0).any():
        return rows
    copies = np.repeat(np.arange(rows.row_count), weights.astype(np.int64))
    return DataSet(rows.domain, rows.codes.take(copies, axis=1))
