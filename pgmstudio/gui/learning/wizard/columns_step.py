"""Step 1 of the wizard: select the columns that are associated with a target."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QSlider, QStackedWidget, QWidget

from pgmstudio.core.analysis.feature_selection import (
    TargetTest,
    corrected,
    p_value_text,
    target_tests,
)
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.number_format import counted
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.learning.wizard.state import ColumnSelection, WizardState
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar
from pgmstudio.gui.widgets.basic import Segments, button, empty_state, label, named, row, vbox
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.grid_view import CellMarks
from pgmstudio.gui.widgets.step_bar import PlainLine
from pgmstudio.gui.widgets.table import Column, Table

ALPHAS = (1e-6, 1e-5, 1e-4, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
NO_TARGET = "choose a target"
NOTHING = (
    "Choose a target above to test every other column against it. "
    "Without a target, all columns are used."
)


@dataclass(frozen=True, slots=True)
class TestRow:
    """The test of one column; `strength`: its mutual information as a fraction of the largest."""

    key: str
    strength: float
    bits: float
    p_value: float
    corrected_p_value: float
    note: str
    tip: str
    is_ticked: bool
    is_weak: bool


_COLUMNS = (
    Column("", tip="Selected", is_ticked=lambda row: row.is_ticked),
    Column(
        "Column",
        stretches=True,
        tip="Columns of the data set by p-value",
        value=lambda row: row.key,
    ),
    Column(
        "Association",
        stretches=True,
        tip="Mutual information with the target",
        marks=lambda row: CellMarks(bar=Bar(row.strength)),
    ),
    Column(
        "bits",
        "{:.3f}".format,
        True,
        tip="Mutual information with the target",
        value=lambda row: row.bits,
        explains="Mutual information",
    ),
    Column(
        "p-value",
        p_value_text,
        True,
        tip="p-value of independence from the target",
        value=lambda row: row.p_value,
    ),
    Column(
        "corrected",
        p_value_text,
        True,
        tip="p-value corrected for multiple testing",
        value=lambda row: row.corrected_p_value,
        explains="p-value, corrected",
    ),
    Column("", is_number=True, tip="Result of the test", value=lambda row: row.note),
)
_CORRECTED = 5


class ColumnsStep(QWidget):
    """Tests of each column against the target; the check boxes follow the threshold."""

    def __init__(self, app: AppContext, plan: WizardState) -> None:
        super().__init__()
        self.setObjectName("stepwiseColumns")
        self._app, self._plan = app, plan
        self._latest_task = LatestTask(self, self._on_tests, app.errors.report)
        self._requested: tuple[DataSet, str] | None = None
        self.data = ChoiceBox("stepwiseData", "Data set to learn from.")
        self.target = ChoiceBox("stepwiseTarget", "Target variable for the tests.")
        self.data.picked.connect(self._on_data)
        self.target.picked.connect(self._on_target)
        self.alpha = named(QSlider(Qt.Orientation.Horizontal), "stepwiseAlpha")
        self.alpha.setRange(0, len(ALPHAS) - 1)
        self.alpha.setPageStep(1)
        self.alpha.setFixedWidth(round(150 * theme().scale))
        self.alpha.setToolTip("Columns below this p-value are selected; at the right end, all.")
        self.alpha.setAccessibleName("Significance level α")
        self.alpha.valueChanged.connect(self._on_alpha)
        self._alpha_text = label("", "secondary", name="stepwiseAlphaText")
        self._alpha_text.setMinimumWidth(round(76 * theme().scale))
        self.correction = Segments(
            [
                ("none", "None", "No correction for multiple testing."),
                ("holm", "Holm", "Holm: family-wise error rate at most α."),
                (
                    "bonferroni",
                    "Bonferroni",
                    "Bonferroni: p-values times the number of tests; the most conservative.",
                ),
            ],
            "stepwiseCorrection",
        )
        self.correction.chosen.connect(self._on_correction)
        self.table = Table(
            "stepwiseTable",
            "Columns with the test against the target; Space selects or deselects.",
            _COLUMNS,
            key=lambda row: row.key,
            row_tip=lambda row: row.tip,
            row_color=lambda row: "text_tertiary" if row.is_weak else None,
            row_height=1.1,
            gap=theme().space(3),
        )
        self.table.ticked.connect(self._on_ticked)
        self._summary = PlainLine("stepwiseKept")
        self._summary.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._chance = label("", "secondary", size="dense", wrap=True, name="stepwiseChance")
        self._all = button(
            "Select all", self._on_all, role="link", name="stepwiseAll", tip="Select every column."
        )
        self._by_p = button(
            "Select by p-value",
            self._on_by_p,
            role="link",
            name="stepwiseByP",
            tip="Discard manual selections.",
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(empty_state(NOTHING))
        self._stack.addWidget(self.table)
        self._tools = row(
            label("Keep", "secondary"),
            self._alpha_text,
            self.alpha,
            label("Correction", "secondary"),
            self.correction,
            None,
        )
        self._below = row(self._summary, self._by_p, self._all)
        vbox(
            self,
            row(
                label("Data", "secondary"),
                self.data,
                label("Target", "secondary"),
                self.target,
                None,
            ),
            self._tools,
            (self._stack, 1),
            self._chance,
            self._below,
            margins=(16, 12, 16, 8),
            spacing=8,
        )
        self.setFocusProxy(self.target)

    # -- showing

    def refresh(self) -> None:
        """Show the plan and start the tests that are still missing."""
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
        with QSignalBlocker(self.alpha):  # the plan sets the slider, not the other way round
            self.alpha.setValue(
                min(range(len(ALPHAS)), key=lambda k: abs(ALPHAS[k] - picking.alpha))
            )
        every = picking.alpha >= 1
        self._alpha_text.setText("every column" if every else f"p < {picking.alpha:g}")
        self.correction.choose(picking.correction)
        self.table.setColumnHidden(_CORRECTED, picking.correction == "none")
        self._show_rows()

    def _show_rows(self) -> None:
        plan, tests = self._plan, self._plan.tests
        picking = plan.picking
        selected = picking.selected(tests)
        p_values = corrected([test.p_value for test in tests], picking.correction)
        most = max((test.bits for test in tests), default=0.0) or 1.0
        self.table.show_rows(
            [
                _row_of(test, p, test.column in selected, most, picking)
                for test, p in zip(tests, p_values, strict=True)
            ]
        )
        if plan.target is not None and not tests:
            self._summary.setText("Testing columns…")
            self._chance.setText("")
            return
        out = len(tests) - len(selected)
        text = f"{len(selected)} of {counted(len(tests), 'column')} selected besides {plan.target}"
        self._summary.setText(f"{text}; {out} left out." if out else f"{text}.")
        self._chance.setText(_by_chance(len(tests), picking))
        self._by_p.setVisible(bool(picking.by_hand))
        self._all.setEnabled(out > 0)

    def _ask(self) -> None:
        data, target = self._plan.data, self._plan.target
        request = None if data is None or target is None else (data, target)
        known = self._plan.tested
        if request is None:
            self._latest_task.forget()
            self._requested = None
            return
        if known is not None and known[0] is data and known[1] == target:
            return
        if (
            self._requested is not None
            and self._requested[0] is data
            and self._requested[1] == target
        ):
            return
        self._requested = request

        def ask(cancel: CancelToken) -> tuple[DataSet, str, tuple[TargetTest, ...]]:
            return *request, target_tests(*request, cancel=cancel)

        self._latest_task.ask(ask)

    def _on_tests(self, result: tuple[DataSet, str, tuple[TargetTest, ...]]) -> None:
        self._requested = None
        data, target, tests = result
        if data is self._plan.data and target == self._plan.target:
            self._plan.take_tests(data, target, tests)

    # -- user actions

    def _on_data(self, data_id: str) -> None:
        self._plan.choose_data(data_id)

    def _on_target(self, target: str | None) -> None:
        self._plan.choose_target(target)

    def _pick(self, text: str, **changes: object) -> None:
        self._plan.pick(text, replace(self._plan.picking, **changes))  # type: ignore[arg-type]

    def _on_alpha(self, index: int) -> None:
        self._pick(f"select p < {ALPHAS[index]:g}", alpha=ALPHAS[index])

    def _on_correction(self, key: str) -> None:
        self._pick(f"correct by {key}", correction=key)

    def _on_ticked(self, number: int, is_selected: bool) -> None:
        column = self.table.rows[number].key
        by_hand = {**self._plan.picking.by_hand, column: is_selected}
        self._pick(f"{'select' if is_selected else 'deselect'} {column}", by_hand=by_hand)

    def _on_all(self) -> None:
        self._pick("select all", by_hand={test.column: True for test in self._plan.tests})

    def _on_by_p(self) -> None:
        self._pick("select by p-value", by_hand={})

    def stop(self) -> None:
        """Cancel background work when the page is closed."""
        self._latest_task.forget()


def _row_of(
    test: TargetTest, p: float, is_selected: bool, most: float, picking: ColumnSelection
) -> TestRow:
    outcome = test.outcome
    is_significant = p < picking.alpha
    note = "" if is_significant else "no association"
    tip = f"{test.column}: p = {p_value_text(test.p_value)}, {test.bits:.4f} bits"
    if outcome is None:
        note, tip = "too many states", f"{test.column} has too many states for a test."
    elif not outcome.reliable:
        note = note or "few rows"
        tip += f"\n{outcome.freedom} degrees of freedom; fewer than 5 rows for each."
    return TestRow(
        key=test.column,
        strength=test.bits / most,
        bits=test.bits,
        p_value=test.p_value,
        corrected_p_value=p,
        note=note,
        tip=tip,
        is_ticked=is_selected,
        is_weak=not is_significant,
    )


def _by_chance(count: int, picking: ColumnSelection) -> str:
    """Note on multiple testing for the current threshold."""
    if picking.alpha >= 1:
        return "All columns are selected, whatever their p-values."
    if picking.correction != "none":
        name = picking.correction.capitalize()
        return (
            f"{name} over {counted(count, 'test')}: with probability {1 - picking.alpha:g} or more "
            "no independent column is selected."
        )
    expected = count * picking.alpha
    return (
        f"{counted(count, 'test')}: under independence, about {expected:.2g} would "
        "still be selected. Holm and Bonferroni correct for that."
    )
