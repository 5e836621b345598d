"""The Chow–Liu tree of sparse rows by the accelerated algorithms (Meilă 1999, ch. 5).

The same optimum as the Chow–Liu learner's, found from the pairs of cells that occur together; the
time grows with those and not with the square of the columns. See `acl_forest`.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pgmstudio.core.data.counting import PairCounts, pair_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.learning import acl_choice
from pgmstudio.core.learning.acl_forest import ROUNDING, growing_forest
from pgmstudio.core.learning.acl_rows import MOST_FREQUENT, REFERENCES, listing_rows
from pgmstudio.core.learning.chow_liu import PENALTIES, best_forest, edge_weights, rooted_at
from pgmstudio.core.learning.em_steps import refined
from pgmstudio.core.learning.fitting import fit_tables
from pgmstudio.core.learning.missing_cells import (
    grouped_digits,
    missing_param,
    missing_sentence,
    refuse_empty,
)
from pgmstudio.core.learning.protocols import Finished, Found, LearnEvent
from pgmstudio.core.learning.smoothing import SMOOTHING_HELP
from pgmstudio.core.models.tree import Tree
from pgmstudio.core.params import param
from pgmstudio.core.running import NEVER, CancelToken, Note, Progress
from pgmstudio.core.scores.mutual_information import mutual_information_nats


@dataclass(frozen=True, slots=True, kw_only=True)
class ChowLiuSparseParams:
    """The settings of the accelerated Chow–Liu learner."""

    backend: str = param(
        acl_choice.AUTO,
        title="Method",
        choices=acl_choice.BACKENDS,
        help="All give the same optimum. dense counts every pair; acl-1 and acl-2 count pairs that "
        "occur together; auto takes the one with the lower forecast.",
    )
    edge_penalty: float = param(
        0.0,
        title="Edge penalty β",
        low=0,
        help="Nats an edge must gain on all rows to be kept; 0 gives a tree, more gives a forest.",
    )
    penalty: str = param(
        "constant",
        title="Kind of penalty",
        choices=PENALTIES,
        help="constant: β for each edge. mdl: β for each of its (r−1)(s−1) parameters. bic: half "
        "the log of the rows for each parameter. The last two are accelerated only if all "
        "columns have as many states.",
        advanced=True,
    )
    prior: float = param(
        0.0,
        title="Uniform prior N'",
        low=0,
        help="Rows of the uniform distribution added to the counts that choose the edges.",
        advanced=True,
    )
    reference: str = param(
        MOST_FREQUENT,
        title="Reference state",
        choices=REFERENCES,
        help="Which state of a column is not listed. It changes the time, never the tree.",
        advanced=True,
    )
    isolate_constants: bool = param(
        True,
        title="Isolate constant columns",
        help="A column with a single value gets no edge; it could have one only under a prior.",
        advanced=True,
    )
    root: str | None = param(
        None,
        title="Root",
        none_label="the first variable",
        help="The variable all edges lead away from; the distribution does not depend on it.",
    )
    smoothing: float | Literal["auto"] = param(
        "auto", title="Smoothing α", low=0, help=SMOOTHING_HELP
    )
    missing: str = missing_param()


@dataclass(frozen=True, eq=False)
class _Grown:
    """A forest by whichever method; weights in nats over all rows."""

    parents: list[int | None]
    information: float  # Σ I over edges, nats
    gain: float
    counts: dict[str, float]


class ChowLiuSparseLearner:
    """The tree or forest of largest (penalised) likelihood, found exactly, fast on sparse rows."""

    key = "tree.chow-liu-sparse"
    title = "Chow–Liu tree of sparse data"
    kind = "tree"
    params_type = ChowLiuSparseParams

    def refuses(self, data: DataSet) -> str | None:
        return refuse_empty(data)

    def on_missing(self, data: DataSet) -> str:
        return missing_sentence(
            data,
            "All pairs are counted by the dense method, each over the rows that have both; that is "
            "slow for thousands of columns, and exact only if cells are missing at random.",
        )

    def run(
        self,
        data: DataSet,
        params: ChowLiuSparseParams,
        *,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Iterator[LearnEvent]:
        cancel.raise_if_cancelled()
        names = data.domain.names
        if params.root is not None and params.root not in names:
            raise ParameterError({"root": f"{params.root!r} is not a column"})
        grown = yield from _grow(data, params, cancel)
        parents = grown.parents
        if params.root is not None:
            parents = rooted_at(parents, names.index(params.root))
        cancel.raise_if_cancelled()
        yield Progress(0.6, "Filling the tables")
        dag = Dag(names, tuple(() if p is None else (p,) for p in parents))
        fitted = fit_tables(data, dag, params.smoothing, rng=rng, cancel=cancel)
        if fitted.tuned is not None:
            yield Note(str(fitted.tuned))
        fitted = yield from refined(fitted, data, params.missing, rng=rng, cancel=cancel)
        tree = Tree(data.domain, tuple(parents), fitted.network.tables)
        edges = sum(parent is not None for parent in parents)
        measures = {
            "score": grown.gain / math.log(2),
            "mutual_information_bits": grown.information / math.log(2),
            "edges": float(edges),
            "smoothing": fitted.smoothing,
            **grown.counts,
        }
        if not data.has_missing:
            measures["log2_likelihood_per_row"] = fitted.log2_likelihood / data.total_weight
        yield Found(tree, measures)
        yield Progress(1.0, f"{edges} edges", {"score": measures["score"]})
        yield Finished(tree, measures)


def _grow(
    data: DataSet, params: ChowLiuSparseParams, cancel: CancelToken
) -> Generator[Progress | Note, None, _Grown]:
    beta = acl_choice.constant_penalty(data, params.edge_penalty, params.penalty)
    why = acl_choice.obstacles(data, beta, params.prior)
    acl_choice.refuse_accelerated(params.backend, [] if data.has_missing else why)
    if why or beta is None or params.backend == acl_choice.DENSE:
        if why:
            yield Note(f"The dense method is used: {'; '.join(why)}.")
        return (yield from _dense(data, params, cancel))
    rows = yield from listing_rows(data, params.reference, cancel)
    yield Note(acl_choice.sparsity_sentence(rows))
    choice = acl_choice.choose(data, rows, params.backend, params.prior)
    yield Note(choice.reason)
    if choice.backend == acl_choice.DENSE:
        return (yield from _dense(data, params, cancel))
    forest = yield from growing_forest(
        rows,
        edge_penalty=beta,
        prior=params.prior,
        isolate_constants=params.isolate_constants,
        by_lists=choice.backend == acl_choice.ACL_1,
        cancel=cancel,
    )
    pairs = len(data.domain) * (len(data.domain) - 1) // 2
    yield Note(
        f"Exact: the same optimum as Chow–Liu. {grouped_digits(forest.examined)} edges were "
        f"examined and {grouped_digits(forest.evaluated)} mutual informations computed, of "
        f"{grouped_digits(pairs)} pairs; {forest.together / max(pairs, 1):.3g} of the pairs ever "
        "occur together."
    )
    counts = {
        "edges_examined": float(forest.examined),
        "informations_computed": float(forest.evaluated),
        "cooccurrences": float(rows.cooccurrences),
        "longest_row": float(rows.longest),
    }
    parents = [None if p < 0 else int(p) for p in forest.parents]
    return _Grown(parents, float(forest.information.sum()), forest.gain(beta), counts)


def _dense(
    data: DataSet, params: ChowLiuSparseParams, cancel: CancelToken
) -> Generator[Progress | Note, None, _Grown]:
    """All pairs, as the Chow–Liu learner counts them."""
    cancel.raise_if_cancelled()
    yield Progress(0.1, "Counting pairs of columns")
    information, weights = dense_weights(
        data,
        edge_penalty=params.edge_penalty,
        penalty=params.penalty,
        prior=params.prior,
        isolate_constants=params.isolate_constants,
        cancel=cancel,
    )
    parents = best_forest(weights, data.domain.names, cancel=cancel)
    edges = [(p, c) for c, p in enumerate(parents) if p is not None]
    pairs = len(data.domain) * (len(data.domain) - 1) // 2
    return _Grown(
        parents,
        sum(float(information[edge]) for edge in edges),
        sum(float(weights[edge]) for edge in edges),
        {"informations_computed": float(pairs)},
    )


def dense_weights(
    data: DataSet,
    *,
    edge_penalty: float = 0.0,
    penalty: str = "constant",
    prior: float = 0.0,
    isolate_constants: bool = True,
    cancel: CancelToken = NEVER,
) -> tuple[np.ndarray, np.ndarray]:
    """I of P̃ = (N P + N' uniform) / (N + N') of all pairs, and (N + N') I − β, in nats."""
    counted = pair_counts(data, cancel)
    if prior > 0:
        cards = np.array(counted.cardinalities, dtype=np.int64)
        above = np.triu_indices(len(cards), 1)
        sizes = cards[above[0]] * cards[above[1]]
        flat = counted.flat + np.repeat(prior / sizes, sizes)
        counted = PairCounts(counted.cardinalities, flat, counted.offsets)
    information = mutual_information_nats(counted, cancel)
    if prior > 0 and isolate_constants:
        constant = [i for i, column in enumerate(data.codes) if (column == column[0]).all()]
        information[constant, :] = 0.0
        information[:, constant] = 0.0
    weights = edge_weights(information, data, edge_penalty, penalty)
    if prior > 0:
        weights = weights + prior * np.where(information > ROUNDING, information, 0.0)
    return information, weights
