"""Clique trees: moralise, triangulate, cliques, a tree with the running intersection property."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class CliqueTree:
    """Cliques of sorted variable indices and, per clique, its parent clique (None for roots)."""

    cliques: tuple[tuple[int, ...], ...]
    parents: tuple[int | None, ...]
    fill_ins: tuple[tuple[int, int], ...]
    cardinalities: tuple[int, ...]
    method: str  # the triangulator that won

    @property
    def table_cells(self) -> int:
        """Σ over cliques of Π|R(X)|: size_eff (eq. 3.20)."""
        raise NotImplementedError


def clique_tree_of(parents: Sequence[Sequence[int]], cardinalities: Sequence[int]) -> CliqueTree:
    """The best of several greedy triangulations of the moral graph."""
    raise NotImplementedError
