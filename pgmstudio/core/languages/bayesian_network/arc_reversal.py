"""Arc reversal without a change of the distribution (Shachter 1986; Chickering 1995).

For X → Y with Z = pa(X) ∪ pa(Y) without X, both get Z as parents and X gets Y besides:
P(y | z) = Σ P(x | pa(X)) P(y | pa(Y)) over x, and P(x | y, z) is that product over P(y | z). The
product of the two tables is the same before and after, so the joint distribution is too. When the
edge is covered, Z is what both have already: the new graph is equivalent to the old one. Without
new parents the distribution of other edges changes as little as the two tables allow.
"""

from __future__ import annotations

import math

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.errors import GraphError, TooLargeError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import is_covered
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.large_counts import count_text

Edge = tuple[str, str]

# Up to so many joint states two networks are compared state by state, beyond by rows drawn.
MAX_COMPARED_STATES = 2**16
COMPARED_ROWS = 4096
MAX_TABLE_CELLS = 2**22


def inherited_edges(dag: Dag, source: str, target: str) -> tuple[Edge, ...]:
    """The edges that turning source → target around adds; none when the edge is covered."""
    own = set(dag.parents(source))
    others = set(dag.parents(target)) - {source}
    return tuple((name, target) for name in dag.names if name in own - others) + tuple(
        (name, source) for name in dag.names if name in others - own
    )


def not_reversible_reason(dag: Dag, source: str, target: str) -> str:
    """Why the edge cannot be reversed, as text; empty if it can."""
    if not dag.has_edge(source, target):
        return f"there is no edge {source} → {target}."
    way = dag.without_edge(source, target).path(source, target)
    if way is None:
        return ""
    return f"{' → '.join(way)} leads there too, so {target} → {source} would close a cycle."


def with_edge_turned(network: BayesianNetwork, source: str, target: str) -> BayesianNetwork:
    """The same distribution with target → source; both inherit each other's parents.

    Rows of the new table of `source` that cannot happen are uniform.
    """
    dag = network.dag
    reason = not_reversible_reason(dag, source, target)
    if reason:
        raise GraphError(f"{source} → {target} cannot be turned around: {reason}")
    x, y = dag.index(source), dag.index(target)
    shared = sorted({*dag.parent_indices[x], *dag.parent_indices[y]} - {x})
    cells = _cells_of(network, [*shared, y, x])
    if cells > MAX_TABLE_CELLS:
        raise TooLargeError(
            f"The table of {source} would have {count_text(cells)} cells after turning "
            f"{source} → {target}; "
            f"at most {MAX_TABLE_CELLS:,} are made at once. Remove some of their parents first."
        )
    parents = list(dag.parent_indices)
    parents[y], parents[x] = tuple(shared), tuple(sorted([*shared, y]))
    return _with_turned_tables(network, x, y, Dag(dag.names, tuple(parents)))


def with_edge_reversed(network: BayesianNetwork, source: str, target: str) -> BayesianNetwork:
    """The edge the other way round and no other; CycleError when it would close a cycle.

    The distribution changes as little as the graph allows: for a covered edge it stays the same,
    otherwise each table is averaged over the parents that only the other has.
    """
    dag = network.dag.with_reversed(source, target)
    x, y = dag.index(source), dag.index(target)
    shared = {*network.dag.parent_indices[x], *network.dag.parent_indices[y]} - {x}
    if _cells_of(network, [*shared, y, x]) > MAX_TABLE_CELLS:
        return network.without_edge(source, target).with_edge(target, source)
    return _with_turned_tables(network, x, y, dag)


def _cells_of(network: BayesianNetwork, axes: list[int]) -> int:
    return math.prod(network.domain.cardinalities[v] for v in axes)


def _with_turned_tables(network: BayesianNetwork, x: int, y: int, dag: Dag) -> BayesianNetwork:
    """x → y of the network has become y → x of `dag`; rows that cannot happen are uniform."""
    old = network.dag.parent_indices
    shared = sorted({*old[x], *old[y]} - {x})
    axes = [*shared, y, x]
    both = _along(network, x, axes) * _along(network, y, axes)  # P(x, y | shared)
    tables = list(network.tables)
    below = both.sum(axis=-1)
    tables[y] = _summing_to_one(below.mean(axis=_axes_not_in(shared, dag.parent_indices[y])))
    above = both.mean(axis=_axes_not_in(shared, dag.parent_indices[x]))
    total = above.sum(axis=-1, keepdims=True)
    above = np.where(total > 0, above / np.where(total > 0, total, 1.0), 1 / above.shape[-1])
    position = dag.parent_indices[x].index(y)
    tables[x] = _summing_to_one(np.moveaxis(above, above.ndim - 2, position))
    return BayesianNetwork(network.domain, dag, tuple(tables))


def _axes_not_in(shared: list[int], parents: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of `shared` that are no parents."""
    return tuple(axis for axis, v in enumerate(shared) if v not in parents)


def _along(network: BayesianNetwork, child: int, axes: list[int]) -> Floats:
    """The table of `child` with one axis for each of `axes`, repeated where it does not depend."""
    scope = [*network.dag.parent_indices[child], child]
    table = network.tables[child].transpose([scope.index(v) for v in axes if v in scope])
    cards = network.domain.cardinalities
    table = table.reshape([cards[v] if v in scope else 1 for v in axes])
    return np.broadcast_to(table, [cards[v] for v in axes])


def _summing_to_one(table: Floats) -> Floats:
    """Normalise the rows, so that rounding errors of many reversals do not add up."""
    return np.asarray(table / table.sum(axis=-1, keepdims=True))


def with_equivalent_graph(network: BayesianNetwork, dag: Dag) -> BayesianNetwork:
    """The same distribution over an equivalent graph, by turning covered edges one after another.

    As long as two equivalent graphs differ, some edge that differs is covered (Nielsen 2007,
    Theorem 3.3), so as many turns as there are differences lead there.
    """
    if not network.dag.is_equivalent_to(dag):
        raise GraphError(
            "The two graphs are not equivalent, so the distribution cannot stay the same. "
            "Choose an equivalent graph."
        )
    while True:
        different = [edge for edge in network.dag.edges if not dag.has_edge(*edge)]
        if not different:
            return network
        edge = next(edge for edge in different if is_covered(network.dag, *edge))
        network = with_edge_turned(network, *edge)


def largest_difference(one: BayesianNetwork, other: BayesianNetwork) -> float:
    """How far the probabilities of two networks over one domain lie apart at most.

    Of every joint state where there are few, else of 4 096 rows drawn from the first; relative to
    the probability, so that rare states count as much as frequent ones.
    """
    domain = one.domain
    if domain.joint_states() <= MAX_COMPARED_STATES:
        shape = domain.cardinalities
        codes = np.indices(shape).reshape(len(shape), -1).astype(code_dtype(domain))
        rows = DataSet(domain, codes)
    else:
        rows = one.sample(COMPARED_ROWS, np.random.default_rng(0))
    first, second = (model.log2_probabilities(rows) for model in (one, other))
    if (np.isneginf(first) != np.isneginf(second)).any():
        return 1.0
    seen = ~np.isneginf(first)
    return float(np.abs(np.expm1((first[seen] - second[seen]) * np.log(2.0))).max(initial=0.0))
