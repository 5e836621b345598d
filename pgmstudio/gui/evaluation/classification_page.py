"""The classification page: how well a model predicts one variable from the others."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.analysis.classification import (
    TOP_STATE,
    Classification,
    calibration_table,
    confusion_table,
    feature_table,
    prediction_table,
    roc_table,
)
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import Progress
from pgmstudio.core.project.project import ModelEntry, Project, fingerprints
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evaluation.classification_lists import ListsPane, percent_text
from pgmstudio.gui.evaluation.classification_task import Answer, ClassifyingWork, Question
from pgmstudio.gui.evaluation.figure_card import Cells, PictureCard, TableMaker, table_writer
from pgmstudio.gui.evaluation.row_choice import (
    ChosenRows,
    RowChoices,
    classifiers,
    first_rows,
    first_target,
)
from pgmstudio.gui.evidence.row_evidence import use_row_as_evidence
from pgmstudio.gui.navigation import open_data_page, open_model_page
from pgmstudio.gui.plots.classification_plots import (
    CalibrationPlot,
    ConfusionMap,
    RocPlot,
    weight_text,
)
from pgmstudio.gui.plots.plot_widget import plot_library
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import (
    Note,
    button,
    label,
    named,
    row,
    scrolled,
    set_role,
    vbox,
    wide_first,
    widening,
)
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.elided_label import ElidedLabel, facts_label
from pgmstudio.gui.widgets.file_dialog import ask_where
from pgmstudio.gui.widgets.number_help import number_help
from pgmstudio.gui.widgets.page import Page

# Key, title, tooltip.
MEASURES = (
    (
        "accuracy",
        "Accuracy ↑",
        "Percentage of rows whose most probable state is the true one, ± standard error.",
    ),
    ("majority", "Majority class", "Accuracy of always predicting the most frequent state."),
    ("soft", "Soft score ↑", "The mean probability of the true state: Σ γ_true / N."),
    ("brier", "Brier score ↓", "Mean of Σ (p − truth)²: 0 is perfect, 2 is certain and wrong."),
    ("loss", "Log loss, bits ↓", "Mean of −log2 P(true state)."),
    ("area", "Mean AUC ↑", "Mean area under the ROC curves, one state against the rest."),
    ("ece", "Calibration ↓", "Expected calibration error: |probability − frequency| over 10 bins."),
)


_MIN_HEIGHT = 200  # px of a plot at 100 %
_MANY_STATES = 8  # more have a matrix as wide as the page


class ClassificationPictures(QWidget):
    """Grid of four plots, each also available as a table and a CSV file."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self._app = app
        self._answer: Answer | None = None
        self.confusion = ConfusionMap("confusionMap")
        matrix = scrolled(self.confusion, "confusionScroll", is_wide=True)
        self.lists = ListsPane()
        self.lists.export_requested.connect(self._on_export_features)
        self.roc = RocPlot()
        self.calibration = CalibrationPlot()
        self.of_state = ChoiceBox("calibrationOf", "State of the calibration curve")
        self.of_state.setMinimumContentsLength(9)
        policy = ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.of_state.setSizeAdjustPolicy(policy)
        self.of_state.picked.connect(self._show_calibration)
        self.cards = {
            "confusion": self._card("Confusion matrix", matrix, _confusion),
            "roc": self._card("ROC", self.roc, _roc),
            "calibration": self._card("Calibration", self.calibration, _bins, self.of_state),
        }
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 4, 0, 0)
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(16)
        for index in (0, 1):
            self._grid.setColumnStretch(index, 1)
        self._arrange(is_large=False)
        theme().follow(self._restyle)

    def _arrange(self, *, is_large: bool) -> None:
        """Two plots side by side; a large matrix has a row for itself."""
        self._is_large = is_large
        matrix, others = self.cards["confusion"], (self.cards["roc"], self.cards["calibration"])
        self._grid.addWidget(matrix, 0, 0, 1, 2 if is_large else 1)
        self._grid.addWidget(self.lists, 2 if is_large else 0, 0 if is_large else 1)
        for column, card in enumerate(others):
            self._grid.addWidget(card, 1, column)
        stretches = (1, 1, 1) if is_large else (5, 6, 0)  # curves need more height than cells
        for index in range(3):
            self._grid.setRowStretch(index, stretches[index])
        self._restyle()

    def _card(
        self, title: str, picture: QWidget, table: Callable[[Answer, bool], Cells], *extra: QWidget
    ) -> PictureCard:
        name = title.split()[0].lower()
        return PictureCard(self._app, name, title, picture, partial(self._table, table), *extra)

    def _restyle(self) -> None:
        least = round(_MIN_HEIGHT * theme().scale)
        for index in range(3):
            self._grid.setRowMinimumHeight(index, least if index < 2 or self._is_large else 0)
        if self._is_large:
            whole = self.confusion.minimumSizeHint().height() + 2 * theme().px("row")
            self._grid.setRowMinimumHeight(0, max(least, whole))

    def show_answer(self, answer: Answer) -> None:
        self._answer = answer
        result = answer.result
        self.confusion.show_counts(result.states, result.confusion)
        self._arrange(is_large=len(result.states) > _MANY_STATES)
        self.cards["confusion"].fact.setText("rows and row %")
        self.lists.show_features(answer.features, result.target)
        self.lists.show_consensus(answer.consensus)
        self.lists.forget_cell()
        self.roc.show_curves(result.states, answer.curves)
        against = "each state against the rest" if len(result.states) > 2 else ""
        self.cards["roc"].fact.setText(self.roc.note or against)
        titles = {TOP_STATE: "most probable", **{f"state {s}": f"P({s})" for s in result.states}}
        shown = self.of_state.currentData()
        self.of_state.show_choices(titles, shown if shown in titles else TOP_STATE)
        self._show_calibration()
        for card in self.cards.values():
            card.refresh()

    def _show_calibration(self, *_: object) -> None:
        if self._answer is not None:
            curve = self._answer.calibrations[max(0, self.of_state.currentIndex())]
            self.calibration.show_calibration(curve, self.of_state.currentText())

    def _table(self, make: Callable[[Answer, bool], Cells], is_whole: bool) -> TableMaker | None:
        return None if self._answer is None else partial(make, self._answer, is_whole)

    def _on_export_features(self) -> None:
        if self._answer is None:
            return
        table: TableMaker = partial(feature_table, self._answer.features)
        name, consensus = "features", self.lists.consensus.table
        if self.lists.views.current == "consensus" and consensus is not None:
            table, name = consensus, "consensus"
        write = partial(table_writer(self._app).write, make=table)
        ask_where(self, f"Export {name}", f"{name}.csv", "Table (*.csv)", write)


# Thinned for the plot, complete for a file.


def _confusion(answer: Answer, _is_whole: bool) -> Cells:
    return confusion_table(answer.result)


def _roc(answer: Answer, is_whole: bool) -> Cells:
    return roc_table(answer.result.states, answer.result.roc if is_whole else answer.curves)


def _bins(answer: Answer, _is_whole: bool) -> Cells:
    return calibration_table(answer.result)


def measure_texts(classification: Classification) -> dict[str, str]:
    """Formatted measures by the keys of MEASURES."""
    error = classification.accuracy.standard_error
    spread = "" if error is None else f" ± {100 * error:.1f}"
    return {
        "accuracy": percent_text(classification.accuracy.value)
        + (spread if classification.judged_weight else ""),
        "majority": percent_text(classification.majority_share),
        "soft": _decimal(classification.soft_score.value),
        "brier": _decimal(classification.brier.value),
        "loss": _decimal(classification.log_loss.value),
        "area": _decimal(classification.mean_area),
        "ece": _decimal(classification.calibration.error),
    }


def row_summary(classification: Classification) -> str:
    """Numbers of evaluated rows, and of rows with problems."""
    parts = [f"{weight_text(classification.judged_weight)} rows evaluated"]
    if classification.unlabelled_rows:
        unlabelled = weight_text(classification.unlabelled_rows)
        parts.append(f"{unlabelled} without a state of {classification.target}")
    if classification.impossible_rows:
        parts.append(f"{weight_text(classification.impossible_rows)} with P = 0 (prior used)")
    if classification.zero_rows:
        parts.append(f"{weight_text(classification.zero_rows)} with a true state of probability 0")
    return " · ".join(parts)


def _decimal(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "–"
    return "∞" if math.isinf(value) else f"{value:.3f}"


_MEASURE_WIDTH = 92  # px at 100 % that a measure and its title need


class Numbers(QWidget):
    """The measures in a line, in two where it is too narrow; tooltips have truncated texts."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("classifyNumbers")
        self._values: dict[str, ElidedLabel] = {}
        self._cells: list[QWidget] = []
        self._columns = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        for key, caption, tip in MEASURES:
            value = ElidedLabel("–", size="title")
            value.setProperty("weight", "semibold")
            title = ElidedLabel(caption, "secondary", size="caption")
            named(value, f"classify.{key}", tip=tip)
            title.setToolTip(f"{caption}: {tip}")
            title.brief = caption.replace(", bits", "")
            self._values[key] = value
            asked = number_help(caption)
            above = value if asked is None else widening(row(value, asked), 0)
            cell = QWidget()
            vbox(cell, above, title, spacing=0)
            self._cells.append(cell)
        self._arrange()

    def _arrange(self) -> None:
        count = len(self._cells)
        is_narrow = self.width() < count * _MEASURE_WIDTH * theme().scale
        columns = (count + 1) // 2 if is_narrow else count
        if columns == self._columns:
            return
        self._columns = columns
        for number, cell in enumerate(self._cells):
            self._grid.addWidget(cell, *divmod(number, columns))
        for column in range(count):  # the first includes the standard error
            self._grid.setColumnStretch(column, (3 if column else 5) if column < columns else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def text(self, key: str) -> str:
        return self._values[key].text()

    def show_measures(self, classification: Classification | None) -> None:
        texts = {} if classification is None else measure_texts(classification)
        for (key, caption, tip), value in zip(MEASURES, self._values.values(), strict=True):
            value.setText(texts.get(key, "–"))
            value.setToolTip(f"{value.text()}. {tip}")
            value.setAccessibleName(f"{caption.rstrip(' ↑↓')} {value.text()}")

    def dim(self, is_stale: bool) -> None:
        """Show outdated measures in grey."""
        for value in self._values.values():
            set_role(value, "tertiary" if is_stale else "")


KEY = "classify"
MESSAGE_DELAY_MS = 200  # shorter tasks need no message


class ClassificationPage(Page):
    """Classification page with a choice of model, target and rows."""

    icon_name = "crosshair"

    def __init__(self, app: AppContext) -> None:
        super().__init__(KEY)
        self._app, self._choices = app, RowChoices()
        self._model_key: str | None = None
        self._target: str | None = None
        self._rows_key: str | None = None
        self._rows: ChosenRows | None = None
        self._requested: Question | None = None
        self._answer: Answer | None = None
        self.models = ChoiceBox("classifyModel", "The model that predicts")
        self.targets = ChoiceBox("classifyTarget", "The variable to predict from the others")
        self.row_sets = ChoiceBox("classifyOn", "Rows for the evaluation")
        self.models.picked.connect(self._on_model)
        self.targets.picked.connect(self._on_target)
        self.row_sets.picked.connect(self._on_rows)
        self.numbers = Numbers()
        self.facts = facts_label("classifyFacts")
        self.note = Note(name="classifyNote")
        self._stopper = button("Stop", self.stop, name="classifyStop", tip="Stop classifying.")
        self._again = button(
            "Recompute", self._ask, name="classifyAgain", tip="Classify the current rows."
        )
        self.note.add_button(self._stopper)
        self.note.add_button(self._again)
        self._split = button(
            "Split…",
            self._on_split,
            name="classifySplit",
            tip="Split the data, to learn from the training rows and evaluate on the test rows.",
        )
        self.note.add_button(self._split)
        self.predictions = button(
            "Export predictions…",
            self._on_export,
            icon_name="export",
            name="classifyExport",
            tip="Export a line per row: most probable state and all probabilities.",
        )
        self.pictures = ClassificationPictures(app)
        self.pictures.confusion.chosen.connect(self._on_cell)
        self.lists = self.pictures.lists
        self.lists.named.connect(self._on_named)
        self.lists.row_requested.connect(self._on_row_requested)
        self.lists.select_requested.connect(self.select_used)
        self._arrange()
        self._work = ClassifyingWork(self)
        self._work.answered.connect(self._on_answered)
        self._work.progressed.connect(self._on_progress)
        self._work.failed.connect(self._on_failed)
        self._message_timer = one_shot(self, self._announce, MESSAGE_DELAY_MS)
        self._fraction: float | None = None
        app.document.changed.connect(self._on_document)
        plot_library().ask()  # loaded before the first result

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

    # -- page

    @property
    def title(self) -> str:
        return "Classify" if self._target is None else f"Classify {self._target}"

    @property
    def model_id(self) -> str | None:
        return self._model_key if self._model_key in self._app.project.models else None

    @property
    def answer(self) -> Answer | None:
        return self._answer

    @property
    def is_stale(self) -> bool:
        """Whether the shown results are outdated."""
        return self._answer is not None and not self._answer.question.is_same(self._question())

    def closed(self) -> None:
        self._work.stop()

    # -- selection

    def choose(self, model_id: str, target: str | None = None) -> None:
        """Show another model, with its test rows if there are any."""
        entry = classifiers(self._app.project).get(model_id)
        if entry is None:
            return
        self._model_key = model_id
        known = self._target if self._target in entry.model.domain else None
        self._target = target or known or first_target(entry, self._app.workspace)
        row_sets = self._choices.titles(self._app.project, entry.model)
        if self._rows_key not in row_sets:
            self._rows_key = first_rows(row_sets, entry)
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
        result = classifiers(after)
        if self._model_key not in result:
            self._model_key = next(iter(result), None)
        entry = result.get(self._model_key or "")
        if entry is not None and self._target not in entry.model.domain:
            self._target = first_target(entry, self._app.workspace)
        self._refresh()

    @property
    def _entry(self) -> ModelEntry | None:
        return classifiers(self._app.project).get(self._model_key or "")

    def _refresh(self) -> None:
        """Update the choices, and classify if the model, target or rows changed."""
        usable, entry = classifiers(self._app.project), self._entry
        self.models.show_choices({k: e.title for k, e in usable.items()}, self._model_key)
        if entry is None:
            self._work.stop()
            self._show_note("There is no probabilistic model. Open or learn one first.")
            return
        names = entry.model.domain.names
        titles = {name: entry.node_titles.get(name, name) for name in names}
        self.targets.show_choices(titles, self._target)
        row_sets = self._choices.titles(self._app.project, entry.model)
        if self._rows_key not in row_sets:
            self._rows_key = first_rows(row_sets, entry)
        self.row_sets.show_choices(row_sets, self._rows_key)
        self._rows = self._choices.rows(self._app.project, self._rows_key or "")
        if self._app.center.current is self:
            self._app.workspace.activate_model(self.model_id)
        self.title_changed.emit()
        if self._rows is None:
            self._work.stop()
            self._show_note("No data set has columns of this model. Import one first (Ctrl+I).")
        else:
            self._ask_if_other()

    def _question(self) -> Question | None:
        entry, rows, target = self._entry, self._rows, self._target
        if entry is None or rows is None or target is None:
            return None
        return Question(entry.model, rows.data, target)

    # -- computation

    def _ask_if_other(self) -> None:
        question = self._question()
        if question is None or question.is_same(self._requested):
            return
        self._ask()

    def _ask(self) -> None:
        question = self._question()
        if question is None:
            return
        self._requested, self._fraction = question, None
        self.numbers.dim(True)
        self._work.begin(question)
        self._message_timer.start()

    def stop(self) -> None:
        """Cancel the computation; earlier results stay and are marked as outdated."""
        self._work.stop()
        self._message_timer.stop()
        why = "Outdated: the model, the target or the rows have changed."
        self._show_note(why if self._answer is not None else "Stopped.", can_ask=True)

    def _announce(self) -> None:
        if self._work.is_busy:
            far = "" if self._fraction is None else f" {100 * self._fraction:.0f} %"
            stale = "Outdated; classifying again…" if self._answer is not None else "Classifying…"
            self._show_note(stale + far, can_stop=True)

    def _on_progress(self, progress: Progress) -> None:
        self._fraction = progress.fraction
        if self._stopper.isVisible():
            self._announce()

    def _on_failed(self, error: BaseException) -> None:
        self._message_timer.stop()
        if not isinstance(error, PgmStudioError):
            self._app.errors.report(error)
        self._show_note(str(error), level="warning", can_ask=True)

    def _show_note(
        self, text: str, *, level: str = "info", can_stop: bool = False, can_ask: bool = False
    ) -> None:
        self._split.setVisible(False)
        self.note.show_text(text, level)
        self._stopper.setVisible(can_stop)
        self._again.setVisible(can_ask)
        self.predictions.setEnabled(self._answer is not None)

    # -- showing

    def _on_answered(self, answer: Answer) -> None:
        self._message_timer.stop()
        self._answer = answer
        result = answer.result
        self.numbers.show_measures(result)
        self.numbers.dim(False)
        self.facts.setText(row_summary(result))
        self.pictures.show_answer(answer)
        self._show_note(
            ""
            if result.judged_weight
            else f"{result.target} is missing in all rows: predictions cannot be evaluated."
        )
        if result.judged_weight and self.has_learning_rows:
            self._show_note(
                "The model was learned from these rows, which makes it look better than it is.",
                level="warning",
            )
            self._split.setVisible(True)

    @property
    def has_learning_rows(self) -> bool:
        """Whether the model was learned from some of the evaluated rows."""
        entry, rows, project = self._entry, self._rows, self._app.project
        run = None if entry is None else project.runs.get(entry.run_id or "")
        data = None if run is None else project.data.get(run.data_id or "")
        if run is None or rows is None or data is None or data.data is not rows.whole:
            return False
        if rows.indices is None:
            return run.data_fingerprint in fingerprints(data)
        return run.data_fingerprint in (rows.data.fingerprint, rows.whole.fingerprint)

    def _on_split(self) -> None:
        """Show the split of the evaluated rows."""
        open_data_page(self._app, (self._rows_key or "").partition("/")[0])
        self._app.actions.refresh()
        self._app.actions["data.split"].trigger()

    def _on_cell(self, true: str, chosen: str) -> None:
        answer, rows = self._answer, self._rows
        if answer is None or rows is None or answer.question.data is not rows.data:
            return
        states = answer.result.states
        self.lists.show_cell(answer.result, rows, states.index(true), states.index(chosen))

    # -- user actions

    def _on_named(self, name: str) -> None:
        if self.model_id is not None and self._app.workspace.model_id == self.model_id:
            self._app.workspace.select([name])

    def select_used(self) -> None:
        """Open the model with the target and its features selected."""
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
        self._app.workspace.set_target(answer.question.target)  # the target is not its own feature
        use_row_as_evidence(self._app, rows.whole, number)

    # -- export

    def _on_export(self) -> None:
        offered, write = "predictions.csv", self.export_predictions
        ask_where(self, "Export predictions", offered, "Table (*.csv)", write)

    def export_predictions(self, path: Path) -> None:
        """Write the predictions of all rows."""
        if self._answer is not None:
            table_writer(self._app).write(path, partial(prediction_table, self._answer.result))
