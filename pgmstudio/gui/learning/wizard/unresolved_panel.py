"""Step 4 of the wizard: the unresolved edges, each with its alternatives."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from pgmstudio.core.languages.bayesian_network.learning.constraint_based.ambiguity import (
    read_choices,
)
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.edits import choices_of
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.learning.wizard.state import WizardState
from pgmstudio.gui.structure.unresolved_bar import Answer, Question
from pgmstudio.gui.structure.unresolved_edges import UnresolvedController, UnresolvedDirections
from pgmstudio.gui.widgets.basic import Note, button, empty, hairline, label, row, scrolled
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.step_bar import PlainLine

MAX_SHOWN = 40
LOOK_AGAIN_MS = 30
NOTHING = "All edges are resolved."


class QuestionsPanel(QWidget):
    """List of all unresolved edges of a model, in sync with those on the canvas."""

    def __init__(self, app: AppContext, plan: WizardState) -> None:
        super().__init__()
        self.setObjectName("stepwiseQuestions")
        self._app, self._plan = app, plan
        self._controller: UnresolvedController | None = None
        self._directions: UnresolvedDirections | None = None
        self._model_id: str | None = None
        self._shown: tuple[Question, ...] | None = None
        self._buttons: list[QPushButton] = []
        self._soon = one_shot(self, self.refresh)
        self._count = PlainLine("stepwiseDecided")
        self._done = Note(level="success", name="stepwiseNothingOpen")
        self._all = button(
            "Resolve all by strength",
            self._on_all,
            role="link",
            name="stepwiseResolveAll",
            tip="Keep the strongest edge of each ambiguous region and the directions as drawn.",
        )
        self._again = button(
            "Reset decisions",
            self._on_again,
            role="link",
            name="stepwiseAskAgain",
            tip="Discard the decided directions; the model does not change.",
        )
        self._list = QWidget()
        self._rows = QVBoxLayout(self._list)
        self._rows.setContentsMargins(0, 0, 8, 0)
        self._rows.setSpacing(8)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 8, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(row(label("Unresolved edges", "heading"), self._count))
        layout.addWidget(self._done)
        layout.addWidget(scrolled(self._list, "stepwiseQuestionScroll"), 1)
        layout.addWidget(row(self._all, self._again, None))

    def show_model(self, model_id: str, controller: UnresolvedController) -> None:
        """Show the unresolved edges of a model page."""
        self.leave()
        self._model_id, self._controller = model_id, controller
        self._directions = UnresolvedDirections(self._app, self._plan.decided, model_id, self)
        controller.changed.connect(self.refresh_soon)
        self._directions.changed.connect(self.refresh_soon)
        self._shown = None
        self.refresh_soon()

    def leave(self) -> None:
        """Clear the panel."""
        if self._controller is not None:
            self._controller.changed.disconnect(self.refresh_soon)
        if self._directions is not None:
            self._directions.stop()
            self._directions.deleteLater()
        self._controller = self._directions = self._model_id = None

    @property
    def is_waiting(self) -> bool:
        controller, free = self._controller, self._directions
        return bool((controller and controller.is_waiting) or (free and free.is_waiting))

    @property
    def _has_tests(self) -> bool:
        """Whether the run stored its unresolved edges with the model."""
        entry = self._app.project.models.get(self._model_id or "")
        run = None if entry is None else self._app.project.runs.get(entry.run_id or "")
        if run is None or "open" not in run.kept or self._controller is None:
            return False
        return self._controller.follows_run or self._controller.is_waiting

    @property
    def questions(self) -> tuple[Question, ...]:
        if self._controller is not None and self._has_tests:
            return self._controller.questions
        return () if self._directions is None else self._directions.questions

    def _decided(self) -> int:
        entry = self._app.project.models.get(self._model_id or "")
        if entry is None or self._directions is None:
            return 0
        if not self._has_tests:
            return len(self._directions.decided)
        made = read_choices(choices_of(entry), entry.model.domain.names)
        return len(made.edges) + len(made.directions)

    def refresh_soon(self) -> None:
        """Refresh after all listeners have handled a change; between two models there is none."""
        self._soon.start(0)

    def refresh(self) -> None:
        """Show the current questions."""
        if self._controller is None or self._model_id not in self._app.project.models:
            return
        if self._controller.is_waiting:
            self._soon.start(LOOK_AGAIN_MS)
            return
        questions, decided = self.questions, self._decided()
        self._count.setText(f"{decided} decided · {len(questions)} open")
        has_tests = self._has_tests
        self._all.setVisible(bool(questions) and has_tests)
        self._again.setVisible(not has_tests and decided > 0)
        self._done.show_text("" if questions else NOTHING)
        self._show(questions)

    def _show(self, questions: tuple[Question, ...]) -> None:
        if questions == self._shown:
            for made in self._buttons:
                made.setEnabled(True)
            return
        self._shown = questions
        self._buttons = []
        empty(self._rows)
        for number, question in enumerate(questions[:MAX_SHOWN]):
            self._rows.addWidget(self._question(number, question))
        if len(questions) > MAX_SHOWN:
            more = counted(len(questions) - MAX_SHOWN, "more", "more")
            self._rows.addWidget(label(f"{more}, shown when these are decided.", "tertiary"))
        self._rows.addStretch(1)

    def _question(self, number: int, question: Question) -> QWidget:
        made = QWidget()
        layout = QVBoxLayout(made)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(label(question.text, wrap=True))
        pair: list[QPushButton] = []
        for index, answer in enumerate(question.answers):
            choice = button(
                answer.text,
                partial(self._on_answer, answer),
                tip=answer.text,
                name=f"stepwiseAnswer{number}.{index}",
            )
            pair.append(choice)
            if len(pair) == 2:
                layout.addWidget(row(*pair, None))
                pair = []
            self._buttons.append(choice)
        if pair:
            layout.addWidget(row(*pair, None))
        layout.addWidget(hairline())
        return made

    def _on_answer(self, answer: Answer) -> None:
        for made in self._buttons:
            made.setEnabled(False)
        if self._controller is not None and self._has_tests:
            self._controller.answer(answer)
        elif self._directions is not None:
            self._directions.answer(answer)

    def _on_all(self) -> None:
        if self._controller is not None:
            self._controller.resolve_all()

    def _on_again(self) -> None:
        if self._directions is not None:
            self._directions.forget()
