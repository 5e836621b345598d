"""Separation in a context, for languages whose edges vanish in contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.separation import Separation
from pgmstudio.core.inference.base import InferenceSession
from pgmstudio.core.languages.base import ContextOperations
from pgmstudio.core.model import Model


@dataclass(frozen=True)
class ContextAnswer:
    """The answer to a separation query: trails in the graph of the context, and the cases used."""

    trails: Separation
    holds: bool
    context: Mapping[str, str]
    vanished: tuple[str, ...] = ()  # the edges as text
    cases: tuple[str, ...] = ()

    def statement(self, one: str, other: str, known: str) -> str:
        """“A ⟂ B given Z, where C = c”, or that it is not implied."""
        where = ", ".join(f"{name} = {state}" for name, state in self.context.items())
        where = f", where {where}" if where else ""
        if self.holds:
            return f"{one} ⟂ {other}{known}{where}"
        return f"{one} ⟂ {other}{known}{where}: not implied"

    def detail(self) -> str:
        """The explanation of the answer, shown before the trails."""
        parts = []
        if self.vanished:
            more = ", …" if self.vanished[3:] else ""
            parts.append(f"Without {', '.join(self.vanished[:3])}{more}.")
        if self.cases:
            parts.append(f"In every state of {' and '.join(self.cases)} on its own.")
        if not self.holds:
            parts.append("It may still hold: the search is sound, not complete.")
        return " ".join(parts)


def context_answer(
    operations: ContextOperations,
    model: Model,
    context: Mapping[str, str],
    one: str,
    other: str | None,
    given: tuple[str, ...],
    _cancel: CancelToken,
) -> ContextAnswer:
    """The separation of two variables where the context is observed; without B only the variables
    irrelevant to A."""
    # The queried variables are not fixed, even if the context names them.
    fixed = {n: s for n, s in context.items() if n not in (one, other) and n not in given}
    known = (*given, *fixed)
    free = [name for name in model.domain.names if name != one and name not in known]
    end = other or next(iter(free), None)
    if end is None:
        return ContextAnswer(Separation(one, "", known, frozenset(), (), ()), False, fixed)
    result = operations.separation.load()(model, [one], [end], given, fixed)
    trails = result.trails(one, end, known)
    if other is None:
        trails = replace(trails, other="", active=(), blocked=())
        return ContextAnswer(trails, False, fixed)
    gone = tuple(map(result.edge_text, result.vanished))
    return ContextAnswer(trails, result.holds, fixed, gone, result.cases)


def information_in_context(
    operations: ContextOperations,
    model: Model,
    names: Sequence[str],
    context: Mapping[str, str],
    _session: InferenceSession,
    _cancel: CancelToken,
) -> float:
    """I(A;B|Z) in bits where the context is observed; `names` are A, B and those of Z."""
    fixed = {n: s for n, s in context.items() if n not in names}
    return operations.information.load()(model, names, fixed)
