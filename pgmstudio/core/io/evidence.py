"""Evidence as JSON.

{"rain": {"state": "yes"}, "wind": {"not": ["strong"]}, "sky": {"likelihood": [["clear", 3.0]]},
 "sprinkler": {"do": "on"}}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pgmstudio.core.inference.base import Done, Excluded, Finding, Likelihood, Observed
from pgmstudio.core.json_documents import JsonElement


def evidence_document(evidence: Mapping[str, Finding]) -> dict[str, Any]:
    """Findings by variable as plain values, in the order of the names."""
    return {name: _finding_document(finding) for name, finding in sorted(evidence.items())}


def _finding_document(finding: Finding) -> dict[str, Any]:
    match finding:
        case Observed(state):
            return {"state": state}
        case Excluded(states):
            return {"not": sorted(states)}
        case Likelihood(weights):
            return {"likelihood": [[state, float(weight)] for state, weight in weights]}
        case Done(state):
            return {"do": state}


def read_evidence(location: JsonElement) -> dict[str, Finding]:
    """Findings of a JSON document; the states are not checked against a model."""
    return {name: _read_finding(inside) for name, inside in location.entries()}


def _read_finding(location: JsonElement) -> Finding:
    if (state := location.get("state")) is not None:
        return Observed(state.text())
    if (states := location.get("not")) is not None:
        return Excluded(frozenset(states.texts()))
    if (done := location.get("do")) is not None:
        return Done(done.text())
    if (likelihood := location.get("likelihood")) is None:
        location.fail("expected one of the entries “state”, “not”, “likelihood” or “do”.")
    weights = []
    for element in likelihood.elements():
        pair = element.elements()
        if len(pair) != 2:
            element.fail("expected a state and its weight.")
        weight = pair[1].number()
        if weight < 0:
            pair[1].fail("a weight cannot be below 0.")
        weights.append((pair[0].text(), weight))
    return Likelihood(tuple(weights))
