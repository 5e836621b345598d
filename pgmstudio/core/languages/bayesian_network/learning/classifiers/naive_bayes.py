"""Naive Bayes as a Bayesian network: the class is the only parent of every other column.

The structure with nothing between the features of bn.tan, under its own name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.bayesian_network.learning.classifiers.tan import TanLearner, TanParams
from pgmstudio.core.learning.base import LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.params import (
    class_param,
    knowledge_param,
    missing_data_text,
    missing_param,
    refuse_empty,
    smoothing_param,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NaiveBayesParams:
    """The settings of naive Bayes."""

    # Not `target`: reading data has an option of that name.
    class_: str | None = class_param()
    smoothing: float | Literal["auto"] = smoothing_param()
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param()


class NaiveBayesLearner:
    """A Bayesian network in which one variable is the only parent of all others."""

    key = "bn.naive-bayes"
    title = "Naive Bayes classifier"
    kind = "bayesian-network"
    params_type = NaiveBayesParams
    cost = Cost(0.01, 1.0, 1.0, completes=False)

    def refuses(self, data: DataSet) -> str | None:
        return refuse_empty(data)

    def on_missing(self, data: DataSet) -> str:
        return missing_data_text(
            data,
            "The tables are fitted by EM to the observed cells: no row is dropped, it takes a few "
            "passes over the rows, and the result is right if cells are missing at random.",
        )

    def run(
        self,
        data: DataSet,
        params: NaiveBayesParams,
        *,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Iterator[LearnEvent]:
        plain = TanParams(
            class_=params.class_,
            augment="none",
            smoothing=params.smoothing,
            missing=params.missing,
            knowledge=params.knowledge,
        )
        return TanLearner().run(data, plain, rng=rng, cancel=cancel)
