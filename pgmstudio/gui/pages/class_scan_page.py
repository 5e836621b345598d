"""The numbers of classes a run tried: criteria live, and every model to be opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from pgmstudio.core.learning.class_scan import ClassScan, ScanPoint
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.pages.fact_table import Column
from pgmstudio.gui.pages.points_page import PointsPage, bits_cell
from pgmstudio.gui.plots.scan_plot import ScanPlot, flag_of
from pgmstudio.gui.style.numbers import counted, grouped
from pgmstudio.gui.workers.kept_source import KeptSource


class ClassScanPage(PointsPage):
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
        Column("AIC ↑", bits_cell, True, tip="Bits per row, one bit off for every parameter."),
        Column("Held-out ↑", bits_cell, True, tip="Bits per row of rows it has not learned from."),
        Column("Parameters", grouped, True),
        Column(
            "Classes of no use", str, stretches=True, tip="Without rows, or the same as another."
        ),
    )
    table_words = "Models of the scan, in the order of the run"
    open_tip = "The model with this number of classes, as one of the project."
    gone_words = "its tables were too large to be kept; learn that number alone."
    _kept: ClassScan | None = None

    def __init__(self, shell: Shell, source: KeptSource) -> None:
        self.plot = ScanPlot()
        super().__init__("class-scan", shell, source, self.plot)

    @property
    def title(self) -> str:
        return f"Classes of {self._source.title}"

    @property
    def scan(self) -> ClassScan | None:
        return self._kept

    def _points(self) -> Sequence[ScanPoint]:
        return () if self._kept is None else self._kept.points

    def _take_kept(self) -> bool:
        kept = self._source.kept
        if not isinstance(kept, ClassScan) or not kept.points:
            return False
        self._kept = kept
        self.plot.show_scan(kept)
        return True

    def _tell(self) -> tuple[str, int, list[tuple[object, ...]]]:
        kept = self._kept
        assert kept is not None
        best = kept.best()
        words = (
            f"{counted(len(kept.points), 'model')} · best by {kept.criterion}: "
            f"{counted(best.classes, 'class', 'classes')}, "
            f"{bits_cell(best.value(kept.criterion))} bits per row"
        )
        return words, kept.points.index(best), [_row(point) for point in kept.points]

    def _about(self, number: int) -> tuple[str, Mapping[str, Any]]:
        point = self._points()[number]
        title = f"{self._source.title}, {counted(point.classes, 'class', 'classes')}"
        told = {"classes": point.classes, "bic": point.bic_bits, "aic": point.aic_bits}
        return title, {"made by": f"a scan of classes: {self._source.title}", **told}


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
