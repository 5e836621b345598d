"""The numbers of classes a run tried: criteria live, and every model to be opened."""

from __future__ import annotations

import math
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.learning.class_scan import ClassScan, ScanPoint
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.app.opening import add_and_show_model
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.pages.fact_table import Column, FactTable, wide_first
from pgmstudio.gui.pages.kept_page import KeptPage, facts_label, one_above_the_other
from pgmstudio.gui.plots.scan_plot import ScanPlot, flag_of
from pgmstudio.gui.style.icons import icon
from pgmstudio.gui.style.numbers import counted, grouped
from pgmstudio.gui.style.widgets import button, row
from pgmstudio.gui.workers.kept_source import KeptSource

REDRAW_MS = 200


def _bits(value: float | None) -> str:
    return "–" if value is None or math.isinf(value) else f"{value:.3f}".replace("-", "−")


_COLUMNS = (
    Column("Classes", str, True),
    Column("Training ↑", _bits, True, tip="Bits per row; higher is better."),
    Column("BIC ↑", _bits, True, tip="Bits per row, ½ log2 N taken off for every parameter."),
    Column("AIC ↑", _bits, True, tip="Bits per row, one bit taken off for every parameter."),
    Column("Held-out ↑", _bits, True, tip="Bits per row of rows it has not learned from."),
    Column("Parameters", grouped, True),
    Column("Classes of no use", str, stretches=True, tip="Without rows, or the same as another."),
)


class ClassScanPage(KeptPage):
    """Follows the run while it goes on."""

    export_words = (
        "Export the scan",
        "classes.csv",
        "One line for each model (*.csv);;All (*.json)",
    )
    _kept: ClassScan | None = None

    def __init__(self, shell: Shell, source: KeptSource) -> None:
        super().__init__("class-scan", shell, source)
        self.facts = facts_label("scanFacts")
        self.plot = ScanPlot()
        self.plot.chosen.connect(self.open_point)
        self.table = FactTable("scanTable", "Models of the scan, in the order of the run", _COLUMNS)
        self.table.chosen.connect(self.open_point)
        self.table.selected.connect(self._on_selected)
        self._opener = button(
            "Open model",
            self._on_open,
            icon_name="circle-dashed",
            name="scanOpen",
            tip="The model with this number of classes, as one of the project.",
        )
        export = self._export_button(
            "Export…", "scanExport", "One line for each model (.csv), or all of it (.json)."
        )
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(REDRAW_MS)
        self._soon.timeout.connect(self._refresh)
        lower = QWidget()
        below = QVBoxLayout(lower)
        below.setContentsMargins(0, 8, 0, 0)
        below.addWidget(self.table)
        splitter = one_above_the_other(self.plot, lower)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.setSpacing(8)
        layout.addWidget(wide_first(row(self.facts, self._opener, export)))
        layout.addWidget(splitter, 1)
        source.changed.connect(self._soon.start)
        self._refresh()

    @property
    def title(self) -> str:
        return f"Classes of {self._source.title}"

    def page_icon(self) -> QIcon:
        return icon("circle-dashed")

    @property
    def scan(self) -> ClassScan | None:
        return self._kept

    def _refresh(self) -> None:
        kept = self._source.kept
        if not isinstance(kept, ClassScan) or not kept.points:
            self.facts.setText("No model yet.")
            self._opener.setEnabled(False)
            return
        self._kept = kept
        best = kept.best()
        self.facts.setText(
            f"{counted(len(kept.points), 'model')} · best by {kept.criterion}: "
            f"{counted(best.classes, 'class', 'classes')}, {_bits(best.value(kept.criterion))} "
            "bits per row"
        )
        chosen = self.table.current
        self.table.show_rows([_row(point) for point in kept.points])
        self.table.select(kept.points.index(best) if chosen is None else chosen)
        self.plot.show_scan(kept)
        self._on_selected()

    def _on_selected(self, *_: object) -> None:
        point = self._point(self.table.current)
        self._opener.setEnabled(point is not None and point.model is not None)
        tip = "The model with this number of classes, as one of the project."
        is_gone = point is not None and point.model is None
        why = "Not now: its tables were too large to be kept; learn that number alone."
        self._opener.setToolTip(why if is_gone else tip)

    def _point(self, number: int | None) -> ScanPoint | None:
        if self._kept is None or number is None or not 0 <= number < len(self._kept.points):
            return None
        return self._kept.points[number]

    def _on_open(self) -> None:
        if self.table.current is not None:
            self.open_point(self.table.current)

    def open_point(self, number: int) -> None:
        """The model of one point becomes a model of the project."""
        point = self._point(number)
        if point is None:
            return
        if point.model is None:
            self._shell.tell("Its tables were too large to be kept; learn that number alone.")
            return
        title = f"{self._source.title}, {counted(point.classes, 'class', 'classes')}"
        told = {"classes": point.classes, "bic": point.bic_bits, "aic": point.aic_bits}
        entry = ModelEntry(
            title,
            point.model,
            data_id=self._source.data_id,
            provenance={"made by": f"a scan of classes: {self._source.title}", **told},
        )
        add_and_show_model(self._shell, entry, f"Open {title}")


def _row(point: ScanPoint) -> tuple[object, ...]:
    return (
        point.classes,
        point.train_bits,
        point.bic_bits,
        point.aic_bits,
        point.held_bits if point.held_bits is not None else float("-inf"),
        point.representation_size,
        flag_of(point) or "none",
    )


def open_scan(shell: Shell, source: KeptSource) -> ClassScanPage:
    page = shell.open_page(f"class-scan:{source.key}", partial(ClassScanPage, shell, source))
    assert isinstance(page, ClassScanPage)
    return page
