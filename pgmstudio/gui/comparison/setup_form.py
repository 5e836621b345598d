"""Settings of a comparison: data, languages, time and seeds; and the facts of the last run."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QSizePolicy, QVBoxLayout, QWidget

from pgmstudio.core.experiments.language_comparison.candidates import (
    LANGUAGES,
    ROWS_FOR_ONE_SPLIT,
    SPLITS,
)
from pgmstudio.core.experiments.language_comparison.scheduler import Budget
from pgmstudio.core.params import AUTO
from pgmstudio.gui.comparison.comparison_run import ComparisonSettings
from pgmstudio.gui.theme.language_symbols import language_icon
from pgmstudio.gui.widgets.basic import (
    Note,
    Segments,
    allow,
    button,
    hairline,
    label,
    row,
    widening,
)
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.number_box import decimal_box, shrinking, whole_box

_PER = (
    ("all", "in all", "Total time for all languages, divided equally"),
    ("each", "each", "Time for each language"),
)


class CompareSetup(QWidget):
    """Form of the settings of a comparison; `changed` is sent after every change."""

    changed = Signal()
    start_requested = Signal()
    stop_requested = Signal()
    again_requested = Signal()
    results_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("compareSetup")
        self.data = ChoiceBox("compareData", "The data set that all languages learn from")
        self.data.setMinimumContentsLength(8)
        self.data.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.data.picked.connect(self._on_changed)
        self.rows = label("", "tertiary", size="dense", wrap=True, name="compareRowsFacts")
        self.ticks: dict[str, QCheckBox] = {}
        for one in LANGUAGES.values():
            tick = QCheckBox(one.title)
            tick.setObjectName(f"compare.{one.key}")
            tick.setAccessibleName(one.title)
            tick.setToolTip(f"{one.means} Learner {one.learner}.")
            tick.setChecked(True)
            tick.setIcon(language_icon(one))
            tick.toggled.connect(self._on_changed)
            self.ticks[one.key] = tick
        self.seconds = decimal_box(
            "compareSeconds",
            "Time budget in seconds",
            "Processor time of each core, without loading and compiling: on a busy machine the "
            "comparison takes longer and gives the same result. When the time is up, a language "
            "returns its best model so far.",
            1,
            86_400,
            60,
            decimals=0,
            suffix=" s",
        )
        self.per = Segments(_PER, "comparePer")
        self.per.chosen.connect(self._on_changed)
        tip = "Seed of the split and of every learner; the same for all."
        self.seed = whole_box("compareSeed", "Seed", tip, 0, 999_999)
        tip = "Runs of each language; the best on the validation rows is used."
        self.seeds = whole_box("compareSeeds", "Seeds", tip, 1, 20, 1)
        self.splits = whole_box(
            "compareSplits",
            "Splits",
            "Number of splits with different test rows; the time is divided among them. auto: "
            f"{SPLITS} for fewer than {ROWS_FOR_ONE_SPLIT} rows, else 1.",
            0,
            5,
            lowest_text="auto",
        )
        self.smoothing = decimal_box(
            "compareSmoothing",
            "Smoothing",
            "Pseudo-count in every CPT cell; auto: chosen for each language, above 0. "
            "Mixtures of trees and labelled DAGs use their own kind of smoothing.",
            0,
            100,
            decimals=3,
            step=0.1,
            lowest_text="auto",
        )
        shrinking(self.seconds, 70)
        for box in (self.seed, self.seeds, self.splits, self.smoothing):
            shrinking(box, 48)
        for box in (self.seconds, self.splits, self.smoothing):
            box.valueChanged.connect(self._on_changed)
        self.start = button(
            "Compare languages",
            self.start_requested.emit,
            role="primary",
            icon_name="play",
            name="compareStart",
            tip="Learn one model of each language in the background and compare them.",
        )
        self.stop = button(
            "Stop, keep best",
            self.stop_requested.emit,
            icon_name="stop",
            name="compareStop",
            tip="Stop all languages; their models so far stay in the table.",
        )
        self.again = button(
            "Reproduce",
            self.again_requested.emit,
            icon_name="arrows-clockwise",
            name="compareAgain",
            tip="Run the same comparison again and report whether the results are equal.",
        )
        self.results = button(
            "Show results",
            self.results_requested.emit,
            icon_name="table",
            name="compareResults",
            tip="Show the table of the languages instead of the settings.",
        )
        self.facts = {
            name: ElidedLabel(size="dense") for name in ("Data", "Split", "Program", "Made")
        }
        self.outcome = Note(name="compareOutcome")
        self._lay_out()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 10, 12, 10)
        layout.setSpacing(4)
        layout.addWidget(label("Same rows for all", "heading", size="dense"))
        layout.addWidget(self.data)
        layout.addWidget(self.rows)
        layout.addSpacing(6)
        layout.addWidget(label("Languages", "heading", size="dense"))
        for tick in self.ticks.values():
            layout.addWidget(tick)
        layout.addSpacing(6)
        layout.addWidget(label("Time", "heading", size="dense"))
        layout.addWidget(widening(row(self.seconds, self.per), 0))
        seeds = row(label("Seed"), self.seed, label("Seeds"), self.seeds)
        layout.addWidget(widening(widening(seeds, 1), 3))
        layout.addWidget(widening(row(label("Splits"), self.splits), 1))
        layout.addWidget(widening(row(label("Smoothing"), self.smoothing), 1))
        layout.addSpacing(6)
        layout.addWidget(self.start)
        layout.addWidget(self.stop)
        layout.addWidget(self.results)
        layout.addSpacing(8)
        layout.addStretch(1)
        layout.addWidget(hairline())
        layout.addWidget(label("Provenance", "heading", size="dense"))
        facts = QFormLayout()
        facts.setContentsMargins(0, 0, 0, 0)
        facts.setVerticalSpacing(3)
        for name, value in self.facts.items():
            value.setObjectName(f"compareFact{name}")
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
            value.setAccessibleName(name)
            facts.addRow(label(name, "secondary", size="dense"), value)
        layout.addLayout(facts)
        layout.addWidget(self.outcome)
        layout.addWidget(self.again)

    def _on_changed(self, *_: object) -> None:
        self.changed.emit()

    # -- settings

    @property
    def data_id(self) -> str | None:
        key = self.data.currentData()
        return None if key is None else str(key)

    def settings(self) -> ComparisonSettings:
        """The current settings, or None without languages."""
        chosen = tuple(key for key, tick in self.ticks.items() if tick.isChecked())
        budget = Budget(self.seconds.value(), "each" if self.per.current == "each" else "all")
        return ComparisonSettings(
            chosen,
            budget,
            self.seed.value(),
            self.seeds.value(),
            self.smoothing.value() or AUTO,
            self.splits.value() or None,
        )

    def set_locked(self, locked: bool) -> None:
        """Disable the settings while a comparison runs."""
        numbers = (self.seconds, self.seed, self.seeds, self.smoothing, self.splits)
        for made in (self.data, self.per, *numbers):
            made.setEnabled(not locked)
        for tick in self.ticks.values():
            tick.setEnabled(not locked)
        self.start.setVisible(not locked)
        self.stop.setVisible(locked)

    def show_state(
        self, is_running: bool, disabled_reason: str | None, can_stop: bool, is_known: bool
    ) -> None:
        """Enable the buttons; `disabled_reason`: why a comparison cannot start, if so."""
        self.set_locked(is_running)
        allow(self.start, disabled_reason)
        allow(self.stop, None if can_stop else "it is stopping.")
        is_ready = is_known and not is_running
        allow(self.again, None if is_ready else "compare languages first.")

    def show_facts(self, facts: Mapping[str, str]) -> None:
        """Show the provenance of the results."""
        for name, shown in self.facts.items():
            shown.setText(facts.get(name, "–"))
            shown.setToolTip(facts.get(name, ""))
