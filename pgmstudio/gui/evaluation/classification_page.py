"""The measures of a classification in one line: a number and what it is, side by side.

Evaluate ▸ Classify a target: how well a model predicts one variable from the others.
"""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from pgmstudio.core.analysis.classification import Classification
from pgmstudio.core.analysis.classification_tables import (
    prediction_table,
)
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import Progress
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evaluation.classification_figures import ClassificationPictures
from pgmstudio.gui.evaluation.classification_task import Answer, ClassifyingWork, Question
from pgmstudio.gui.evaluation.figure_card import table_writer
from pgmstudio.gui.evaluation.row_choice import (
    ChosenRows,
    RowChoices,
    classifiers,
    first_rows,
    first_target,
)
from pgmstudio.gui.evidence.row_evidence import use_row_as_evidence
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.plots.classification_plots import weight_text
from pgmstudio.gui.plots.plot_widget import plot_library
from pgmstudio.gui.runs.results.result_page import facts_label
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, button, label, row, scrolled, set_role
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.table import wide_first

# Key, what it is called, and what it means.
MEASURES = (
    ("accuracy", "Accuracy ↑", "Rows whose most probable state is the true one, ± standard error."),
    ("majority", "Majority alone", "The accuracy of always naming the most frequent state."),
    ("soft", "Soft score ↑", "The mean probability of the true state: Σ γ_true / N."),
    ("brier", "Brier score ↓", "Mean of Σ (p − truth)²: 0 is perfect, 2 is sure and wrong."),
    ("loss", "Log loss, bits ↓", "Mean of −log2 P(true state)."),
    ("area", "Mean AUC ↑", "The mean of the areas under the ROC curves, each against the rest."),
    ("ece", "Calibration ↓", "Expected calibration error: |probability − frequency| over 10 bins."),
)


def measures_in_words(found: Classification) -> dict[str, str]:
    """The numbers by the keys of MEASURES."""
    error = found.accuracy.standard_error
    spread = "" if error is None else f" ± {100 * error:.1f}"
    return {
        "accuracy": _share(found.accuracy.value) + (spread if found.judged_weight else ""),
        "majority": _share(found.majority_share),
        "soft": _decimal(found.soft_score.value),
        "brier": _decimal(found.brier.value),
        "loss": _decimal(found.log_loss.value),
        "area": _decimal(found.mean_area),
        "ece": _decimal(found.calibration.error),
    }


def rows_in_words(found: Classification) -> str:
    """How many rows were judged, and what was the matter with others."""
    parts = [f"{weight_text(found.judged_weight)} rows judged"]
    if found.unlabelled_rows:
        parts.append(f"{weight_text(found.unlabelled_rows)} without a state of {found.target}")
    if found.impossible_rows:
        parts.append(f"{weight_text(found.impossible_rows)} ruled out by the model, prior taken")
    if found.zero_rows:
        parts.append(f"{weight_text(found.zero_rows)} with a true state of probability 0")
    return " · ".join(parts)


def _share(value: float) -> str:
    return "–" if math.isnan(value) else f"{100 * value:.1f} %"


def _decimal(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "–"
    return "∞" if math.isinf(value) else f"{value:.3f}"


class Numbers(QWidget):
    """They give way when there is little room; tooltips have them whole."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("classifyNumbers")
        self._values: dict[str, ElidedLabel] = {}
        self._captions: list[ElidedLabel] = []
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        for key, caption, tip in MEASURES:
            value, words = ElidedLabel("–"), ElidedLabel(caption)
            value.setObjectName(f"classify.{key}")
            words.setProperty("role", "secondary")
            value.setToolTip(tip)
            words.setToolTip(f"{caption}: {tip}")
            self._values[key] = value
            self._captions.append(words)
            column = QVBoxLayout()
            column.setSpacing(0)
            column.addWidget(value)
            column.addWidget(words)
            layout.addLayout(column, 4 if key == "accuracy" else 3)  # it has its error beside it
        theme().changed.connect(self._restyle)
        self._restyle()

    def text(self, key: str) -> str:
        return self._values[key].text()

    def show_found(self, found: Classification | None) -> None:
        words = {} if found is None else measures_in_words(found)
        for (key, caption, tip), value in zip(MEASURES, self._values.values(), strict=True):
            value.setText(words.get(key, "–"))
            value.setToolTip(f"{value.text()}. {tip}")
            value.setAccessibleName(f"{caption.rstrip(' ↑↓')} {value.text()}")

    def dim(self, is_stale: bool) -> None:
        """Numbers of what is no more are grey."""
        for value in self._values.values():
            set_role(value, "tertiary" if is_stale else "")

    def _restyle(self) -> None:
        for value in self._values.values():
            value.setFont(theme().font("title", "semibold"))
        for caption in self._captions:
            caption.setFont(theme().font("caption"))


KEY = "classify"
PATIENCE_MS = 200  # what is quicker need not be announced


class ClassificationPage(Page):
    """One page: the model, the target and the rows are chosen in it."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(KEY)
        self._app, self._choices = app, RowChoices()
        self._model_key: str | None = None
        self._target: str | None = None
        self._rows_key: str | None = None
        self._rows: ChosenRows | None = None
        self._asked: Question | None = None
        self._answer: Answer | None = None
        self.models = ChoiceBox("classifyModel", "The model that predicts")
        self.targets = ChoiceBox("classifyTarget", "The variable to predict from the others")
        self.row_sets = ChoiceBox("classifyOn", "The rows it is judged on")
        self.models.picked.connect(self._on_model)
        self.targets.picked.connect(self._on_target)
        self.row_sets.picked.connect(self._on_rows)
        self.numbers = Numbers()
        self.facts = facts_label("classifyFacts")
        self.note = Note(name="classifyNote")
        self._stopper = button("Stop", self.stop, name="classifyStop", tip="Stop classifying.")
        self._again = button(
            "Recompute", self._ask, name="classifyAgain", tip="Classify the rows as they are now."
        )
        self.note.add_button(self._stopper)
        self.note.add_button(self._again)
        self.predictions = button(
            "Export predictions…",
            self._on_export,
            icon_name="export",
            name="classifyExport",
            tip="One line for each row: most probable state, its probability, all probabilities.",
        )
        self.pictures = ClassificationPictures(app)
        self.pictures.confusion.chosen.connect(self._on_cell)
        self.lists = self.pictures.lists
        self.lists.named.connect(self._on_named)
        self.lists.wanted.connect(self._on_row_requested)
        self.lists.select_requested.connect(self.select_used)
        self._arrange()
        self._work = ClassifyingWork(self)
        self._work.answered.connect(self._on_answered)
        self._work.progressed.connect(self._on_progress)
        self._work.failed.connect(self._on_failed)
        self._patience = one_shot(self, self._announce, PATIENCE_MS)
        self._fraction: float | None = None
        app.document.changed.connect(self._on_document)
        plot_library().ask()  # it is there when the first answer comes

    def _arrange(self) -> None:
        bar = row(
            label("Predict", "secondary"),
            self.targets,
            label("with", "secondary"),
            self.models,
            label("on", "secondary"),
            self.row_sets,
            None,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.setSpacing(8)
        layout.addWidget(bar)
        layout.addWidget(self.numbers)
        layout.addWidget(self.note)
        layout.addWidget(scrolled(self.pictures, "classifyScroll"), 1)
        layout.addWidget(wide_first(row(self.facts, self.predictions)))

    # -- what a page is

    @property
    def title(self) -> str:
        return "Classify" if self._target is None else f"Classify {self._target}"

    def page_icon(self) -> QIcon:
        return icon("crosshair")

    @property
    def model_id(self) -> str | None:
        return self._model_key if self._model_key in self._app.project.models else None

    @property
    def answer(self) -> Answer | None:
        return self._answer

    @property
    def is_stale(self) -> bool:
        """Whether the numbers in view are of a model or rows that are no more."""
        return self._answer is not None and not self._answer.question.is_same(self._question())

    def closed(self) -> None:
        self._work.stop()

    # -- choosing

    def choose(self, model_id: str, target: str | None = None) -> None:
        """Show another model, its rows kept apart for testing first."""
        entry = classifiers(self._app.project).get(model_id)
        if entry is None:
            return
        self._model_key = model_id
        known = self._target if self._target in entry.model.domain else None
        self._target = target or known or first_target(entry, self._app.workspace)
        words = self._choices.words(self._app.project, entry.model)
        if self._rows_key not in words:
            self._rows_key = first_rows(words, entry)
        self._refresh()

    def _on_model(self, key: object) -> None:
        self.choose(str(key))

    def _on_target(self, key: object) -> None:
        self._target = str(key)
        self._refresh()

    def _on_rows(self, key: object) -> None:
        self._rows_key = str(key)
        self._refresh()

    def _on_document(self, before: Project, after: Project) -> None:
        if before.models is after.models and before.data is after.data:
            return
        found = classifiers(after)
        if self._model_key not in found:
            self._model_key = next(iter(found), None)
        entry = found.get(self._model_key or "")
        if entry is not None and self._target not in entry.model.domain:
            self._target = first_target(entry, self._app.workspace)
        self._refresh()

    @property
    def _entry(self) -> ModelEntry | None:
        return classifiers(self._app.project).get(self._model_key or "")

    def _refresh(self) -> None:
        """Fill the choices and ask what is asked now, unless that is known."""
        found, entry = classifiers(self._app.project), self._entry
        self.models.show_choices({k: e.title for k, e in found.items()}, self._model_key)
        if entry is None:
            self._work.stop()
            self._tell("There is no model that could predict. Open or learn one first.")
            return
        names = entry.model.domain.names
        titles = {name: entry.node_titles.get(name, name) for name in names}
        self.targets.show_choices(titles, self._target)
        words = self._choices.words(self._app.project, entry.model)
        if self._rows_key not in words:
            self._rows_key = first_rows(words, entry)
        self.row_sets.show_choices(words, self._rows_key)
        self._rows = self._choices.rows(self._app.project, self._rows_key or "")
        if self._app.center.current is self:
            self._app.workspace.activate_model(self.model_id)
        self.title_changed.emit()
        if self._rows is None:
            self._work.stop()
            self._tell("No data set has columns of this model. Import one first (Ctrl+I).")
        else:
            self._ask_if_other()

    def _question(self) -> Question | None:
        entry, rows, target = self._entry, self._rows, self._target
        if entry is None or rows is None or target is None:
            return None
        return Question(entry.model, rows.data, target)

    # -- asking

    def _ask_if_other(self) -> None:
        question = self._question()
        if question is None or question.is_same(self._asked):
            return
        self._ask()

    def _ask(self) -> None:
        question = self._question()
        if question is None:
            return
        self._asked, self._fraction = question, None
        self.numbers.dim(True)
        self._work.begin(question)
        self._patience.start()

    def stop(self) -> None:
        """Give the present question up; what was known before stays, as stale."""
        self._work.stop()
        self._patience.stop()
        why = "Stale: the model, the target or the rows have changed since."
        self._tell(why if self._answer is not None else "Stopped.", can_ask=True)

    def _announce(self) -> None:
        if self._work.is_busy:
            far = "" if self._fraction is None else f" {100 * self._fraction:.0f} %"
            stale = "Stale; classifying again…" if self._answer is not None else "Classifying…"
            self._tell(stale + far, can_stop=True)

    def _on_progress(self, progress: Progress) -> None:
        self._fraction = progress.fraction
        if self._stopper.isVisible():
            self._announce()

    def _on_failed(self, error: BaseException) -> None:
        self._patience.stop()
        if not isinstance(error, PgmStudioError):
            self._app.errors.report(error)
        self._tell(str(error), level="warning", can_ask=True)

    def _tell(
        self, words: str, *, level: str = "info", can_stop: bool = False, can_ask: bool = False
    ) -> None:
        self.note.show_text(words, level)
        self._stopper.setVisible(can_stop)
        self._again.setVisible(can_ask)
        self.predictions.setEnabled(self._answer is not None)

    # -- showing

    def _on_answered(self, answer: Answer) -> None:
        self._patience.stop()
        self._answer = answer
        found = answer.found
        self.numbers.show_found(found)
        self.numbers.dim(False)
        self.facts.setText(rows_in_words(found))
        self.pictures.show_answer(answer)
        self._tell(
            ""
            if found.judged_weight
            else f"{found.target} is known in no row: predictions can be exported, not judged."
        )

    def _on_cell(self, true: str, chosen: str) -> None:
        answer, rows = self._answer, self._rows
        if answer is None or rows is None or answer.question.data is not rows.data:
            return
        states = answer.found.states
        self.lists.show_cell(answer.found, rows, states.index(true), states.index(chosen))

    # -- acting on the model

    def _on_named(self, name: str) -> None:
        if self.model_id is not None and self._app.workspace.model_id == self.model_id:
            self._app.workspace.select([name])

    def select_used(self) -> None:
        """The model in front, with the target and what is used to predict it selected."""
        answer, model_id = self._answer, self.model_id
        if answer is None or model_id is None:
            return
        used = [one.name for one in answer.features if one.is_used]
        open_model_page(self._app, model_id)
        self._app.workspace.set_target(answer.question.target)
        self._app.workspace.select([answer.question.target, *used])

    def _on_row_requested(self, number: int) -> None:
        model_id, rows, answer = self.model_id, self._rows, self._answer
        if model_id is None or rows is None or answer is None:
            return
        open_model_page(self._app, model_id)
        self._app.workspace.set_target(answer.question.target)  # its own state says nothing then
        use_row_as_evidence(self._app, rows.whole, number)

    # -- taking away

    def _on_export(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self, "Export predictions", "predictions.csv", "Table (*.csv)"
        )
        if path:
            self.export_predictions(Path(path))

    def export_predictions(self, path: Path) -> None:
        """Every row in its order."""
        if self._answer is not None:
            table_writer(self._app).write(path, partial(prediction_table, self._answer.found))
