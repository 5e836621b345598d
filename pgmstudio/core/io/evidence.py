"""Evidence as JSON.

{"rain": {"state": "yes"}, "wind": {"not": ["strong"]}, "sky": {"likelihood": [["clear", 3.0]]},
 "sprinkler": {"do": "on"}}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pgmstudio.core.inference.base import Done, Excluded, Finding, Likelihood, Observed
from pgmstudio.core.json_documents import JsonPlace


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


def read_evidence(place: JsonPlace) -> dict[str, Finding]:
    """The findings that a document says; whether a model has such states is not looked at."""
    return {name: _read_finding(inside) for name, inside in place.entries()}


def _read_finding(place: JsonPlace) -> Finding:
    if (state := place.get("state")) is not None:
        return Observed(state.text())
    if (states := place.get("not")) is not None:
        return Excluded(frozenset(states.texts()))
    if (done := place.get("do")) is not None:
        return Done(done.text())
    if (likelihood := place.get("likelihood")) is None:
        place.fail("expected one of the entries “state”, “not”, “likelihood” or “do”.")
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
