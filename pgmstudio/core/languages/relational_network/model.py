"""Relational networks: the tuples whose parts over every clique of a graph are possible.

r_G(t) = min over the maximal cliques M of r_M(t_M): the intersection of the cylindrical extensions
of the projections (Borgelt, Steinbrecher and Kruse 2009, ch. 3).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pgmstudio.core.data.relation import Relation, Tuples, tuple_ids
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import GraphError
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.inference.join_tree import JoinTree, TupleTable
from pgmstudio.core.inference.programs import InferenceProgram
from pgmstudio.core.languages.degree_session import DegreeSession
from pgmstudio.core.languages.degree_session import program_of as degree_program
from pgmstudio.core.languages.markov_network.structure import GraphModel, MarkovStructure, edge_of


@dataclass(frozen=True, eq=False)
class RelationalNetwork(GraphModel):
    """`projections[c]` has the possible tuples of the c-th maximal clique, clique × tuples."""

    structure: MarkovStructure
    projections: tuple[Tuples, ...]

    kind = "relational-network"

    def __post_init__(self) -> None:
        cliques = self.structure.maximal_cliques
        if len(self.projections) != len(cliques):
            raise GraphError(f"{len(cliques)} cliques have {len(self.projections)} projections.")
        checked = []
        for clique, given in zip(cliques, self.projections, strict=True):
            cards = [self.domain.cardinalities[v] for v in clique]
            tuples = np.array(given, dtype=np.int64)
            names = ", ".join(self.domain.names[v] for v in clique)
            if tuples.ndim != 2 or tuples.shape[0] != len(clique) or not tuples.size:
                raise GraphError(f"The projection to {names} has no tuples of its states.")
            if (tuples < 0).any() or (tuples >= np.array(cards)[:, None]).any():
                raise GraphError(f"The projection to {names} has a state that does not exist.")
            first, _ = tuple_ids(tuples, cards)
            tuples = np.ascontiguousarray(tuples[:, first])
            tuples.flags.writeable = False
            checked.append(tuples)
        object.__setattr__(self, "projections", tuple(checked))

    @classmethod
    def of_relation(cls, structure: MarkovStructure, relation: Relation) -> RelationalNetwork:
        """The graph with the projections of a relation to its cliques."""
        return cls(structure, tuple(map(relation.project, structure.maximal_cliques)))

    def representation_size(self) -> int:
        """The number of tuples of all projections."""
        return sum(tuples.shape[1] for tuples in self.projections)

    # -- the relation

    @cached_property
    def tuple_tables(self) -> tuple[TupleTable, ...]:
        """The projections, each with its scope."""
        cliques = self.structure.maximal_cliques
        return tuple(map(TupleTable.of_relation, cliques, self.projections))

    @cached_property
    def join_tree(self) -> JoinTree:
        tree = JoinTree(self.domain.cardinalities, self.tuple_tables)
        if tree.count() == 0:
            raise GraphError("No tuple is possible: the projections exclude each other.")
        return tree

    @cached_property
    def tuple_count(self) -> int:
        """|R_G|: how many tuples are possible, counted without listing them."""
        return self.join_tree.count()

    def hartley_bits(self) -> float:
        """log2 |R_G|."""
        return math.log2(self.tuple_count)

    # -- edits; names are the domain's

    def with_structure(self, structure: MarkovStructure) -> RelationalNetwork:
        """The projections of this relation to the cliques of another graph."""
        own = dict(zip(self.structure.maximal_cliques, self.projections, strict=True))
        cliques = structure.maximal_cliques
        others = [clique for clique in cliques if clique not in own]
        tree = JoinTree(self.domain.cardinalities, self.tuple_tables, also=others)
        new = {clique: tree.projection(clique).tuples for clique in others}
        return RelationalNetwork(structure, tuple((own | new)[clique] for clique in cliques))

    def with_edge(self, source: str, target: str) -> RelationalNetwork:
        """One more edge; the relation stays until the projections are taken from data."""
        return self.with_structure(self.structure.with_edge(*self.edge_between(source, target)))

    def without_edge(self, source: str, target: str) -> RelationalNetwork:
        """One edge less; the smallest relation of the smaller graph that holds this one."""
        return self.with_structure(self.structure.without_edge(*self.edge_between(source, target)))

    def with_variable(self, variable: Variable) -> RelationalNetwork:
        """One more variable without neighbours, any of its states possible."""
        domain = Domain((*self.domain.variables, variable))
        own = dict(zip(self.structure.maximal_cliques, self.projections, strict=True))
        own[(len(self.domain),)] = np.arange(variable.cardinality)[None, :]
        structure = replace(self.structure, domain=domain)
        return RelationalNetwork(structure, tuple(own[c] for c in structure.maximal_cliques))

    def without_variable(self, name: str) -> RelationalNetwork:
        """The network without a variable and its edges."""
        gone = self.domain.index(name)
        left = frozenset(edge for edge in self.structure.edges if gone not in edge)
        apart = self.with_structure(MarkovStructure(self.domain, left))

        def shifted(variables: Iterable[int]) -> tuple[int, ...]:
            return tuple(v - (v > gone) for v in variables)

        domain = Domain(tuple(v for v in self.domain if v.name != name))
        smaller = MarkovStructure(domain, frozenset(edge_of(*shifted(edge)) for edge in left))
        pairs = zip(apart.structure.maximal_cliques, apart.projections, strict=True)
        kept = {shifted(clique): tuples for clique, tuples in pairs if clique != (gone,)}
        return RelationalNetwork(smaller, tuple(kept[c] for c in smaller.maximal_cliques))

    def with_domain(self, domain: Domain) -> RelationalNetwork:
        """The same network with renamed variables or states; cardinalities must agree."""
        if domain.cardinalities != self.domain.cardinalities:
            raise GraphError("Renaming cannot change how many states a variable has.")
        return RelationalNetwork(replace(self.structure, domain=domain), self.projections)


def open_session(model: RelationalNetwork) -> DegreeSession:
    """A session in which a state is possible or not."""
    return DegreeSession(model, Scale.RELATION)


def program_of(model: RelationalNetwork) -> InferenceProgram:
    """The same as plain numbers."""
    return degree_program(model, Scale.RELATION)
