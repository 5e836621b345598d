"""Labelled DAGs: Bayesian networks whose tables have equal rows in labelled contexts.

For each variable the configurations of its parents fall into classes that share one distribution;
a label on an edge is the set of contexts, states of the other parents, in which the edge vanishes
(Pensar, Nyman, Koski and Corander 2015). Labels follow from the classes, in their maximal form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import GraphError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.ldag.partitions import (
    Classes,
    Label,
    class_count,
    full_partition,
    idle_axes,
    is_label_partition,
    label_of,
    numbered,
)
from pgmstudio.core.languages.table_checks import checked_table
from pgmstudio.core.model import SealedFields


@dataclass(frozen=True, eq=False)
class LabelledDag(SealedFields):
    """A labelled DAG. `classes[i]` has an axis per parent, in domain order, and holds the row of
    `rows[i]` that a configuration of the parents has; classes are numbered in the order they
    appear."""

    domain: Domain
    dag: Dag
    classes: tuple[Classes, ...]
    rows: tuple[Floats, ...]

    kind = "ldag"

    def __post_init__(self) -> None:
        if self.dag.names != self.domain.names:
            raise GraphError("The graph's nodes are not the domain's variables.")
        if not len(self.classes) == len(self.rows) == len(self.domain):
            raise GraphError(
                f"{len(self.domain)} variables have {len(self.classes)} partitions and "
                f"{len(self.rows)} tables."
            )
        pairs = [self._checked(i) for i in range(len(self.domain))]
        object.__setattr__(self, "classes", tuple(classes for classes, _ in pairs))
        object.__setattr__(self, "rows", tuple(rows for _, rows in pairs))

    def _checked(self, i: int) -> tuple[Classes, Floats]:
        name, cards = self.domain.names[i], self.domain.cardinalities
        shape = tuple(cards[p] for p in self.dag.parent_indices[i])
        given = np.asarray(self.classes[i], dtype=np.int64)
        if given.shape != shape:
            raise GraphError(f"The classes of {name} have shape {given.shape}, not {shape}.")
        rows = np.array(self.rows[i], dtype=np.float64, order="C")
        if rows.ndim != 2 or rows.shape[1] != cards[i]:
            raise GraphError(f"The rows of {name} need {cards[i]} numbers each.")
        if given.size and not (given.min() >= 0 and given.max() < rows.shape[0]):
            raise GraphError(f"A configuration of the parents of {name} has no row.")
        if class_count(given) != rows.shape[0]:
            raise GraphError(f"{name} has {rows.shape[0]} rows for {class_count(given)} classes.")
        checked_table(name, rows, rows.shape)
        classes = numbered(given)
        order = np.empty(rows.shape[0], dtype=np.int64)
        order[classes.ravel()] = given.ravel()
        rows = np.ascontiguousarray(rows[order])
        classes.flags.writeable = rows.flags.writeable = False
        return classes, rows

    @classmethod
    def of_network(cls, network: BayesianNetwork) -> LabelledDag:
        """The network as it is: every configuration has a row of its own."""
        shapes = [table.shape for table in network.tables]
        return cls(
            network.domain,
            network.dag,
            tuple(full_partition(shape[:-1]) for shape in shapes),
            tuple(t.reshape(-1, s[-1]) for t, s in zip(network.tables, shapes, strict=True)),
        )

    @cached_property
    def as_bayesian_network(self) -> BayesianNetwork:
        """The same distribution with every row written out."""
        tables = tuple(rows[classes] for classes, rows in zip(self.classes, self.rows, strict=True))
        return BayesianNetwork(self.domain, self.dag, tables)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        return self.dag.edges

    def label(self, source: str, target: str) -> Label:
        """The contexts in which the edge vanishes: an axis per other parent, in domain order."""
        i = self.domain.index(target)
        return label_of(self.classes[i], self._axis(source, target))

    def _axis(self, source: str, target: str) -> int:
        parents = self.dag.parent_indices[self.domain.index(target)]
        position = self.domain.index(source)
        if position not in parents:
            raise GraphError(f"There is no edge {source} → {target}.")
        return parents.index(position)

    def other_parents(self, source: str, target: str) -> tuple[str, ...]:
        """The variables of the contexts of an edge's label, in domain order."""
        self._axis(source, target)
        return tuple(name for name in self.dag.parents(target) if name != source)

    @cached_property
    def labelled_edges(self) -> tuple[tuple[str, str], ...]:
        """The edges that vanish in some context."""
        return tuple(edge for edge in self.edges if self.label(*edge).any())

    @cached_property
    def label_count(self) -> int:
        """How many contexts all labels hold together."""
        return sum(int(self.label(*edge).sum()) for edge in self.edges)

    @property
    def idle_edges(self) -> tuple[tuple[str, str], ...]:
        """Edges whose label covers every context, so that they have no effect."""
        names = self.domain.names
        return tuple(
            (names[self.dag.parent_indices[i][axis]], names[i])
            for i, classes in enumerate(self.classes)
            for axis in idle_axes(classes)
        )

    @property
    def is_regular(self) -> bool:
        """Whether no label covers everything."""
        return not self.idle_edges

    @cached_property
    def is_labelled(self) -> bool:
        """Whether labels alone determine the classes; free partitions may merge more rows."""
        return all(is_label_partition(classes) for classes in self.classes)

    def regular(self) -> LabelledDag:
        """The same distribution without the edges that have no effect."""
        parents, classes = [], []
        for i, given in enumerate(self.classes):
            idle = idle_axes(given)
            remaining = [axis for axis in range(given.ndim) if axis not in idle]
            # After removing one idle parent another one may have an effect that it did not have
            # alone.
            first: tuple[Any, ...] = tuple(
                0 if axis in idle else slice(None) for axis in range(given.ndim)
            )
            classes.append(given[first])
            parents.append(tuple(self.dag.parent_indices[i][axis] for axis in remaining))
        dag = Dag(self.domain.names, tuple(parents))
        return LabelledDag(self.domain, dag, tuple(classes), self.rows)

    def representation_size(self) -> int:
        """Σ (|R(X)| − 1) · classes: free parameters."""
        return sum((rows.shape[1] - 1) * rows.shape[0] for rows in self.rows)

    def unlabelled_size(self) -> int:
        """The free parameters of the same graph without labels."""
        cards = self.domain.cardinalities
        return sum(
            (cards[i] - 1) * math.prod(classes.shape) for i, classes in enumerate(self.classes)
        )

    def effective_size(self) -> int:
        """Table cells of the cheapest way to update beliefs: by cases of a few variables where
        labels cut the tables, else in one clique tree."""
        # Here, not above: it imports this module.
        from pgmstudio.core.languages.ldag.contexts import best_cases

        return best_cases(self).cells

    def log2_probabilities(self, data: DataSet) -> Floats:
        """Σ log2 P(x | pa(x)) per row; complete rows over this domain only."""
        return self.as_bayesian_network.log2_probabilities(data)

    def sample(self, count: int, rng: np.random.Generator) -> DataSet:
        return self.as_bayesian_network.sample(count, rng)

    # Edits change the tables as in a Bayesian network; labels stay where the parents do.

    def table(self, name: str) -> Floats:
        """Every row written out: an axis per parent in domain order, then the variable."""
        i = self.domain.index(name)
        return np.asarray(self.rows[i][self.classes[i]])

    def with_table(self, name: str, table: Floats) -> LabelledDag:
        """Other numbers in the same classes; of a class those configurations that changed decide,
        by their mean."""
        i = self.domain.index(name)
        before, after = self.table(name), np.asarray(table, dtype=np.float64)
        if after.shape != before.shape:
            raise GraphError(f"The table of {name} has shape {after.shape}, not {before.shape}.")
        classes, rows = self.classes[i].ravel(), self.rows[i].copy()
        states = rows.shape[1]
        flat = after.reshape(-1, states)
        changed = (flat != before.reshape(-1, states)).any(axis=1)
        for one in np.unique(classes[changed]):
            rows[one] = flat[changed & (classes == one)].mean(axis=0)
        return LabelledDag(
            self.domain, self.dag, self.classes, (*self.rows[:i], rows, *self.rows[i + 1 :])
        )

    def with_edge(self, source: str, target: str) -> LabelledDag:
        """One more edge; the target's rows are repeated for each state of the source."""
        return self._edited(lambda network: network.with_edge(source, target))

    def without_edge(self, source: str, target: str) -> LabelledDag:
        return self._edited(lambda network: network.without_edge(source, target))

    def with_reversed_edge(self, source: str, target: str) -> LabelledDag:
        return self._edited(lambda network: network.with_reversed_edge(source, target))

    def with_variable(self, variable: Variable) -> LabelledDag:
        return self._edited(lambda network: network.with_variable(variable))

    def without_variable(self, name: str) -> LabelledDag:
        return self._edited(lambda network: network.without_variable(name))

    def with_states(self, name: str, states: Mapping[str, str | None]) -> LabelledDag:
        """Other states of a variable; its table and those of its children lose their labels."""
        children = (child for parent, child in self.edges if parent == name)
        return self._edited(lambda network: network.with_states(name, states), name, *children)

    def with_domain(self, domain: Domain) -> LabelledDag:
        """The same model with renamed variables or states; cardinalities must agree."""
        if domain.cardinalities != self.domain.cardinalities:
            raise GraphError("Renaming cannot change how many states a variable has.")
        dag = Dag(domain.names, self.dag.parent_indices)
        return LabelledDag(domain, dag, self.classes, self.rows)

    def _edited(
        self, edit: Callable[[BayesianNetwork], BayesianNetwork], *variables: str
    ) -> LabelledDag:
        # Here, not above: it imports this module.
        from pgmstudio.core.languages.ldag.labels import changed_structure

        return changed_structure(self, edit, variables)
