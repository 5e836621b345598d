"""What a gesture on a state makes of the finding that was there; None means no finding."""

from __future__ import annotations

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.inference.base import Done, Excluded, Finding, Observed


def after_click(present: Finding | None, state: str) -> Finding | None:
    """Set the state; when it is set already, seen or done, retract."""
    return None if present in (Observed(state), Done(state)) else Observed(state)


def after_doing(present: Finding | None, state: str) -> Finding | None:
    """Set the state from outside; when that was done already, undo it."""
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
