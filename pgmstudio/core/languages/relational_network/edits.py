"""Edits of a relational network: the tuples of a projection, and all of them from data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.relation import Relation
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.relational_network.model import RelationalNetwork


def set_projection(
    model: RelationalNetwork, *, variables: Sequence[str], tuples: Sequence[Sequence[str]]
) -> RelationalNetwork:
    """Other possible tuples of a maximal clique, as states in the order of the names."""
    order = [model.domain.index(name) for name in variables]
    clique = tuple(sorted(order))
    cliques = model.structure.maximal_cliques
    if clique not in cliques:
        raise GraphError(f"{', '.join(variables)} are no maximal clique of the graph.")
    known = [model.domain[name] for name in variables]
    coded = [[v.code(s) for v, s in zip(known, one, strict=True)] for one in tuples]
    codes = np.array(coded, dtype=np.int64).reshape(-1, len(order)).T[np.argsort(order)]
    index = cliques.index(clique)
    projections = (*model.projections[:index], codes, *model.projections[index + 1 :])
    edited = RelationalNetwork(model.structure, projections)
    _ = edited.join_tree  # refuses projections that exclude each other
    return edited


def project_data(model: RelationalNetwork, *, data: DataSet) -> RelationalNetwork:
    """The same graph with the projections of the rows of a data set."""
    relation = Relation.of(rows_over(data, model.domain))
    return RelationalNetwork.of_relation(model.structure, relation)
