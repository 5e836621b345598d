"""Separation queries in a labelled DAG: the graph of the context, cases if needed, and their text.

The answer “independent” holds in every distribution of the labelled DAG; “not implied” means only
that neither the graph nor a few cases imply it, since deciding all of it is coNP-hard.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.separation import Separation, irrelevant_to, separation_of
from pgmstudio.core.inference.base import InferenceSession
from pgmstudio.core.languages.ldag.contexts import context_graph, separation
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.session import information_in


@dataclass(frozen=True)
class LabelledAnswer:
    """The answer to a separation query: trails in the graph of the context, and the cases used."""

    trails: Separation
    holds: bool
    context: Mapping[str, str]
    vanished: tuple[tuple[str, str], ...] = ()
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
            gone = ", ".join(" → ".join(edge) for edge in self.vanished[:3])
            more = ", …" if self.vanished[3:] else ""
            parts.append(f"Without {gone}{more}.")
        if self.cases:
            parts.append(f"In every state of {' and '.join(self.cases)} on its own.")
        if not self.holds:
            parts.append("It may still hold: the search is sound, not complete.")
        return " ".join(parts)


class ContextGraphs:
    """The graph of the current context, cached while model and context are the same."""

    def __init__(self) -> None:
        self._cached: tuple[LabelledDag, tuple[tuple[int, int], ...], Dag] | None = None

    def graph(self, model: LabelledDag, context: Mapping[int, int]) -> Dag:
        key = tuple(sorted(context.items()))
        if self._cached is None or self._cached[0] is not model or self._cached[1] != key:
            self._cached = (model, key, context_graph(model, context))
        return self._cached[2]


def labelled_answer(
    model: LabelledDag,
    graph: Dag,
    context: Mapping[str, str],
    one: str,
    other: str | None,
    given: tuple[str, ...],
    _cancel: CancelToken,
) -> LabelledAnswer:
    """The separation of two variables given the context and the labels; the context is observed."""
    # The queried variables are not fixed, even if the context names them.
    fixed = {n: s for n, s in context.items() if n not in (one, other) and n not in given}
    known = (*given, *fixed)
    if other is None:
        trails = Separation(one, "", known, irrelevant_to(graph, one, known), (), ())
        return LabelledAnswer(trails, False, fixed)
    if len(fixed) < len(context):
        codes = {model.domain.index(n): model.domain[n].code(s) for n, s in fixed.items()}
        graph = context_graph(model, codes)
    trails = separation_of(graph, one, other, known)
    result = separation(model, [one], [other], given, fixed)
    return LabelledAnswer(trails, result.holds, fixed, result.vanished, result.cases)


def information_question(
    model: LabelledDag, names: Sequence[str], context: Mapping[str, str]
) -> partial[float]:
    """The conditional mutual information in the context, as a task for the background worker."""
    fixed = {n: s for n, s in context.items() if n not in names}
    return partial(_information, model, tuple(names), fixed)


def _information(
    model: LabelledDag,
    names: Sequence[str],
    context: Mapping[str, str],
    _session: InferenceSession,
    _cancel: CancelToken,
) -> float:
    return information_in(model, names, context)
