"""What is independent in a context of a labelled graph and is not without it, in statements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pgmstudio.core.graphs.separation import dsep_set
from pgmstudio.core.models.contexts import context_graph, vanished_edges
from pgmstudio.core.models.labelled_dag import LabelledDag
from pgmstudio.core.running import NEVER, CancelToken

# Beyond so many variables only the ends of vanished edges are looked at.
MOST_VARIABLES = 200


@dataclass(frozen=True, slots=True)
class Statement:
    """X ⊥ Y given others, in the context."""

    one: str
    other: str
    given: tuple[str, ...] = ()

    def __str__(self) -> str:
        known = f" given {', '.join(self.given)}" if self.given else ""
        return f"{self.one} ⊥ {self.other}{known}"


def statements_in(
    model: LabelledDag, context: Mapping[int, int], cancel: CancelToken = NEVER
) -> list[Statement]:
    """Pairs that the context separates and the graph with the same variables known does not.

    First the ends of edges that vanish, with as few known as will do; then other pairs.
    """
    graph, names, known = context_graph(model, context), model.domain.names, set(context)
    gone, found = vanished_edges(model, context), {}
    for source, target in gone:
        cancel.raise_if_cancelled()
        one, other = model.domain.index(target), model.domain.index(source)
        if {one, other} & known:
            continue
        rest = {model.domain.index(n) for n in model.other_parents(source, target)} - known
        for given in (set(), rest) if rest else (set(),):
            if other in dsep_set(graph, {one}, known | given):
                listed = tuple(names[i] for i in sorted(given))
                found[frozenset((one, other))] = Statement(target, source, listed)
                break
    if gone and len(names) <= MOST_VARIABLES:
        for one in (i for i in range(len(names)) if i not in known):
            cancel.raise_if_cancelled()
            new = dsep_set(graph, {one}, known) - dsep_set(model.dag, {one}, known)
            for other in sorted(new - known):
                if other > one:
                    pair = frozenset((one, other))
                    found.setdefault(pair, Statement(names[one], names[other]))
    return list(found.values())
