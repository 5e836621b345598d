"""Texts about a mixture of trees."""

from __future__ import annotations

from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.number_format import counted
from pgmstudio.gui.languages.description import ModelDescription, TableSize

IN_ALL_COMPONENTS = "In all components together."


class MixtureDescription(ModelDescription):
    """The trees of a mixture and how many edges they have in common."""

    def facts(self, model: TreeMixture) -> list[str]:
        edges = "shared edges" if model.is_shared else "free edges"
        return [counted(len(model.trees), "tree"), edges]

    def variable_facts(self, model: TreeMixture, name: str) -> list[str]:
        neighbours = sum(name in pair for pair in model.edge_counts)
        trees = counted(len(model.trees), "tree")
        return [f"{counted(neighbours, 'neighbour')} in {trees}"]

    def edges(self, model: TreeMixture) -> str:
        edges = sum(len(tree.edges) for tree in model.trees)
        distinct = len(model.edge_counts)
        return f"{edges} edges in {len(model.trees)} trees · {distinct} distinct"

    def table_size(self, model: TreeMixture, name: str) -> TableSize:
        states = model.domain[name].cardinality
        columns = 1
        if name != model.choice:
            index = model.tree_domain.index(name)
            columns = sum(tree.tables[index].size for tree in model.trees) // states
        return TableSize(columns, columns * (states - 1), IN_ALL_COMPONENTS)


DESCRIPTION = MixtureDescription()
