"""Mixtures of trees by EM, each tree with its own edges or all with the same (Meilă 1999, §3.3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.tree_mixture.learning.edge_counts import Adjacency
from pgmstudio.core.languages.tree_mixture.learning.params import MixtureParams
from pgmstudio.core.languages.tree_mixture.learning.search import MixtureSearch
from pgmstudio.core.languages.tree_mixture.learning.trace import MixtureScan
from pgmstudio.core.learning.base import LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.params import missing_data_text, refuse_empty

# Maximum states of all columns, the most frequent of each column not counted: the counts of all
# pairs of them take gigabytes beyond this. Sparse binary rows need no such counts.
MAX_CELLS = 12_000


class MixtureLearner:
    """MixTree: EM for trees with edges of their own."""

    key = "mixture.trees"
    title = "Mixture of trees"
    kind = "tree-mixture"
    params_type = MixtureParams
    cost = Cost(12.0, 1.0, 1.5, gaps=1.5, completes=False, repeats="restarts")
    artifacts = (MixtureScan, Adjacency)
    is_shared = False

    def refuses(self, data: DataSet) -> str | None:
        if (why := refuse_empty(data)) is not None:
            return why
        cards = data.domain.cardinalities
        cells = sum(card - 1 for card in cards)
        is_dense = self.is_shared or data.has_missing or max(cards) > 2
        if cells > MAX_CELLS and is_dense:
            return (
                f"Not now: the columns have {cells} states, not counting the most frequent of "
                f"each; the counts of their pairs fit into memory up to {MAX_CELLS}. "
                "Leave columns out, or merge states."
            )
        return None

    def on_missing(self, data: DataSet) -> str:
        return missing_data_text(
            data,
            "EM keeps these rows and counts every missing cell with the probabilities of its "
            "states; exact if cells are missing at random, and such rows take longer.",
        )

    def run(
        self,
        data: DataSet,
        params: MixtureParams,
        *,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Iterator[LearnEvent]:
        cancel.raise_if_cancelled()
        search = MixtureSearch(data, params, is_shared=self.is_shared, rng=rng, cancel=cancel)
        yield from search.run()


class SharedMixtureLearner(MixtureLearner):
    """MixTreeS: EM for trees that have the same edges and tables of their own."""

    key = "mixture.trees-shared"
    title = "Mixture of trees with shared edges"
    is_shared = True
