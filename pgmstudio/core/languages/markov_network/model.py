"""Markov networks: p(x) = Z⁻¹ Π_C ψ_C(x_C) over the maximal cliques of an undirected graph."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import DataError, GraphError
from pgmstudio.core.inference.factors import Factor
from pgmstudio.core.inference.junction_tree.cost import check_budget, forecast
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.inference.junction_tree.query import log2_sum
from pgmstudio.core.inference.junction_tree.schedule import plan_of
from pgmstudio.core.languages.markov_network.log_linear import (
    LogLinearTables,
    free_parameters,
    restriction_text,
    restrictions_of,
)
from pgmstudio.core.languages.markov_network.structure import GraphModel, MarkovStructure

# What a restriction by a context may differ from 0, in natural logarithms: rounding of potentials.
RESTRICTION_TOLERANCE = 1e-6
# A product of factors with a smaller or larger largest number is scaled to 1.
MIN_SCALE = 1e-100


@dataclass(frozen=True, eq=False)
class MarkovNetwork(GraphModel):
    """`potentials[c]` is ψ of the c-th maximal clique, an axis per variable in domain order.

    Potentials are numbers ≥ 0, of any scale. They have to agree with the contexts of the structure.
    """

    structure: MarkovStructure
    potentials: tuple[Floats, ...]

    kind = "markov-network"

    def __post_init__(self) -> None:
        cliques = self.structure.maximal_cliques
        if len(self.potentials) != len(cliques):
            raise GraphError(f"{len(cliques)} cliques have {len(self.potentials)} potentials.")
        checked = tuple(map(self._checked, cliques, self.potentials))
        object.__setattr__(self, "potentials", checked)
        self._check_contexts()

    def _checked(self, clique: tuple[int, ...], potential: Floats) -> Floats:
        names = ", ".join(self.domain.names[v] for v in clique)
        shape = tuple(self.domain.cardinalities[v] for v in clique)
        table = np.array(potential, dtype=np.float64, order="C")
        if table.shape != shape:
            raise GraphError(f"The potential of {names} has shape {table.shape}, not {shape}.")
        if not (np.isfinite(table).all() and (table >= 0).all()):
            raise GraphError(f"The potential of {names} has a number that is not finite and ≥ 0.")
        if not table.any():
            raise GraphError(f"The potential of {names} is 0 everywhere; no state is possible.")
        table.flags.writeable = False
        return table

    def _check_contexts(self) -> None:
        if not self.structure.contexts or not self.is_positive:
            return
        values = dict(zip(self.log_linear.parameters, self.parameters, strict=True))
        for row in restrictions_of(self.structure).rows.values():
            terms = [float(factor) * values[parameter] for parameter, factor in row.items()]
            if abs(sum(terms)) > RESTRICTION_TOLERANCE * max(1.0, *map(abs, terms)):
                raise GraphError(
                    "The potentials do not agree with the contexts: "
                    f"{restriction_text(self.domain, row)} does not hold. Fit them again, or "
                    "remove the context."
                )

    @classmethod
    def of_factors(
        cls, structure: MarkovStructure, factors: Iterable[tuple[Sequence[int], Floats]]
    ) -> MarkovNetwork:
        """The network whose potentials are products of tables over complete sets of variables."""
        cards = structure.domain.cardinalities
        cliques = structure.maximal_cliques
        potentials = [np.ones([cards[v] for v in clique]) for clique in cliques]
        holders: list[list[int]] = [[] for _ in cards]
        for c, clique in enumerate(cliques):
            for v in clique:
                holders[v].append(c)
        for scope, table in factors:
            inside = set(scope)
            near = min((holders[v] for v in scope), key=len, default=[0])
            home = next(c for c in near if inside.issubset(cliques[c]))
            order = sorted(range(len(scope)), key=lambda axis: scope[axis])
            shape = [cards[v] if v in inside else 1 for v in cliques[home]]
            factor = np.asarray(table, dtype=np.float64).transpose(order).reshape(shape)
            if not MIN_SCALE < potentials[home].max() * factor.max() < 1 / MIN_SCALE:
                potentials[home] /= potentials[home].max() or 1.0
                factor = factor / (factor.max() or 1.0)
            potentials[home] = potentials[home] * factor
        return cls(structure, tuple(potentials))

    @classmethod
    def of_parameters(cls, structure: MarkovStructure, values: Floats) -> MarkovNetwork:
        """The network of the φ's, in the order of `parameters_of(structure)`."""
        tables = LogLinearTables.of(structure).tables(values)
        return cls(structure, tuple(np.exp(table - table.max()) for table in tables))

    @classmethod
    def uniform(cls, structure: MarkovStructure) -> MarkovNetwork:
        """The network in which all joint states are equally probable."""
        cards = structure.domain.cardinalities
        cliques = structure.maximal_cliques
        return cls(structure, tuple(np.ones([cards[v] for v in clique]) for clique in cliques))

    # -- the log-linear form

    @cached_property
    def is_positive(self) -> bool:
        """Whether no potential is 0, so that every φ is finite."""
        return all(bool((table > 0).all()) for table in self.potentials)

    @cached_property
    def log_linear(self) -> LogLinearTables:
        """The φ's of the structure and where the tables of the cliques hold them."""
        return LogLinearTables.of(self.structure)

    @cached_property
    def parameters(self) -> Floats:
        """The φ's in the order of `log_linear.parameters`, in natural logarithms; infinite or not a
        number where a potential is 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            values = self.log_linear.values([np.log(table) for table in self.potentials])
        values.flags.writeable = False
        return values

    # -- sizes

    def representation_size(self) -> int:
        """The φ's less the rank of the restrictions by contexts."""
        return free_parameters(self.structure)

    # -- the distribution

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        """The potentials, each with its scope."""
        return tuple(map(Factor, self.structure.maximal_cliques, self.potentials))

    @cached_property
    def log2_partition(self) -> float:
        """log2 Z, the logarithm of the partition function."""
        value = log2_sum(self.clique_tree, self.factors)
        if value == -math.inf:
            raise GraphError("No joint state is possible: the potentials exclude each other.")
        return value

    def propagation(self) -> Propagation:
        """A fresh propagation in the junction tree; TooLargeError where it would be too large."""
        check_budget(forecast(self.clique_tree))
        return Propagation(plan_of(self.clique_tree, self.factors))

    def log2_probabilities(self, data: DataSet) -> Floats:
        """log2 P(observed cells) per row; missing cells are summed out."""
        if data.domain.names != self.domain.names:
            data = data.select_columns(self.domain.names)
        if data.domain != self.domain:
            raise DataError("The rows have other states than the model; code them with its domain.")
        total = np.full(data.row_count, -self.log2_partition)
        is_missing = data.codes == data.missing_code
        complete = ~is_missing.any(axis=0)
        codes = data.codes[:, complete].astype(np.intp)
        for factor in self.factors:
            with np.errstate(divide="ignore"):
                total[complete] += np.log2(factor.values)[tuple(codes[list(factor.scope)])]
        if not complete.all():
            propagation = self.propagation()
            seen: dict[bytes, float] = {}
            for row in np.flatnonzero(~complete):
                key = data.codes[:, row].tobytes()
                if key not in seen:
                    propagation.set_states(data.codes[:, row], is_missing[:, row])
                    seen[key] = propagation.log2_evidence()
                total[row] += seen[key]
        return total

    def sample(self, count: int, rng: np.random.Generator) -> DataSet:
        """Independent rows, drawn clique by clique from the root of the junction tree."""
        propagation = self.propagation()
        points = rng.random((count, len(self.clique_tree.cliques)))
        codes = np.empty((len(self.domain), count), dtype=code_dtype(self.domain))
        for row in range(count):
            codes[:, row] = propagation.draw(points[row])
        return DataSet(self.domain, codes)

    # -- edits; names are the domain's

    def with_structure(self, structure: MarkovStructure) -> MarkovNetwork:
        """The nearest distribution of another structure over the same variables."""
        # Here, not above: it imports this module.
        from pgmstudio.core.languages.markov_network.fitting import projected

        return projected(self, structure)

    def with_edge(self, source: str, target: str) -> MarkovNetwork:
        """One more edge; the distribution stays until the parameters are fitted."""
        return self._over(self.structure.with_edge(*self.edge_between(source, target)))

    def without_edge(self, source: str, target: str) -> MarkovNetwork:
        """One edge less; the nearest distribution of the smaller graph."""
        return self.with_structure(self.structure.without_edge(*self.edge_between(source, target)))

    def _over(self, structure: MarkovStructure) -> MarkovNetwork:
        """The same potentials in a structure that has all their cliques."""
        pairs = zip(self.structure.maximal_cliques, self.potentials, strict=True)
        return MarkovNetwork.of_factors(structure, pairs)

    def with_variable(self, variable: Variable) -> MarkovNetwork:
        """One more variable without neighbours, uniform."""
        domain = Domain((*self.domain.variables, variable))
        return self._over(replace(self.structure, domain=domain))

    def without_variable(self, name: str) -> MarkovNetwork:
        """The network without a variable; its edges are removed first, one after the other."""
        gone = self.domain.index(name)
        structure = self.structure
        for other in sorted(structure.neighbours[gone]):
            structure = structure.without_edge(gone, other)
        apart = self.with_structure(structure) if structure != self.structure else self
        smaller = structure.induced(v for v in range(len(self.domain)) if v != gone)
        pairs = zip(structure.maximal_cliques, apart.potentials, strict=True)
        return MarkovNetwork.of_factors(
            smaller,
            [(tuple(v - (v > gone) for v in c), table) for c, table in pairs if c != (gone,)],
        )

    def with_domain(self, domain: Domain) -> MarkovNetwork:
        """The same network with renamed variables or states; cardinalities must agree."""
        if domain.cardinalities != self.domain.cardinalities:
            raise GraphError("Renaming cannot change how many states a variable has.")
        return MarkovNetwork(replace(self.structure, domain=domain), self.potentials)
