"""The Missing map tab of a data page: patterns of missing cells, and remedies."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.summary import MissingPatterns, missing_patterns
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.bayesian_network.learning.missing_data.imputation import (
    impute_by_model,
)
from pgmstudio.core.number_format import counted, grouped, join_names
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.last_model import last_model
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.plots.matrix_plot import MAX_PATTERNS, PatternMap
from pgmstudio.gui.runs.imputation import REMEDIES, apply_remedy, replace_filled
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, button, label, row, scrolled
from pgmstudio.gui.widgets.number_box import whole_box
from pgmstudio.gui.widgets.step_bar import PlainLine

BY_MODEL_TIP = (
    "Each missing cell is drawn from the active model, given the rest of its row, with the seed."
)


class MissingTab(QWidget):
    """Missing-cell patterns, computed in the background when the tab is shown with new data."""

    def __init__(self, app: AppContext, data_id: str) -> None:
        super().__init__()
        self.setObjectName("missingTab")
        self._app, self._data_id = app, data_id
        self._shown: DataSet | None = None
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._show_patterns)
        self._latest_task.failed.connect(app.errors.report)
        self.summary = Note("", "info", "missingSummary")
        tip = "The same seed gives the same values."
        self.seed = whole_box("imputeSeed", "Seed of the random fill", tip, 0, 2_000_000_000)
        self._buttons = {
            name: button(remedy.label, partial(self._on_remedy, name), tip=remedy.tip, name=name)
            for name, remedy in REMEDIES.items()
        }
        self._by_model = button(
            "Impute from model",
            self._fill_by_model,
            tip=BY_MODEL_TIP,
            name="fillByModel",
        )
        self._filler = LatestTask(self)
        self._filler.answered.connect(self._on_filled)
        self._filler.failed.connect(app.errors.report)
        self.map = PatternMap("missingMap")
        area: QScrollArea = scrolled(self.map, "missingScroll")
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._legend = PlainLine("missingLegend")
        self._pattern_count = 0
        theme().changed.connect(self._refresh_legend)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.setSpacing(8)
        layout.addWidget(self.summary)
        buttons = self._buttons
        layout.addWidget(row(buttons["fillMode"], buttons["missingState"], None))
        layout.addWidget(row(buttons["dropIncomplete"], self._by_model, None))
        seed = label("Seed", "secondary")
        layout.addWidget(row(buttons["fillRandom"], seed, self.seed, self._legend))
        layout.addWidget(area, 1)

    def _on_remedy(self, name: str) -> None:
        apply_remedy(self._app, self._data_id, REMEDIES[name], self.seed.value())

    def _fill_by_model(self) -> None:
        """Draw each missing cell from the active model in the background."""
        entry = last_model(self._app).entry
        network = as_network(entry.model) if entry is not None else None
        if network is None:
            self._app.notify("Open or learn a Bayesian network of these columns first.")
            return
        data, seed = self._app.project.data[self._data_id].data, self.seed.value()

        def fill(cancel: CancelToken) -> tuple[DataSet, DataSet]:
            rng = np.random.default_rng(seed)
            return data, impute_by_model(network, data, rng, cancel)

        self._filler.ask(fill)

    def _on_filled(self, result: tuple[DataSet, DataSet]) -> None:
        before, filled = result
        if before is self._app.project.data[self._data_id].data:
            replace_filled(self._app, self._data_id, filled, "Impute missing cells from the model")

    def show_data(self, data: DataSet) -> None:
        """Compute the patterns of `data` unless they are shown already."""
        if data is self._shown:
            return
        self._shown = data
        tips = {name: remedy.tip for name, remedy in REMEDIES.items()}
        for widget in (*self._buttons.values(), self._by_model):
            tip = tips.get(widget.objectName(), BY_MODEL_TIP)
            widget.setEnabled(data.has_missing)
            widget.setToolTip(tip if data.has_missing else "Not now: no cells are missing.")
        self.summary.show_text(missing_message(data), "warning" if data.has_missing else "success")

        def find_patterns(_cancel: CancelToken) -> MissingPatterns:
            return missing_patterns(data)

        self._latest_task.ask(find_patterns)

    def _show_patterns(self, patterns: MissingPatterns) -> None:
        self.map.show_patterns(patterns.names, patterns.patterns, patterns.weights)
        self._pattern_count = len(patterns.weights)
        self._refresh_legend()

    def _refresh_legend(self) -> None:
        count = self._pattern_count
        more = f", the first {MAX_PATTERNS} shown" if count > MAX_PATTERNS else ""
        strong = "dark" if theme().shade == "light" else "light"
        self._legend.setText(f"{counted(count, 'pattern')}{more} · {strong} = missing")


def missing_message(data: DataSet) -> str:
    """Message on the number of missing cells, their columns and the complete rows."""
    total = sum(data.missing_counts)
    if not total:
        return f"No cell is missing; all {counted(data.row_count, 'row')} are complete."
    names = [
        name for name, count in zip(data.domain.names, data.missing_counts, strict=True) if count
    ]
    cells = data.row_count * len(data.domain)
    complete = data.row_count - data.incomplete_row_count
    return (
        f"{grouped(total)} of {counted(cells, 'cell')} are missing in {join_names(names)}. "
        f"{grouped(complete)} of {counted(data.row_count, 'row')} are complete. "
        "They stay missing; each learner states how it treats them."
    )
