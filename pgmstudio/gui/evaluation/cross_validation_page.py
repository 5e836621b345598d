"""Page that cross-validates learners on one data set: the same folds for all, and a table of them.

The learners run with their default parameters.
"""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

from pgmstudio.core.analysis.model_comparison import ComparedModel, Comparison
from pgmstudio.core.analysis.tables import Cell
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import Progress
from pgmstudio.core.experiments.cross_validation import (
    DEFAULT_FOLDS,
    CrossValidation,
    CrossValidationPlan,
)
from pgmstudio.core.languages.learners import all_learners, learner_of
from pgmstudio.core.languages.registry import no_likelihood_reason
from pgmstudio.core.number_format import counted, decimal, duration
from pgmstudio.core.project.project import rows_in_memory
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evaluation.figure_card import table_writer
from pgmstudio.gui.jobs.job import Job, JobState
from pgmstudio.gui.widgets.basic import Note, button, label, row, vbox, widening
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.file_dialog import ask_where
from pgmstudio.gui.widgets.number_box import whole_box
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.table import Column, Table

KEY = "cross-validation"
FIRST_TICKED = ("tree.chow-liu", "bn.hill-climb", "nb.latent")


def _bits(mean: tuple[float, float | None]) -> str:
    return decimal(mean[0]) + ("" if mean[1] is None else f" ± {decimal(mean[1])}")


def score_lines(result: CrossValidation, comparison: Comparison) -> list[list[Cell]]:
    """A header, and a line for each learner."""
    folds = [f"fold_{fold + 1}" for fold in result.folds]
    lines: list[list[Cell]] = [[*_EXPORTED, *folds]]
    for model in comparison.models:
        entries = {**model.as_dict(), "learner": model.name, "seconds": result.seconds(model.name)}
        low, high = model.interval or (None, None)
        entries |= {"interval_low": low, "interval_high": high}
        lines.append([*(entries[name] for name in _EXPORTED), *result.fold_bits(model.name)])
    return lines


_EXPORTED = (
    *("learner", "kind", "log2_likelihood_per_row", "standard_error", "zero_probability_rows"),
    *("difference", "interval_low", "interval_high", "verdict"),
    *("representation_size", "effective_size", "seconds"),
)


def _interval(model: ComparedModel) -> str:
    if model.interval is None or model.verdict == "best":
        return ""
    return f"{decimal(model.interval[0])} to {decimal(model.interval[1])}"


_COLUMNS = (
    Column("Learner", value=lambda m: learner_of(m.name).title, stretches=True),
    Column(
        "Bits per row ↑",
        is_number=True,
        value=lambda m: (m.log2_likelihood_per_row, m.standard_error),
        text=_bits,
        copied=lambda bits: bits[0],
        tip="Mean of log2 P(row) ± standard error over all rows, each by a model that was learned "
        "without it; higher is better.",
    ),
    Column(
        "To the best",
        is_number=True,
        value=lambda m: None if m.verdict == "best" else m.difference,
        text=lambda difference: "" if difference is None else decimal(difference),
        tip="Mean of the paired differences to the best learner, row by row.",
        explains="Difference, 95 % CI",
    ),
    Column(
        "95 % interval",
        value=_interval,
        tip="Of the difference; it allows for the common training rows of the folds "
        "(Nadeau and Bengio 2003).",
    ),
    Column("Verdict", value=lambda m: m.verdict),
)


class CrossValidationPage(Page):
    """Settings and the learners to tick above, their results below."""

    icon_name = "scales"
    fixed_title = "Cross-validation"

    def __init__(self, app: AppContext) -> None:
        super().__init__(KEY)
        self._app = app
        self._job: Job | None = None
        self._ticked = set(FIRST_TICKED)
        self.result: CrossValidation | None = None
        self.rows = ChoiceBox("crossRows", "The rows that are divided into folds")
        self.rows.picked.connect(self._refresh)
        tip = "Parts of the rows; each is tested by models that were learned from the others."
        self.folds = whole_box("crossFolds", "Folds", tip, 2, 100, DEFAULT_FOLDS)
        tip = "Seed of the folds and of every learner; the same for all."
        self.seed = whole_box("crossSeed", "Seed", tip, 0, 999_999)
        self.learners = Table(
            "crossLearners",
            "Learners",
            (
                Column("", is_ticked=lambda key: key in self._ticked),
                Column("Learner", value=lambda key: learner_of(key).title, stretches=True),
            ),
            tip="Tick the learners to compare.",
        )
        self.learners.ticked.connect(self._on_ticked)
        self.table = Table("crossTable", "Results of the cross-validation", _COLUMNS)
        self.start = button(
            "Cross-validate",
            self._on_start,
            role="primary",
            icon_name="play",
            name="crossStart",
            tip="Learn without one fold after another, in the background, and measure on it.",
        )
        self.stop = button(
            "Stop, keep folds",
            self._on_stop,
            icon_name="stop",
            name="crossStop",
            tip="Stop; the learners are compared on the folds that all of them have.",
        )
        self.exporter = button(
            "Export…", self._on_export, icon_name="export", name="crossExport", tip="Write as CSV."
        )
        self.facts = label("", "secondary", size="dense", wrap=True, name="crossFacts")
        self.problem = Note("", "danger", "crossProblem")
        self._lay_out()
        app.document.changed.connect(self._on_project_changed)
        self._on_project_changed()
        self.learners.show_rows(_offered())

    def _lay_out(self) -> None:
        self.rows.setMinimumContentsLength(12)
        settings = row(
            label("Data", "secondary"),
            self.rows,
            label("Folds", "secondary"),
            self.folds,
            label("Seed", "secondary"),
            self.seed,
            None,
            self.start,
            self.stop,
        )
        head = widening(row(self.facts, self.exporter), 0)
        below = (head, self.problem, (self.table, 3))
        vbox(self, settings, (self.learners, 2), *below, spacing=8, margins=16)

    # -- settings

    @property
    def keys(self) -> list[str]:
        """The ticked learners."""
        return [key for key in _offered() if key in self._ticked]

    def _data(self) -> DataSet | None:
        entry = self._app.project.data.get(str(self.rows.currentData() or ""))
        return None if entry is None else entry.data

    def _on_project_changed(self, *_: object) -> None:
        titles = {key: entry.name for key, entry in rows_in_memory(self._app.project).items()}
        chosen = str(self.rows.currentData() or "")
        self.rows.show_choices(titles, chosen if chosen in titles else next(iter(titles), None))
        self._refresh()

    def _on_ticked(self, number: int, is_on: bool) -> None:
        key = _offered()[number]
        (self._ticked.add if is_on else self._ticked.discard)(key)
        self.learners.refresh()
        self._refresh()

    def _refresh(self, *_: object) -> None:
        is_running = self._job is not None
        self.start.setVisible(not is_running)
        self.stop.setVisible(is_running)
        reason = ""
        if self._data() is None:
            reason = "Not now: import data first (Ctrl+I)."
        elif not self._ticked:
            reason = "Not now: tick a learner."
        self.start.setEnabled(not reason)
        self.start.setToolTip(reason or "Learn without one fold after another and measure on it.")
        self.exporter.setEnabled(bool(self.table.rows))

    # -- the run

    def _on_start(self) -> None:
        data = self._data()
        if data is None:
            return
        self.problem.show_text("")
        try:
            plan = CrossValidationPlan.of(
                self.keys, data, folds=self.folds.value(), seed=self.seed.value()
            )
        except PgmStudioError as error:
            self.problem.show_text(str(error), "danger")
            return
        self.result = CrossValidation(plan)
        self.table.show_rows([])
        self._job = Job(plan, self)
        self._job.events_arrived.connect(self._on_events)
        self._job.state_changed.connect(self._on_state)
        self._job.failed.connect(self._on_failed)
        self._job.start()
        self._refresh()

    def _on_events(self, events: list[object]) -> None:
        result = self.result
        if result is None:
            return
        before, message = len(result.folds), ""
        for event in events:
            if isinstance(event, Progress):
                done = f"{math.floor(100 * (event.fraction or 0))}\u00a0%"
                message = f"{done} · {event.message}" if event.message else done
            else:
                result.take(event)  # type: ignore[arg-type]  # events of the plan
        if len(result.folds) > before:
            self._show_results()
        if message:
            self.facts.setText(message)

    def _show_results(self) -> None:
        comparison = None if self.result is None else self.result.comparison()
        models = () if comparison is None else comparison.models
        self.table.show_rows(sorted(models, key=lambda model: -model.log2_likelihood_per_row))
        self._refresh()

    def _on_stop(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _on_state(self, state: JobState) -> None:
        if state is JobState.CANCELLING:
            self.facts.setText("Stopping…")
        elif state.is_end:
            self._job = None
            self._show_results()
            self.facts.setText(self._outcome())
            if self.result is not None and self.result.notes:
                self.problem.show_text("\n".join(self.result.notes[:3]), "warning")

    def _outcome(self) -> str:
        if self.result is None or not self.result.folds:
            return "Stopped before a fold was complete."
        plan, done = self.result.plan, len(self.result.folds)
        folds = f"{done} folds" if done == plan.folds else f"{done} of {plan.folds} folds"
        seconds = sum(self.result.seconds(key) for key in self.result.learners)
        return (
            f"{counted(plan.data.row_count, 'row')} in {folds}, learned in {duration(seconds)}. "
            "Bits per row of rows that the models were not learned from."
        )

    def _on_failed(self, error: BaseException) -> None:
        if isinstance(error, PgmStudioError):
            self.problem.show_text(str(error), "danger")
        else:
            self._app.errors.report(error)

    def _on_export(self) -> None:
        ask_where(
            self, "Export results", "cross-validation.csv", "Table (*.csv)", self.export_table
        )

    def export_table(self, path: Path) -> None:
        """Write a line for each learner, with all digits and the bits of each fold."""
        result = self.result
        comparison = None if result is None else result.comparison()
        if result is not None and comparison is not None:
            table_writer(self._app).write(path, partial(score_lines, result, comparison))

    def closed(self) -> None:
        if self._job is not None:
            self._job.cancel()


def _offered() -> list[str]:
    """Learners of models with a likelihood, the usual ones first."""
    keys = [key for key, one in all_learners().items() if not no_likelihood_reason(one.kind)]
    return sorted(keys, key=lambda key: (key not in FIRST_TICKED, keys.index(key)))
