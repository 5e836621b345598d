"""Impossible states of a variable, and the findings that exclude them."""

from __future__ import annotations

from collections.abc import Mapping

from pgmstudio.core.analysis.belief_query import Evidence, become
from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import ImpossibleEvidenceError
from pgmstudio.core.inference.base import Finding, InferenceSession, Observed, as_seen, weights_of

# With so many findings the search for a smallest conflict would be felt.
MAX_FINDINGS_TRACED = 6


def is_ruled_out(
    variable: Variable,
    state: str,
    prior: Floats | None,
    belief: Floats | None,
    own: Finding | None,
) -> bool:
    """Whether the model or the other evidence excludes the state; None: not known at present."""
    index = variable.code(state)
    if prior is not None and prior[index] <= 0:
        return True
    if belief is None or belief[index] > 0:
        return False
    # Its own finding may be replaced.
    return own is None or bool(weights_of(variable, as_seen(own))[index] > 0)


def findings_against(
    variable: Variable,
    state: str,
    prior: Floats,
    evidence: Evidence,
    session: InferenceSession | None,
) -> Mapping[str, str]:
    """The findings that exclude the state, as text; empty when the model itself excludes it.

    Without a session at hand, or with many findings, all those on other variables.
    """
    if prior[variable.code(state)] <= 0:
        return {}
    others = {name: str(f) for name, f in evidence.items() if name != variable.name}
    if session is not None and len(others) <= MAX_FINDINGS_TRACED:
        try:
            become(session, {**evidence, variable.name: Observed(state)})
            become(session, evidence)
        except ImpossibleEvidenceError as impossible:
            others = {n: f for n, f in impossible.conflict.items() if n != variable.name}
    return others
