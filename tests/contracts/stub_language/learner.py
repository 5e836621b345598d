"""Marginals by counting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.learning.base import Finished, LearnEvent, missing_data_text, refuse_empty
from pgmstudio.core.params import param
from tests.contracts.stub_language.model import IndependentVariables


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginalParams:
    """The parameters of the stub's learner."""

    smoothing: float = param(1.0, title="Smoothing", low=0, help="Pseudo-count of every state.")


class MarginalLearner:
    """Counts every column on its own."""

    key = "independent.marginals"
    title = "Marginals"
    kind = "independent"
    params_type = MarginalParams

    def refuses(self, data: DataSet) -> str | None:
        return refuse_empty(data)

    def on_missing(self, data: DataSet) -> str:
        return missing_data_text(data, "They are left out.")

    def run(
        self,
        data: DataSet,
        params: MarginalParams,
        *,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Iterator[LearnEvent]:
        cancel.raise_if_cancelled()
        marginals = []
        for codes, states in zip(data.codes, data.domain.cardinalities, strict=True):
            seen = codes < states
            counts = np.bincount(codes[seen], data.row_weights[seen], states) + params.smoothing
            marginals.append(counts / counts.sum())
        yield Finished(IndependentVariables(data.domain, tuple(marginals)), {})
