"""The ranking of a search over all graphs, as an artifact of its run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.learning.artifacts import PlainFields
from pgmstudio.core.model import Model

# The best graphs that a ranking lists.
MAX_LISTED = 1_000

TUPLES, DEGREES = "tuples", "degrees"


@dataclass(frozen=True, slots=True)
class RankedGraph:
    """A graph with its tuples or sum of degrees, how much of it the data do not have, and the cells
    of its tables."""

    edges: tuple[tuple[str, str], ...]
    total: float
    additional: float
    cells: int


@dataclass(frozen=True)
class GraphRanking(PlainFields):
    """The best of `graphs` graphs, the best first; `unit` is what is counted or summed, and `total`
    how much of it the data have."""

    names: tuple[str, ...]
    is_directed: bool
    unit: str
    total: float
    graphs: int
    ranking: tuple[RankedGraph, ...]

    kind = "graph-ranking"

    def edge_text(self, graph: RankedGraph) -> str:
        """“a – b, b – c”, or with arrows."""
        joint = " → " if self.is_directed else " – "
        return ", ".join(joint.join(edge) for edge in graph.edges) or "no edges"

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """One row for each graph."""
        rows: list[tuple[object, ...]] = [
            (
                number,
                "; ".join((" -> " if self.is_directed else " – ").join(e) for e in one.edges),
                len(one.edges),
                _plain(one.total),
                _plain(one.additional),
                one.cells,
            )
            for number, one in enumerate(self.ranking, start=1)
        ]
        head = ("number", "edges", "edge_count", self.unit, f"additional_{self.unit}", "cells")
        return head, rows


def _plain(value: float) -> int | float:
    return int(value) if value.is_integer() else value


@runtime_checkable
class FitsGraphs(Protocol):
    """A learner that can give any graph the tables of its data."""

    def fit_graph(self, data: DataSet, params: Any, edges: Sequence[tuple[str, str]]) -> Model: ...
