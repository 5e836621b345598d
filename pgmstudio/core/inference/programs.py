"""Exact inference written out as plain numbers, for engines outside this program.

A page in a browser cannot load a model, but it can pass messages in a junction tree, flows through
a decision graph, or beliefs of the trees of a mixture, once it is given the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgmstudio.core.arrays import Floats
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.inference.factors import Factored
from pgmstudio.core.inference.join_tree import JoinTree
from pgmstudio.core.model import HasDag


@dataclass(frozen=True, eq=False)
class InferenceProgram:
    """What an engine needs for the exact beliefs of a model.

    `cells` is the number of table cells that an update of all beliefs visits, `numbers` how many
    numbers `document` will have; both are known before it is written. Variables are positions in
    the domain of the model.
    """

    engine: str
    cells: int
    numbers: int
    write: Callable[[], Mapping[str, Any]]

    def document(self) -> dict[str, Any]:
        """The tables as lists, with the name of the engine."""
        return {"engine": self.engine, **self.write()}


def junction_tree_program(model: Factored) -> InferenceProgram:
    """Messages in a junction tree; with a directed graph, factor i is that of variable i."""
    tree = model.clique_tree

    def write() -> dict[str, Any]:
        return {
            "cards": list(model.domain.cardinalities),
            "factors": [
                {"scope": list(factor.scope), "values": factor.values.ravel().tolist()}
                for factor in model.factors
            ],
            "cliques": [list(clique) for clique in tree.cliques],
            "parents": list(tree.parents),
            "log2Partition": model.log2_partition,
            "directed": isinstance(model, HasDag),
        }

    # A factor lies within a clique, so the numbers of all of them follow from their scopes.
    numbers = sum(int(factor.values.size) for factor in model.factors)
    return InferenceProgram("junction-tree", tree.table_cells, numbers, write)


def mixture_program(
    cardinalities: Sequence[int],
    weights: Floats,
    choice: int | None,
    trees: Sequence[tuple[Sequence[int | None], Sequence[int], Sequence[Floats | None]]],
) -> InferenceProgram:
    """A mixture of trees: parents, an order from the roots down, and the tables of each tree.

    All positions are those of the whole domain; the choice variable has no parent and no table.
    """
    numbers = sum(0 if one is None else int(one.size) for *_, tables in trees for one in tables)

    def write() -> dict[str, Any]:
        return {
            "cards": list(cardinalities),
            "weights": weights.tolist(),
            "choice": choice,
            "trees": [
                {
                    "parents": list(parents),
                    "order": list(order),
                    "tables": [
                        None if one is None else one.reshape(-1, one.shape[-1]).tolist()
                        for one in tables
                    ],
                }
                for parents, order, tables in trees
            ],
        }

    return InferenceProgram("mixture", numbers, numbers + int(weights.size), write)


def join_tree_program(tree: JoinTree, scale: Scale) -> InferenceProgram:
    """Degrees of possibility, or of a relation, by the largest degrees of joins of tuples."""
    cells = sum(clique.degrees.size for clique in tree.cliques)
    numbers = sum(clique.degrees.size + clique.tuples.size for clique in tree.cliques)

    def write() -> dict[str, Any]:
        return {
            "cards": list(tree.cardinalities),
            "norm": tree.norm,
            "crisp": scale is Scale.RELATION,
            "cliques": [
                {
                    "scope": list(clique.scope),
                    "parent": parent,
                    "columns": clique.tuples.tolist(),
                    "degrees": clique.degrees.tolist(),
                }
                for clique, parent in zip(tree.cliques, tree.tree.parents, strict=True)
            ],
        }

    return InferenceProgram("join-tree", cells, numbers, write)
