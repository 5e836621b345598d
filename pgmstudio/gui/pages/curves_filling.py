"""The rows of the tables about SL-curves: made beside the window, for the table in sight alone."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from pgmstudio.core.experiments.curve_points import CurvePoint
from pgmstudio.gui.pages.curves_foot import CurvesFoot
from pgmstudio.gui.pages.curves_tables import point_rows
from pgmstudio.gui.pages.curves_words import curve_rows
from pgmstudio.gui.plots.sl_marks import Chart
from pgmstudio.gui.workers.curve_run import CurveRun
from pgmstudio.gui.workers.curve_setup import Loaded
from pgmstudio.gui.workers.questions import Asker


class CurvesFilling(QObject):
    """Of one foot; rows of before are not shown when others are asked for."""

    def __init__(self, foot: CurvesFoot, parent: QObject) -> None:
        super().__init__(parent)
        self._foot = foot
        self.asker = Asker(self)
        self.asker.answered.connect(self._on_rows)

    def fill(
        self,
        points: Sequence[CurvePoint],
        chart: Chart,
        pinned: frozenset[str],
        known: Loaded,
        run: CurveRun | None,
    ) -> None:
        """Of thousands of points this takes longer than a window may wait."""
        if self._foot.which.current == "points":
            self.asker.ask(lambda _cancel: ("points", point_rows(points, chart, pinned)))
        elif self._foot.which.current == "curves":
            done = known.done if run is None else known.done | run.done
            begun = frozenset() if run is None else frozenset(run.begun)
            state = None if run is None else run.state
            self.asker.ask(
                lambda _cancel: ("curves", curve_rows(points, known, done, begun, state))
            )

    def _on_rows(self, made: tuple[str, list[tuple[object, ...]]]) -> None:
        table = self._foot.points if made[0] == "points" else self._foot.curves
        table.show_rows(made[1])
