"""Findings as numbers: one weight per state."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import GraphError, ImpossibleEvidenceError, ParameterError
from pgmstudio.core.inference.protocols import Done, Excluded, Finding, Likelihood, Observed


def given_weights(variable: Variable, finding: Finding) -> NDArray[np.float64]:
    """P(finding | state) for each state, as given; a likelihood may be on any scale."""
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
            if not weights.max() > 0:
                raise ParameterError(
                    {variable.name: "every likelihood is 0; at least one has to be more"}
                )
        case Done(state):
            # Weighing is observing; whoever can intervene has done so before it comes to weights.
            raise GraphError(
                f"{variable.name} cannot be set to {state} from outside in this model; "
                "observe it instead."
            )
        case _:
            assert_never(finding)
    if not weights.any():  # every state is excluded
        raise ImpossibleEvidenceError({variable.name: str(finding)})
    return weights


def weights_of(variable: Variable, finding: Finding) -> NDArray[np.float64]:
    """The same scaled so that the largest is 1: beliefs depend on the ratios alone, and sessions
    compute with these so that no scale can underflow."""
    weights = given_weights(variable, finding)
    weights /= weights.max()
    return weights


def log2_scale(evidence: Mapping[str, Finding]) -> float:
    """What P(e) lost in bits by scaling its likelihoods: Σ log2 of their largest weights."""
    return sum(
        math.log2(max(weight for _, weight in finding.weights))
        for finding in evidence.values()
        if isinstance(finding, Likelihood)
    )


def _checked(variable: Variable, state: str, weight: float) -> float:
    if not (math.isfinite(weight) and weight >= 0):
        raise ParameterError(
            {variable.name: f"the likelihood of {state} is {weight}; it has to be a number ≥ 0"}
        )
    return weight
