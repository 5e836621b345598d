"""Bayesian networks: a DAG and a table P(X | parents) for every variable (Nielsen 2007, §3.2)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import DataError, GraphError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.junction_tree import CliqueTree, clique_tree_of
from pgmstudio.core.inference.factors import Factor
from pgmstudio.core.languages.table_checks import checked_table

Table = Floats


@dataclass(frozen=True, eq=False)
class BayesianNetwork:
    """`tables[i]` has one axis per parent, in domain order, and the variable's own axis last."""

    domain: Domain
    dag: Dag
    tables: tuple[Table, ...]

    kind = "bayesian-network"
    log2_partition = 0.0  # the product of the tables sums to 1

    def __post_init__(self) -> None:
        if self.dag.names != self.domain.names:
            raise GraphError("The graph's nodes are not the domain's variables.")
        if len(self.tables) != len(self.domain):
            raise GraphError(f"{len(self.domain)} variables have {len(self.tables)} tables.")
        checked = tuple(
            checked_table(name, table, self.table_shape(i))
            for i, (name, table) in enumerate(zip(self.domain.names, self.tables, strict=True))
        )
        object.__setattr__(self, "tables", checked)

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        for table in self.tables:  # arrays come back writable from another process
            table.flags.writeable = False

    def table_shape(self, index: int) -> tuple[int, ...]:
        cards = self.domain.cardinalities
        return (*(cards[p] for p in self.dag.parent_indices[index]), cards[index])

    @classmethod
    def uniform(cls, domain: Domain, dag: Dag | None = None) -> BayesianNetwork:
        """The network whose every table row is uniform."""
        dag = Dag.empty(domain.names) if dag is None else dag
        cards = domain.cardinalities
        tables = tuple(
            np.full((*(cards[p] for p in parents), cards[i]), 1 / cards[i])
            for i, parents in enumerate(dag.parent_indices)
        )
        return cls(domain, dag, tables)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        return self.dag.edges

    def table(self, name: str) -> Table:
        return self.tables[self.domain.index(name)]

    def representation_size(self) -> int:
        """size_rep = Σ (|R(X)|−1)·|R(pa(X))| (eq. 3.21)."""
        return sum((table.shape[-1] - 1) * math.prod(table.shape[:-1]) for table in self.tables)

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        """The tables, each with its scope."""
        return tuple(
            Factor((*parents, child), self.tables[child])
            for child, parents in enumerate(self.dag.parent_indices)
        )

    @cached_property
    def clique_tree(self) -> CliqueTree:
        return clique_tree_of(self.dag.parent_indices, self.domain.cardinalities)

    def effective_size(self) -> int:
        """size_eff = Σ over cliques of Π|R(X)|, for the clique tree actually used (eq. 3.20)."""
        return self.clique_tree.table_cells

    def log2_probabilities(self, data: DataSet) -> Floats:
        """Σ log2 P(x | pa(x)) per row; complete rows over this domain only."""
        data = data.for_model(self.domain)
        if data.has_missing:
            raise DataError("Some cells are missing; they have to be summed out by inference.")
        total = np.zeros(data.row_count)
        for index, parents in enumerate(self.dag.parent_indices):
            with np.errstate(divide="ignore"):
                logs = np.log2(self.tables[index]).ravel()
            total += logs[_cells(data.codes, (*parents, index), self.domain.cardinalities)]
        return total

    def sample(self, count: int, rng: np.random.Generator) -> DataSet:
        """Independent rows, drawn parents first."""
        codes = np.zeros((len(self.domain), count), dtype=code_dtype(self.domain))
        for index in self.dag.topological_order:
            cards = self.domain.cardinalities
            parents = self.dag.parent_indices[index]
            rows = self.tables[index].reshape(-1, cards[index])
            bounds = np.cumsum(rows, axis=1)
            bounds /= bounds[:, -1:]
            draws = rng.random(count)
            chosen = bounds[_cells(codes, parents, cards)]
            codes[index] = (draws[:, None] >= chosen[:, :-1]).sum(axis=1)
        return DataSet(self.domain, codes)

    def with_table(self, name: str, table: Table) -> BayesianNetwork:
        index = self.domain.index(name)
        tables = (*self.tables[:index], table, *self.tables[index + 1 :])
        changed = replace(self, tables=tables)
        if "clique_tree" in self.__dict__:  # the graph is the same: no second triangulation
            changed.__dict__["clique_tree"] = self.clique_tree
        return changed

    def with_edge(self, source: str, target: str) -> BayesianNetwork:
        """One more parent of `target`, whose table is repeated for each of the parent's states."""
        return self._with_parents(self.dag.with_edge(source, target), target)

    def without_edge(self, source: str, target: str) -> BayesianNetwork:
        """One parent of `target` less, whose table is the plain average over its states."""
        return self._with_parents(self.dag.without_edge(source, target), target)

    def with_reversed_edge(self, source: str, target: str) -> BayesianNetwork:
        """The edge the other way round; of a covered one the distribution stays."""
        # Here, not above: it imports this module.
        from pgmstudio.core.languages.bayesian_network.arc_reversal import with_edge_reversed

        return with_edge_reversed(self, source, target)

    def _with_parents(self, dag: Dag, name: str) -> BayesianNetwork:
        """`name` has other parents in `dag`; its table is averaged over those that go and repeated
        for those that come."""
        tables = list(self.tables)
        index = self.domain.index(name)
        old = self.dag.parent_indices[index]
        new = dag.parent_indices[index]
        table = self.tables[index]
        for axis in reversed([a for a, p in enumerate(old) if p not in new]):
            table = table.mean(axis=axis)
        kept = [p for p in old if p in new]
        for axis, parent in enumerate(new):
            if parent not in kept:
                table = np.expand_dims(table, axis)
                table = np.repeat(table, self.domain.cardinalities[parent], axis=axis)
        tables[index] = table
        return BayesianNetwork(self.domain, dag, tuple(tables))

    def with_variable(self, variable: Variable) -> BayesianNetwork:
        """One more variable without edges, uniform."""
        domain = Domain((*self.domain.variables, variable))
        dag = Dag(domain.names, (*self.dag.parent_indices, ()))
        uniform = np.full(variable.cardinality, 1 / variable.cardinality)
        return BayesianNetwork(domain, dag, (*self.tables, uniform))

    def without_variable(self, name: str) -> BayesianNetwork:
        """The network without `name`; its children's tables are averaged over it."""
        smaller = self
        for child in self.dag.children(name):
            smaller = smaller.without_edge(name, child)
        gone = self.domain.index(name)
        shifted = tuple(
            tuple(p - (p > gone) for p in parents)
            for i, parents in enumerate(smaller.dag.parent_indices)
            if i != gone
        )
        domain = Domain(tuple(v for v in self.domain if v.name != name))
        tables = tuple(t for i, t in enumerate(smaller.tables) if i != gone)
        return BayesianNetwork(domain, Dag(domain.names, shifted), tables)

    def with_domain(self, domain: Domain) -> BayesianNetwork:
        """The same network with renamed variables or states; cardinalities must agree."""
        if domain.cardinalities != self.domain.cardinalities:
            raise GraphError("Renaming cannot change how many states a variable has.")
        return BayesianNetwork(domain, Dag(domain.names, self.dag.parent_indices), self.tables)

    def with_states(self, name: str, states: Mapping[str, str | None]) -> BayesianNetwork:
        """Other states of `name`: each new state with the old one it was, or None when it is new.

        A new state gets probability 0 and its children are uniform in it, so that the others do not
        change; without a state the rest of each column is scaled to 1 again (uniform where nothing
        is left).
        """
        index = self.domain.index(name)
        old = self.domain.variables[index]
        origins = [None if was is None else old.code(was) for was in states.values()]
        variables = list(self.domain.variables)
        variables[index] = replace(old, states=tuple(states))
        tables = list(self.tables)
        own = _taken(self.tables[index], -1, origins, 0.0)
        total = own.sum(axis=-1, keepdims=True)
        tables[index] = np.where(total > 0, own / np.where(total > 0, total, 1), 1 / len(states))
        for child, parents in enumerate(self.dag.parent_indices):
            if index in parents:
                uniform = 1 / self.domain.cardinalities[child]
                tables[child] = _taken(self.tables[child], parents.index(index), origins, uniform)
        return BayesianNetwork(Domain(tuple(variables)), self.dag, tuple(tables))


def _taken(table: Table, axis: int, origins: Sequence[int | None], new: float) -> Table:
    """The slices of `table` along `axis` by number; None is a slice filled with `new`."""
    moved = np.moveaxis(table, axis, 0)
    parts = [np.full(moved.shape[1:], new) if index is None else moved[index] for index in origins]
    return np.moveaxis(np.stack(parts), 0, axis)


def _cells(
    codes: NDArray[Any], variables: Iterable[int], cardinalities: tuple[int, ...]
) -> NDArray[np.intp]:
    """Per row, the flat index into a table over `variables`, the last running fastest."""
    cell = np.zeros(codes.shape[1], dtype=np.intp)
    for variable in variables:
        cell *= cardinalities[variable]
        cell += codes[variable]
    return cell
