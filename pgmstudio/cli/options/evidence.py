"""Evidence on the command line (V=s and V=s:w,s:w) and in UAI evidence files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pgmstudio.cli.terminal.parser import CommandParser, UsageError, listed, spelled
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.inference.base import (
    Done,
    Excluded,
    Finding,
    Likelihood,
    Observed,
    doings_first,
    scaling_note,
)
from pgmstudio.core.languages.sessions import direction_note
from pgmstudio.core.model import Model


def add_evidence_options(parser: CommandParser) -> None:
    many: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}
    parser.add_argument("--given", metavar="V=s", help="observe V in state s", **many)
    parser.add_argument(
        "--not", dest="excluded", metavar="V=s", help="exclude state s of V", **many
    )
    parser.add_argument(
        "--soft",
        metavar="V=s:w,s:w",
        help="set likelihoods of the states, scaled so that the largest is 1; others are 0",
        **many,
    )
    parser.add_argument("--do", dest="done", metavar="V=s", help="intervene: do(V = s)", **many)


def evidence_notes(model: Model, findings: Mapping[str, Finding]) -> list[str]:
    """Notes on how to read beliefs given these findings."""
    return [note for note in (scaling_note(findings), direction_note(model, findings)) if note]


def notes_json(model: Model, findings: Mapping[str, Finding]) -> dict[str, list[str]]:
    """The field `notes`, if there are any."""
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


def evidence_from_args(domain: Domain, args: argparse.Namespace) -> dict[str, Finding]:
    """The findings of the options of `add_evidence_options`."""
    return evidence_from(domain, args.given, args.excluded, args.soft, args.done)


def evidence_from(
    domain: Domain,
    given: Sequence[str],
    excluded: Sequence[str] = (),
    soft: Sequence[str] = (),
    done: Sequence[str] = (),
) -> dict[str, Finding]:
    """Findings from texts; a variable has one finding, which may exclude several states."""
    excluded_states: dict[str, set[str]] = {}
    for text in _findings_in(domain, excluded):
        variable, state = split_at_variable(domain, text, "--not V=s")
        state = state_of(variable, state)
        excluded_states.setdefault(variable.name, set()).add(state)
    parsed: list[tuple[str, Finding]] = []
    for text in _findings_in(domain, given):
        variable, state = split_at_variable(domain, text, "--given V=s")
        parsed.append((variable.name, Observed(state_of(variable, state))))
    parsed += [(name, Excluded(frozenset(states))) for name, states in excluded_states.items()]
    for text in soft:
        variable, rest = split_at_variable(domain, text, "--soft V=s:w,s:w")
        parsed.append((variable.name, Likelihood(tuple(weights_from(variable, rest)))))
    for text in _findings_in(domain, done):
        variable, state = split_at_variable(domain, text, "--do V=s")
        parsed.append((variable.name, Done(state_of(variable, state))))
    findings: dict[str, Finding] = {}
    for name, finding in parsed:
        if name in findings and findings[name] != finding:
            raise UsageError(
                f"{name} is given twice: {name} {findings[name]} and {name} {finding}. Choose one."
            )
        findings[name] = finding
    return doings_first(findings)


def observed_states(domain: Domain, texts: Sequence[str]) -> dict[str, str]:
    """States by variable from texts V=s."""
    findings = evidence_from(domain, texts)
    return {name: f.state for name, f in findings.items() if isinstance(f, Observed)}


def _findings_in(domain: Domain, texts: Sequence[str]) -> Iterator[str]:
    """Texts V=s; one with commas or blanks is several, unless its state is known as it is."""

    def is_finding(text: str) -> bool:
        name, _, state = text.partition("=")
        variable = spelled(name, domain.names)
        return variable in domain and spelled(state, domain[variable].states) in set(
            domain[variable].states
        )

    def begins_with_variable(text: str) -> bool:
        return "=" in text and spelled(text.partition("=")[0], domain.names) in domain

    for text in texts:
        splits = ([text], [part.strip() for part in text.split(",")], listed(text))
        named = [parts for parts in splits if all(map(begins_with_variable, parts))]
        known = [parts for parts in named if all(map(is_finding, parts))]
        yield from [*known, *reversed(named), [text]][0]


def state_of(variable: Variable, text: str) -> str:
    """The state that is meant; case does not matter where only one state is spelled so."""
    state = spelled(text, variable.states)
    variable.code(state)  # raises, with the nearest state
    return state


def split_at_variable(domain: Domain, text: str, form: str) -> tuple[Variable, str]:
    """Split `V=s` at the first “=” after a known variable; names may contain “=” too."""
    if "=" not in text:
        raise UsageError(f"{text!r} is not of the form {form}.")
    positions = [index for index, character in enumerate(text) if character == "="]
    for position in positions:
        name = spelled(text[:position], domain.names)
        if name in domain:
            return domain[name], text[position + 1 :]
    raise UnknownNameError("variable", text[: positions[0]], domain.names)


def weights_from(variable: Variable, text: str) -> list[tuple[str, float]]:
    """Parse `s:w,s:w`; states may contain “:” and “,” themselves."""
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
        raise UsageError(
            f"The weights of {variable.name} are all 0; at least one must be positive."
        )
    return weights


def add_evidence_file_options(parser: CommandParser) -> None:
    parser.add_argument(
        "--evidence",
        metavar="FILE.evid",
        help="read findings from a UAI evidence file with one set",
    )
    parser.add_argument(
        "--save-evidence", metavar="FILE.evid", help="write the findings to such a file"
    )


def read_evidence_file(path: str | None, domain: Domain) -> Mapping[str, Finding]:
    """The findings of a file; none without a file."""
    if path is None:
        return {}
    from pgmstudio.core.io.models.uai import read_evidence

    cases = read_evidence(path, domain)
    if len(cases) != 1:
        raise UsageError(f"{path} has {len(cases)} sets of evidence; expected one.")
    return cases[0]


def save_evidence(
    path: str | None, domain: Domain, findings: Mapping[str, Finding], line: ProgressLine
) -> None:
    """Write the findings, and report what the file cannot hold."""
    if path is None:
        return
    from pgmstudio.core.io.models.uai import write_evidence

    for message in write_evidence(path, [findings], domain):
        line.message(message)
    line.message(f"Wrote {path}.")
