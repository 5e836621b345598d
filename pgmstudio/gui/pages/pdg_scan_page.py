"""The decision graphs of a λ sweep: size against bits, and every model to be opened."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from pgmstudio.core.learning.pdg_scan import PdgPoint, PdgScan
from pgmstudio.core.learning.protocols import Keepsake
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.document.graph_rows import LAMBDA
from pgmstudio.gui.pages.fact_table import Column
from pgmstudio.gui.pages.points_page import PointsPage, bits_cell
from pgmstudio.gui.plots.sweep_plot import SweepPlot
from pgmstudio.gui.style.numbers import counted, grouped
from pgmstudio.gui.workers.kept_source import KeptSource


def _lambda(value: float) -> str:
    return f"{value:.3g}"


class PdgScanPage(PointsPage[PdgPoint]):
    """Follows the run while it goes on."""

    export_words = (
        "Export the sweep",
        "lambda-sweep.csv",
        "One line for each model (*.csv);;All (*.json)",
    )
    name, sign = "sweep", "git-fork"
    columns = (
        Column("λ", _lambda, True, tip="The weight of the size; larger gives smaller graphs."),
        Column("Nodes", grouped, True),
        Column("Effective size", grouped, True),
        Column("Training ↑", bits_cell, True, tip="Bits per row; higher is better."),
        Column("Held-out ↑", bits_cell, True, tip="Bits per row of rows it has not learned from."),
        Column("BIC ↑", bits_cell, True, tip="Bits per row, ½ log2 N off for every parameter."),
        Column("Forest", str, True, tip="Which of the forests of the run it stands on."),
        Column("Found", str, stretches=True, tip="Searched, or merged from that of a smaller λ."),
    )
    table_words = "Models from the largest λ to the smallest"
    open_tip = "The graph of this λ, as a model of the project."
    gone_words = "its numbers were too many to be kept; learn with that λ alone."

    def __init__(self, shell: Shell, source: KeptSource) -> None:
        self.plot = SweepPlot()
        super().__init__("pdg-scan", shell, source, self.plot)

    @property
    def title(self) -> str:
        return f"λ sweep of {self._source.title}"

    def _show(self, kept: Keepsake) -> PdgScan | None:
        if not isinstance(kept, PdgScan):
            return None
        self.plot.show_scan(kept)
        return kept

    def _words(self, point: PdgPoint) -> str:
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


def open_sweep(shell: Shell, source: KeptSource) -> PdgScanPage:
    page = shell.open_page(f"pdg-scan:{source.key}", partial(PdgScanPage, shell, source))
    assert isinstance(page, PdgScanPage)
    return page
