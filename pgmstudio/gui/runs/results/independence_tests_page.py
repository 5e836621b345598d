"""The log of a search by tests: every test with its numbers, by pair: why is there no edge?"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import log

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QComboBox, QSlider, QVBoxLayout

from pgmstudio.core.languages.bayesian_network.learning.constraint_based.independence_log import (
    TestLog,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import LoggedTest
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.runs.artifact_source import ArtifactSource
from pgmstudio.gui.runs.results.result_page import ArtifactPage, facts_label
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.basic import Note, Segments, button, label, row, wide_first
from pgmstudio.gui.widgets.combo_box import Combo
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.table import Column, Table

ANY = "any variable"
REST_MS = 80
# α runs over four powers of ten on the slider, as differences between small ones matter.
_STEPS, _MIN_ALPHA, _MAX_ALPHA = 160, 1e-4, 0.5


def _number(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")


_COLUMNS = (
    Column("No.", str, True),
    Column("A", str),
    Column("B", str),
    Column("Given", lambda names: ", ".join(names) or "∅", stretches=True),
    Column("Statistic", _number, True),
    Column("df", str, True, tip="Degrees of freedom."),
    Column("p-value", lambda p: f"{p:.3g}".replace("-", "−"), True),
    Column("Bits", lambda bits: f"{bits:.4f}", True, tip="The (conditional) information gain."),
    Column("Result", str),
)


class TestLogPage(ArtifactPage):
    """Independence tests of one run, filtered by a pair of variables and by result."""

    __test__ = False  # nothing for pytest to collect

    export_dialog = ("Export tests", "tests.csv", "Table (*.csv);;All (*.json)")
    _artifact: TestLog

    def __init__(self, app: AppContext, source: ArtifactSource) -> None:
        super().__init__("tests", app, source)
        artifact = source.artifact
        assert isinstance(artifact, TestLog)
        self._artifact = artifact
        self._shown: tuple[LoggedTest, ...] = ()
        self.one, self.other = self._combo("testLogOne"), self._combo("testLogOther")
        self.outcome_filter = Segments(
            [
                ("all", "All", "Every test."),
                ("independent", "Independent", "Tests that found no dependence."),
                ("dependent", "Dependent", "Tests that found a dependence."),
                ("doubtful", "Few rows", "Tests with fewer than 5 rows per degree of freedom."),
            ],
            "testLogFound",
        )
        self.outcome_filter.chosen.connect(self._refresh)
        self.why = Note(name="testLogWhy")
        self.table = Table("testLogTable", "Tests in the order they were made", _COLUMNS)
        self.facts = facts_label("testLogFacts")
        export = self._export_button(
            "Export CSV…",
            "testLogExport",
            "All tests with statistic, degrees of freedom and p-value.",
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.setSpacing(8)
        layout.addWidget(wide_first(row(self.facts, export)))
        pair = label("Pair", "secondary", size="dense")
        layout.addWidget(
            row(pair, self.one, label("–", "secondary"), self.other, self.outcome_filter, None)
        )
        layout.addWidget(self.why)
        layout.addWidget(self.table, 1)
        layout.addWidget(self._alpha_row())
        self._rest = one_shot(self, self._show_alpha, REST_MS)
        self._refresh()
        self._show_alpha()

    def _combo(self, name: str) -> QComboBox:
        combo = Combo()
        combo.setObjectName(name)
        combo.setAccessibleName("A variable of the pair")
        combo.setToolTip("Only tests about this variable; two of them: why there is no edge.")
        combo.addItem(ANY)
        combo.addItems(self._artifact.names)
        combo.setMinimumContentsLength(9)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.currentIndexChanged.connect(self._refresh)
        return combo

    def _alpha_row(self) -> Note:
        """What another α would decide otherwise, without a further test."""
        self.alpha = QSlider(Qt.Orientation.Horizontal)
        self.alpha.setObjectName("testLogAlpha")
        self.alpha.setAccessibleName("Another significance level")
        self.alpha.setToolTip("What these tests would find at another α.")
        self.alpha.setRange(0, _STEPS)
        self.alpha.setValue(_step_of(self._artifact.rule.alpha))
        self.alpha.setFixedWidth(160)
        self.alpha.valueChanged.connect(self._on_alpha)
        self.again = button(
            "Learn with this α…",
            self._on_again,
            role="link",
            name="testLogAgain",
            tip="The settings of this run with the other α, to be started again.",
        )
        self.what_if = Note(" ", name="testLogWhatIf")
        inner = self.what_if.layout()
        assert inner is not None
        inner.addWidget(self.alpha)
        self.what_if.add_button(self.again)
        self.what_if.setVisible(self._artifact.rule.test in ("g2", "chi2"))
        return self.what_if

    @property
    def title(self) -> str:
        return f"Tests of {self._source.title}"

    def page_icon(self) -> QIcon:
        return icon("test-tube")

    @property
    def names(self) -> tuple[str, ...]:
        return self._artifact.names

    # -- filtering

    @property
    def _pair(self) -> tuple[str | None, str | None]:
        one, other = (
            None if combo.currentIndex() <= 0 else combo.currentText()
            for combo in (self.one, self.other)
        )
        return one, other

    def choose_pair(self, one: str, other: str | None = None) -> None:
        """Show the tests of a pair."""
        self.one.setCurrentIndex(max(0, self.one.findText(one)))
        self.other.setCurrentIndex(0 if other is None else max(0, self.other.findText(other)))

    def _tests(self) -> tuple[LoggedTest, ...]:
        one, other = self._pair
        if one is None and other is None:
            return self._artifact.tests
        if one is not None and other is not None:
            return self._artifact.about(one, other)
        return self._artifact.about(one or other or "")

    def _refresh(self, *_: object) -> None:
        tests = self._tests()
        wanted = self.outcome_filter.current
        self._shown = tuple(
            test
            for test in tests
            if wanted == "all"
            or (wanted == "doubtful" and not test.outcome.reliable)
            or (wanted != "doubtful" and test.outcome.independent is (wanted == "independent"))
        )
        number = {id(test): i for i, test in enumerate(self._artifact.tests, start=1)}
        self.table.show_rows([_row(number[id(test)], test) for test in self._shown])
        one, other = self._pair
        is_pair = one is not None and other is not None and one != other
        self.why.show_text(self._artifact.why(one, other) if is_pair and one and other else "")
        shown = f"{grouped(len(self._shown))} of " if len(self._shown) < self._artifact.made else ""
        cut = (
            "; of each pair the decisive test is listed"
            if len(self._artifact.tests) < self._artifact.made
            else ""
        )
        self.facts.setText(
            f"{shown}{counted(self._artifact.made, 'test')}{cut} · {self._artifact.threshold}"
        )

    # -- another α

    @property
    def other_alpha(self) -> float:
        value = self.alpha.value()
        if value == _step_of(self._artifact.rule.alpha):
            return self._artifact.rule.alpha
        return float(f"{_MIN_ALPHA * (_MAX_ALPHA / _MIN_ALPHA) ** (value / _STEPS):.2g}")

    def _on_alpha(self) -> None:
        self._rest.start()

    def _show_alpha(self) -> None:
        alpha = self.other_alpha
        turned = sum(
            (test.outcome.p_value > alpha) is not test.outcome.independent
            for test in self._artifact.tests
        )
        self.what_if.show_text(
            f"With α = {alpha:g}, {grouped(turned)} of these would find otherwise."
        )
        self.what_if.setVisible(self._artifact.rule.test in ("g2", "chi2"))

    def _on_again(self) -> None:
        from pgmstudio.gui.navigation import open_learn_page
        from pgmstudio.gui.project.run_request import RunRequest

        task = self._task()
        if task is None:
            return
        params = replace(task.params, alpha=self.other_alpha)
        data_id = self._source.data_id
        if data_id is not None:
            request = RunRequest(
                self._source.title, task.learner_key, params, task.seed, data_id=data_id
            )
            open_learn_page(self._app).fill(request)


def _step_of(alpha: float) -> int:
    fraction = log(max(alpha, _MIN_ALPHA) / _MIN_ALPHA) / log(_MAX_ALPHA / _MIN_ALPHA)
    return round(_STEPS * min(1.0, fraction))


def _row(number: int, test: LoggedTest) -> tuple[object, ...]:
    outcome = test.outcome
    text = "independent" if outcome.independent else "dependent"
    return (
        number,
        test.a,
        test.b,
        test.given,
        outcome.statistic,
        outcome.freedom,
        outcome.p_value,
        outcome.bits,
        text if outcome.reliable else f"{text}, few rows",
    )


def open_tests(app: AppContext, source: ArtifactSource) -> TestLogPage:
    page = app.open_page(f"tests:{source.key}", partial(TestLogPage, app, source))
    assert isinstance(page, TestLogPage)
    return page
