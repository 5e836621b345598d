"""Settings of a comparison: data, languages, time and seeds; and the facts of the last run."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QFormLayout,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.experiments.language_comparison.candidates import (
    LANGUAGES,
    ROWS_FOR_ONE_SPLIT,
    SPLITS,
)
from pgmstudio.core.experiments.language_comparison.scheduler import Budget
from pgmstudio.core.params import AUTO
from pgmstudio.gui.comparison.comparison_run import ComparisonSettings
from pgmstudio.gui.theme.language_symbols import language_icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, Segments, button, hairline, label, row, widening
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.elided_label import ElidedLabel

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
        self.rows = label("", "tertiary", size="dense", wrap=True)
        self.rows.setObjectName("compareRowsFacts")
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
        self.seconds = QDoubleSpinBox()
        self.seconds.setObjectName("compareSeconds")
        self.seconds.setRange(1, 86_400)
        self.seconds.setDecimals(0)
        self.seconds.setValue(60)
        self.seconds.setSuffix(" s")
        self.seconds.setMinimumWidth(round(70 * theme().scale))
        self.seconds.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.seconds.setAccessibleName("Time budget in seconds")
        self.seconds.setToolTip("When the time is up, a language returns its best model so far.")
        self.seconds.valueChanged.connect(self._on_changed)
        self.per = Segments(_PER, "comparePer")
        self.per.chosen.connect(self._on_changed)
        self.seed, self.seeds = (
            self._number("compareSeed", "Seed", 0),
            self._number("compareSeeds", "Seeds", 1),
        )
        self.seed.setToolTip("Seed of the split and of every learner; the same for all.")
        self.seeds.setRange(1, 20)
        self.seeds.setToolTip("Runs of each language; the best on the validation rows is used.")
        self.splits = self._number("compareSplits", "Splits", 0)
        self.splits.setRange(0, 5)
        self.splits.setSpecialValueText("auto")
        self.splits.setToolTip(
            "Number of splits with different test rows; the time is divided among them. auto: "
            f"{SPLITS} for fewer than {ROWS_FOR_ONE_SPLIT} rows, else 1."
        )
        self.splits.valueChanged.connect(self._on_changed)
        self.smoothing = QDoubleSpinBox()
        self.smoothing.setObjectName("compareSmoothing")
        self.smoothing.setAccessibleName("Smoothing")
        self.smoothing.setRange(0, 100)
        self.smoothing.setDecimals(3)
        self.smoothing.setSingleStep(0.1)
        self.smoothing.setSpecialValueText("auto")  # shown for 0
        self.smoothing.setMinimumWidth(round(48 * theme().scale))
        self.smoothing.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.smoothing.setToolTip(
            "Pseudo-count in every CPT cell; auto: chosen for each language, above 0. "
            "Mixtures of trees and labelled DAGs use their own kind of smoothing."
        )
        self.smoothing.valueChanged.connect(self._on_changed)
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

    @staticmethod
    def _number(name: str, title: str, value: int) -> QSpinBox:
        made = QSpinBox()
        made.setObjectName(name)
        made.setAccessibleName(title)
        made.setRange(0, 999_999)
        made.setMinimumWidth(round(48 * theme().scale))
        made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        made.setValue(value)
        return made

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
        self.allow(self.start, disabled_reason)
        self.allow(self.stop, None if can_stop else "it is stopping.")
        is_ready = is_known and not is_running
        self.allow(self.again, None if is_ready else "compare languages first.")

    def allow(self, made: QPushButton, disabled_reason: str | None) -> None:
        """Enable a button, or disable it with a reason."""
        made.setEnabled(disabled_reason is None)
        tip = made.accessibleName()
        made.setToolTip(tip if disabled_reason is None else f"Not now: {disabled_reason}")

    def show_facts(self, facts: Mapping[str, str]) -> None:
        """Show the provenance of the results."""
        for name, shown in self.facts.items():
            shown.setText(facts.get(name, "–"))
            shown.setToolTip(facts.get(name, ""))
