"""Findings as numbers: one weight per state, the largest 1."""

from __future__ import annotations

import math
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import ImpossibleEvidenceError, ParameterError
from pgmstudio.core.inference.protocols import Excluded, Finding, Likelihood, Observed


def weights_of(variable: Variable, finding: Finding) -> NDArray[np.float64]:
    """How likely the finding is to be made in each state, scaled so that the largest is 1.

    Only the ratios of a likelihood matter, so P(e) must not depend on its scale either.
    """
    weights = np.zeros(variable.cardinality)
    match finding:
        case Observed(state):
            weights[variable.code(state)] = 1.0
        case Excluded(states):
            weights[:] = 1.0
            for state in states:
                weights[variable.code(state)] = 0.0
        case Likelihood(given):
            for state, weight in given:
                weights[variable.code(state)] = _checked(variable, state, weight)
            largest = weights.max()
            if not largest > 0:
                raise ParameterError(
                    {variable.name: "every likelihood is 0; at least one has to be more"}
                )
            weights /= largest
        case _:
            assert_never(finding)
    if not weights.any():  # every state is excluded
        raise ImpossibleEvidenceError({variable.name: str(finding)})
    return weights


def _checked(variable: Variable, state: str, weight: float) -> float:
    if not (math.isfinite(weight) and weight >= 0):
        raise ParameterError(
            {variable.name: f"the likelihood of {state} is {weight}; it has to be a number ≥ 0"}
        )
    return weight
