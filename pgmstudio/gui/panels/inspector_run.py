"""The inspector of a run: what it does, its best model so far, its settings, its sentences."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.learning.missing_cells import told_of_missing
from pgmstudio.core.learning.registry import learner_of
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.document.evidence_words import Chip
from pgmstudio.gui.panels.fact_rows import FactRows
from pgmstudio.gui.panels.inspector_head import InspectorHead
from pgmstudio.gui.panels.locked_fields import LockedFields
from pgmstudio.gui.panels.run_facts import (
    Evaluation,
    best_facts,
    counter_facts,
    doing_words,
    evaluate,
    left_words,
    sentence_case,
    setting_facts,
    state_words,
)
from pgmstudio.gui.style.icons import language_icon
from pgmstudio.gui.style.numbers import grouped
from pgmstudio.gui.style.widgets import Note, Section, button, hairline, label, row, scrolled
from pgmstudio.gui.workers.job import JobState
from pgmstudio.gui.workers.landing import constraint_sentence, training_rows
from pgmstudio.gui.workers.learning_run import LearningRun
from pgmstudio.gui.workers.one_shot import one_shot
from pgmstudio.gui.workers.questions import Asker

# A run tells more often than anybody can read.
REFRESH_MS = 200


class RunInspector(QWidget):
    """Follows one run of the queue."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self.setObjectName("runInspector")
        self._shell = shell
        self._run: LearningRun | None = None
        self._evaluation: Evaluation | None = None
        self._asker = Asker(self)
        self._asker.answered.connect(self._on_evaluated)
        self._asker.failed.connect(shell.errors.at("inspectorPanel").report)
        self._head = InspectorHead("inspectorRun")
        self._doing = Section("Now", line=False)
        self._bar = QProgressBar()
        self._bar.setObjectName("inspectorRunProgress")
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._said = label("", "secondary", size="dense", wrap=True)
        self._said.setObjectName("inspectorRunSays")
        self.counters = FactRows("inspectorRunCounters")
        for widget in (self._bar, self._said, self.counters):
            self._doing.add(widget)
        self._best = Section("Best so far")
        self.best = FactRows("inspectorRunBest")
        self._open = button(
            "Open best",
            self._on_open,
            icon_name="arrow-square-out",
            name="inspectorOpenBest",
            tip="The best model so far in a tab, to look at, question and edit.",
        )
        self._evaluate = button(
            "Evaluate",
            self._on_evaluate,
            icon_name="scales",
            name="inspectorEvaluate",
            tip="How well the best model fits its rows, and the rows kept apart for testing.",
        )
        self.evaluation = FactRows("inspectorRunEvaluation")
        self._evaluated = label("", "secondary", size="dense", wrap=True)
        self._evaluated.setObjectName("inspectorRunEvaluated")
        buttons = row(self._open, self._evaluate, None)
        for part in (self.best, buttons, self._evaluated, self.evaluation):
            self._best.add(part)
        settings = Section("Settings of this run", "locked")
        self.settings = LockedFields("inspectorRunSettings")
        self._again = button(
            "Run again with changes",
            self._on_again,
            icon_name="arrow-clockwise",
            name="inspectorRunAgain",
            tip="The run sheet with these settings, to change some and start once more.",
        )
        settings.add(self.settings)
        settings.add(row(self._again, None))
        self.missing = Note(name="inspectorRunMissing")
        self.rules = Note(name="inspectorRunRules")
        notes = QWidget()
        inside = QVBoxLayout(notes)
        inside.setContentsMargins(16, 4, 16, 8)
        inside.setSpacing(8)
        inside.addWidget(self.missing)
        inside.addWidget(self.rules)
        content = QWidget()
        inner = QVBoxLayout(content)
        inner.setContentsMargins(0, 8, 0, 8)
        inner.setSpacing(4)
        for section in (self._doing, self._best, settings, notes):
            inner.addWidget(section)
        inner.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for shown in (self._head, hairline(), scrolled(content, "inspectorRunScroll")):
            layout.addWidget(shown)
        self._soon = one_shot(self, self._refresh, REFRESH_MS)
        shell.bench.runs.run_changed.connect(self._on_run_changed)

    def show_run(self, run: LearningRun) -> None:
        """What is told of a run; it is told again as the run goes on."""
        if run is not self._run:
            self._run, self._evaluation = run, None
            self._asker.forget()
            self._tell_once(run)
        self._refresh()

    def _tell_once(self, run: LearningRun) -> None:
        learner = learner_of(run.request.learner_key)
        self.settings.show_facts(setting_facts(run))
        data = run.task.data
        missing = sum(data.missing_counts)
        none = f"No missing cells: all {grouped(data.row_count)} rows are used."
        self.missing.tell(told_of_missing(learner, data, run.task.params) if missing else none)

    def _on_run_changed(self, run: LearningRun) -> None:
        if run is self._run and self.isVisible() and not self._soon.isActive():
            self._soon.start()

    def _refresh(self) -> None:
        run = self._run
        if run is None:
            return
        learner = learner_of(run.request.learner_key)
        entry = self._shell.project.data.get(run.request.data_id)
        rows = f" on {entry.name}" if entry is not None else ""
        chip = None if run.state.is_end else Chip("live", "", "target")
        self._head.tell(
            run.request.title, f"{learner.title}{rows}", chip, language_icon(learner.kind)
        )
        self._tell_doing(run)
        self._best.title.setText("Best model" if run.state.is_end else "Best so far")
        self.best.show_facts(best_facts(run) or [("Nothing yet", "")])
        has_best = run.best is not None
        for made in (self._open, self._evaluate):
            made.setEnabled(has_best)
            told = made.accessibleName()
            made.setToolTip(told if has_best else "Not now: the run has found no model yet.")
        self._tell_evaluation(run)
        self._tell_rules(run)

    def _tell_doing(self, run: LearningRun) -> None:
        fraction = run.progress.fraction
        is_busy = run.state is JobState.RUNNING
        self._doing.title.setText(doing_words(run))
        self._doing.fact.setText(left_words(run.seconds_left))
        self._bar.setVisible(is_busy and fraction is not None)
        self._bar.setValue(round(1000 * (fraction or 0)))
        self._bar.setAccessibleName(f"{round(100 * (fraction or 0))} percent done")
        self._said.setText(sentence_case(state_words(run)))
        self.counters.show_facts(counter_facts(run))

    def _tell_rules(self, run: LearningRun) -> None:
        sentence = constraint_sentence(run)
        if sentence is None:
            self.rules.tell("")
        elif sentence.startswith("All"):
            more = "" if run.state.is_end else " in the best model so far"
            self.rules.tell(sentence.replace(" hold.", f" hold{more}."), "success")
        else:
            self.rules.tell(sentence, "warning")

    # -- wishes

    def _on_open(self) -> None:
        from pgmstudio.gui.app.open_best import open_best

        if self._run is not None:
            open_best(self._shell, self._run)

    def _on_evaluate(self) -> None:
        run = self._run
        if run is not None and run.best is not None:
            self._evaluated.setText("Being measured…")
            self._asker.ask(partial(_measure, run.best, self._parts(run)))

    def _parts(self, run: LearningRun) -> dict[str, DataSet]:
        """The rows it learns from, and those of the split that it does not see."""
        learned = run.request.split_part
        parts = {learned or "all rows": run.task.data}
        entry = self._shell.project.data.get(run.request.data_id)
        if learned is not None and entry is not None and entry.split is not None:
            for name in entry.split.names:
                if name != learned:
                    rows = training_rows(self._shell.project, run.request.data_id, name)
                    parts[name] = rows
        return parts

    def _on_evaluated(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        if self._run is not None:
            self._tell_evaluation(self._run)

    def _tell_evaluation(self, run: LearningRun) -> None:
        found = self._evaluation
        self.evaluation.setVisible(found is not None and not found.problem)
        if found is None:
            if not self._asker.is_waiting:
                self._evaluated.setText("")
        else:
            is_old = found.model is not run.best
            older = "Of an earlier best; Evaluate measures the newest." if is_old else ""
            self._evaluated.setText(found.problem or older)
            self.evaluation.show_facts(found.facts())
        self._evaluated.setVisible(bool(self._evaluated.text()))

    def _on_again(self) -> None:
        from pgmstudio.gui.app.learn_actions import open_learn_page

        if self._run is not None:
            open_learn_page(self._shell).fill(self._run.request)


def _measure(model: object, parts: dict[str, DataSet], _cancel: object) -> Evaluation:
    return evaluate(model, parts)  # type: ignore[arg-type]
