"""What one more edge would do to the clique tree, before it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pgmstudio.core.graphs.clique_trees import CliqueTree, clique_tree_of

# From here on growth is worth a warning: the tree grows by this factor, or beyond so many cells.
MUCH_LARGER, MANY_CELLS = 4.0, 1_000_000


@dataclass(frozen=True, slots=True)
class SizeForecast:
    """Cells of the clique tree (eq. 3.20) before and after."""

    before: int
    after: int

    @property
    def grows(self) -> bool:
        return self.after > self.before

    @property
    def is_warning(self) -> bool:
        """Updating beliefs would take noticeably longer, or not be possible any more."""
        return self.grows and (self.after >= MUCH_LARGER * self.before or self.after >= MANY_CELLS)


def size_with_edge(
    tree: CliqueTree,
    parents: Sequence[Sequence[int]],
    source: int,
    target: int,
) -> SizeForecast:
    """The size of the clique tree with the edge source → target too.

    Where a clique already holds the new family nothing changes; else the graph is triangulated
    again, which is why whoever draws asks for it beside the window.
    """
    family = {source, target, *parents[target]}
    if any(family <= {*clique} for clique in tree.cliques):
        return SizeForecast(tree.table_cells, tree.table_cells)
    more = [sorted({*of, source}) if child == target else of for child, of in enumerate(parents)]
    grown = clique_tree_of(more, tree.cardinalities)
    return SizeForecast(tree.table_cells, grown.table_cells)
