"""The numbers of trees and smoothings a run tried: bits per row with their spread, and a table."""

from __future__ import annotations

from functools import partial

from PySide6.QtGui import QIcon

from pgmstudio.core.experiments.sweep_lines import (
    has_smoothings,
    smoothing_sweep,
    trees_sweep,
)
from pgmstudio.core.learning.mixture_scan import MixturePoint, MixtureScan
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.pages.fact_table import Column, FactTable, wide_first
from pgmstudio.gui.pages.kept_page import (
    KeptPage,
    facts_label,
    one_above_the_other,
    under_the_picture,
)
from pgmstudio.gui.pages.points_page import REDRAW_MS, bits_cell
from pgmstudio.gui.plots.sweep_lines_plot import SweepLinesPlot
from pgmstudio.gui.style.icons import icon
from pgmstudio.gui.style.numbers import counted, grouped
from pgmstudio.gui.style.widgets import Segments, row
from pgmstudio.gui.workers.kept_source import KeptSource
from pgmstudio.gui.workers.one_shot import one_shot

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


class TreeScanPage(KeptPage):
    """Follows the run while it goes on."""

    export_words = ("Export the scan", "trees.csv", "One line for each start (*.csv);;All (*.json)")

    def __init__(self, shell: Shell, source: KeptSource) -> None:
        super().__init__("tree-scan", shell, source)
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
        self.table = FactTable("treeScanTable", "Starts, in the order of the run", _COLUMNS)
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
        kept = self._source.kept
        if not isinstance(kept, MixtureScan) or not kept.points:
            self.facts.setText("No model yet.")
            self.along.hide()
            return
        self._kept, best = kept, kept.best()
        self.facts.setText(
            f"{counted(len(kept.points), 'start')} · best by {kept.criterion}: "
            f"{counted(best.trees, 'tree')}, {bits_cell(best.value(kept.criterion))} bits per row"
        )
        self.along.setVisible(has_smoothings(kept))
        by_smoothing = self.along.current == "smoothing" and has_smoothings(kept)
        self.plot.show_sweep(smoothing_sweep(kept) if by_smoothing else trees_sweep(kept))
        chosen = self.table.current
        self.table.show_rows([_row(point) for point in kept.points])
        self.table.select(kept.points.index(best) if chosen is None else chosen)


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


def open_tree_scan(shell: Shell, source: KeptSource) -> TreeScanPage:
    """The page of a run's numbers of trees, in front."""
    page = shell.open_page(f"tree-scan:{source.key}", partial(TreeScanPage, shell, source))
    assert isinstance(page, TreeScanPage)
    return page
