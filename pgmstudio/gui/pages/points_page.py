"""A run that kept several models: a plot of them, a table, and each of them to be opened."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtGui import QIcon

from pgmstudio.core.learning.protocols import Keepsake
from pgmstudio.core.models.protocols import Model
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.app.opening import add_and_show_model
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.pages.fact_table import Column, FactTable, wide_first
from pgmstudio.gui.pages.kept_page import (
    KeptPage,
    facts_label,
    one_above_the_other,
    under_the_picture,
)
from pgmstudio.gui.plots.point_plot import PointPlot
from pgmstudio.gui.style.icons import icon
from pgmstudio.gui.style.numbers import counted
from pgmstudio.gui.style.widgets import button, row
from pgmstudio.gui.workers.kept_source import KeptSource
from pgmstudio.gui.workers.one_shot import one_shot

REDRAW_MS = 200


def bits_cell(value: float | None) -> str:
    """Three digits; a dash where it is not known."""
    return "–" if value is None or math.isinf(value) else f"{value:.3f}".replace("-", "−")


class KeptPoint(Protocol):
    """One of the models, which is None where it was too large to be kept."""

    @property
    def model(self) -> Model | None: ...

    def value(self, criterion: str) -> float: ...


P = TypeVar("P", bound=KeptPoint)
P_co = TypeVar("P_co", bound=KeptPoint, covariant=True)


class KeptScan(Keepsake, Protocol[P_co]):
    """The models of a run and by what the best of them was chosen."""

    @property
    def criterion(self) -> str: ...

    @property
    def points(self) -> tuple[P_co, ...]: ...

    def best(self) -> P_co: ...


class PointsPage(KeptPage, Generic[P]):
    """Follows the run while it goes on; a child says what its points are."""

    name: str  # of the widgets
    sign: str  # an icon
    columns: Sequence[Column]
    table_words: str
    open_tip: str
    gone_words: str  # when a model was too large to be kept
    _scan: KeptScan[P] | None = None

    def __init__(self, key: str, shell: Shell, source: KeptSource, plot: PointPlot) -> None:
        super().__init__(key, shell, source)
        self.facts = facts_label(f"{self.name}Facts")
        plot.chosen.connect(self.open_point)
        self.table = FactTable(f"{self.name}Table", self.table_words, self.columns)
        self.table.chosen.connect(self.open_point)
        self.table.selected.connect(self._on_selected)
        self._opener = button(
            "Open model",
            self._on_open,
            icon_name=self.sign,
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
        return icon(self.sign)

    # -- what a child says

    def _show(self, kept: Keepsake) -> KeptScan[P] | None:
        """Draws what the run has kept; None when it is of another kind."""
        raise AssertionError("a child draws its points")

    def _words(self, point: P) -> str:
        """The best point in a few words."""
        raise AssertionError("a child tells of its points")

    def _row(self, point: P) -> tuple[object, ...]:
        """A point as a row of the table."""
        raise AssertionError("a child tells of its points")

    def _about(self, point: P) -> tuple[str, Mapping[str, Any]]:
        """The title of the model of a point, and where it comes from."""
        raise AssertionError("a child says where its models come from")

    # -- what all have

    def _refresh(self) -> None:
        kept = self._source.kept
        shown = None if kept is None else self._show(kept)
        if shown is None or not shown.points:
            self.facts.setText("No model yet.")
            self._opener.setEnabled(False)
            return
        self._kept = self._scan = shown
        best = shown.best()
        self.facts.setText(
            f"{counted(len(shown.points), 'model')} · best by {shown.criterion}: "
            f"{self._words(best)}, {bits_cell(best.value(shown.criterion))} bits per row"
        )
        chosen = self.table.current
        self.table.show_rows([self._row(point) for point in shown.points])
        self.table.select(shown.points.index(best) if chosen is None else chosen)
        self._on_selected()

    @property
    def scan(self) -> KeptScan[P] | None:
        return self._scan

    def _point(self, number: int | None) -> P | None:
        if self._scan is None or number is None or not 0 <= number < len(self._scan.points):
            return None
        return self._scan.points[number]

    def _on_selected(self, *_: object) -> None:
        point = self._point(self.table.current)
        self._opener.setEnabled(point is not None and point.model is not None)
        is_gone = point is not None and point.model is None
        self._opener.setToolTip(f"Not now: {self.gone_words}" if is_gone else self.open_tip)

    def _on_open(self) -> None:
        if self.table.current is not None:
            self.open_point(self.table.current)

    def open_point(self, number: int) -> None:
        """The model of one point becomes a model of the project."""
        point = self._point(number)
        if point is None:
            return
        if point.model is None:
            self._shell.tell(f"{self.gone_words[:1].upper()}{self.gone_words[1:]}")
            return
        title, provenance = self._about(point)
        entry = ModelEntry(title, point.model, data_id=self._source.data_id, provenance=provenance)
        add_and_show_model(self._shell, entry, f"Open {title}")
