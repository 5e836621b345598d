"""Which edges the restarts of a run ended with: a matrix of counts, and the same as a table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Protocol, runtime_checkable

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QComboBox, QSplitter

from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
)
from pgmstudio.core.languages.tree_mixture.learning.edge_counts import (
    Adjacency,
    EdgeTally,
    tally_of,
)
from pgmstudio.core.learning.base import RunArtifact
from pgmstudio.core.number_format import counted
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.navigation import export_drawing
from pgmstudio.gui.plots.matrix_plot import AdjacencyMatrix
from pgmstudio.gui.plots.profile_plots import ProfileDrawing
from pgmstudio.gui.runs.artifact_source import ArtifactSource, active_source, run_of_model
from pgmstudio.gui.runs.results.result_page import ArtifactPage, facts_label
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Segments, button, label, row, wide_first
from pgmstudio.gui.widgets.combo_box import offer
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.table import Column, Table

REDRAW_MS = 250
_COLUMNS = (
    Column("Edge", str, stretches=True, tip="Two variables that are joined."),
    Column("Count", str, True, tip="In how many of them."),
    Column("Fraction", lambda fraction: f"{100 * fraction:.0f} %", True, tip="Of all of them."),
)


@runtime_checkable
class HasEdgeCounts(Protocol):
    """A model of several graphs, with the number of graphs that have each edge."""

    @property
    def edge_counts(self) -> Mapping[tuple[str, str], int]: ...


class AdjacencyPage(ArtifactPage):
    """Page of edge counts; updated during the run."""

    export_dialog = ("Export counts", "edges.csv", "One line for each edge (*.csv);;All (*.json)")
    _artifact: RunArtifact | None = None

    def __init__(self, app: AppContext, source: ArtifactSource) -> None:
        super().__init__("adjacency", app, source)
        self.tally: EdgeTally | None = None
        self._pairs: list[tuple[str, str]] = []
        self.facts = facts_label("adjacencyFacts")
        self.numbers = QComboBox()
        self.numbers.setObjectName("adjacencyNumbers")
        self.numbers.setAccessibleName("Restarts with how many trees")
        self.numbers.setToolTip("Restarts with how many trees are counted.")
        self.numbers.activated.connect(self._refresh)
        self.per = Segments(
            [
                ("trees", "Trees", "In how many trees of all restarts an edge is."),
                ("restarts", "Restarts", "In how many restarts an edge is in at least one tree."),
            ],
            "adjacencyPer",
        )
        self.per.chosen.connect(self._refresh)
        self.matrix = AdjacencyMatrix("adjacencyMatrix")
        self.matrix.chosen.connect(self._on_cell)
        self._legend = label("", "secondary", size="dense", wrap=True)
        self._legend.setObjectName("adjacencyLegend")
        self.table = Table("adjacencyTable", "Edges, the most frequent first", _COLUMNS)
        self.table.selected.connect(self._on_row)
        self.table.setMinimumWidth(round(280 * theme().scale))
        picture = button(
            "Export picture…",
            self._on_picture,
            icon_name="export",
            name="adjacencyPicture",
            tip="The matrix as PNG, SVG or PDF.",
        )
        export = self._export_button(
            "Export CSV…",
            "adjacencyExport",
            "One line for each edge with its counts (.csv), or all of it (.json).",
        )
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.matrix)
        splitter.addWidget(self.table)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        splitter.setSizes([430, 300])
        self._lay_out(
            wide_first(row(self.facts, picture, export)),
            row(self.per, self.numbers, None),
            self._legend,
            splitter,
        )
        self._soon = one_shot(self, self._refresh, REDRAW_MS)
        source.changed.connect(self._soon.start)
        self._refresh()

    @property
    def title(self) -> str:
        return f"Edges of {self._source.title}"

    def page_icon(self) -> QIcon:
        return icon("dots-nine")

    def closed(self) -> None:
        self._soon.stop()

    # -- showing

    def _refresh(self, *_: object) -> None:
        artifact = self._artifact = self._source.artifact
        self._show_choices(artifact)
        if isinstance(artifact, Adjacency):
            per_restart = self.per.current == "restarts"
            tally: EdgeTally | None = artifact.tally(
                self.numbers.currentData(), of_restarts=per_restart
            )
        else:
            tally = tally_of(artifact)
        if tally is None or not tally.total:
            self.facts.setText("No restart has ended yet.")
            return
        self.tally = tally
        facts = [counted(tally.total, tally.what[:-1], tally.what)]
        if isinstance(artifact, Adjacency) and tally.what == "trees":
            chosen = self.numbers.currentData()
            restarts = artifact.tally(chosen, of_restarts=True).total
            facts.insert(0, counted(restarts, "restart"))
        pairs = len(tally.names) * (len(tally.names) - 1) // 2
        facts.append(f"{len(tally.counts)} of {counted(pairs, 'pair')} joined at least once")
        self.facts.setText(" · ".join(facts))
        self.facts.setToolTip(self.facts.text())
        outlined = self._model_edges()
        self._legend.setText(
            f"Area = in how many of {tally.total} {tally.what} two variables are joined"
            + ("; outlined: in the model of this run." if outlined else ".")
        )
        self.matrix.show_edges(outlined)
        self.matrix.show_tally(tally)
        order = tally.ordered
        self._pairs = [pair for pair, _ in order]
        self.table.show_rows([(" – ".join(p), n, n / tally.total) for p, n in order])

    def _show_choices(self, artifact: RunArtifact | None) -> None:
        numbers = list(artifact.by_number) if isinstance(artifact, Adjacency) else []
        self.per.setVisible(bool(numbers))
        self.numbers.setVisible(len(numbers) > 1)
        if [self.numbers.itemData(i) for i in range(1, self.numbers.count())] != numbers:
            titles = {number: counted(number, "tree") for number in numbers}
            offer(self.numbers, {None: "any number of trees", **titles})

    def _model_edges(self) -> list[tuple[str, str]]:
        """Of the mixture that the run ended with, if it is in the project."""
        entry = self._app.project.models.get(self._source.model_id or "")
        if entry is None or not isinstance(entry.model, HasEdgeCounts):
            return []
        return list(entry.model.edge_counts)

    def _on_cell(self, one: str, other: str) -> None:
        for pair in ((one, other), (other, one)):
            if pair in self._pairs:
                self.table.select(self._pairs.index(pair))

    def _on_row(self, number: int) -> None:
        if 0 <= number < len(self._pairs):
            self.matrix.select(self._pairs[number])

    # -- taking away

    def _on_picture(self) -> None:
        export_drawing(self._app, ProfileDrawing(self.matrix, self.title))


# What has edges to count, the most telling first.
KINDS = (Adjacency.kind, KesOptima.kind, EdgeFrequencies.kind)


def adjacency_source(app: AppContext) -> ArtifactSource | None:
    """Of the run behind the model in view, else of the run looked at, else of the newest."""
    run_id = run_of_model(app.project, app.workspace.model_id)
    artifact = app.project.runs[run_id].kept if run_id is not None else {}
    for kind in KINDS:
        if run_id is not None and kind in artifact:
            return ArtifactSource(app, kind, run_id)
    return next(filter(None, (active_source(app, kind) for kind in KINDS)), None)


def open_adjacency(app: AppContext, source: ArtifactSource) -> AdjacencyPage:
    page = app.open_page(f"adjacency:{source.key}", partial(AdjacencyPage, app, source))
    assert isinstance(page, AdjacencyPage)
    return page
