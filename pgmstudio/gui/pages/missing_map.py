"""The Missing map tab of a data page: patterns of missing cells, and what to do about them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QSpinBox, QVBoxLayout, QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.editing import impute_mode, impute_random, missing_as_state
from pgmstudio.core.data.summary import MissingPatterns, missing_patterns
from pgmstudio.core.project.edits import replace_data
from pgmstudio.core.running import CancelToken
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.pages.import_page_steps import QuietLine
from pgmstudio.gui.plots.pattern_map import MOST_PATTERNS, PatternMap
from pgmstudio.gui.style.numbers import counted, grouped
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import Note, button, label, row, scrolled
from pgmstudio.gui.workers.questions import Asker


class MissingTab(QWidget):
    """Looked at in the background when it is shown and the rows are others than before."""

    def __init__(self, shell: Shell, data_id: str) -> None:
        super().__init__()
        self.setObjectName("missingTab")
        self._shell, self._data_id = shell, data_id
        self._shown: DataSet | None = None
        self._asker = Asker(self)
        self._asker.answered.connect(self._show_patterns)
        self._asker.failed.connect(shell.errors.report)
        self.sentence = Note("", "info", "missingSentence")
        self.seed = QSpinBox()
        self.seed.setObjectName("imputeSeed")
        self.seed.setRange(0, 2_000_000_000)
        self.seed.setAccessibleName("Seed of the random fill")
        self.seed.setToolTip("The same seed fills the cells in the same way.")
        self._buttons = [
            self._remedy(
                "Fill with the most frequent state",
                "fillMode",
                "Every missing cell gets the most frequent state of its column.",
                "Fill missing cells with the most frequent state",
                impute_mode,
            ),
            self._remedy(
                "Fill at random",
                "fillRandom",
                "States drawn as often as they occur in their column, by the seed.",
                "Fill missing cells at random",
                self._fill_random,
            ),
            self._remedy(
                "Make “missing” a state",
                "missingState",
                "Columns with missing cells get one more state.",
                "Make “missing” a state",
                missing_as_state,
            ),
            self._remedy(
                "Keep complete rows only",
                "dropIncomplete",
                "Rows with a missing cell are deleted.",
                "Delete rows with missing cells",
                DataSet.complete_rows,
            ),
        ]
        self.map = PatternMap("missingMap")
        area: QScrollArea = scrolled(self.map, "missingScroll")
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._legend = QuietLine("missingLegend")
        self._pattern_count = 0
        theme().changed.connect(self._tell_legend)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.setSpacing(8)
        layout.addWidget(self.sentence)
        mode, at_random, state, drop = self._buttons
        layout.addWidget(row(mode, state, None))
        seed = label("Seed", "secondary")
        layout.addWidget(row(drop, at_random, seed, self.seed, self._legend))
        layout.addWidget(area, 1)

    def _remedy(
        self,
        words: str,
        name: str,
        tip: str,
        undo_text: str,
        fill: Callable[[DataSet], DataSet],
    ) -> QWidget:
        return button(words, partial(self._change, undo_text, fill), tip=tip, name=name)

    def _fill_random(self, data: DataSet) -> DataSet:
        return impute_random(data, np.random.default_rng(self.seed.value()))

    def _change(self, text: str, fill: Callable[[DataSet], DataSet]) -> None:
        data = self._shell.project.data[self._data_id].data
        changed = fill(data)
        edit = partial(replace_data, data_id=self._data_id, data=changed)
        if changed is not data and self._shell.change(text, edit):
            self._shell.tell(f"{text}.", undo=True)

    def show_data(self, data: DataSet) -> None:
        """Look at the patterns of `data` unless they are shown already."""
        if data is self._shown:
            return
        self._shown = data
        for made in self._buttons:
            made.setEnabled(data.has_missing)
            if not data.has_missing:
                made.setToolTip("Not now: no cell is missing.")
        self.sentence.tell(missing_sentence(data), "warning" if data.has_missing else "success")

        def look(_cancel: CancelToken) -> MissingPatterns:
            return missing_patterns(data)

        self._asker.ask(look)

    def _show_patterns(self, found: MissingPatterns) -> None:
        self.map.show_patterns(found.names, found.patterns, found.weights)
        self._pattern_count = len(found.weights)
        self._tell_legend()

    def _tell_legend(self) -> None:
        count = self._pattern_count
        more = f", the first {MOST_PATTERNS} shown" if count > MOST_PATTERNS else ""
        strong = "dark" if theme().shade == "light" else "light"
        self._legend.setText(f"{counted(count, 'pattern')}{more} · {strong} = missing")


def missing_sentence(data: DataSet) -> str:
    """How many cells are missing, where, and how many rows are complete."""
    total = sum(data.missing_counts)
    if not total:
        return f"No cell is missing; all {counted(data.row_count, 'row')} are complete."
    names = [
        name for name, count in zip(data.domain.names, data.missing_counts, strict=True) if count
    ]
    cells = data.row_count * len(data.domain)
    complete = data.row_count - data.incomplete_row_count
    return (
        f"{grouped(total)} of {counted(cells, 'cell')} are missing in {listed(names)}. "
        f"{grouped(complete)} of {counted(data.row_count, 'row')} are complete. "
        "They stay missing; each learner says what it does with them."
    )


def listed(names: list[str], most: int = 4) -> str:
    """ "ca", "ca and thal", "a, b, c and 7 more columns"."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more columns"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
