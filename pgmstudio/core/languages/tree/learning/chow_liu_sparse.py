"""The Chow–Liu tree of sparse rows by the accelerated algorithms (Meilă 1999, ch. 5).

The same optimum as the Chow–Liu learner's, from the pairs of cells that occur together; the
time grows with those and not with the square of the columns. See `accelerated.py`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.counting import PairCounts, joint_counts, pair_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError, no_column
from pgmstudio.core.execution.events import NEVER, CancelToken, Note, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices, price_matrix
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    completed_rows,
)
from pgmstudio.core.languages.tree.learning import accelerated
from pgmstudio.core.languages.tree.learning.accelerated import ROUNDING, growing_forest
from pgmstudio.core.languages.tree.learning.chow_liu import (
    GrownForest,
    edge_penalty_param,
    edge_weights,
    filling_tree,
    grown_forest,
    penalty_param,
    root_param,
)
from pgmstudio.core.learning.base import (
    BaseLearner,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.edge_constraints import best_forest, rooted_at
from pgmstudio.core.learning.params import (
    edge_prices_param,
    knowledge_param,
    missing_param,
    smoothing_param,
)
from pgmstudio.core.learning.score_definition import ScoreKind
from pgmstudio.core.learning.sparse_rows import MOST_FREQUENT, REFERENCES, listing_rows
from pgmstudio.core.number_format import whole
from pgmstudio.core.params import param
from pgmstudio.core.scores.mutual_information import mutual_information_nats


@dataclass(frozen=True, slots=True, kw_only=True)
class ChowLiuSparseParams:
    """The settings of the accelerated Chow–Liu learner."""

    backend: str = param(
        accelerated.AUTO,
        title="Method",
        choices=accelerated.BACKENDS,
        help="All give the same optimum. dense counts every pair; acl-1 and acl-2 count pairs that"
        " occur together; auto uses the method with the lower estimated cost.",
    )
    edge_penalty: float = edge_penalty_param()
    penalty: str = penalty_param(
        ". The last two are accelerated only if all columns have the same number of states."
    )
    prior: float = param(
        0.0,
        title="Uniform prior N'",
        low=0,
        help="Rows of the uniform distribution that are added to the counts for selecting edges.",
        advanced=True,
    )
    reference: str = param(
        MOST_FREQUENT,
        title="Reference state",
        choices=REFERENCES,
        help="The state of a column that is not stored. It affects the time, not the tree.",
        advanced=True,
    )
    isolate_constants: bool = param(
        True,
        title="Isolate constant columns",
        help="Columns with a single value get no edge; they could have one only with a prior.",
        advanced=True,
    )
    root: str | None = root_param()
    smoothing: float | Literal["auto"] = smoothing_param()
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param(
        "the dense method finds the best tree that satisfies them."
    )
    edge_prices: EdgePrices | None = edge_prices_param()


class ChowLiuSparseLearner(BaseLearner[ChowLiuSparseParams]):
    """The tree or forest of largest (penalised) likelihood; exact, and fast on sparse rows."""

    key = "tree.chow-liu-sparse"
    passes = Passes()
    title = "Chow–Liu tree of sparse data"
    kind = "tree"
    params_type = ChowLiuSparseParams
    cost = Cost(0.02, completes=False)
    score_kind = ScoreKind.INFORMATION

    def events(
        self,
        data: DataSet,
        params: ChowLiuSparseParams,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Iterator[LearnEvent]:
        names = data.domain.names
        if params.root is not None and params.root not in names:
            raise ParameterError({"root": no_column(params.root, names)})
        rows = yield from completed_rows(data, params.missing, is_tree=True, rng=rng, cancel=cancel)
        grown = yield from _grow(rows, params, cancel)
        if params.root is not None and not _has_rules(params):
            turned = rooted_at(grown.parents, names.index(params.root))
            grown = replace(grown, parents=turned)
        cancel.raise_if_cancelled()
        yield from filling_tree(grown, rows, data, params, rng, cancel)


def _has_rules(params: ChowLiuSparseParams) -> bool:
    return params.knowledge is not None and not params.knowledge.is_empty


def _grow(
    data: DataSet, params: ChowLiuSparseParams, cancel: CancelToken
) -> Generator[Progress | Note, None, GrownForest]:
    beta = accelerated.constant_penalty(data, params.edge_penalty, params.penalty)
    why = accelerated.obstacles(data, beta, params.prior)
    if _has_rules(params):
        why.append("there are rules about edges")
    if price_matrix(params.edge_prices, data.domain.names) is not None:
        why.append("edges have prices of their own")
    accelerated.refuse_accelerated(params.backend, [] if data.has_missing else why)
    if why or beta is None or params.backend == accelerated.DENSE:
        if why:
            yield Note(f"The dense method is used: {'; '.join(why)}.")
        return (yield from _dense(data, params, cancel))
    rows = yield from listing_rows(data, params.reference, cancel)
    yield Note(accelerated.sparsity_note(rows))
    choice = accelerated.choose(data, rows, params.backend, params.prior)
    yield Note(choice.reason)
    if choice.backend == accelerated.DENSE:
        return (yield from _dense(data, params, cancel))
    forest = yield from growing_forest(
        rows,
        edge_penalty=beta,
        prior=params.prior,
        isolate_constants=params.isolate_constants,
        by_lists=choice.backend == accelerated.ACL_1,
        cancel=cancel,
    )
    pairs = len(data.domain) * (len(data.domain) - 1) // 2
    yield Note(
        f"Exact: the same optimum as Chow–Liu. {whole(forest.examined)} edges were "
        f"examined and {whole(forest.evaluated)} mutual informations computed, of "
        f"{whole(pairs)} pairs; {forest.together / max(pairs, 1):.3g} of the pairs ever "
        "occur together."
    )
    counts = {
        "edges_examined": float(forest.examined),
        "informations_computed": float(forest.evaluated),
        "cooccurrences": float(rows.cooccurrences),
        "longest_row": float(rows.longest),
    }
    parents = [None if p < 0 else int(p) for p in forest.parents]
    return GrownForest(parents, float(forest.information.sum()), forest.gain(beta), counts)


def _dense(
    data: DataSet, params: ChowLiuSparseParams, cancel: CancelToken
) -> Generator[Progress | Note, None, GrownForest]:
    """All pairs, as the Chow–Liu learner counts them."""
    cancel.raise_if_cancelled()
    yield Progress(0.1, "Counting pairs of columns")
    information, weights = dense_weights(
        data,
        edge_penalty=params.edge_penalty,
        penalty=params.penalty,
        prior=params.prior,
        isolate_constants=params.isolate_constants,
        prices=price_matrix(params.edge_prices, data.domain.names),
        cancel=cancel,
    )
    root = params.root if _has_rules(params) else None
    parents = best_forest(weights, data.domain.names, root, params.knowledge, cancel)
    pairs = len(data.domain) * (len(data.domain) - 1) // 2
    return grown_forest(parents, information, weights, {"informations_computed": float(pairs)})


def dense_weights(
    data: DataSet,
    *,
    edge_penalty: float = 0.0,
    penalty: str = "constant",
    prior: float = 0.0,
    isolate_constants: bool = True,
    prices: Floats | None = None,
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
        constant = [
            i
            for i, missing in enumerate(data.missing_counts)
            if missing == data.row_count
            or (missing == 0 and np.count_nonzero(joint_counts(data, (i,))) == 1)
        ]
        information[constant, :] = 0.0
        information[:, constant] = 0.0
    weights = edge_weights(information, data, edge_penalty, penalty, prices)
    if prior > 0:
        weights = weights + prior * np.where(information > ROUNDING, information, 0.0)
    return information, weights
