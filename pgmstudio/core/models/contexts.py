"""A labelled graph in a context: which edges vanish, which labels remain, what is independent.

A label is satisfied in a context when it holds for every completion of it (Pensar et al. 2015,
§2.2). Separation in the graph that is left is sound: what it answers holds in every distribution
of the labelled graph. It is not complete, since deciding all that is implied is coNP-hard.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.errors import GraphError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.separation import dsep_set
from pgmstudio.core.models.label_partitions import Classes, Label
from pgmstudio.core.models.labelled_dag import LabelledDag

Floats = NDArray[np.float64]
Context = Mapping[int, int]

# Reasoning by cases looks at every state of so many further variables.
MOST_CASES = 2


def classes_in(model: LabelledDag, i: int, context: Context) -> Classes:
    """The partition of a variable where the context fixes some parents; they keep an axis of 1."""
    parents = model.dag.parent_indices[i]
    chosen: tuple[Any, ...] = tuple(
        slice(context[p], context[p] + 1) if p in context else slice(None) for p in parents
    )
    return np.asarray(model.classes[i][chosen])


def is_satisfied(model: LabelledDag, source: str, target: str, context: Context) -> bool:
    """Whether the edge vanishes in the context: its label holds for every completion."""
    return bool(label_in(model, source, target, context).all())


def label_in(model: LabelledDag, source: str, target: str, context: Context) -> Label:
    """What the label of an edge says in the context: its completions alone.

    The context may fix the edge's own source; that has no bearing on the label.
    """
    label = model.label(source, target)
    others = [model.domain.index(name) for name in model.other_parents(source, target)]
    chosen: tuple[Any, ...] = tuple(
        slice(context[p], context[p] + 1) if p in context else slice(None) for p in others
    )
    return np.asarray(label[chosen])


def deciding_variables(model: LabelledDag) -> set[str]:
    """The variables whose states decide whether some edge vanishes."""
    found: set[str] = set()
    for edge in model.labelled_edges:
        label = model.label(*edge)
        for axis, name in enumerate(model.other_parents(*edge)):
            if (label != label.take([0], axis)).any():
                found.add(name)
    return found


def vanished_edges(model: LabelledDag, context: Context) -> tuple[tuple[str, str], ...]:
    """The edges whose labels are satisfied in the context."""
    return tuple(e for e in model.labelled_edges if is_satisfied(model, *e, context))


def context_graph(model: LabelledDag, context: Context) -> Dag:
    """The graph without the edges that vanish in the context."""
    gone = set(vanished_edges(model, context))
    if not gone:
        return model.dag
    return Dag.from_edges(model.domain.names, [e for e in model.edges if e not in gone])


def context_tables(model: LabelledDag, graph: Dag, context: Context) -> tuple[Floats, ...]:
    """The tables in the context: its states fixed, an axis for each other parent that is left.

    A variable of the context keeps its own axis, with nothing on its other states.
    """
    tables = []
    for i, parents in enumerate(model.dag.parent_indices):
        left = graph.parent_indices[i]
        chosen: tuple[Any, ...] = tuple(
            context[p] if p in context else (slice(None) if p in left else 0) for p in parents
        )
        tables.append(model.rows[i][model.classes[i][chosen]])
    return tuple(tables)


@dataclass(frozen=True)
class Separation:
    """The answer to “is A independent of B given S in context C”.

    `vanished` are the edges that the context takes away; `cases` the variables whose every state
    had to be looked at for the answer, none when the graph of the context tells it at once.
    """

    holds: bool
    vanished: tuple[tuple[str, str], ...]
    graph: Dag
    cases: tuple[str, ...] = ()


def separation(
    model: LabelledDag,
    sources: Iterable[str],
    targets: Iterable[str],
    given: Iterable[str] = (),
    context: Mapping[str, str] | None = None,
    most_cases: int = MOST_CASES,
) -> Separation:
    """Whether X_A ⊥ X_B | X_S, x_C can be read off the labelled graph, by cases if need be."""
    domain = model.domain
    fixed = {domain.index(n): domain[n].code(s) for n, s in (context or {}).items()}
    a, b, known = ({domain.index(n) for n in names} for names in (sources, targets, given))
    for one, other in itertools.combinations((a, b, known | set(fixed)), 2):
        if one & other:
            name = domain.names[min(one & other)]
            raise GraphError(f"{name} stands on two sides of the question; name it once.")
    graph = context_graph(model, fixed)
    gone = vanished_edges(model, fixed)
    for size in range(most_cases + 1):
        for cases in itertools.combinations(sorted(known), size):
            if all(
                _is_separated(
                    model, a, b, known, {**fixed, **dict(zip(cases, states, strict=True))}
                )
                for states in itertools.product(*(range(domain.cardinalities[v]) for v in cases))
            ):
                return Separation(True, gone, graph, tuple(domain.names[v] for v in cases))
    return Separation(False, gone, graph)


def _is_separated(
    model: LabelledDag, a: set[int], b: set[int], given: set[int], context: Context
) -> bool:
    graph = context_graph(model, context)
    return b <= dsep_set(graph, a, given | set(context))


def is_equivalent(one: LabelledDag, other: LabelledDag, most_states: int = 4096) -> bool | None:
    """Whether both imply the same independences: True, False, or None where these tests cannot say.

    Different skeletons of regular graphs differ; where in every context of all variables the two
    graphs are Markov equivalent, the labelled ones are too.
    """
    from pgmstudio.core.graphs.cpdag import cpdag_of

    one, other = one.regular(), other.regular()
    if one.domain != other.domain:
        return False
    skeletons = [{frozenset(edge) for edge in model.edges} for model in (one, other)]
    if skeletons[0] != skeletons[1]:
        return False
    if one.domain.joint_states() > most_states:
        return None
    for states in itertools.product(*(range(c) for c in one.domain.cardinalities)):
        context = dict(enumerate(states))
        if cpdag_of(context_graph(one, context)) != cpdag_of(context_graph(other, context)):
            return None
    return True


def shortened(label: Label) -> list[tuple[int | None, ...]]:
    """The contexts of a label as few rows as simple cutting gives; None stands for any state."""
    rows: list[tuple[int | None, ...]] = []

    def cut(block: Label, fixed: tuple[int | None, ...]) -> None:
        if not block.any():
            return
        if block.all():
            rows.append(fixed)
            return
        free = [axis for axis in range(block.ndim) if fixed[axis] is None]
        # The question after which most pieces are all or nothing.
        axis = max(free, key=lambda a: (_clear(block, a), -a))
        for state in range(block.shape[axis]):
            told = (*fixed[:axis], state, *fixed[axis + 1 :])
            cut(np.take(block, [state], axis), told)

    cut(label, (None,) * label.ndim)
    return rows


def _clear(block: Label, axis: int) -> int:
    """How many states of this axis leave a piece that is all or nothing."""
    pieces = [np.take(block, [state], axis) for state in range(block.shape[axis])]
    return sum(bool(piece.all() or not piece.any()) for piece in pieces)
