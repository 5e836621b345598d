"""Labelled DAGs in a context: vanished edges, remaining labels, independences, and case networks.

A label is satisfied in a context when it holds for every completion of it (Pensar et al. 2015,
§2.2). Separation in the remaining graph is sound: the independences it finds hold in every
distribution of the labelled DAG. It is not complete, since deciding all implied independences is
coNP-hard.

Beliefs can be updated by cases: P(x) = Σ_c [x_C = c] P_c(x), where P_c is the network of the
context X_C = c, without the edges whose labels hold there and with its tables restricted to the
context. The variables C are chosen so that the clique trees of all cases together have the fewest
table cells.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.errors import GraphError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.junction_tree import clique_tree_of
from pgmstudio.core.graphs.separation import Separation as Trails
from pgmstudio.core.graphs.separation import dsep_set, separation_of
from pgmstudio.core.graphs.triangulation import WorkBudget
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import Label

Context = Mapping[int, int]

# Maximum number of further variables whose states are distinguished as cases.
MAX_CASES = 2


def is_satisfied(model: LabelledDag, source: str, target: str, context: Context) -> bool:
    """Whether the edge vanishes in the context: its label holds for every completion."""
    return bool(label_in(model, source, target, context).all())


def label_in(model: LabelledDag, source: str, target: str, context: Context) -> Label:
    """The label of an edge restricted to the completions of the context.

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
    result: set[str] = set()
    for edge in model.labelled_edges:
        label = model.label(*edge)
        for axis, name in enumerate(model.other_parents(*edge)):
            if (label != label.take([0], axis)).any():
                result.add(name)
    return result


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

    `vanished` are the edges that vanish in the context; `cases` the variables whose states had to
    be distinguished, none if the graph of the context is enough.
    """

    holds: bool
    vanished: tuple[tuple[str, str], ...]
    graph: Dag
    cases: tuple[str, ...] = ()

    def trails(self, one: str, other: str, known: Iterable[str]) -> Trails:
        """The trails between two variables in the graph of the context."""
        return separation_of(self.graph, one, other, known)

    def edge_text(self, edge: tuple[str, str]) -> str:
        return " → ".join(edge)


def separation(
    model: LabelledDag,
    sources: Iterable[str],
    targets: Iterable[str],
    given: Iterable[str] = (),
    context: Mapping[str, str] | None = None,
    most_cases: int = MAX_CASES,
) -> Separation:
    """Whether X_A ⊥ X_B | X_S, x_C can be read off the labelled graph, by cases if need be."""
    domain = model.domain
    fixed = {domain.index(n): domain[n].code(s) for n, s in (context or {}).items()}
    a, b, known = ({domain.index(n) for n in names} for names in (sources, targets, given))
    for one, other in itertools.combinations((a, b, known | set(fixed)), 2):
        if one & other:
            name = domain.names[min(one & other)]
            raise GraphError(f"{name} is named in two sets of the query; name it once.")
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


def shortened(label: Label) -> list[tuple[int | None, ...]]:
    """The contexts of a label as few rows, by greedy splitting; None stands for any state."""
    rows: list[tuple[int | None, ...]] = []

    def cut(block: Label, fixed: tuple[int | None, ...]) -> None:
        if not block.any():
            return
        if block.all():
            rows.append(fixed)
            return
        free = [axis for axis in range(block.ndim) if fixed[axis] is None]
        # The axis whose split leaves most pieces entirely true or entirely false.
        axis = max(free, key=lambda a: (_clear(block, a), -a))
        for state in range(block.shape[axis]):
            narrowed = (*fixed[:axis], state, *fixed[axis + 1 :])
            cut(np.take(block, [state], axis), narrowed)

    cut(label, (None,) * label.ndim)
    return rows


def _clear(block: Label, axis: int) -> int:
    """How many states of this axis leave a piece that is entirely true or entirely false."""
    pieces = [np.take(block, [state], axis) for state in range(block.shape[axis])]
    return sum(bool(piece.all() or not piece.any()) for piece in pieces)


# More cases than this cost more than they save.
MAX_LISTED_CASES = 64
_MAX_VARIABLES = 4
# Work limit of the choice of variables, about half a second; then the best so far is used.
_MAX_CHECKS = 1_000_000


@dataclass(frozen=True)
class Cases:
    """The variables whose states define the cases, and the table cells of all cases."""

    variables: tuple[int, ...]
    cells: int
    whole_cells: int  # of one clique tree for the network without labels


@lru_cache(maxsize=8)  # each keeps its model
def best_cases(model: LabelledDag) -> Cases:
    """The case variables, chosen greedily one at a time while the number of cells decreases."""
    whole = model.as_bayesian_network.effective_size()
    best = Cases((), whole, whole)
    candidates = _deciding(model)
    budget = WorkBudget(_MAX_CHECKS)
    while len(best.variables) < _MAX_VARIABLES:
        result = best
        for variable in candidates:
            if variable in best.variables or budget.left <= 0:
                continue
            chosen = tuple(sorted((*best.variables, variable)))
            if math.prod(model.domain.cardinalities[v] for v in chosen) > MAX_LISTED_CASES:
                continue
            cells = _cells(model, chosen, result.cells, budget)
            if cells < result.cells:
                result = Cases(chosen, cells, whole)
        if result is best:
            return best
        best = result
    return best


def _deciding(model: LabelledDag) -> list[int]:
    """The variables over which some label is defined."""
    result: set[int] = set()
    for source, target in model.labelled_edges:
        result.update(model.domain.index(n) for n in model.other_parents(source, target))
    return sorted(result)


def _cells(model: LabelledDag, variables: tuple[int, ...], most: int, budget: WorkBudget) -> int:
    """Table cells of all cases; stops counting beyond `most`."""
    total = 0
    for states in states_of(model, variables):
        graph = context_graph(model, dict(zip(variables, states, strict=True)))
        cards = [1 if v in variables else c for v, c in enumerate(model.domain.cardinalities)]
        total += clique_tree_of(graph.parent_indices, cards, budget).table_cells
        if total >= most:
            return total
    return total


def states_of(model: LabelledDag, variables: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The cases: every combination of states of these variables."""
    cards = model.domain.cardinalities
    return list(itertools.product(*(range(cards[v]) for v in variables)))


def case_network(model: LabelledDag, context: dict[int, int]) -> BayesianNetwork:
    """The network of a context, over the same variables.

    The edges that vanish are left out, and so are those from the variables of the context, whose
    states are known in their children's tables.
    """
    graph = context_graph(model, context)
    tables = context_tables(model, graph, context)
    parents = tuple(tuple(p for p in given if p not in context) for given in graph.parent_indices)
    return BayesianNetwork(model.domain, Dag(model.domain.names, parents), tables)


# With more variables than this only the ends of vanished edges are tested.
MAX_VARIABLES = 200


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

    First the ends of vanished edges, with the smallest conditioning set; then other pairs.
    """
    graph, names, known = context_graph(model, context), model.domain.names, set(context)
    gone, result = vanished_edges(model, context), {}
    for source, target in gone:
        cancel.raise_if_cancelled()
        one, other = model.domain.index(target), model.domain.index(source)
        if {one, other} & known:
            continue
        rest = {model.domain.index(n) for n in model.other_parents(source, target)} - known
        for given in (set(), rest) if rest else (set(),):
            if other in dsep_set(graph, {one}, known | given):
                listed = tuple(names[i] for i in sorted(given))
                result[frozenset((one, other))] = Statement(target, source, listed)
                break
    if gone and len(names) <= MAX_VARIABLES:
        for one in (i for i in range(len(names)) if i not in known):
            cancel.raise_if_cancelled()
            new = dsep_set(graph, {one}, known) - dsep_set(model.dag, {one}, known)
            for other in sorted(new - known):
                if other > one:
                    pair = frozenset((one, other))
                    result.setdefault(pair, Statement(names[one], names[other]))
    return list(result.values())
