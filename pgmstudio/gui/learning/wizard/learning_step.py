"""Step 3 of the wizard: choose a learner, set its parameters, start and follow the run."""

from __future__ import annotations

from PySide6.QtWidgets import QProgressBar, QWidget

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.learning.base import missing_data_note
from pgmstudio.core.number_format import counted
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.learning.learner_forms import LearnerForms, LearnerList, free_title
from pgmstudio.gui.learning.wizard.state import WizardState
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.imputation import RemedyRow
from pgmstudio.gui.runs.run_recorder import constraint_message, end_message, run_recorder
from pgmstudio.gui.runs.run_summary import state_text
from pgmstudio.gui.widgets.basic import (
    Note,
    allow,
    button,
    foot_of,
    label,
    row,
    scrolled,
    side_layout,
)

# Learners of a graph over the columns, in recommended order.
OFFERED = (
    "bn.npc",
    "bn.pc",
    "bn.hill-climb",
    "bn.kes",
    "tree.chow-liu",
    "bn.polytree",
    "bn.tan",
    "bn.naive-bayes",
    "bn.k2",
    "bn.structural-em",
)
FIRST = "bn.npc"


class LearningStep(QWidget):
    """Learner form and progress of the wizard's run, which is also listed in the Runs panel."""

    def __init__(self, app: AppContext, plan: WizardState) -> None:
        super().__init__()
        self.setObjectName("stepwiseLearning")
        self._app, self._plan = app, plan
        self._landing = run_recorder(app)
        self._known: tuple[object, ...] = ()
        self.learners = LearnerList("stepwiseLearners", [k for k in OFFERED if k in all_learners()])
        self.learners.picked.connect(self._on_learner)
        self.forms = LearnerForms(app, plan.rules)
        self.forms.changed.connect(self._refresh_notes)
        self._facts = Note(name="stepwiseRows")
        self._missing = Note(name="stepwiseMissing")
        self._refusal = Note(level="danger", name="stepwiseRefusal")
        self._remedies = RemedyRow(app)
        self._outcome = Note(name="stepwiseOutcome")
        self.start_button = button(
            "Start",
            self.start,
            role="primary",
            icon_name="play-circle",
            tip="Start the run in the background (Ctrl+Return).",
            name="stepwiseStart",
        )
        self._stop = button(
            "Stop, keep best",
            self._on_stop,
            icon_name="stop",
            tip="Stop the run and keep the best model so far.",
            name="stepwiseStop",
        )
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setMaximumWidth(160)
        self._bar.setObjectName("stepwiseProgress")
        self._state = label("", "secondary", size="dense")
        self._lay_out()
        app.workspace.runs.run_changed.connect(self._on_run_changed)
        self.learners.choose(FIRST)

    def _lay_out(self) -> None:
        self._progress = row(self._bar, self._state, None)
        run = (self._progress, self._outcome)
        notes = (*run, self._facts, self._missing, self._refusal, self._remedies)
        foot = foot_of(notes, self._stop, self.start_button, margin=16)
        side_layout(self, self.learners, scrolled(self.forms, "stepwiseScroll"), foot)
        self.setFocusProxy(self.learners)

    # -- showing

    def refresh(self) -> None:
        """Update to the current columns, rules and run."""
        project = self._app.project
        known = (project.knowledge, project.models, tuple(self._plan.names))
        if known != self._known:
            rules = not self._known or self._known[0] is not known[0]
            self._known = known
            self.forms.refresh_objects(obey=rules)
        self._refresh_notes()
        self._show_run()

    def _on_learner(self) -> None:
        learner = self.learners.learner
        if learner is not None:
            self.forms.show_learner(learner)
            self._refresh_notes()

    def _refresh_notes(self) -> None:
        learner, plan = self.learners.learner, self._plan
        rows, params = plan.rows(), self.forms.params()
        if learner is None or rows is None or plan.data is None:
            return
        every = len(plan.data.domain)
        split = self._app.project.data[plan.data_id or ""].split
        count = counted(rows.row_count, "row")
        if split is not None:
            count = f"{counted(split.sizes[0], 'row')} of part {split.names[0]}"
        some = len(plan.names)
        columns = f"all {every} columns" if some == every else f"{some} of {every} columns"
        rules = plan.rules()
        obeyed = f" {counted(rules.rule_count(), 'rule')} about edges will be obeyed."
        asks = getattr(params, "knowledge", None) is not None
        self._facts.show_text(f"{count}, {columns}.{obeyed if asks else ''}")
        refusal = learner.refuses(rows) or ("" if params is not None else "A parameter is invalid.")
        if asks:
            refusal = refusal or " ".join(rules.contradictions(plan.names))
        self._missing.show_text(missing_data_note(learner, rows, params))
        self._remedies.offer(learner, rows, plan.data_id)
        self._refusal.show_text(refusal)
        reason = refusal or ("a run of this page is still active." if self._is_busy else "")
        allow(self.start_button, reason)

    @property
    def _is_busy(self) -> bool:
        return self._plan.run is not None and not self._plan.run.state.is_end

    def _show_run(self) -> None:
        run = self._plan.run
        self._progress.setVisible(self._is_busy)
        self._stop.setVisible(self._is_busy)
        if run is None:
            self._outcome.show_text("")
            return
        if self._is_busy:
            fraction = run.progress.fraction
            self._bar.setRange(0, 0 if fraction is None else 1000)
            self._bar.setValue(round(1000 * (fraction or 0)))
            self._state.setText(f"{run.request.title}: {state_text(run)}")
            self._outcome.show_text("")
            return
        rules = constraint_message(run) or ""
        is_well = run.state is JobState.FINISHED and (not rules or rules.startswith("All"))
        text = f"{end_message(run)} {rules}".strip()
        self._outcome.show_text(text, "success" if is_well else "warning")

    # -- the run

    def start(self) -> None:
        """Learn from the selected columns; they become a data set if some are left out."""
        learner, params = self.learners.learner, self.forms.params()
        if learner is None or params is None or not self.start_button.isEnabled():
            return
        data_id = self._plan.learning_data()
        if data_id is None:
            return
        split = self._app.project.data[data_id].split
        request = RunRequest(
            title=free_title(self._app, learner.title),
            learner_key=learner.key,
            params=params,
            seed=0,
            data_id=data_id,
            split_part=None if split is None else split.names[0],
        )
        try:
            self._plan.follow(self._landing.start(request))
        except PgmStudioError as error:
            self._app.errors.report(error)

    def _on_stop(self) -> None:
        if self._plan.run is not None:
            self._plan.run.stop()

    def _on_run_changed(self, run: LearningRun) -> None:
        if run is self._plan.run:
            self._show_run()
