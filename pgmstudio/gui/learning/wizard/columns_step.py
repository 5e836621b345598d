"""Step 1 of learning step by step: keep the columns that tell something about a target."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSlider, QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.core.analysis.feature_selection import TargetTest, corrected, p_words, target_tests
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.number_format import counted
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.learning.wizard.state import Picking, WizardState
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Segments, button, empty_state, label, row
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.step_bar import PlainLine
from pgmstudio.gui.widgets.table import RankedRow, RankedTable

ALPHAS = (1e-6, 1e-5, 1e-4, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
NO_TARGET = "choose a target"
NOTHING = (
    "Choose a target above, and every other column is tested against it. "
    "Without one, all columns are kept."
)


class ColumnsStep(QWidget):
    """Tests in the background; ticks follow the threshold until a person sets them."""

    def __init__(self, app: AppContext, plan: WizardState) -> None:
        super().__init__()
        self.setObjectName("stepwiseColumns")
        self._app, self._plan = app, plan
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_tests)
        self._latest_task.failed.connect(app.errors.report)
        self._asked: tuple[DataSet, str] | None = None
        self.data = ChoiceBox("stepwiseData", "The rows to learn from.")
        self.target = ChoiceBox("stepwiseTarget", "What the others should tell something about.")
        self.data.picked.connect(self._on_data)
        self.target.picked.connect(self._on_target)
        self.alpha = QSlider(Qt.Orientation.Horizontal)
        self.alpha.setObjectName("stepwiseAlpha")
        self.alpha.setRange(0, len(ALPHAS) - 1)
        self.alpha.setPageStep(1)
        self.alpha.setFixedWidth(round(150 * theme().scale))
        self.alpha.setToolTip("Columns below this p-value are kept; at the right end all are.")
        self.alpha.setAccessibleName("Largest p-value of a column that is kept")
        self.alpha.valueChanged.connect(self._on_alpha)
        self._alpha_words = label("", "secondary")
        self._alpha_words.setObjectName("stepwiseAlphaWords")
        self._alpha_words.setMinimumWidth(round(76 * theme().scale))
        self.correction = Segments(
            [
                ("none", "None", "p-values as they are, one test at a time."),
                ("holm", "Holm", "Holm: at most α that any column is kept by chance alone."),
                ("bonferroni", "Bonferroni", "p-values times the number of tests; strictest."),
            ],
            "stepwiseCorrection",
        )
        self.correction.chosen.connect(self._on_correction)
        self.table = RankedTable(
            "stepwiseTable",
            "Columns and how surely they depend on the target; Space ticks.",
            [
                ("Column", "Columns of the data set, the surest first"),
                ("What it tells", "Mutual information with the target, the longest bar the most"),
                ("bits", "Mutual information with the target"),
                ("p-value", "Probability of such counts if the column were independent"),
                ("corrected", "p-value after the correction for many tests"),
                ("", "Whether an association was found"),
            ],
            with_ticks=True,
        )
        self.table.ticked.connect(self._on_ticked)
        self._words = PlainLine("stepwiseKept")
        self._words.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._chance = label("", "secondary", size="dense", wrap=True)
        self._chance.setObjectName("stepwiseChance")
        self._all = button(
            "Keep all", self._on_all, role="link", name="stepwiseAll", tip="Tick every column."
        )
        self._by_p = button(
            "Tick by p-value",
            self._on_by_p,
            role="link",
            name="stepwiseByP",
            tip="Forget the ticks set by hand.",
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(empty_state(NOTHING))
        self._stack.addWidget(self.table)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.setSpacing(8)
        layout.addWidget(
            row(
                label("Data", "secondary"),
                self.data,
                label("Target", "secondary"),
                self.target,
                None,
            )
        )
        self._tools = row(
            label("Keep", "secondary"),
            self._alpha_words,
            self.alpha,
            label("Correction", "secondary"),
            self.correction,
            None,
        )
        layout.addWidget(self._tools)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self._chance)
        self._below = row(self._words, self._by_p, self._all)
        layout.addWidget(self._below)
        self.setFocusProxy(self.target)

    # -- showing

    def refresh(self) -> None:
        """Show the plan; ask for the tests that are not there yet."""
        plan = self._plan
        entries = self._app.project.data
        self.data.show_choices({key: entry.name for key, entry in entries.items()}, plan.data_id)
        names = () if plan.data is None else plan.data.domain.names
        self.target.show_choices({None: NO_TARGET} | {name: name for name in names}, plan.target)
        self._ask()
        has_target = plan.target is not None
        self._stack.setCurrentIndex(1 if has_target else 0)
        for widget in (self._tools, self._below, self._chance):
            widget.setVisible(has_target)
        picking = plan.picking
        self.alpha.blockSignals(True)  # the plan tells the slider, not the other way round
        self.alpha.setValue(min(range(len(ALPHAS)), key=lambda k: abs(ALPHAS[k] - picking.alpha)))
        self.alpha.blockSignals(False)
        every = picking.alpha >= 1
        self._alpha_words.setText("every column" if every else f"p < {picking.alpha:g}")
        self.correction.choose(picking.correction)
        self.table.setColumnHidden(5, picking.correction == "none")
        self._show_rows()

    def _show_rows(self) -> None:
        plan, tests = self._plan, self._plan.tests
        picking = plan.picking
        kept = picking.kept(tests)
        p_values = corrected([test.p_value for test in tests], picking.correction)
        most = max((test.bits for test in tests), default=0.0) or 1.0
        self.table.show_rows(
            [
                _row_of(test, p, test.column in kept, most, picking)
                for test, p in zip(tests, p_values, strict=True)
            ]
        )
        if plan.target is not None and not tests:
            self._words.setText("Testing every column against the target…")
            self._chance.setText("")
            return
        out = len(tests) - len(kept)
        said = f"{len(kept)} of {counted(len(tests), 'column')} kept beside {plan.target}"
        self._words.setText(f"{said}; {out} left out." if out else f"{said}.")
        self._chance.setText(_by_chance(len(tests), picking))
        self._by_p.setVisible(bool(picking.by_hand))
        self._all.setEnabled(out > 0)

    def _ask(self) -> None:
        data, target = self._plan.data, self._plan.target
        wanted = None if data is None or target is None else (data, target)
        known = self._plan.tested
        if wanted is None:
            self._latest_task.forget()
            self._asked = None
            return
        if known is not None and known[0] is data and known[1] == target:
            return
        if self._asked is not None and self._asked[0] is data and self._asked[1] == target:
            return
        self._asked = wanted

        def ask(cancel: CancelToken) -> tuple[DataSet, str, tuple[TargetTest, ...]]:
            return *wanted, target_tests(*wanted, cancel=cancel)

        self._latest_task.ask(ask)

    def _on_tests(self, told: tuple[DataSet, str, tuple[TargetTest, ...]]) -> None:
        self._asked = None
        data, target, tests = told
        if data is self._plan.data and target == self._plan.target:
            self._plan.take_tests(data, target, tests)

    # -- choosing

    def _on_data(self, data_id: str) -> None:
        self._plan.choose_data(data_id)

    def _on_target(self, target: str | None) -> None:
        self._plan.choose_target(target)

    def _pick(self, words: str, **changes: object) -> None:
        self._plan.pick(words, replace(self._plan.picking, **changes))  # type: ignore[arg-type]

    def _on_alpha(self, place: int) -> None:
        self._pick(f"keep p < {ALPHAS[place]:g}", alpha=ALPHAS[place])

    def _on_correction(self, key: str) -> None:
        self._pick(f"correct by {key}", correction=key)

    def _on_ticked(self, column: str, kept: bool) -> None:
        by_hand = {**self._plan.picking.by_hand, column: kept}
        self._pick(f"{'keep' if kept else 'leave out'} {column}", by_hand=by_hand)

    def _on_all(self) -> None:
        self._pick("keep all", by_hand={test.column: True for test in self._plan.tests})

    def _on_by_p(self) -> None:
        self._pick("tick by p-value", by_hand={})

    def stop(self) -> None:
        """The page is closed: nothing goes on behind it."""
        self._latest_task.forget()


def _row_of(test: TargetTest, p: float, kept: bool, most: float, picking: Picking) -> RankedRow:
    outcome = test.outcome
    found = p < picking.alpha
    remark = "" if found else "no association"
    tip = f"{test.column}: p = {p_words(test.p_value)}, {test.bits:.4f} bits"
    if outcome is None:
        remark, tip = "too many states", f"{test.column} has too many states to be tested."
    elif not outcome.reliable:
        remark = remark or "few rows"
        tip += f"\n{outcome.freedom} degrees of freedom; there are fewer than 5 rows for each."
    return RankedRow(
        test.column,
        test.column,
        test.bits / most,
        (f"{test.bits:.3f}", p_words(test.p_value), p_words(p), remark),
        is_ticked=kept,
        is_weak=not found,
        tip=tip,
    )


def _by_chance(count: int, picking: Picking) -> str:
    """What many tests mean for the threshold."""
    if picking.alpha >= 1:
        return "Every column is kept, whatever its p-value."
    if picking.correction != "none":
        name = picking.correction.capitalize()
        return (
            f"{name} over {counted(count, 'test')}: with probability {1 - picking.alpha:g} or more "
            "no column is kept by chance."
        )
    expected = count * picking.alpha
    return (
        f"{counted(count, 'test')}: if nothing depended on the target, about {expected:.2g} would "
        "still be kept by chance. Holm and Bonferroni guard against that."
    )
