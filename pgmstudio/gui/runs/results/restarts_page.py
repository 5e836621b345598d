"""The restarts of a k-greedy search: their scores and times, every local optimum, shared edges."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QSlider,
    QStackedWidget,
    QWidget,
)

from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.pdag import Pdag
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.constraints import (
    ClassRules,
)
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
    Optimum,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_observed
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import counted, decimal
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.weighted_canvas import FrequencyCanvas
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.plots.scan_plots import RestartPlot
from pgmstudio.gui.runs.artifact_source import ArtifactSource
from pgmstudio.gui.runs.results.result_page import (
    FittingPage,
    facts_label,
    one_above_the_other,
    under_the_picture,
)
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.basic import Segments, button, label, row
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.table import Column, Table

REDRAW_MS = 250
_COLUMNS = (
    Column("Score ↑", lambda score: decimal(score, 1), True, tip="Higher is better."),
    Column("Runs", str, True, tip="How many runs ended here."),
    Column("Fraction", lambda fraction: f"{100 * fraction:.1f} %", True, tip="Of all runs."),
    Column("Edges", str, True),
    Column("Directed", str, True, tip="Edges with one direction in every graph of the class."),
    Column("Greediness k of its runs", lambda ks: ", ".join(f"{k:g}" for k in ks), stretches=True),
)


class RestartsPage(FittingPage):
    """Page of the restarts of a search; updated during the run."""

    export_dialog = (
        "Export restarts",
        "restarts.csv",
        "One row for each run (*.csv);;All (*.json)",
    )
    _artifact: KesOptima | None = None

    def __init__(self, app: AppContext, source: ArtifactSource) -> None:
        super().__init__("restarts", app, source)
        self.facts = facts_label("restartsFacts")
        self.views = Segments(
            [
                ("scores", "Scores", "The runs of each k in the order of their scores."),
                ("times", "Time", "How long runs took, by k."),
                ("edges", "Shared edges", "How many optima have each edge."),
            ],
            "restartsView",
        )
        self.views.chosen.connect(self._on_view)
        self.plot = RestartPlot()
        self.frequencies = FrequencyCanvas("Edges by the fraction of optima that have them")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.plot)
        self._stack.addWidget(self._edges_view())
        self.table = Table("restartsOptima", "Local optima, the best first", _COLUMNS)
        self.table.chosen.connect(self._open)
        self.table.selected.connect(self._on_selected)
        self._opener = button(
            "Open as model",
            self._on_open,
            icon_name="share-network",
            name="restartsOpen",
            tip="A graph of the selected class with its tables, as a model of the project.",
        )
        export = self._export_button(
            "Export…", "restartsExport", "One row for each run (.csv), or all of it (.json)."
        )
        self._soon = one_shot(self, self._refresh, REDRAW_MS)
        heading = label("Local optima", "heading", size="dense")
        lower = under_the_picture(row(heading, None, self._opener, export), self.table)
        self._lay_out(row(self.views, self.facts), one_above_the_other(self._stack, lower))
        source.changed.connect(self._soon.start)
        self._refresh()

    def _edges_view(self) -> QWidget:
        self.weight = Segments(
            [
                ("optima", "of optima", "Every distinct optimum counts once."),
                ("runs", "of runs", "An optimum counts as often as it was met."),
            ],
            "restartsWeight",
        )
        self.weight.chosen.connect(self._show_edges)
        self.least = QSlider(Qt.Orientation.Horizontal)
        self.least.setObjectName("restartsLeast")
        self.least.setAccessibleName("Smallest fraction shown, in percent")
        self.least.setToolTip("Edges of fewer are not drawn.")
        self.least.setRange(1, 100)
        self.least.setValue(10)
        self.least.setMaximumWidth(220)
        self.least.valueChanged.connect(self._on_least)
        self._least_text = label("", "secondary", size="dense")
        self._least_rest = one_shot(self, self._show_edges, REDRAW_MS)
        text = row(self.weight, self.least, self._least_text, None)
        return under_the_picture(text, self.frequencies, top=0)

    @property
    def title(self) -> str:
        return f"Restarts of {self._source.title}"

    def page_icon(self) -> QIcon:
        return icon("arrows-clockwise")

    def closed(self) -> None:
        super().closed()
        self.frequencies.stop()

    # -- showing

    def _refresh(self) -> None:
        artifact = self._source.artifact
        if not isinstance(artifact, KesOptima) or not artifact.runs:
            self.facts.setText("No run has ended yet.")
            self._opener.setEnabled(False)
            return
        self._artifact = artifact
        best = artifact.best
        self.facts.setText(
            f"{counted(len(artifact.runs), 'run')} · "
            f"{counted(len(artifact.optima), 'local optimum', 'local optima')} · "
            f"best {decimal(best.score, 1)} in {counted(best.runs, 'run')}"
        )
        chosen = self.table.current
        self.table.show_rows([_row(optimum, len(artifact.runs)) for optimum in artifact.optima])
        self.table.select(chosen or 0)
        self._on_selected()
        self._on_view(self.views.current)

    def _on_view(self, key: str) -> None:
        if self._artifact is None:
            return
        self._stack.setCurrentIndex(1 if key == "edges" else 0)
        if key == "edges":
            self._show_edges()
        else:
            self.plot.show_optima(self._artifact, key)

    def _on_least(self) -> None:
        self._show_minimum()
        self._least_rest.start()

    def _show_minimum(self) -> None:
        self._least_text.setText(f"at least {self.least.value()} %")

    def _show_edges(self, *_: object) -> None:
        if self._artifact is None:
            return
        self._show_minimum()
        of_runs = self.weight.current == "runs"
        frequencies = self._artifact.edge_frequencies(of_runs=of_runs)
        what = "of runs" if of_runs else "of optima"
        self.frequencies.show_frequencies(frequencies, what, self.least.value() / 100)

    def _on_selected(self, *_: object) -> None:
        why = "" if self._source.data_id is not None else "the data set of this run is gone."
        self._opener.setEnabled(not why and self.table.current is not None)
        self._opener.setToolTip(
            f"Not now: {why}"
            if why
            else "A graph of the selected class with its tables, as a model of the project."
        )

    # -- taking away

    def _on_open(self) -> None:
        if self.table.current is not None:
            self._open(self.table.current)

    def _open(self, number: int) -> None:
        data_id = self._source.data_id
        if self._artifact is None or data_id is None:
            return
        optimum = self._artifact.optima[number]
        task = self._task()
        if task is None:
            return
        title = f"{self._source.title}, optimum {number + 1}"

        def fitted(cancel: CancelToken) -> ModelEntry:
            network = network_of(optimum.cpdag, task, cancel)
            details = {"score": optimum.score, "runs": optimum.runs, "optimum": number + 1}
            provenance = {"made by": f"bn.kes, seed {task.seed}", **details}
            return ModelEntry(title, network, data_id=data_id, provenance=provenance)

        self._fitting.ask(fitted)


def _row(optimum: Optimum, runs: int) -> tuple[object, ...]:
    cpdag = optimum.cpdag
    return (
        optimum.score,
        optimum.runs,
        optimum.runs / runs,
        cpdag.edge_count,
        len(cpdag.directed),
        optimum.greedinesses,
    )


def network_of(cpdag: Pdag, task: LearnTask, cancel: CancelToken) -> Model:
    """A member of a class that obeys the rules of a run, with tables fitted as the run does."""
    params = task.params
    rules = EdgeRules.of(task.data.domain.names, params.knowledge, params.max_parents)
    return fit_observed(
        task.data,
        ClassRules(rules).member(cpdag),
        params.smoothing,
        params.missing,
        rng=np.random.default_rng(task.seed),
        cancel=cancel,
    ).network


def open_restarts(app: AppContext, source: ArtifactSource) -> None:
    app.open_page(f"restarts:{source.key}", partial(RestartsPage, app, source))
