"""Trees and forests of largest likelihood (Chow and Liu 1968; Meilă 1999, §3.2 and §4.2.1).

The likelihood of a tree is Σ_v −H(v) + Σ_edges I(u;v), so the best tree is a maximum spanning tree
of the mutual informations. With a structure prior Π exp(−β_uv) an edge weighs N·I(u;v) − β_uv, in
nats (eqs. 4.11–4.13), and is left out when that is not positive: a forest. Rules about directed
edges make it a maximum branching instead: every variable has at most one parent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.counting import pair_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.edge_prices import EdgePrices, price_matrix
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    completed_rows,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import (
    FittingParams,
    network_events,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.learning.base import (
    BaseLearner,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.edge_constraints import best_forest
from pgmstudio.core.learning.params import (
    edge_prices_param,
    knowledge_param,
    missing_param,
    smoothing_param,
)
from pgmstudio.core.learning.score_definition import ScoreKind
from pgmstudio.core.params import param
from pgmstudio.core.scores.mutual_information import mutual_information_nats

PENALTIES = ("constant", "mdl", "bic")

# Mutual information below this many nats per row is rounding.
_ROUNDING = 1e-13


def edge_penalty_param() -> Any:
    """The parameter for the edge penalty β, which makes a tree a forest."""
    return param(
        0.0,
        title="Edge penalty β",
        low=0,
        help="Gain in nats over all rows that an edge must exceed; 0 gives a tree, larger values a"
        " forest.",
    )


def penalty_param(end: str) -> Any:
    """The parameter for the kind of edge penalty; `end` completes the help on bic."""
    return param(
        "constant",
        title="Kind of penalty",
        choices=PENALTIES,
        help="constant: β per edge. mdl: β for each of its (r−1)(s−1) parameters. "
        f"bic: half the log of the rows for each parameter{end}",
        advanced=True,
    )


def root_param() -> Any:
    """The parameter for the root of the tree."""
    return param(
        None,
        title="Root",
        is_variable=True,
        none_label="the first variable",
        help="The root variable; all edges point away from it. The distribution does not depend on"
        " it.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ChowLiuParams:
    """The settings of the Chow–Liu learner."""

    edge_penalty: float = edge_penalty_param()
    penalty: str = penalty_param(", independent of β.")
    root: str | None = root_param()
    smoothing: float | Literal["auto"] = smoothing_param()
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param("finds the best tree that satisfies them.")
    edge_prices: EdgePrices | None = edge_prices_param()


class ChowLiuLearner(BaseLearner[ChowLiuParams]):
    """The tree or forest of largest (penalised) likelihood; exact."""

    key = "tree.chow-liu"
    passes = Passes()
    title = "Chow–Liu tree"
    kind = "tree"
    params_type = ChowLiuParams
    cost = Cost(0.02, completes=False)
    score_kind = ScoreKind.INFORMATION

    def events(
        self, data: DataSet, params: ChowLiuParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rows = yield from completed_rows(data, params.missing, is_tree=True, rng=rng, cancel=cancel)
        yield Progress(0.0, "Counting pairs of columns")
        information = mutual_information_nats(pair_counts(rows, cancel), cancel)
        prices = price_matrix(params.edge_prices, data.domain.names)
        weights = edge_weights(information, data, params.edge_penalty, params.penalty, prices)
        parents = best_forest(weights, data.domain.names, params.root, params.knowledge, cancel)
        grown = grown_forest(parents, information, weights)
        yield from filling_tree(grown, rows, data, params, rng, cancel)


@dataclass(frozen=True, eq=False)
class GrownForest:
    """A forest by whichever method; weights in nats over all rows."""

    parents: list[int | None]
    information: float  # Σ I over edges, nats
    gain: float
    counts: Mapping[str, float] = field(default_factory=dict)  # what the method counted on its way


def grown_forest(
    parents: list[int | None],
    information: Floats,
    weights: Floats,
    counts: Mapping[str, float] | None = None,
) -> GrownForest:
    """A forest with the sums over its edges, from the numbers of all pairs."""
    edges = [(p, c) for c, p in enumerate(parents) if p is not None]
    return GrownForest(
        parents,
        sum(float(information[edge]) for edge in edges),
        sum(float(weights[edge]) for edge in edges),
        counts or {},
    )


def filling_tree(
    grown: GrownForest,
    rows: DataSet,
    data: DataSet,
    params: FittingParams,
    rng: np.random.Generator,
    cancel: CancelToken,
) -> Iterator[LearnEvent]:
    """The end of a run: the tables of a forest and its measures."""
    yield Progress(0.6, "Filling the tables")
    parents = grown.parents
    dag = Dag(data.domain.names, tuple(() if p is None else (p,) for p in parents))
    measures = {
        "score": grown.gain / math.log(2),
        "mutual_information_bits": grown.information / math.log(2),
        **grown.counts,
    }

    def as_tree(network: BayesianNetwork) -> Tree:
        return Tree(data.domain, tuple(parents), network.tables)

    yield from network_events(
        dag, rows, data, params, measures, as_model=as_tree, rng=rng, cancel=cancel
    )


def edge_weights(
    information: Floats,
    data: DataSet,
    edge_penalty: float,
    penalty: str,
    prices: Floats | None = None,
) -> Floats:
    """N·I(u;v) − β_uv in nats, `prices` included; information that is only rounding counts as 0."""
    free = np.array(data.domain.cardinalities, dtype=np.float64) - 1
    parameters = np.outer(free, free)
    beta: float | Floats = edge_penalty
    if penalty == "mdl":
        beta = edge_penalty * parameters
    elif penalty == "bic":
        beta = 0.5 * math.log(max(data.total_weight, 1.0)) * parameters
    gain = np.where(information > _ROUNDING, data.total_weight * information, 0.0)
    weights: Floats = gain - beta
    return weights if prices is None else weights - prices
