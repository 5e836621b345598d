"""Bootstrap edge frequencies, and the network of the edges above a threshold."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QSlider, QSplitter, QVBoxLayout

from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.experiments.bootstrap import averaged_network
from pgmstudio.core.graphs.edge_frequencies import Averaged, EdgeFrequencies, EdgeFrequency
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.weighted_canvas import AveragedCanvas
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.runs.artifact_source import ArtifactSource
from pgmstudio.gui.runs.results.result_page import FittingPage, facts_label
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, button, label, row
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.table import Column, Table

REDRAW_MS = 60
Edge = tuple[str, str]


def _percent_text(value: float) -> str:
    return f"{100 * value:.0f} %"


_COLUMNS = (
    Column("Edge", str, stretches=True, tip="In its own, the more frequent, direction."),
    Column(
        "Joined", _percent_text, True, tip="Fraction of replicates in which the two are adjacent."
    ),
    Column("→", _percent_text, True, tip="… with this direction."),
    Column("←", _percent_text, True, tip="… with the other direction."),
    Column("Either", _percent_text, True, tip="… where both directions are equivalent."),
)


def _title_of(learner: object) -> str:
    return learner_of(learner).title if isinstance(learner, str) else "a learner"


class BootstrapPage(FittingPage):
    """Page of bootstrap edge frequencies; updated during the run."""

    export_dialog = ("Export edges", "edges.csv", "One row for each edge (*.csv);;All (*.json)")
    _artifact: EdgeFrequencies | None = None

    def __init__(self, app: AppContext, source: ArtifactSource) -> None:
        super().__init__("bootstrap", app, source)
        self._averaged: Averaged | None = None
        self.facts = facts_label("bootstrapFacts")
        self.threshold = QSlider(Qt.Orientation.Horizontal)
        self.threshold.setObjectName("bootstrapThreshold")
        self.threshold.setAccessibleName("Smallest fraction of replicates, in percent")
        self.threshold.setToolTip("Edges that fewer replicates join are not in the network.")
        self.threshold.setRange(1, 100)
        self.threshold.setValue(50)
        self.threshold.setMinimumWidth(90)
        self.threshold.setMaximumWidth(200)
        self.threshold.valueChanged.connect(self._on_threshold)
        self._point_text = label("", "secondary")
        self._point_text.setObjectName("bootstrapWords")
        self.note = Note(level="warning", name="bootstrapNote")
        self.averaged = AveragedCanvas()
        self.averaged.selected.connect(self._on_edge)
        self.table = Table("bootstrapEdges", "Edges, the most frequent first", _COLUMNS)
        self.table.selected.connect(self._on_row)
        self.table.setMinimumWidth(round(330 * theme().scale))
        opener = button(
            "Open as model",
            self.open_model,
            icon_name="share-network",
            name="bootstrapOpen",
            tip="The averaged network with tables from all rows, as a model of the project.",
        )
        export = self._export_button(
            "Export…",
            "bootstrapExport",
            "One row for each edge in its own orientation (.csv), or all of it (.json).",
        )
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.averaged)
        splitter.addWidget(self.table)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        splitter.setSizes([330, 380])  # names of edges are read whole at 1280
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 10, 16, 8)
        layout.setSpacing(6)
        layout.addWidget(row(self.facts))
        limit = label("Threshold", "secondary", size="dense")
        layout.addWidget(row(limit, self.threshold, self._point_text, None, opener, export))
        layout.addWidget(self.note)
        layout.addWidget(splitter, 1)
        self._soon = one_shot(self, self._show_average, REDRAW_MS)
        source.changed.connect(self._refresh)
        self._refresh()

    @property
    def title(self) -> str:
        return self._source.title

    @property
    def canvas(self) -> Canvas:
        """For exports of the picture."""
        return self.averaged.canvas

    def page_icon(self) -> QIcon:
        return icon("chart-bar")

    def closed(self) -> None:
        self._soon.stop()
        super().closed()
        self.averaged.stop()

    # -- showing

    def _refresh(self) -> None:
        artifact = self._source.artifact
        if not isinstance(artifact, EdgeFrequencies) or not artifact.graphs:
            self.facts.setText("No replicate is done yet.")
            return
        self._artifact = artifact
        details = artifact.settings
        how = "classes" if details.get("orientation") == "class" else "graphs"
        self.facts.setText(
            f"{counted(artifact.graphs, 'replicate')} of {_title_of(details.get('learner'))}, "
            f"seed {details.get('seed', 0)} · {counted(len(artifact.edges), 'pair')} joined "
            f"at least once · directions of {how}"
        )
        self.facts.setToolTip(self.facts.text())
        chosen = self.table.current
        self.table.show_rows([_row(edge) for edge in artifact.edges])
        if chosen is not None:
            self.table.select(chosen)
        self._show_average()

    def _on_threshold(self) -> None:
        self._show_threshold()
        self._soon.start()

    def _show_threshold(self) -> None:
        edges = "" if self._averaged is None else counted(len(self._averaged.dag.edges), "edge")
        self._point_text.setText(f"≥ {self.threshold.value()} % · {edges}")

    def _show_average(self) -> None:
        if self._artifact is None:
            return
        averaged = self._averaged = self._artifact.averaged(self.threshold.value() / 100)
        self._show_threshold()
        messages = [
            f"{edge.source} → {edge.target} ({_percent_text(edge.joined)}) would close a cycle "
            "and is left out."
            for edge in averaged.left_out[:3]
        ]
        if len(averaged.left_out) > 3:
            messages.append(f"So are {len(averaged.left_out) - 3} more.")
        if not averaged.is_exact:
            messages.append("No network has exactly the v-structures that most replicates share.")
        self.note.show_text(" ".join(messages))
        self.averaged.show_average(self._artifact, averaged)

    def _on_row(self, number: int) -> None:
        if self._artifact is not None:
            edge = self._artifact.edges[number]
            self.averaged.show_edge((edge.source, edge.target))

    def _on_edge(self, edge: Edge | None) -> None:
        if self._artifact is None or edge is None:
            return
        for number, known in enumerate(self._artifact.edges):
            if {known.source, known.target} == set(edge):
                self.table.select(number)

    # -- taking away

    def open_model(self) -> None:
        """The averaged network at this threshold becomes a model of the project."""
        if self._averaged is None:
            return
        task = self._task()
        if task is None:
            return
        dag, fraction = self._averaged.dag, self.threshold.value()
        title, data_id = f"{self._source.title}, ≥ {fraction} %", self._source.data_id
        replicates = self._artifact.graphs if self._artifact is not None else 0
        smoothing = getattr(task.params, "smoothing", 1.0)

        def fitted(_cancel: CancelToken) -> ModelEntry:
            network = averaged_network(task.data, dag, smoothing, seed=task.seed)
            made = {"made by": f"bootstrap of {task.learner_key}", "replicates": replicates}
            details = {**made, "threshold": fraction / 100, "seed": task.seed}
            return ModelEntry(title, network, data_id=data_id, provenance=details)

        self._fitting.ask(fitted)


def _row(edge: EdgeFrequency) -> tuple[object, ...]:
    fractions = (edge.joined, edge.forward, edge.backward, edge.undirected)
    return (f"{edge.source} → {edge.target}", *fractions)


def open_bootstrap(app: AppContext, source: ArtifactSource) -> None:
    app.open_page(f"bootstrap:{source.key}", partial(BootstrapPage, app, source))
