"""Possibilistic networks: π(x) is the smallest, or the product, of the degrees π(x_i | pa_i).

Conditional degrees follow from the largest degrees of a family by one of three conventions:

    joint      π(a | b) = π(a, b)                              (Borgelt and others 2009)
    hisdal     π(a | b) = π(a, b) if π(a, b) < π(b), else 1    (Hisdal 1978)
    product    π(a | b) = π(a, b) / π(b)                       (Dempster)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.possibility import PossibilityDistribution
from pgmstudio.core.data.relation import Tuples
from pgmstudio.core.data.tuple_degrees import TupleDegrees
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import GraphError, TooLargeError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.junction_tree import CliqueTree, clique_tree_of
from pgmstudio.core.inference.join_tree import MINIMUM, NORMS, JoinTree, TupleTable, combine
from pgmstudio.core.large_counts import count_text
from pgmstudio.core.model import SealedFields

JOINT, HISDAL, QUOTIENT = "joint", "hisdal", "product"
CONVENTIONS = (JOINT, HISDAL, QUOTIENT)

MAX_TUPLES = 100_000  # listed


def conditional_degrees(family: Floats, convention: str) -> Floats:
    """π(child | parents) from the largest degrees of a family, the child's axis last.

    Parents that are impossible have 1 for every state with `hisdal`, 0 with the others.
    """
    if convention == JOINT or family.ndim == 1:  # nothing to condition on
        return family.copy()
    parents = family.max(axis=-1, keepdims=True)
    if convention == HISDAL:
        return np.where(family < parents, family, 1.0)
    quotient: Floats = np.divide(family, parents, out=np.zeros_like(family), where=parents > 0)
    return quotient


@dataclass(frozen=True, eq=False)
class PossibilisticNetwork(SealedFields):
    """`degrees[v]` has π(v | parents) with an axis for each parent in domain order, v last."""

    domain: Domain
    dag: Dag
    degrees: tuple[Floats, ...]
    norm: str = MINIMUM
    convention: str = JOINT

    kind = "possibilistic-network"

    def __post_init__(self) -> None:
        if self.norm not in NORMS or self.convention not in CONVENTIONS:
            raise GraphError(
                f"{self.norm} and {self.convention} are no norm and convention; there are "
                f"{', '.join(NORMS)} and {', '.join(CONVENTIONS)}."
            )
        if self.dag.names != self.domain.names or len(self.degrees) != len(self.domain):
            raise GraphError("Every variable needs a node of the graph and a table of degrees.")
        checked = []
        for v, given in enumerate(self.degrees):
            name = self.domain.names[v]
            shape = tuple(self.domain.cardinalities[u] for u in self.scope(v))
            table = np.array(given, dtype=np.float64, order="C")
            if table.shape != shape:
                raise GraphError(f"The degrees of {name} have shape {table.shape}, not {shape}.")
            if not (np.isfinite(table).all() and (table >= 0).all() and (table <= 1).all()):
                raise GraphError(f"A degree of {name} is not between 0 and 1.")
            table.flags.writeable = False
            checked.append(table)
        object.__setattr__(self, "degrees", tuple(checked))

    @classmethod
    def of_distribution(
        cls,
        dag: Dag,
        distribution: PossibilityDistribution,
        norm: str = MINIMUM,
        convention: str = JOINT,
    ) -> PossibilisticNetwork:
        """The graph with the conditional degrees of a distribution."""
        tables = [
            conditional_degrees(distribution.projection((*parents, v)), convention)
            for v, parents in enumerate(dag.parent_indices)
        ]
        return cls(distribution.domain, dag, tuple(tables), norm, convention)

    def scope(self, v: int) -> tuple[int, ...]:
        """The parents of a variable and itself: the axes of its table."""
        return (*self.dag.parent_indices[v], v)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        return self.dag.edges

    def representation_size(self) -> int:
        """The number of degrees."""
        return sum(table.size for table in self.degrees)

    def effective_size(self) -> int:
        """Σ over cliques of Π|R(X)|."""
        return self.clique_tree.table_cells

    @cached_property
    def clique_tree(self) -> CliqueTree:
        return clique_tree_of(self.dag.parent_indices, self.domain.cardinalities)

    # -- the distribution

    @cached_property
    def tuple_tables(self) -> tuple[TupleTable, ...]:
        """The degrees above 0 of every family."""
        return tuple(
            TupleTable.of_degrees(self.scope(v), table) for v, table in enumerate(self.degrees)
        )

    @cached_property
    def join_tree(self) -> JoinTree:
        tree = JoinTree(self.domain.cardinalities, self.tuple_tables, self.norm)
        if not tree.count():
            raise GraphError("No tuple is possible: the degrees exclude each other.")
        return tree

    def projections(self, scopes: Iterable[tuple[int, ...]]) -> list[Floats]:
        """The largest degrees of this distribution over a few variables each."""
        scopes = list(scopes)
        tree = JoinTree(self.domain.cardinalities, self.tuple_tables, self.norm, also=scopes)
        result = []
        for scope in scopes:
            part = tree.projection(scope)
            table = np.zeros([self.domain.cardinalities[v] for v in scope])
            table[tuple(part.tuples)] = part.degrees
            result.append(table)
        return result

    def degrees_of(self, tuples: Tuples) -> Floats:
        """π of full tuples, variables × tuples."""
        result = np.ones(tuples.shape[1])
        for v, table in enumerate(self.degrees):
            result = combine(self.norm, result, table[tuple(tuples[list(self.scope(v))])])
        return result

    def tuple_degrees(self) -> TupleDegrees:
        """All possible tuples; TooLargeError if there are too many to list."""
        count = self.join_tree.count()
        if count > MAX_TUPLES:
            raise TooLargeError(
                f"The network has {count_text(count)} possible tuples; at most {MAX_TUPLES:,} are "
                "listed."
            )
        tuples = np.array(list(self.join_tree.tuples()), dtype=np.int64)
        tuples = tuples.reshape(-1, len(self.domain)).T
        return TupleDegrees.ranked(self.domain, tuples, self.degrees_of(tuples))

    @property
    def top(self) -> float:
        """The largest degree of a tuple; 1 for a normalised network."""
        return float(self.join_tree.propagate({})[0].max(initial=0.0))

    # -- edits; names are the domain's

    def with_norm(self, norm: str) -> PossibilisticNetwork:
        """The same degrees, combined by another norm."""
        return replace(self, norm=norm)

    def with_convention(self, convention: str) -> PossibilisticNetwork:
        """Conditional degrees by another convention, of the same largest degrees of families."""
        families = self.projections(self.scope(v) for v in range(len(self.domain)))
        tables = tuple(conditional_degrees(family, convention) for family in families)
        return replace(self, degrees=tables, convention=convention)

    def with_dag(self, dag: Dag) -> PossibilisticNetwork:
        """Other parents: their degrees are those of this distribution, by the convention."""
        changed = [
            v
            for v, parents in enumerate(dag.parent_indices)
            if parents != self.dag.parent_indices[v]
        ]
        families = self.projections((*dag.parent_indices[v], v) for v in changed)
        degrees = list(self.degrees)
        for v, family in zip(changed, families, strict=True):
            degrees[v] = conditional_degrees(family, self.convention)
        return replace(self, dag=dag, degrees=tuple(degrees))

    def with_edge(self, source: str, target: str) -> PossibilisticNetwork:
        """One more parent, whose states make no difference until degrees are set."""
        dag = self.dag.with_edge(source, target)
        v, new = self.domain.index(target), self.domain.index(source)
        axis = dag.parent_indices[v].index(new)
        degrees = list(self.degrees)
        degrees[v] = np.repeat(
            np.expand_dims(degrees[v], axis), self.domain.cardinalities[new], axis=axis
        )
        return replace(self, dag=dag, degrees=tuple(degrees))

    def without_edge(self, source: str, target: str) -> PossibilisticNetwork:
        """One parent less."""
        return self.with_dag(self.dag.without_edge(source, target))

    def with_reversed_edge(self, source: str, target: str) -> PossibilisticNetwork:
        """The edge the other way round."""
        return self.with_dag(self.dag.with_reversed(source, target))

    def with_variable(self, variable: Variable) -> PossibilisticNetwork:
        """One more variable without edges, all of its states possible."""
        domain = Domain((*self.domain.variables, variable))
        dag = Dag(domain.names, (*self.dag.parent_indices, ()))
        degrees = (*self.degrees, np.ones(variable.cardinality))
        return replace(self, domain=domain, dag=dag, degrees=degrees)

    def without_variable(self, name: str) -> PossibilisticNetwork:
        """The network without a variable and its edges."""
        gone = self.domain.index(name)
        parents = tuple(tuple(p for p in above if p != gone) for above in self.dag.parent_indices)
        apart = self.with_dag(Dag(self.domain.names, parents))
        domain = Domain(tuple(v for v in self.domain if v.name != name))
        shifted = tuple(
            tuple(p - (p > gone) for p in above) for v, above in enumerate(parents) if v != gone
        )
        degrees = tuple(table for v, table in enumerate(apart.degrees) if v != gone)
        return replace(self, domain=domain, dag=Dag(domain.names, shifted), degrees=degrees)

    def with_domain(self, domain: Domain) -> PossibilisticNetwork:
        """The same network with renamed variables or states; cardinalities must agree."""
        if domain.cardinalities != self.domain.cardinalities:
            raise GraphError("Renaming cannot change how many states a variable has.")
        return replace(self, domain=domain, dag=Dag(domain.names, self.dag.parent_indices))
