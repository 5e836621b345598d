"""The learning wizard: columns, rules, learning, unresolved edges and edge strengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.core.number_format import counted
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.learning.wizard.columns_step import ColumnsStep
from pgmstudio.gui.learning.wizard.learning_step import LearningStep
from pgmstudio.gui.learning.wizard.model_step import ModelSteps
from pgmstudio.gui.learning.wizard.state import (
    COLUMNS,
    LEARNING,
    LINKS,
    QUESTIONS,
    RULES,
    plan_of,
)
from pgmstudio.gui.navigation import close_welcome, make_knowledge_page, open_model_page
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.actions import ActionSpec
from pgmstudio.gui.widgets.basic import allow, button, empty_state, hairline
from pgmstudio.gui.widgets.page import Command, UndoablePage
from pgmstudio.gui.widgets.step_bar import StepBar


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


def stepwise_actions(app: AppContext) -> list[ActionSpec]:
    return [
        ActionSpec(
            "learn.stepwise",
            "Learn step by step…",
            "Learn",
            "Five steps: columns, rules, learning, unresolved edges, edge strengths.",
            lambda: open_stepwise(app),
            icon="list-numbers",
        ),
    ]


STEPS = ("Columns", "Rules", "Learning", "Unresolved edges", "Dependences")


class WizardPage(UndoablePage):
    """Wizard page of the window; its state survives closing the page."""

    def __init__(self, app: AppContext) -> None:
        super().__init__("stepwise")
        self._app = app
        self.plan = plan_of(app)
        self.steps = StepBar(STEPS, "stepwiseSteps")
        self.steps.chosen.connect(self.go_to)
        self.columns = ColumnsStep(app, self.plan)
        self.rules = make_knowledge_page(app, self._names_of)
        self.rules.setObjectName("stepwiseRules")
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
        inner = QVBoxLayout(frame)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(0)
        inner.addWidget(self.steps)
        inner.addWidget(hairline())
        inner.addWidget(self._stack, 1)
        inner.addWidget(hairline())
        inner.addWidget(self._foot())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(frame)

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
    def title(self) -> str:
        return "Learn step by step"

    def page_icon(self) -> QIcon:
        return icon("list-numbers")

    @property
    def stands_alone(self) -> bool:
        return True

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
