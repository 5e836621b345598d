"""Evidence as it is typed: V=s, and V=s:w,s:w; read with the names of a model's domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.inference.base import (
    Done,
    Excluded,
    Finding,
    Likelihood,
    Observed,
    scaling_note,
)
from pgmstudio.core.languages.interventions import direction_note, doings_first
from pgmstudio.core.model import Model


def add_evidence_options(parser: CommandParser) -> None:
    many: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}
    parser.add_argument("--given", metavar="V=s", help="V is in state s", **many)
    parser.add_argument("--not", dest="excluded", metavar="V=s", help="V is not in s", **many)
    parser.add_argument(
        "--soft",
        metavar="V=s:w,s:w",
        help="likelihoods of the states, scaled to a largest value of 1; left out means 0",
        **many,
    )
    parser.add_argument(
        "--do", dest="done", metavar="V=s", help="V is set to s from outside, do(V = s)", **many
    )


def evidence_notes(model: Model, findings: Mapping[str, Finding]) -> list[str]:
    """What the reader has to know about these findings to read the answers."""
    return [note for note in (scaling_note(findings), direction_note(model, findings)) if note]


def notes_json(model: Model, findings: Mapping[str, Finding]) -> dict[str, list[str]]:
    """`notes` where there are any."""
    notes = evidence_notes(model, findings)
    return {"notes": notes} if notes else {}


def finding_json(finding: Finding) -> Any:
    """ "yes", {"not": ["yes"]}, {"likelihood": {"yes": 0.8, …}} or {"do": "yes"}."""
    match finding:
        case Observed(state):
            return state
        case Excluded(states):
            return {"not": sorted(states)}
        case Likelihood(weights):
            return {"likelihood": dict(weights)}
        case Done(state):
            return {"do": state}


def evidence_from(
    domain: Domain,
    given: Sequence[str],
    excluded: Sequence[str],
    soft: Sequence[str],
    done: Sequence[str] = (),
) -> dict[str, Finding]:
    """Findings from texts; a variable may be spoken of once, but several states excluded."""
    findings: dict[str, Finding] = {}
    ruled_out: dict[str, set[str]] = {}
    for text in excluded:
        variable, state = split_at_variable(domain, text, "--not V=s")
        variable.code(state)
        ruled_out.setdefault(variable.name, set()).add(state)
    found: list[tuple[str, Finding]] = []
    for text in given:
        variable, state = split_at_variable(domain, text, "--given V=s")
        variable.code(state)
        found.append((variable.name, Observed(state)))
    found += [(name, Excluded(frozenset(states))) for name, states in ruled_out.items()]
    for text in soft:
        variable, rest = split_at_variable(domain, text, "--soft V=s:w,s:w")
        found.append((variable.name, Likelihood(tuple(weights_from(variable, rest)))))
    for text in done:
        variable, state = split_at_variable(domain, text, "--do V=s")
        variable.code(state)
        found.append((variable.name, Done(state)))
    for name, finding in found:
        if name in findings and findings[name] != finding:
            raise UsageError(
                f"{name} is given twice: {name} {findings[name]} and {name} {finding}. Choose one."
            )
        findings[name] = finding
    return doings_first(findings)


def split_at_variable(domain: Domain, text: str, form: str) -> tuple[Variable, str]:
    """`V=s` at the first “=” that leaves a known variable; names may hold “=” too."""
    if "=" not in text:
        raise UsageError(f"{text!r} is not of the form {form}.")
    places = [place for place, sign in enumerate(text) if sign == "="]
    for place in places:
        if text[:place] in domain:
            return domain[text[:place]], text[place + 1 :]
    raise UnknownNameError("variable", text[: places[0]], domain.names)


def weights_from(variable: Variable, text: str) -> list[tuple[str, float]]:
    """`s:w,s:w` with the variable's states, which may hold “:” and “,” themselves."""
    weights: list[tuple[str, float]] = []
    rest = text
    while rest:
        known = sorted(variable.states, key=len, reverse=True)
        state = next((state for state in known if rest.startswith(f"{state}:")), None)
        if state is None:
            raise UnknownNameError(f"state of {variable.name}", rest.split(":")[0], variable.states)
        weight, _, rest = rest[len(state) + 1 :].partition(",")
        try:
            value = float(weight)
        except ValueError:
            value = -1.0
        if not 0 <= value < float("inf"):
            raise UsageError(f"{weight!r}, the weight of {state}, is not a number of at least 0.")
        weights.append((state, value))
    if not any(value > 0 for _, value in weights):
        raise UsageError(f"The weights of {variable.name} are all 0; one has to be more.")
    return weights
