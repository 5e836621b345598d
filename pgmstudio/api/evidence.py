"""Evidence from plain dicts: observed states, excluded states, likelihoods and interventions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pgmstudio.api.checks import check_mapping
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.inference.base import (
    Done,
    Excluded,
    Finding,
    Likelihood,
    Observed,
    doings_first,
)

States = Mapping[str, str]


def findings_of(
    domain: Domain,
    given: States | None = None,
    not_: Mapping[str, str | Iterable[str]] | None = None,
    soft: Mapping[str, Mapping[str, float]] | None = None,
    do: States | None = None,
) -> dict[str, Finding]:
    """The findings by variable; unknown names and two findings on one variable are refused."""
    check_mapping('{"smoke": "yes"}', given=given, not_=not_, do=do)
    check_mapping('{"smoke": {"yes": 2, "no": 1}}', soft=soft)
    listed: list[tuple[str, Finding]] = []
    for name, state in (given or {}).items():
        listed.append((name, Observed(_state(domain, name, state))))
    for name, excluded in (not_ or {}).items():
        states = [excluded] if isinstance(excluded, str) else list(excluded)
        listed.append((name, Excluded(frozenset(_state(domain, name, s) for s in states))))
    for name, weights in (soft or {}).items():
        check_mapping('{"yes": 2, "no": 1}', **{str(name): weights})
        pairs = tuple((_state(domain, name, s), float(w)) for s, w in weights.items())
        listed.append((name, Likelihood(pairs)))
    for name, state in (do or {}).items():
        listed.append((name, Done(_state(domain, name, state))))
    findings: dict[str, Finding] = {}
    for name, finding in listed:
        if name in findings:
            raise ParameterError({name: "has two findings; give one"})
        findings[name] = finding
    return doings_first(findings)


def _state(domain: Domain, name: str, state: object) -> str:
    variable = domain[name]
    return variable.states[variable.code(str(state))]
