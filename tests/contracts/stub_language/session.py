"""Inference among independent variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.inference.base import Belief, Finding, weights_of
from pgmstudio.core.languages.one_pass_session import WholePassSession, named_beliefs
from tests.contracts.stub_language.model import IndependentVariables


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers to one set of findings."""

    log2_evidence: float
    beliefs: Mapping[str, Belief]


class IndependentSession(WholePassSession[Answers]):
    """Evidence changes the belief of its own variable only."""

    def __init__(self, model: IndependentVariables) -> None:
        super().__init__(model.domain)
        self._model = model

    def _answers_to(self, evidence: Mapping[str, Finding]) -> Answers | None:
        log2, values = 0.0, {}
        for variable, marginal in zip(self.domain, self._model.marginals, strict=True):
            belief = marginal.copy()
            if variable.name in evidence:
                belief *= weights_of(variable, evidence[variable.name])
            total = float(belief.sum())
            if total <= 0:
                return None
            log2 += float(np.log2(total))
            values[variable.name] = belief / total
        return Answers(log2, named_beliefs(values))
