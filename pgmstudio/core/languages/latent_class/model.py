"""Latent classes: variables that are independent once a hidden class is known (Nielsen 2007, §3.4).

P(c, x) = P(c) Π_i P(x_i | c): naive Bayes whose class is never seen, for densities and clusters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import GraphError
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork, Table
from pgmstudio.core.languages.components import (
    checked_weights,
    log2_sums,
    log2_sums_in_blocks,
    needs_no_kernels,
    responsibilities_of,
)
from pgmstudio.core.languages.table_checks import checked_table
from pgmstudio.core.model import SealedFields


@dataclass(frozen=True, eq=False)
class LatentClasses(SealedFields):
    """`weights[c]` is P(c); `tables[i]` has a row per class, P(x_i | c)."""

    domain: Domain
    weights: Floats
    tables: tuple[Table, ...]
    hidden: str = "class"

    kind = "latent-class"

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", checked_weights(self.weights))
        if len(self.tables) != len(self.domain):
            raise GraphError(f"{len(self.domain)} variables have {len(self.tables)} tables.")
        if self.hidden in self.domain:
            raise GraphError(f"The hidden variable cannot be called {self.hidden}: a column is.")
        checked = tuple(
            checked_table(variable.name, table, (self.weights.size, variable.cardinality))
            for variable, table in zip(self.domain, self.tables, strict=True)
        )
        object.__setattr__(self, "tables", checked)

    @property
    def choice(self) -> None:
        """No observed variable names the class."""
        return None

    @property
    def component_names(self) -> tuple[str, ...]:
        """The names of the classes."""
        return self.as_bayesian_network.domain[self.hidden].states

    @property
    def component_title(self) -> str:
        """The name of the hidden variable."""
        return self.hidden

    def component_marginals(self) -> dict[str, Floats]:
        """P(X | class) of every variable, classes × states."""
        return dict(zip(self.domain.names, self.tables, strict=True))

    def target_log2(self, rows: DataSet, target: str) -> Floats:
        """log2 P(target, other cells), states × rows; the target's cells have to be missing."""
        parts = self.component_log2_likelihoods(rows)
        with np.errstate(divide="ignore"):
            logs = np.log2(self.tables[self.domain.index(target)])
        return np.stack([log2_sums(parts + column[:, None]) for column in logs.T])

    def table(self, name: str) -> Table:
        return self.tables[self.domain.index(name)]

    def with_table(self, name: str, table: Table) -> LatentClasses:
        index = self.domain.index(name)
        return replace(self, tables=(*self.tables[:index], table, *self.tables[index + 1 :]))

    @property
    def class_count(self) -> int:
        return int(self.weights.size)

    @cached_property
    def as_bayesian_network(self) -> BayesianNetwork:
        """The star with the hidden variable as the root and last variable; same distribution."""
        states = tuple(f"{self.hidden} {c + 1}" for c in range(self.class_count))
        domain = Domain((*self.domain.variables, Variable(self.hidden, states)))
        root = len(self.domain)
        dag = Dag(domain.names, (*(((root,),) * root), ()))
        return BayesianNetwork(domain, dag, (*self.tables, self.weights))

    def representation_size(self) -> int:
        """|C| − 1 + |C| Σ (|R(X)| − 1) (eq. 3.60)."""
        return self.class_count - 1 + self.definition_size()

    def effective_size(self) -> int:
        """|C| Σ |R(X)|: the cells of the star's junction tree, as other languages count them.

        Tables 5.2 and 5.9 print it. Eq. 3.59 would favour this language: see `definition_size`.
        """
        return self.class_count * sum(self.domain.cardinalities)

    def definition_size(self) -> int:
        """|C| Σ (|R(X)| − 1) (eq. 3.59): free parameters of the classes, no count of cells."""
        return self.class_count * sum(card - 1 for card in self.domain.cardinalities)

    def printed_size(self) -> int:
        """|C| (1 + Σ (|R(X)| − 1)): the sizes of Tables 5.4 and 5.7 (Nielsen 2007)."""
        return self.representation_size() + 1

    @cached_property
    def state_at(self) -> NDArray[np.int64]:
        """Where each variable's states begin when all states stand in a row."""
        return np.concatenate(([0], np.cumsum(self.domain.cardinalities))).astype(np.int64)

    @cached_property
    def stacked(self) -> Floats:
        """P(state | c) of every state of every variable, states × classes."""
        if not self.tables:
            return np.zeros((0, self.class_count))
        return np.ascontiguousarray(np.concatenate([table.T for table in self.tables]))

    def component_log2_likelihoods(self, data: DataSet) -> Floats:
        """log2 P(c, observed cells of the row), classes × rows; missing cells are left out."""
        data = data.for_model(self.domain)
        with np.errstate(divide="ignore"):
            parts = np.tile(np.log2(self.weights), (data.row_count, 1))
            logs = np.log2(self.stacked)
        if needs_no_kernels(data, len(self.domain) * self.class_count):  # the same sums
            for first, codes in zip(self.state_at, data.codes, strict=False):
                seen = codes != data.missing_code
                parts[seen] += logs[first + codes[seen].astype(np.int64)]
            return parts.T
        from pgmstudio.core.languages.latent_class.kernels import add_class_rows

        add_class_rows(data.codes, data.missing_code, self.state_at, logs, parts)
        return parts.T

    def log2_probabilities(self, data: DataSet) -> Floats:
        """log2 P(observed cells) per row; −inf for impossible rows."""
        return log2_sums_in_blocks(self.component_log2_likelihoods, data, self.class_count)

    def responsibilities(self, data: DataSet) -> Floats:
        """P(c | row), rows × classes."""
        return responsibilities_of(self.component_log2_likelihoods(data), self.weights)

    def sample(self, count: int, rng: np.random.Generator) -> DataSet:
        """Independent rows: a class is drawn, then every variable given it."""
        classes = rng.choice(self.class_count, size=count, p=self.weights / self.weights.sum())
        codes = np.zeros((len(self.domain), count), dtype=code_dtype(self.domain))
        for v, table in enumerate(self.tables):
            bounds = np.cumsum(table, axis=1)
            bounds /= bounds[:, -1:]
            codes[v] = (rng.random(count)[:, None] >= bounds[classes][:, :-1]).sum(axis=1)
        return DataSet(self.domain, codes)


def free_name(domain: Domain, name: str = "class") -> str:
    """A name for a hidden variable that no variable of the domain has."""
    while name in domain:
        name = f"hidden {name}"
    return name


def class_roles(model: LatentClasses, target: str) -> dict[str, str]:
    """Every other variable predicts the target through the class."""
    others = (name for name in model.domain.names if name != target)
    return dict.fromkeys(others, f"through {model.hidden}")


def violations(model: LatentClasses, knowledge: Knowledge) -> list[str]:
    """The constraints that a model without edges between its variables violates."""
    return knowledge.violations(())
