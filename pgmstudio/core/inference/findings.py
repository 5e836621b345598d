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

NO_INTERVENTION = (
    "the edges of this model do not lead from causes to effects. "
    "Use a Bayesian network, a labelled DAG or a tree, or observe it instead."
)
SCALED_LIKELIHOODS = "Likelihoods are scaled to a largest value of 1."


def weights_of(variable: Variable, finding: Finding) -> NDArray[np.float64]:
    """P(finding | state) for each state.

    Only the ratios of a likelihood have a meaning, so it is scaled to a largest value of 1. P(e)
    is then a probability on any scale of the numbers given, and no scale can underflow.
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
            if not weights.max() > 0:
                raise ParameterError(
                    {variable.name: "every likelihood is 0; at least one has to be more"}
                )
        case Done(state):
            # Weighing is observing; whoever can intervene has done so before it comes to weights.
            raise GraphError(
                f"do({variable.name} = {state}) has no meaning here: {NO_INTERVENTION}"
            )
        case _:
            assert_never(finding)
    if not weights.any():  # every state is excluded
        raise ImpossibleEvidenceError({variable.name: str(finding)})
    weights /= weights.max()
    return weights


def scaling_note(evidence: Mapping[str, Finding]) -> str:
    """What P(e) means when there is a likelihood among the findings; empty when there is none."""
    has_likelihood = any(isinstance(finding, Likelihood) for finding in evidence.values())
    return SCALED_LIKELIHOODS if has_likelihood else ""


def _checked(variable: Variable, state: str, weight: float) -> float:
    if not (math.isfinite(weight) and weight >= 0):
        raise ParameterError(
            {variable.name: f"the likelihood of {state} is {weight}; it has to be a number ≥ 0"}
        )
    return weight
