"""Which edges the restarts of a run ended with: a matrix of counts, and the same as a table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Protocol, runtime_checkable

from pgmstudio.core.languages.tree_mixture.learning.edge_counts import Adjacency, tally_of
from pgmstudio.core.learning.base import RunArtifact
from pgmstudio.core.number_format import counted
from pgmstudio.gui.plots.matrix_plot import AdjacencyMatrix
from pgmstudio.gui.plots.plot_image import PlotDrawing
from pgmstudio.gui.runs.results.content import (
    Edge,
    ResultContent,
    ResultState,
    ResultTable,
    ResultView,
)
from pgmstudio.gui.runs.results.fields import ComboField, ResultField, SegmentsField
from pgmstudio.gui.widgets.table import Column

_PER = (
    ("trees", "Trees", "In how many trees of all restarts an edge is."),
    ("restarts", "Restarts", "In how many restarts an edge is in at least one tree."),
)
_COLUMNS = (
    Column("Edge", str, stretches=True, tip="Two variables that are joined."),
    Column("Count", str, True, tip="In how many of them."),
    Column("Fraction", lambda fraction: f"{100 * fraction:.0f} %", True, tip="Of all of them."),
)


@runtime_checkable
class HasEdgeCounts(Protocol):
    """A model of several graphs, with the number of graphs that have each edge."""

    @property
    def edge_counts(self) -> Mapping[Edge, int]: ...


def edge_counts_content(artifact: RunArtifact, state: ResultState) -> ResultContent | None:
    """How many of the graphs of a run join each pair."""
    tally, facts, fields = tally_of(artifact), list[str](), list[ResultField]()
    if isinstance(artifact, Adjacency):
        per, number = state.value("per", "trees"), state.value("numbers", None)
        tally = artifact.tally(number, of_restarts=per == "restarts")
        fields.append(SegmentsField("per", per, _PER))
        if len(artifact.by_number) > 1:
            titles: dict[int | None, str] = {None: "any number of trees"}
            titles |= {one: counted(one, "tree") for one in artifact.by_number}
            tip = "Restarts with how many trees are counted."
            fields.append(ComboField("numbers", number, titles, tip))
        if per == "trees":
            restarts = artifact.tally(number, of_restarts=True).total
            facts.append(counted(restarts, "restart"))
    if tally is None or not tally.total:
        return None
    facts.append(counted(tally.total, tally.what[:-1], tally.what))
    pairs = counted(len(tally.names) * (len(tally.names) - 1) // 2, "pair")
    facts.append(f"{len(tally.counts)} of {pairs} joined at least once")
    model = state.model
    outlined = list(model.edge_counts) if isinstance(model, HasEdgeCounts) else list[Edge]()

    def draw(matrix: AdjacencyMatrix) -> None:
        matrix.show_edges(outlined)
        matrix.show_tally(tally)

    return ResultContent(
        facts=" · ".join(facts),
        fields=tuple(fields),
        caption=f"Area = in how many of {tally.total} {tally.what} two variables are joined"
        + ("; outlined: in the model of this run." if outlined else "."),
        view=ResultView(
            "matrix",
            partial(AdjacencyMatrix, "adjacencyMatrix"),
            draw,
            signal=lambda matrix: matrix.chosen,
            show_edge=AdjacencyMatrix.select,
            drawing=PlotDrawing,
        ),
        tables=(
            ResultTable(
                "table",
                "Edges, the most frequent first",
                _COLUMNS,
                [(" – ".join(pair), count, count / tally.total) for pair, count in tally.ordered],
                edges=[pair for pair, _ in tally.ordered],
                min_width=280,
            ),
        ),
    )
