"""Result pages of scans: over numbers of classes, κ, λ, and numbers of trees.

Each has a plot of the models of a run, a table, and opens every model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QWidget

from pgmstudio.core.experiments.sl_curves.sweep import (
    has_smoothings,
    smoothing_sweep,
    trees_sweep,
)
from pgmstudio.core.languages.latent_class.learning.trace import ClassScan, ScanPoint
from pgmstudio.core.languages.ldag.learning.kappa_path import KappaPath, KappaPoint
from pgmstudio.core.languages.pdg.learning.trace import PdgPoint, PdgScan
from pgmstudio.core.languages.tree_mixture.learning.trace import MixturePoint, MixtureScan
from pgmstudio.core.learning.base import RunArtifact
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.plots.plot_widget import PointPlot
from pgmstudio.gui.plots.scan_plots import (
    EDGES,
    HELD,
    LIKELIHOOD,
    PARAMETERS,
    SCORE,
    KappaPlot,
    ScanPlot,
    SweepLinesPlot,
    SweepPlot,
    flag_of,
    kappa_text,
)
from pgmstudio.gui.runs.artifact_source import ArtifactSource
from pgmstudio.gui.runs.recorded_run import LAMBDA
from pgmstudio.gui.runs.results.result_page import (
    ArtifactPage,
    facts_label,
    one_above_the_other,
    under_the_picture,
)
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.basic import Segments, button, row, wide_first
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.table import Column, Table

REDRAW_MS = 200


def bits_cell(value: float | None) -> str:
    """Three digits; a dash where it is not known."""
    return "–" if value is None or math.isinf(value) else f"{value:.3f}".replace("-", "−")


class RecordedPoint(Protocol):
    """One of the models; None where it was too large to be saved."""

    @property
    def model(self) -> Model | None: ...

    def value(self, criterion: str) -> float: ...


P = TypeVar("P", bound=RecordedPoint)
P_co = TypeVar("P_co", bound=RecordedPoint, covariant=True)


class RecordedScan(RunArtifact, Protocol[P_co]):
    """The models of a run and by what the best of them was chosen."""

    @property
    def criterion(self) -> str: ...

    @property
    def points(self) -> tuple[P_co, ...]: ...

    def best(self) -> P_co: ...


class PointsPage(ArtifactPage, Generic[P]):
    """Base of the scan pages: follows the run; subclasses define its points."""

    name: str  # of the widgets
    symbol: str  # the name of an icon
    columns: Sequence[Column]
    table_title: str
    open_tip: str
    missing_text: str  # when a model was too large to be saved
    _scan: RecordedScan[P] | None = None

    def __init__(self, key: str, app: AppContext, source: ArtifactSource, plot: PointPlot) -> None:
        super().__init__(key, app, source)
        self.facts = facts_label(f"{self.name}Facts")
        plot.chosen.connect(self.open_point)
        self.table = Table(f"{self.name}Table", self.table_title, self.columns)
        self.table.chosen.connect(self.open_point)
        self.table.selected.connect(self._on_selected)
        self._opener = button(
            "Open model",
            self._on_open,
            icon_name=self.symbol,
            name=f"{self.name}Open",
            tip=self.open_tip,
        )
        export = self._export_button(
            "Export…", f"{self.name}Export", "One line for each model (.csv), or all of it (.json)."
        )
        self._soon = one_shot(self, self._refresh, REDRAW_MS)
        self._lay_out(
            wide_first(row(self.facts, self._opener, export)),
            one_above_the_other(plot, under_the_picture(self.table)),
        )
        source.changed.connect(self._soon.start)
        self._refresh()

    def page_icon(self) -> QIcon:
        return icon(self.symbol)

    # -- overridden by subclasses

    def _show(self, artifact: RunArtifact) -> RecordedScan[P] | None:
        """Draw the artifact of the run; None when it is of another kind."""
        raise AssertionError("a child draws its points")

    def _point_text(self, point: P) -> str:
        """Short description of the best point."""
        raise NotImplementedError

    def _row(self, point: P) -> tuple[object, ...]:
        """A point as a row of the table."""
        raise NotImplementedError

    def _about(self, point: P) -> tuple[str, Mapping[str, Any]]:
        """The title of the model of a point, and where it comes from."""
        raise NotImplementedError

    # -- what all have

    def _refresh(self) -> None:
        artifact = self._source.artifact
        shown = None if artifact is None else self._show(artifact)
        if shown is None or not shown.points:
            self.facts.setText("No model yet.")
            self._opener.setEnabled(False)
            return
        self._artifact = self._scan = shown
        best = shown.best()
        self.facts.setText(
            f"{counted(len(shown.points), 'model')} · best by {shown.criterion}: "
            f"{self._point_text(best)}, {bits_cell(best.value(shown.criterion))} bits per row"
        )
        chosen = self.table.current
        self.table.show_rows([self._row(point) for point in shown.points])
        self.table.select(shown.points.index(best) if chosen is None else chosen)
        self._on_selected()

    @property
    def scan(self) -> RecordedScan[P] | None:
        return self._scan

    def _point(self, number: int | None) -> P | None:
        if self._scan is None or number is None or not 0 <= number < len(self._scan.points):
            return None
        return self._scan.points[number]

    def _on_selected(self, *_: object) -> None:
        point = self._point(self.table.current)
        self._opener.setEnabled(point is not None and point.model is not None)
        is_gone = point is not None and point.model is None
        self._opener.setToolTip(f"Not now: {self.missing_text}" if is_gone else self.open_tip)

    def _on_open(self) -> None:
        if self.table.current is not None:
            self.open_point(self.table.current)

    def open_point(self, number: int) -> None:
        """The model of one point becomes a model of the project."""
        point = self._point(number)
        if point is None:
            return
        if point.model is None:
            self._app.notify(f"{self.missing_text[:1].upper()}{self.missing_text[1:]}")
            return
        title, provenance = self._about(point)
        entry = ModelEntry(title, point.model, data_id=self._source.data_id, provenance=provenance)
        add_and_show_model(self._app, entry, f"Open {title}")


class ClassScanPage(PointsPage[ScanPoint]):
    """Page of one scan; updated during the run."""

    export_dialog = (
        "Export the scan",
        "classes.csv",
        "One line for each model (*.csv);;All (*.json)",
    )
    name, symbol = "scan", "circle-dashed"
    columns = (
        Column("Classes", str, True),
        Column("Training ↑", bits_cell, True, tip="Bits per row; higher is better."),
        Column("BIC ↑", bits_cell, True, tip="Bits per row, ½ log2 N off for every parameter."),
        Column(
            "AIC ↑",
            bits_cell,
            True,
            tip="Bits per row, log2 e off for every parameter.",
        ),
        Column("Held-out ↑", bits_cell, True, tip="Bits per row of rows it has not learned from."),
        Column("Parameters", grouped, True),
        Column(
            "Classes of no use", str, stretches=True, tip="Without rows, or the same as another."
        ),
    )
    table_title = "Models of the scan, in the order of the run"
    open_tip = "The model with this number of classes, as one of the project."
    missing_text = "its tables were too large to be saved; learn that number alone."

    def __init__(self, app: AppContext, source: ArtifactSource) -> None:
        self.plot = ScanPlot()
        super().__init__("class-scan", app, source, self.plot)

    @property
    def title(self) -> str:
        return f"Classes of {self._source.title}"

    def _show(self, artifact: RunArtifact) -> ClassScan | None:
        if not isinstance(artifact, ClassScan):
            return None
        self.plot.show_scan(artifact)
        return artifact

    def _point_text(self, point: ScanPoint) -> str:
        return counted(point.classes, "class", "classes")

    def _row(self, point: ScanPoint) -> tuple[object, ...]:
        return (
            point.classes,
            point.train_bits,
            point.bic_bits,
            point.aic_bits,
            point.held_bits if point.held_bits is not None else float("-inf"),
            point.representation_size,
            flag_of(point) or "none",
        )

    def _about(self, point: ScanPoint) -> tuple[str, Mapping[str, Any]]:
        made = self._source.title
        details = {"classes": point.classes, "bic": point.bic_bits, "aic": point.aic_bits}
        title = f"{made}, {self._point_text(point)}"
        return title, {"made by": f"a scan of classes: {made}", **details}


def open_scan(app: AppContext, source: ArtifactSource) -> ClassScanPage:
    page = app.open_page(f"class-scan:{source.key}", partial(ClassScanPage, app, source))
    assert isinstance(page, ClassScanPage)
    return page


_ALONG = (
    (HELD, "Held-out rows", "Bits per held-out row by cross-validation; bars are standard errors."),
    (SCORE, "Score", "Marginal likelihood and prior of graph and labels."),
    (LIKELIHOOD, "Likelihood", "The marginal likelihood, or BIC, alone."),
    (PARAMETERS, "Parameters", "Free parameters, and those of the same graph without labels."),
    (EDGES, "Edges", "Edges, and contexts in their labels."),
)


def _two(value: float) -> str:
    return f"{value:,.2f}".replace(",", "\u2009").replace("-", "−")


class KappaPage(PointsPage[KappaPoint]):
    """Page of one scan; updated during the run."""

    export_dialog = (
        "Export the κ path",
        "kappa-path.csv",
        "One line for each κ (*.csv);;All (*.json)",
    )
    name, symbol = "kappa", "tag"
    columns = (
        Column("κ", kappa_text, True, tip="The prior of labels; 0 is without labels."),
        Column("Held-out ↑", bits_cell, True, tip="Bits per row of rows it has not learned from."),
        Column("±", bits_cell, True, tip="Standard error of the mean over the folds."),
        Column("Score ↑", _two, True, tip="Marginal likelihood and prior in bits."),
        Column("Likelihood", _two, True, tip="Marginal likelihood, or BIC, in bits."),
        Column("Edges", grouped, True),
        Column("Contexts", grouped, True, tip="In the labels of all edges."),
        Column("Free", grouped, True, stretches=True, tip="Free parameters."),
    )
    table_title = "Models from the smallest κ to the largest"
    open_tip = "The graph of this κ, as a model of the project."
    missing_text = "its model was not saved."

    def __init__(self, app: AppContext, source: ArtifactSource) -> None:
        self.plot = KappaPlot()
        self.along = Segments(_ALONG, "kappaAlong")
        super().__init__("kappa", app, source, self.plot)
        self.along.chosen.connect(self.plot.show_quantity)

    def _lay_out(self, *widgets: QWidget) -> None:
        head, *rest = widgets
        super()._lay_out(head, row(self.along, None), *rest)

    @property
    def title(self) -> str:
        return f"κ path of {self._source.title}"

    def _show(self, artifact: RunArtifact) -> KappaPath | None:
        if not isinstance(artifact, KappaPath):
            return None
        if artifact.points:
            self.plot.show_path(artifact)
        return artifact

    def _point_text(self, point: KappaPoint) -> str:
        where = f"κ {kappa_text(point.kappa)}" if point.kappa else "no labels"
        return f"{where}, {counted(point.parameters, 'parameter')}"

    def _row(self, point: KappaPoint) -> tuple[object, ...]:
        unknown = float("-inf")
        return (
            point.kappa,
            unknown if point.held_bits is None else point.held_bits,
            unknown if point.standard_error is None else point.standard_error,
            point.score,
            point.log2_likelihood,
            point.edges,
            point.labels,
            point.parameters,
        )

    def _about(self, point: KappaPoint) -> tuple[str, Mapping[str, Any]]:
        made, text = self._source.title, self._point_text(point).partition(",")[0]
        return f"{made}, {text}", {"made by": f"the κ path of {made}", "kappa": point.kappa}


def open_kappa(app: AppContext, source: ArtifactSource) -> KappaPage:
    page = app.open_page(f"kappa:{source.key}", partial(KappaPage, app, source))
    assert isinstance(page, KappaPage)
    return page


def _lambda(value: float) -> str:
    return f"{value:.3g}"


class PdgScanPage(PointsPage[PdgPoint]):
    """Page of one scan; updated during the run."""

    export_dialog = (
        "Export the sweep",
        "lambda-sweep.csv",
        "One line for each model (*.csv);;All (*.json)",
    )
    name, symbol = "sweep", "git-fork"
    columns = (
        Column("λ", _lambda, True, tip="The weight of the size; larger gives smaller graphs."),
        Column("Nodes", grouped, True),
        Column("Effective size", grouped, True),
        Column("Training ↑", bits_cell, True, tip="Bits per row; higher is better."),
        Column("Held-out ↑", bits_cell, True, tip="Bits per row of rows it has not learned from."),
        Column("BIC ↑", bits_cell, True, tip="Bits per row, ½ log2 N off for every parameter."),
        Column("Forest", str, True, tip="Which of the forests of the run it stands on."),
        Column("Origin", str, stretches=True, tip="Searched, or merged from that of a smaller λ."),
    )
    table_title = "Models from the largest λ to the smallest"
    open_tip = "The graph of this λ, as a model of the project."
    missing_text = "its parameters were too many to be saved; learn with that λ alone."

    def __init__(self, app: AppContext, source: ArtifactSource) -> None:
        self.plot = SweepPlot()
        super().__init__("pdg-scan", app, source, self.plot)

    @property
    def title(self) -> str:
        return f"λ sweep of {self._source.title}"

    def _show(self, artifact: RunArtifact) -> PdgScan | None:
        if not isinstance(artifact, PdgScan):
            return None
        self.plot.show_scan(artifact)
        return artifact

    def _point_text(self, point: PdgPoint) -> str:
        return f"λ {_lambda(point.lambda_)}, {counted(point.nodes, 'node')}"

    def _row(self, point: PdgPoint) -> tuple[object, ...]:
        return (
            point.lambda_,
            point.nodes,
            point.effective_size,
            point.train_bits,
            point.held_bits if point.held_bits is not None else float("-inf"),
            point.bic_bits,
            point.forest,
            "merged" if point.is_reused else "searched",
        )

    def _about(self, point: PdgPoint) -> tuple[str, Mapping[str, Any]]:
        made = self._source.title
        title = f"{made}, λ {_lambda(point.lambda_)}"
        return title, {"made by": f"a λ sweep: {made}", LAMBDA: point.lambda_}


def open_sweep(app: AppContext, source: ArtifactSource) -> PdgScanPage:
    page = app.open_page(f"pdg-scan:{source.key}", partial(PdgScanPage, app, source))
    assert isinstance(page, PdgScanPage)
    return page


_COLUMNS = (
    Column("Trees", str, True),
    Column("Start", str, True),
    Column("Training ↑", bits_cell, True, tip="Bits per row; higher is better."),
    Column("BIC ↑", bits_cell, True, tip="Bits per row, ½ log2 N off for every parameter."),
    Column("AIC ↑", bits_cell, True, tip="Bits per row, log2 e off for every parameter."),
    Column("Held-out ↑", bits_cell, True, tip="Bits per row of rows it has not learned from."),
    Column("Smoothing α", lambda a: f"{a:.3g}", True, tip="Fictitious rows of all trees."),
    Column("Edges", grouped, True),
    Column("Steps", str, True, tip="Of EM."),
    Column("Effective trees", lambda t: f"{t:.2f}", True, stretches=True),
)


class TreeScanPage(ArtifactPage):
    """Page of one scan; updated during the run."""

    export_dialog = (
        "Export the scan",
        "trees.csv",
        "One line for each start (*.csv);;All (*.json)",
    )

    def __init__(self, app: AppContext, source: ArtifactSource) -> None:
        super().__init__("tree-scan", app, source)
        self.facts = facts_label("treeScanFacts")
        self.along = Segments(
            (
                ("trees", "Trees", "Bits per row against the number of trees."),
                ("smoothing", "Smoothing", "What the run chose by against the smoothing α."),
            ),
            "treeScanAlong",
        )
        self.along.chosen.connect(self._refresh)
        self.plot = SweepLinesPlot("treeScanPlot")
        self.table = Table("treeScanTable", "Starts, in the order of the run", _COLUMNS)
        export = self._export_button(
            "Export…", "treeScanExport", "One line for each start (.csv), or all of it (.json)."
        )
        self._soon = one_shot(self, self._refresh, REDRAW_MS)
        self._lay_out(
            wide_first(row(self.facts, self.along, export)),
            one_above_the_other(self.plot, under_the_picture(self.table)),
        )
        source.changed.connect(self._soon.start)
        self._refresh()

    @property
    def title(self) -> str:
        return f"Trees of {self._source.title}"

    def page_icon(self) -> QIcon:
        return icon("chart-line")

    def _refresh(self) -> None:
        artifact = self._source.artifact
        if not isinstance(artifact, MixtureScan) or not artifact.points:
            self.facts.setText("No model yet.")
            self.along.hide()
            return
        self._artifact, best = artifact, artifact.best()
        self.facts.setText(
            f"{counted(len(artifact.points), 'start')} · best by {artifact.criterion}: "
            f"{counted(best.trees, 'tree')}, {bits_cell(best.value(artifact.criterion))} "
            "bits per row"
        )
        self.along.setVisible(has_smoothings(artifact))
        by_smoothing = self.along.current == "smoothing" and has_smoothings(artifact)
        self.plot.show_sweep(smoothing_sweep(artifact) if by_smoothing else trees_sweep(artifact))
        chosen = self.table.current
        self.table.show_rows([_row(point) for point in artifact.points])
        self.table.select(artifact.points.index(best) if chosen is None else chosen)


def _row(point: MixturePoint) -> tuple[object, ...]:
    return (
        point.trees,
        point.start + 1,
        point.train_bits,
        point.bic_bits,
        point.aic_bits,
        point.held_bits if point.held_bits is not None else float("-inf"),
        point.smoothing,
        point.edges,
        point.steps,
        point.effective_trees,
    )


def open_tree_scan(app: AppContext, source: ArtifactSource) -> TreeScanPage:
    """The page of a run's numbers of trees, in front."""
    page = app.open_page(f"tree-scan:{source.key}", partial(TreeScanPage, app, source))
    assert isinstance(page, TreeScanPage)
    return page
