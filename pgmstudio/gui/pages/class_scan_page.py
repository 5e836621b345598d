"""The numbers of classes a run tried: criteria live, and every model to be opened."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from pgmstudio.core.learning.class_scan import ClassScan, ScanPoint
from pgmstudio.core.learning.protocols import Keepsake
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.pages.fact_table import Column
from pgmstudio.gui.pages.points_page import PointsPage, bits_cell
from pgmstudio.gui.plots.scan_plot import ScanPlot, flag_of
from pgmstudio.gui.style.numbers import counted, grouped
from pgmstudio.gui.workers.kept_source import KeptSource


class ClassScanPage(PointsPage[ScanPoint]):
    """Follows the run while it goes on."""

    export_words = (
        "Export the scan",
        "classes.csv",
        "One line for each model (*.csv);;All (*.json)",
    )
    name, sign = "scan", "circle-dashed"
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
    table_words = "Models of the scan, in the order of the run"
    open_tip = "The model with this number of classes, as one of the project."
    gone_words = "its tables were too large to be kept; learn that number alone."

    def __init__(self, shell: Shell, source: KeptSource) -> None:
        self.plot = ScanPlot()
        super().__init__("class-scan", shell, source, self.plot)

    @property
    def title(self) -> str:
        return f"Classes of {self._source.title}"

    def _show(self, kept: Keepsake) -> ClassScan | None:
        if not isinstance(kept, ClassScan):
            return None
        self.plot.show_scan(kept)
        return kept

    def _words(self, point: ScanPoint) -> str:
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
        told = {"classes": point.classes, "bic": point.bic_bits, "aic": point.aic_bits}
        title = f"{made}, {self._words(point)}"
        return title, {"made by": f"a scan of classes: {made}", **told}


def open_scan(shell: Shell, source: KeptSource) -> ClassScanPage:
    page = shell.open_page(f"class-scan:{source.key}", partial(ClassScanPage, shell, source))
    assert isinstance(page, ClassScanPage)
    return page
