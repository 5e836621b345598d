"""Updating beliefs by cases: in a context edges vanish, and small networks do for a large one.

P(x) = Σ_c [x_C = c] P_c(x), where P_c is the network of the context X_C = c: without the edges
whose labels hold there, its tables cut to the context. The variables C are chosen so that the
clique trees of all cases together have the fewest table cells.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache

from pgmstudio.core.graphs.clique_trees import clique_tree_of
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.triangulation import Looks
from pgmstudio.core.models.bayesian_network import BayesianNetwork
from pgmstudio.core.models.contexts import context_graph, context_tables
from pgmstudio.core.models.labelled_dag import LabelledDag

# More cases than this cost more to look after than they save.
MOST_CASES = 64
_MOST_VARIABLES = 4
# What choosing the variables may cost, about half a second; the best so far is taken then.
_MOST_LOOKS = 1_000_000


@dataclass(frozen=True)
class Cases:
    """The variables to tell cases apart by, and what all cases cost in table cells."""

    variables: tuple[int, ...]
    cells: int
    whole_cells: int  # of one clique tree for the network without labels


@lru_cache(maxsize=64)
def best_cases(model: LabelledDag) -> Cases:
    """Chosen greedily, a variable at a time, as long as the cells become fewer."""
    whole = model.as_bayesian_network.effective_size()
    best = Cases((), whole, whole)
    candidates = _deciding(model)
    budget = Looks(_MOST_LOOKS)
    while len(best.variables) < _MOST_VARIABLES:
        found = best
        for variable in candidates:
            if variable in best.variables or budget.left <= 0:
                continue
            chosen = tuple(sorted((*best.variables, variable)))
            if math.prod(model.domain.cardinalities[v] for v in chosen) > MOST_CASES:
                continue
            cells = _cells(model, chosen, found.cells, budget)
            if cells < found.cells:
                found = Cases(chosen, cells, whole)
        if found is best:
            return best
        best = found
    return best


def _deciding(model: LabelledDag) -> list[int]:
    """Variables that some label is about."""
    found: set[int] = set()
    for source, target in model.labelled_edges:
        found.update(model.domain.index(n) for n in model.other_parents(source, target))
    return sorted(found)


def _cells(model: LabelledDag, variables: tuple[int, ...], most: int, budget: Looks) -> int:
    """Of all cases; stops counting beyond `most`."""
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
