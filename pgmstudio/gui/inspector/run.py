"""The inspector of a learning run, and of a run that is about to be started."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent, QResizeEvent
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QProgressBar,
    QSizePolicy,
    QStyle,
    QStyleOptionFrame,
    QToolButton,
    QWidget,
)

from pgmstudio.core.data.chunked import ROWS_STAY, ChunkedData
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.experiments.bootstrap import processes_for
from pgmstudio.core.inference.findings import Chip
from pgmstudio.core.languages.compile_ahead import is_compiled
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.large_counts import in_units
from pgmstudio.core.learning.base import missing_data_note
from pgmstudio.core.learning.cost_estimates import forecast_passes, forecast_run, time_words
from pgmstudio.core.number_format import grouped
from pgmstudio.core.project.project import Run
from pgmstudio.core.project.runs import training_rows
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.navigation import open_learn_page
from pgmstudio.gui.runs.live_model import open_best
from pgmstudio.gui.runs.run_recorder import constraint_message
from pgmstudio.gui.runs.run_summary import (
    Evaluation,
    activity_text,
    best_facts,
    counter_facts,
    evaluate,
    sentence_case,
    setting_facts,
    state_text,
    time_left_text,
)
from pgmstudio.gui.theme.icons import icon, language_icon
from pgmstudio.gui.widgets.basic import Note, Section, button, label, named, row, vbox
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.fact_rows import Fact, FactRows
from pgmstudio.gui.widgets.inspector_header import InspectorHead, lay_under
from pgmstudio.gui.widgets.page import RunPlan

# Earlier runs that are listed, the newest first.
MAX_RUNS = 4


class PlanInspector(QWidget):
    """Follows what is chosen on the run sheet."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("planInspector")
        self._app = app
        self._head = InspectorHead("inspectorPlan")
        self.forecast = FactRows("inspectorPlanForecast")
        expected = Section("Forecast", "rough", line=False)
        expected.add(self.forecast)
        self.before = FactRows("inspectorPlanBefore")
        self._earlier = Section("Earlier runs on these rows")
        self._earlier.add(self.before)
        expected.add(
            label(
                "While it runs, the best model so far can be opened. Stopping keeps it.",
                "tertiary",
                size="dense",
                wrap=True,
            )
        )
        lay_under(
            self._head,
            (expected, self._earlier),
            self,
            "inspectorPlanScroll",
            margins=(0, 10, 0, 0),
            spacing=0,
        )

    def show_plan(self, plan: RunPlan) -> None:
        part = f", {plan.part}" if plan.part else ""
        self._head.show_text(
            plan.learner.title,
            f"Run sheet · {plan.data_name}{part}",
            symbol=language_icon(plan.learner.kind),
        )
        self.forecast.show_facts(forecast_facts(plan))
        earlier = earlier_facts(plan, self._app.project.runs.values())
        self.before.show_facts(earlier)
        self._earlier.setVisible(bool(earlier))


def forecast_facts(plan: RunPlan) -> list[Fact]:
    """Size of the task, time and memory."""
    rows = plan.rows
    facts: list[Fact] = [
        ("Rows × columns", f"{grouped(rows.row_count)} × {grouped(len(rows.domain))}"),
        ("Complete rows", grouped(rows.row_count - rows.incomplete_row_count)),
        (
            "States",
            f"{grouped(sum(rows.domain.cardinalities))} in all",
            "Of all columns together; tables grow with their products.",
        ),
    ]
    expected = None
    if plan.params is not None:
        expected = forecast_run(
            plan.learner,
            plan.params,
            rows,
            replicates=plan.replicates,
            processes=processes_for(rows, plan.replicates),
            is_compiled=is_compiled(),
        )
    if isinstance(rows, ChunkedData) and expected is not None:
        passes = forecast_passes(plan.learner, plan.params, rows)
        facts += [
            ("Passes", "" if passes is None else f"about {grouped(passes.passes)}", ROWS_STAY),
            ("Each reads", in_units(rows.pass_bytes)),
            ("Memory", f"about {in_units(expected.bytes)}", "Chunks, counts and the program."),
        ]
    elif expected is not None:
        facts += [
            (
                "Time",
                time_words(expected.seconds),
                "With loading, the first compiling, restarts and replicates, from times on other "
                "data; a third or three times as much is no surprise.",
            ),
            ("Memory", f"about {in_units(expected.bytes)}", "Rows, counts and the program."),
        ]
    return facts


def earlier_facts(plan: RunPlan, runs: Iterable[Run]) -> list[Fact]:
    """How long runs on the same data took: those of this learner first, then the newest."""
    same = [run for run in runs if run.data_id == plan.data_id]
    same.reverse()
    same.sort(key=lambda run: run.learner != plan.learner.key)
    return [
        (run.title or run.learner, f"{run.seconds:.3g} s, {run.outcome.value}")
        for run in same[:MAX_RUNS]
    ]


_AIR = 8  # on both sides of the text together


class LockedField(QLineEdit):
    """A label that elides text that does not fit; with the focus it shows all, to be copied."""

    def __init__(self) -> None:
        super().__init__()
        self._full_text = ""
        self.setReadOnly(True)
        self.setProperty("role", "locked")

    def show_text(self, text: str) -> None:
        self._full_text = text
        self._update_text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_text()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._update_text()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._update_text()

    def _update_text(self) -> None:
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        inside = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        ends = [inside.right(), *(lock.x() for lock in self.findChildren(QToolButton))]
        available = min(ends) - inside.left() - _AIR
        right = Qt.TextElideMode.ElideRight
        shown = self.fontMetrics().elidedText(self._full_text, right, available)
        self.setText(self._full_text if self.hasFocus() else shown)
        self.setCursorPosition(0)


class LockedFields(FactRows):
    """A name and a field with a lock in each row."""

    _HELP_COLUMN = 0  # after the name, which leaves the fields their width

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 4)  # "Equivalent sample size" in one line
        self._grid.setColumnStretch(1, 3)

    def _show_row(self, name: QLabel, value: LockedField, fact: Fact) -> None:
        name.setText(fact[0])
        value.show_text(fact[1])
        value.setAccessibleName(f"{fact[0]}, locked")
        for widget in (name, value):
            widget.setToolTip(fact[2] if len(fact) == 3 else fact[1])

    def _add_row(self, row: int) -> tuple[QLabel, QWidget]:
        name = label("", "secondary", size="dense", wrap=True)
        name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        field = LockedField()
        field.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        lock = field.addAction(
            icon("lock-simple", "text_tertiary"), QLineEdit.ActionPosition.TrailingPosition
        )
        lock.setToolTip("Settings of a run that was started cannot be changed.")
        self._grid.addWidget(name, row, 0)
        self._grid.addWidget(field, row, 1)
        return name, field


# A run reports more often than anybody can read.
REFRESH_MS = 200


class RunInspector(QWidget):
    """Follows one run of the queue."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("runInspector")
        self._app = app
        self._run: LearningRun | None = None
        self._evaluation: Evaluation | None = None
        self._latest_task = LatestTask(
            self, self._on_evaluated, app.errors.at("inspectorPanel").report
        )
        self._head = InspectorHead("inspectorRun")
        self._doing = Section("Now", line=False)
        self._bar = named(QProgressBar(), "inspectorRunProgress")
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._said = label("", "secondary", size="dense", wrap=True, name="inspectorRunSays")
        self.counters = FactRows("inspectorRunCounters")
        self._doing.add(self._bar, self._said, self.counters)
        self._best = Section("Best so far")
        self.best = FactRows("inspectorRunBest")
        self._open = button(
            "Open best",
            self._on_open,
            icon_name="arrow-square-out",
            name="inspectorOpenBest",
            tip="Open the best model so far, to query and edit it.",
        )
        self._evaluate = button(
            "Evaluate",
            self._on_evaluate,
            icon_name="scales",
            name="inspectorEvaluate",
            tip="The fit of the best model on its rows and on the held-out rows.",
        )
        self.evaluation = FactRows("inspectorRunEvaluation")
        self._evaluated = label(
            "", "secondary", size="dense", wrap=True, name="inspectorRunEvaluated"
        )
        buttons = row(self._open, self._evaluate, None)
        self._best.add(self.best, buttons, self._evaluated, self.evaluation)
        settings = Section("Settings of this run", "locked")
        self.settings = LockedFields("inspectorRunSettings")
        self._again = button(
            "Run again with changes",
            self._on_again,
            icon_name="arrow-clockwise",
            name="inspectorRunAgain",
            tip="Open the Learn page with these settings, to change some and learn again.",
        )
        settings.add(self.settings, row(self._again, None))
        self.missing = Note(name="inspectorRunMissing")
        self.rules = Note(name="inspectorRunRules")
        notes = QWidget()
        vbox(notes, self.missing, self.rules, margins=(16, 4, 16, 8), spacing=8)
        sections = (self._doing, self._best, settings, notes)
        lay_under(self._head, sections, self, "inspectorRunScroll")
        self._soon = one_shot(self, self._refresh, REFRESH_MS)
        app.workspace.runs.run_changed.connect(self._on_run_changed)

    def show_run(self, run: LearningRun) -> None:
        """The facts of a run, updated while it runs."""
        if run is not self._run:
            self._run, self._evaluation = run, None
            self._latest_task.forget()
            self._show_once(run)
        self._refresh()

    def _show_once(self, run: LearningRun) -> None:
        learner = learner_of(run.request.learner_key)
        self.settings.show_facts(setting_facts(run))
        data = run.task.data
        missing = sum(data.missing_counts)
        none = f"No missing cells: all {grouped(data.row_count)} rows are used."
        self.missing.show_text(
            missing_data_note(learner, data, run.task.params) if missing else none
        )

    def _on_run_changed(self, run: LearningRun) -> None:
        if run is self._run and self.isVisible() and not self._soon.isActive():
            self._soon.start()

    def _refresh(self) -> None:
        run = self._run
        if run is None:
            return
        learner = learner_of(run.request.learner_key)
        entry = self._app.project.data.get(run.request.data_id)
        rows = f" on {entry.name}" if entry is not None else ""
        chip = None if run.state.is_end else Chip("live", "", "target")
        self._head.show_text(
            run.request.title, f"{learner.title}{rows}", chip, language_icon(learner.kind)
        )
        self._show_doing(run)
        self._best.title.setText("Best model" if run.state.is_end else "Best so far")
        self.best.show_facts(best_facts(run) or [("Nothing yet", "")])
        has_best = run.best is not None
        for made in (self._open, self._evaluate):
            made.setEnabled(has_best)
            text = made.accessibleName()
            made.setToolTip(text if has_best else "Not now: the run has found no model yet.")
        self._show_evaluation(run)
        self._show_rules(run)

    def _show_doing(self, run: LearningRun) -> None:
        fraction = run.progress.fraction
        is_busy = run.state is JobState.RUNNING
        self._doing.title.setText(activity_text(run))
        self._doing.fact.setText(time_left_text(run.seconds_left))
        self._bar.setVisible(is_busy and fraction is not None)
        self._bar.setValue(round(1000 * (fraction or 0)))
        self._bar.setAccessibleName(f"{round(100 * (fraction or 0))} percent done")
        self._said.setText(sentence_case(state_text(run)))
        self.counters.show_facts(counter_facts(run))

    def _show_rules(self, run: LearningRun) -> None:
        text = constraint_message(run)
        if text is None:
            self.rules.show_text("")
        elif text.startswith("All"):
            more = "" if run.state.is_end else " in the best model so far"
            self.rules.show_text(text.replace(" hold.", f" hold{more}."), "success")
        else:
            self.rules.show_text(text, "warning")

    # -- requests

    def _on_open(self) -> None:
        if self._run is not None:
            open_best(self._app, self._run)

    def _on_evaluate(self) -> None:
        run = self._run
        if run is not None and run.best is not None:
            self._evaluated.setText("Being measured…")
            self._latest_task.ask(partial(_measure, run.best, self._parts(run)))

    def _parts(self, run: LearningRun) -> dict[str, DataSet]:
        """The rows it learns from, and those of the split that it does not see."""
        learned = run.request.split_part
        parts = {learned or "all rows": run.task.data}
        entry = self._app.project.data.get(run.request.data_id)
        if learned is not None and entry is not None and entry.split is not None:
            for name in entry.split.names:
                if name != learned:
                    rows = training_rows(self._app.project, run.request.data_id, name)
                    parts[name] = rows
        return parts

    def _on_evaluated(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        if self._run is not None:
            self._show_evaluation(self._run)

    def _show_evaluation(self, run: LearningRun) -> None:
        result = self._evaluation
        self.evaluation.setVisible(result is not None and not result.problem)
        if result is None:
            if not self._latest_task.is_waiting:
                self._evaluated.setText("")
        else:
            is_old = result.model is not run.best
            older = "Of an earlier best; Evaluate measures the newest." if is_old else ""
            self._evaluated.setText(result.problem or older)
            self.evaluation.show_facts(result.facts())
        self._evaluated.setVisible(bool(self._evaluated.text()))

    def _on_again(self) -> None:
        if self._run is not None:
            open_learn_page(self._app).fill(self._run.request)


def _measure(model: object, parts: dict[str, DataSet], _cancel: object) -> Evaluation:
    return evaluate(model, parts)  # type: ignore[arg-type]
