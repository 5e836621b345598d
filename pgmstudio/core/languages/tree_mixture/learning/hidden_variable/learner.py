"""Learner of hidden variables: blocks of variables that are independent given an unseen one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.params import HiddenParams
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.search import HiddenSearch
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.trace import HiddenScan
from pgmstudio.core.languages.tree_mixture.learning.learner import MixtureLearner
from pgmstudio.core.learning.base import LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost


class HiddenLearner:
    """Blocks of columns that are independent given a hidden variable (Meilă 1999, ch. 6)."""

    key = "mixture.hidden"
    title = "Hidden variables"
    kind = "tree-mixture"
    params_type = HiddenParams
    cost = Cost(20.0, 0.7, 1.5, gaps=1.5, completes=False)
    artifacts = (HiddenScan,)
    obeys_knowledge = False

    def refuses(self, data: DataSet) -> str | None:
        return MixtureLearner().refuses(data)

    def on_missing(self, data: DataSet) -> str:
        return MixtureLearner().on_missing(data)

    def run(
        self, data: DataSet, params: HiddenParams, *, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        cancel.raise_if_cancelled()
        yield Progress(0.0, "Merging equal rows")
        yield from HiddenSearch(data, params, rng, cancel).run()
