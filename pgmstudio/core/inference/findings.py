"""Findings: edits by a gesture on a state, texts for chips, whether a model has their states."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.inference.base import Done, Excluded, Finding, Likelihood, Observed, weights_of
from pgmstudio.core.model import Model

# What a gesture on a state makes of the finding that was there; None means no finding.


def after_click(present: Finding | None, state: str) -> Finding | None:
    """Set the state; when it is set already, seen or done, retract."""
    return None if present in (Observed(state), Done(state)) else Observed(state)


def after_doing(present: Finding | None, state: str) -> Finding | None:
    """Intervene: do(X = state); a second time, undo it."""
    return None if present == Done(state) else Done(state)


def after_exclusion(variable: Variable, present: Finding | None, state: str) -> Finding | None:
    """Add "not this state", or take it back."""
    excluded = present.states if isinstance(present, Excluded) else frozenset[str]()
    return _without(variable, excluded ^ {state})


def after_allowing(variable: Variable, present: Finding | None, state: str) -> Finding | None:
    """Add the state to "one of these", or take it out."""
    states = frozenset(variable.states)
    match present:
        case Observed(seen):
            allowed = frozenset({seen})
        case Excluded(out):
            allowed = states - out
        case _:
            allowed = frozenset()
    return _without(variable, states - (allowed ^ {state}))


def _without(variable: Variable, excluded: frozenset[str]) -> Finding | None:
    left = frozenset(variable.states) - excluded
    if not excluded or not left:
        return None
    return Observed(next(iter(left))) if len(left) == 1 else Excluded(excluded)


@dataclass(frozen=True, slots=True)
class Chip:
    """A short text with an icon in the colours of `tint`: evidence, virtual, do, neutral …"""

    text: str
    icon: str
    tint: str


TARGET = Chip("target", "crosshair", "target")


def chip_of(variable: Variable, finding: Finding) -> Chip:
    """`yes` with a flag, `≠ yes`, `∈ 2 of 4`, `3 : 1`, `do yes`."""
    match finding:
        case Observed(state):
            return Chip(state, "flag-fill", "evidence")
        case Excluded(states) if len(states) == 1:
            return Chip(f"≠ {next(iter(states))}", "flag-fill", "evidence")
        case Excluded(states):
            left = variable.cardinality - len(states)
            return Chip(f"∈ {left} of {variable.cardinality}", "flag-fill", "evidence")
        case Likelihood():
            return Chip(odds(variable, finding), "sliders-horizontal", "virtual")
        case Done(state):
            return Chip(f"do {state}", "lock-simple", "do")


def short_text(variable: Variable, finding: Finding) -> str:
    """The same for a list of evidence: `= yes`, `≠ yes`, `0.9 : 0.3`."""
    match finding:
        case Observed(state):
            return f"= {state}"
        case Done():
            return str(finding)
        case Likelihood() if variable.cardinality <= 3:
            given = dict(finding.weights)
            return " : ".join(f"{given.get(state, 0.0):.3g}" for state in variable.states)
        case _:
            return chip_of(variable, finding).text


def odds(variable: Variable, finding: Likelihood) -> str:
    """The ratio of the weights, the smallest being 1; of many states just the word."""
    weights = weights_of(variable, finding)
    least = min(weights[weights > 0])
    if variable.cardinality > 3 or weights.max() / least >= 1000:
        return "likelihood"
    return " : ".join(f"{weight / least:.2g}" for weight in weights)


def finding_text(finding: Finding) -> str:
    """All of it, for tooltips and texts: `= yes`, `≠ a, b`, `likelihood yes 0.9, no 0.3`."""
    if isinstance(finding, Likelihood):
        return "likelihood " + ", ".join(f"{s} {weight:.3g}" for s, weight in finding.weights)
    return str(finding)


def ruled_out_sentence(what: str, by: Mapping[str, str]) -> str:
    """“smoke = yes and either = no rule out lung = yes.”; of many findings three are named."""
    named = [f"{name} {finding}" for name, finding in by.items()]
    if len(named) > 4:
        named[3:] = [f"{len(named) - 3} more"]
    if not named:
        return f"{what} is impossible in this model."
    terms = " and ".join(filter(None, [", ".join(named[:-1]), named[-1]]))
    return f"{terms} {'rules' if len(named) == 1 else 'rule'} out {what}."


def fits(model: Model, variable: str, finding: Finding) -> bool:
    """Whether the model has the variable and the states of a finding."""
    if variable not in model.domain:
        return False
    states = set(model.domain[variable].states)
    match finding:
        case Observed(state) | Done(state):
            return state in states
        case Excluded(excluded):
            return excluded < states
        case Likelihood(weights):
            return {state for state, _ in weights} <= states


# Which findings cannot hold together: a smallest set of them.

MAX_TRIES = 3_000


def smallest_conflict(
    evidence: Mapping[str, Finding],
    is_possible: Callable[[Mapping[str, Finding]], bool],
    most_tries: int = MAX_TRIES,
) -> dict[str, str]:
    """A smallest set of findings that is impossible, each as text; `evidence` as a whole is.

    First a set from which nothing can be left out; then smaller ones by size, until `most_tries`
    sets were tried. What is returned is then still a conflict without a superfluous finding.
    """

    def clash(names: Iterable[str]) -> bool:
        return not is_possible({name: evidence[name] for name in names})

    core: list[str] = []
    rest = list(evidence)
    while not core or not clash(core):
        # The finding that completes the first impossible beginning belongs to a conflict among
        # that beginning; beginnings are searched by halves.
        beginnings = range(1, len(rest))
        index = bisect_left(beginnings, True, key=lambda end: clash([*core, *rest[:end]]))
        core.append(rest[index])
        rest = rest[:index]
    chosen = core
    for size in range(1, len(core)):
        most_tries -= comb(len(evidence), size)
        smaller = combinations(evidence, size) if most_tries >= 0 else iter(())
        result = next((names for names in smaller if clash(names)), None)
        if result is not None:
            chosen = list(result)
            break
    return {name: str(finding) for name, finding in evidence.items() if name in chosen}
