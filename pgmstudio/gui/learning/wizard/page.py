"""The learning wizard: columns, rules, learning, unresolved edges and edge strengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from pgmstudio.core.analysis.learner_choice import recommended_learners
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.learning.base import missing_data_note
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.learning.learner_forms import LearnerForms, LearnerList, free_title
from pgmstudio.gui.learning.wizard.columns_step import ColumnsStep
from pgmstudio.gui.learning.wizard.model_step import ModelSteps
from pgmstudio.gui.learning.wizard.state import (
    COLUMNS,
    LEARNING,
    LINKS,
    QUESTIONS,
    RULES,
    WizardState,
    plan_of,
)
from pgmstudio.gui.navigation import close_welcome, make_knowledge_page, open_model_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.imputation import RemedyRow
from pgmstudio.gui.runs.run_recorder import constraint_message, end_message, run_recorder
from pgmstudio.gui.runs.run_summary import state_text
from pgmstudio.gui.widgets.basic import (
    Note,
    allow,
    button,
    empty_state,
    foot_of,
    hairline,
    label,
    named,
    row,
    scrolled,
    side_layout,
    vbox,
)
from pgmstudio.gui.widgets.page import Command, UndoablePage
from pgmstudio.gui.widgets.step_bar import StepBar

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
        self._recorder = run_recorder(app)
        self._known: tuple[object, ...] = ()
        self.learners = LearnerList("stepwiseLearners", [k for k in OFFERED if k in all_learners()])
        self.learners.picked.connect(self._on_learner)
        self.forms = LearnerForms(app, plan.rules, lambda: plan.names)
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
        known = (
            project.knowledge,
            project.edge_prices,
            project.models,
            tuple(self._plan.names),
        )
        if known != self._known:
            rules = not self._known or self._known[0] is not known[0]
            self._known = known
            self.forms.refresh_objects(obey=rules)
            self.forms.show_columns(tuple(self._plan.names))
            if (rows := self._plan.rows()) is not None:
                target = self._app.workspace.target
                self.learners.show_recommended(recommended_learners(rows, target))
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
            self._plan.follow(self._recorder.start(request))
        except PgmStudioError as error:
            self._app.errors.report(error)

    def _on_stop(self) -> None:
        if self._plan.run is not None:
            self._plan.run.stop()

    def _on_run_changed(self, run: LearningRun) -> None:
        if run is self._plan.run:
            self._show_run()


def open_stepwise(app: AppContext, data_id: str | None = None) -> WizardPage:
    """Open the wizard in its last state; `data_id` selects a data set."""

    model_id = app.workspace.model_id
    close_welcome(app)
    page = cast(WizardPage, app.open_page("stepwise", lambda: WizardPage(app)))
    if data_id is not None:
        page.plan.choose_data(data_id)
    if model_id in page.plan.models():
        page.plan.choose_model(model_id)
    return page


STEPS = ("Columns", "Rules", "Learning", "Unresolved edges", "Dependences")


class WizardPage(UndoablePage):
    """Wizard page of the window; its state survives closing the page."""

    fixed_title = "Learn step by step"
    icon_name = "list-numbers"
    stands_alone = True

    def __init__(self, app: AppContext) -> None:
        super().__init__("stepwise")
        self._app = app
        self.plan = plan_of(app)
        self.steps = StepBar(STEPS, "stepwiseSteps")
        self.steps.chosen.connect(self.go_to)
        self.columns = ColumnsStep(app, self.plan)
        self.rules = named(make_knowledge_page(app, self._names_of), "stepwiseRules")
        self.learning = LearningStep(app, self.plan)
        self.models = ModelSteps(app, self.plan)
        self._no_data = empty_state(
            "There is no data set. Import one first.",
            button(
                "Import…",
                self._on_import,
                role="primary",
                icon_name="download-simple",
                tip="Choose a data file.",
                name="stepwiseImport",
            ),
        )
        self._no_model = empty_state(
            "There is no model with edges. Learn one in step 3.",
            button(
                "Go to learning",
                self._on_learning,
                role="primary",
                icon_name="play-circle",
                tip="Go to step 3: choose a learner and start it.",
                name="stepwiseToLearning",
            ),
        )
        self._stack = QStackedWidget()
        panes = (self.columns, self.rules, self.learning, self.models)
        for widget in (*panes, self._no_data, self._no_model):
            self._stack.addWidget(widget)
        self._lay_out()
        self.plan.changed.connect(self._refresh)
        self._refresh()

    def _lay_out(self) -> None:
        frame = QFrame()
        frame.setProperty("role", "surface")
        vbox(frame, self.steps, hairline(), (self._stack, 1), hairline(), self._foot(), spacing=0)
        vbox(self, frame)

    def _foot(self) -> QWidget:
        def make_button(text: str, slot: Callable[[], object], name: str, tip: str) -> QPushButton:
            return button(text, slot, tip=tip, name=name)

        self.leave_button = button(
            "Close",
            self._leave,
            role="link",
            tip="Close (Esc); the settings are preserved.",
            name="stepwiseClose",
        )
        self.back = make_button("Back", self._on_back, "stepwiseBack", "Previous step")
        self.forward = make_button("Next", self._on_next, "stepwiseNext", "Next step")
        self.finish = button(
            "Open the model",
            self._on_finish,
            role="primary",
            icon_name="check",
            tip="Open the model in its own tab.",
            name="stepwiseFinish",
        )
        foot = QWidget()
        layout = QHBoxLayout(foot)
        layout.setContentsMargins(16, 10, 16, 10)
        layout.setSpacing(8)
        layout.addWidget(self.leave_button)
        layout.addStretch(1)
        for widget in (self.back, self.forward, self.finish):
            layout.addWidget(widget)
        return foot

    @property
    def model_id(self) -> str | None:
        return self.plan.model_id if self.plan.step in (QUESTIONS, LINKS) else None

    # -- steps

    def go_to(self, step: int) -> None:
        """Show a step, 0 to 4, in any order."""
        self.plan.step = step
        self._refresh()
        shown = self._stack.currentWidget()
        if shown is not None:
            shown.setFocus()
        if self._app.center.current is self:
            self._app.workspace.activate_model(self.model_id)

    def _refresh(self) -> None:
        step, plan = self.plan.step, self.plan
        self.steps.show_step(step)
        self.steps.show_summary(self._progress_text())
        lacks_data = plan.data is None and step <= LEARNING
        lacks_model = plan.model_id is None and step > LEARNING
        if lacks_data:
            self._stack.setCurrentWidget(self._no_data)
        elif lacks_model:
            self._stack.setCurrentWidget(self._no_model)
        elif step == COLUMNS:
            self.columns.refresh()
            self._stack.setCurrentWidget(self.columns)
        elif step == RULES:
            self.rules.refresh()
            self._stack.setCurrentWidget(self.rules)
        elif step == LEARNING:
            self.learning.refresh()
            self._stack.setCurrentWidget(self.learning)
        else:
            self.models.show_step(step)
            self._stack.setCurrentWidget(self.models)
        if lacks_model:
            self.models.leave()
        self._refresh_foot()

    def _refresh_foot(self) -> None:
        plan = self.plan
        self.back.setEnabled(plan.step > COLUMNS)
        self.back.setToolTip("Previous step" if plan.step else "Not now: this is the first step.")
        self.forward.setVisible(plan.step < LINKS)
        reason = "" if plan.model_id is not None else "there is no model. Learn one in step 3."
        self.finish.setVisible(plan.step > LEARNING)
        allow(self.finish, reason)

    def _progress_text(self) -> str:
        """Progress text shown at the right of the steps."""
        plan = self.plan
        if plan.data is None:
            return ""
        every = counted(len(plan.data.domain), "column")
        return f"{len(plan.names)} of {every}"

    def _names_of(self, project: Project) -> list[str]:
        return self.plan.names

    def _on_back(self) -> None:
        self.go_to(max(COLUMNS, self.plan.step - 1))

    def _on_next(self) -> None:
        self.go_to(min(LINKS, self.plan.step + 1))

    def _on_learning(self) -> None:
        self.go_to(LEARNING)

    def _on_import(self) -> None:
        self._app.actions["data.import"].trigger()

    def _on_finish(self) -> None:
        if self.plan.model_id is not None:
            open_model_page(self._app, self.plan.model_id)

    # -- keys

    def _leave(self) -> None:
        self._app.center.close_page(self)

    def _undoing(self) -> tuple[Command | None, Command | None]:
        """Undo and redo of the column selection in step 1."""
        plan = self.plan
        if plan.step != COLUMNS:
            return None, None
        return plan.undo if plan.can_undo else None, plan.redo if plan.can_redo else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        command = self._command(event)
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if command is not None:
            command()
        elif event.key() == Qt.Key.Key_Escape:
            self._leave()
        elif is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._on_enter()
        else:
            super().keyPressEvent(event)

    def _on_enter(self) -> None:
        """Main action of the step: start the run, open the model, or continue."""
        if self.plan.step == LEARNING:
            self.learning.start()
        elif self.plan.step == LINKS:
            self._on_finish()
        else:
            self._on_next()

    def closed(self) -> None:
        self.columns.stop()
        self.models.stop()
