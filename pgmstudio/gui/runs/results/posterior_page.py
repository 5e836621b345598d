"""How probable edges and labels are by chains over labelled graphs: a picture and three tables."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QSlider, QSplitter, QStackedWidget

from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.languages.ldag.learning.posterior import LdagPosterior
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.edge_strengths import Strengths
from pgmstudio.gui.canvas.weighted_canvas import AveragedCanvas
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.runs.artifact_source import ArtifactSource
from pgmstudio.gui.runs.results.result_page import ArtifactPage, facts_label, under_the_picture
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Segments, label, row, wide_first
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.table import Column, Table

REDRAW_MS = 60
Edge = tuple[str, str]
EDGES, LABELS, GRAPHS = "edges", "labels", "graphs"


def _percent_text(value: float) -> str:
    return f"{100 * value:.1f} %"


_TABLES = {
    EDGES: (
        "Edges, the most probable first",
        (
            Column("Edge", str, stretches=True),
            Column("P", _percent_text, True, tip="Probability of the graphs that have the edge."),
            Column(
                "P labelled",
                _percent_text,
                True,
                tip="Probability of those in which it has a label.",
            ),
        ),
    ),
    LABELS: (
        "Contexts in which edges vanish",
        (
            Column("Edge", str),
            Column("Vanishes where", str, stretches=True, tip="States of the other parents."),
            Column(
                "P", _percent_text, True, tip="Probability that the edge is there and vanishes so."
            ),
        ),
    ),
    GRAPHS: (
        "Graphs, the most probable first",
        (
            Column("Graph", grouped, True),
            Column(
                "P", _percent_text, True, tip="Probability among the sampled graphs of the chains."
            ),
            Column("Score ↑", lambda bits: f"{bits:,.2f}".replace(",", "\u2009"), True),
            Column("Edges", str, stretches=True),
        ),
    ),
}
_VIEWS = (
    (EDGES, "Edges", "How probable every edge is, and how probable it is with a label."),
    (LABELS, "Labels", "How probable it is that an edge vanishes in a context."),
    (GRAPHS, "Graphs", "The most probable graphs with their scores in bits."),
)


class PosteriorPage(ArtifactPage):
    """The picture has the edges above a threshold; a row that is selected is marked there."""

    export_dialog = (
        "Export probabilities",
        "probabilities.csv",
        "One line for each edge and context (*.csv);;All (*.json)",
    )
    _artifact: LdagPosterior | None = None

    def __init__(self, app: AppContext, source: ArtifactSource) -> None:
        super().__init__("posterior", app, source)
        self.facts = facts_label("posteriorFacts")
        self.views = Segments(_VIEWS, "posteriorViews")
        self.views.chosen.connect(self._show_view)
        self.threshold = QSlider(Qt.Orientation.Horizontal)
        self.threshold.setObjectName("posteriorThreshold")
        self.threshold.setAccessibleName("Smallest probability of an edge, in percent")
        self.threshold.setToolTip("Less probable edges are not in the picture.")
        self.threshold.setRange(1, 100)
        self.threshold.setValue(50)
        self.threshold.setMinimumWidth(90)
        self.threshold.setMaximumWidth(200)
        self._point_text = label("", "secondary")
        self._point_text.setObjectName("posteriorWords")
        self.picture = AveragedCanvas(self._strengths)
        self.picture.selected.connect(self._on_edge)
        self.tables = {
            key: Table(f"posterior{key.title()}", title, columns)
            for key, (title, columns) in _TABLES.items()
        }
        self._stack = QStackedWidget()
        for table in self.tables.values():
            self._stack.addWidget(table)
        self.tables[EDGES].selected.connect(self._on_edge_row)
        self.tables[LABELS].selected.connect(self._on_label_row)
        export = self._export_button(
            "Export…", "posteriorExport", "Edges and contexts (.csv), or all of it (.json)."
        )
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.picture)
        splitter.addWidget(under_the_picture(row(self.views, None), self._stack, top=0))
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([340, 360])
        self._stack.setMinimumWidth(round(300 * theme().scale))
        limit = label("Threshold", "secondary", size="dense")
        self._lay_out(
            wide_first(row(self.facts, export)),
            row(limit, self.threshold, self._point_text, None),
            splitter,
        )
        self._soon = one_shot(self, self._show_picture, REDRAW_MS)
        self.threshold.valueChanged.connect(self._soon.start)
        source.changed.connect(self._refresh)
        self._refresh()

    @property
    def title(self) -> str:
        return f"Probabilities of {self._source.title}"

    @property
    def canvas(self) -> Canvas:
        """For exports of the picture."""
        return self.picture.canvas

    def page_icon(self) -> QIcon:
        return icon("tag")

    def closed(self) -> None:
        self._soon.stop()
        self.picture.stop()

    def _refresh(self) -> None:
        artifact = self._source.artifact
        if not isinstance(artifact, LdagPosterior):
            self.facts.setText("The chains are still walking.")
            return
        self._artifact = artifact
        self.facts.setText(
            f"{counted(artifact.models, 'graph')} of {counted(artifact.steps, 'step')}, "
            "weighted by score, "
            f"each with its best labels · {grouped(artifact.accepted)} steps accepted"
        )
        self.facts.setToolTip(self.facts.text())
        self.tables[EDGES].show_rows(
            [(f"{e.source} → {e.target}", e.probability, e.labelled) for e in artifact.edges]
        )
        self.tables[LABELS].show_rows(
            [(f"{c.source} → {c.target}", c.text, c.probability) for c in artifact.contexts]
        )
        self.tables[GRAPHS].show_rows(
            [
                (i + 1, graph.probability, graph.score, ", ".join(map(" → ".join, graph.edges)))
                for i, graph in enumerate(artifact.graphs)
            ]
        )
        self._show_picture()

    def _show_view(self, key: str) -> None:
        self._stack.setCurrentWidget(self.tables[key])

    def _names(self) -> tuple[str, ...]:
        """All variables where they are known, also those without edges."""
        entry = self._app.project.models.get(self._source.model_id or "")
        if entry is not None:
            return entry.model.domain.names
        ends = (
            [end for e in self._artifact.edges for end in (e.source, e.target)]
            if self._artifact
            else []
        )
        return tuple(dict.fromkeys(ends))

    def _show_picture(self) -> None:
        if self._artifact is None:
            return
        frequencies = self._artifact.frequencies(self._names())
        averaged = frequencies.averaged(self.threshold.value() / 100)
        count = counted(len(averaged.dag.edges), "edge")
        self._point_text.setText(f"≥ {self.threshold.value()} % in either direction · {count}")
        self.picture.show_average(frequencies, averaged)

    def _strengths(self, edges: Iterable[Edge], frequencies: EdgeFrequencies) -> Strengths:
        """Show probabilities as widths; the tooltip shows directions and labels."""
        artifact = self._artifact
        labelled = (
            {} if artifact is None else {(e.source, e.target): e.labelled for e in artifact.edges}
        )
        values, notes = {}, {}
        for edge in edges:
            fraction = frequencies.of_pair(*edge)
            values[edge] = fraction.joined
            notes[edge] = (
                f"→ {_percent_text(fraction.forward)}, ← {_percent_text(fraction.backward)}, "
                f"with a label {_percent_text(labelled.get(edge, 0.0))}"
            )
        return Strengths("probability", "%", values, full=1.0, notes=notes)

    def _on_edge_row(self, number: int) -> None:
        if self._artifact is not None:
            edge = self._artifact.edges[number]
            self.picture.show_edge((edge.source, edge.target))

    def _on_label_row(self, number: int) -> None:
        if self._artifact is not None:
            context = self._artifact.contexts[number]
            self.picture.show_edge((context.source, context.target))

    def _on_edge(self, edge: Edge | None) -> None:
        if self._artifact is None or edge is None:
            return
        ends = [(known.source, known.target) for known in self._artifact.edges]
        if edge in ends:
            self.tables[EDGES].select(ends.index(edge))


def open_posterior(app: AppContext, source: ArtifactSource) -> PosteriorPage:
    page = app.open_page(f"posterior:{source.key}", partial(PosteriorPage, app, source))
    assert isinstance(page, PosteriorPage)
    return page
