"""The κ path of a run: what each κ gave, which one held-out rows prefer, and its model to open."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtWidgets import QWidget

from pgmstudio.core.learning.kappa_path import KappaPath, KappaPoint
from pgmstudio.core.learning.protocols import Keepsake
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.pages.fact_table import Column
from pgmstudio.gui.pages.points_page import PointsPage, bits_cell
from pgmstudio.gui.plots.kappa_plot import (
    EDGES,
    HELD,
    LIKELIHOOD,
    PARAMETERS,
    SCORE,
    KappaPlot,
    kappa_words,
)
from pgmstudio.gui.style.numbers import counted, grouped
from pgmstudio.gui.style.widgets import Segments, row
from pgmstudio.gui.workers.kept_source import KeptSource

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
    """Follows the run while it goes on."""

    export_words = (
        "Export the κ path",
        "kappa-path.csv",
        "One line for each κ (*.csv);;All (*.json)",
    )
    name, sign = "kappa", "tag"
    columns = (
        Column("κ", kappa_words, True, tip="The prior of labels; 0 is without labels."),
        Column("Held-out ↑", bits_cell, True, tip="Bits per row of rows it has not learned from."),
        Column("±", bits_cell, True, tip="Standard error of the mean over the folds."),
        Column("Score ↑", _two, True, tip="Marginal likelihood and prior in bits."),
        Column("Likelihood", _two, True, tip="Marginal likelihood, or BIC, in bits."),
        Column("Edges", grouped, True),
        Column("Contexts", grouped, True, tip="In the labels of all edges."),
        Column("Free", grouped, True, stretches=True, tip="Free parameters."),
    )
    table_words = "Models from the smallest κ to the largest"
    open_tip = "The graph of this κ, as a model of the project."
    gone_words = "its model was not kept."

    def __init__(self, shell: Shell, source: KeptSource) -> None:
        self.plot = KappaPlot()
        self.along = Segments(_ALONG, "kappaAlong")
        super().__init__("kappa", shell, source, self.plot)
        self.along.chosen.connect(self.plot.show_quantity)

    def _lay_out(self, *widgets: QWidget) -> None:
        head, *rest = widgets
        super()._lay_out(head, row(self.along, None), *rest)

    @property
    def title(self) -> str:
        return f"κ path of {self._source.title}"

    def _show(self, kept: Keepsake) -> KappaPath | None:
        if not isinstance(kept, KappaPath):
            return None
        if kept.points:
            self.plot.show_path(kept)
        return kept

    def _words(self, point: KappaPoint) -> str:
        where = f"κ {kappa_words(point.kappa)}" if point.kappa else "no labels"
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
        made, words = self._source.title, self._words(point).partition(",")[0]
        return f"{made}, {words}", {"made by": f"the κ path of {made}", "kappa": point.kappa}


def open_kappa(shell: Shell, source: KeptSource) -> KappaPage:
    page = shell.open_page(f"kappa:{source.key}", partial(KappaPage, shell, source))
    assert isinstance(page, KappaPage)
    return page
