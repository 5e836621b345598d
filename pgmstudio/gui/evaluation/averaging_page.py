"""The page that averages models of the project, weighted by their posterior on chosen rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pgmstudio.core.analysis.model_averaging import (
    EQUAL,
    LIKELIHOOD,
    MIN_WEIGHT,
    POSTERIOR,
    Average,
    average_models,
    no_average_reason,
)
from pgmstudio.core.analysis.model_comparison import likelihood_of
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import counted, decimal, general
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evaluation.row_choice import RowChoices, first_rows
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.theme.icons import language_icon
from pgmstudio.gui.widgets.basic import Note, button, label, row, vbox
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.elided_label import facts_label
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.table import Column, Table

KEY = "averaging"
OWN = "own"
_WEIGHTINGS = {
    POSTERIOR: "Posterior by BIC (rows of learning)",
    LIKELIHOOD: "Posterior by likelihood (other rows)",
    EQUAL: "Equal",
    OWN: "My own (edit the column Weight)",
}


@dataclass(frozen=True)
class _Line:
    """A model with its weight and its fit, where they are known."""

    key: str
    title: str
    kind: str
    is_ticked: bool
    bits: float | None
    bic: float | None
    weight: float | None


def _number(value: float | None) -> str:
    return "–" if value is None or math.isinf(value) else decimal(value)


def _weight(value: float | None) -> str:
    return "–" if value is None else "0" if value < MIN_WEIGHT else general(value, digits=3)


_COLUMNS = (
    Column("", is_ticked=lambda line: line.is_ticked),
    Column(
        "Model",
        value=lambda line: line.title,
        stretches=True,
        icon=lambda line: language_icon(line.kind),
    ),
    Column(
        "Bits per row ↑",
        _number,
        True,
        value=lambda line: line.bits,
        tip="Mean of log2 P(row) of the rows chosen above; higher is better.",
    ),
    Column(
        "BIC (bits) ↑",
        lambda value: "–" if value is None or math.isinf(value) else decimal(value, 1),
        True,
        value=lambda line: line.bic,
        tip="L − ½ log2 N · free parameters, in bits over all rows; higher is better.",
        explains="BIC (graph)",
    ),
    Column(
        "Weight",
        _weight,
        True,
        value=lambda line: line.weight,
        tip="Pr[Q | D] among the ticked models; with weights of your own, double-click to edit.",
        explains="Weight (model)",
        is_editable=True,
    ),
)


def averageable(project: Project) -> dict[str, ModelEntry]:
    """The models of the project whose average is a mixture of trees."""
    return {
        key: entry
        for key, entry in project.models.items()
        if no_average_reason(entry.model) is None
    }


class AveragingPage(Page):
    """Models to tick, their weights, and the average, which becomes a model of the project."""

    fixed_title = "Average models"
    icon_name = "circles-three"

    def __init__(self, app: AppContext) -> None:
        super().__init__(KEY)
        self._app, self._choices = app, RowChoices()
        self._ticked: set[str] = set()
        self._own: dict[str, float] = {}
        self._result: tuple[dict[str, Model], Average, float | None] | None = None
        self._is_current = False  # whether the result is that of the settings as they stand
        self.row_sets = ChoiceBox("averageRows", "Rows that determine the weights")
        self.row_sets.picked.connect(self._refresh)
        tip = "How the models are weighted"
        self.weighting = ChoiceBox("averageWeights", tip)
        self.weighting.show_choices(_WEIGHTINGS, POSTERIOR)
        self.weighting.picked.connect(self._refresh)
        self.table = Table(
            "averageModels",
            "Models to average",
            _COLUMNS,
            key=lambda line: line.key,
            is_sortable=False,
        )
        self.table.ticked.connect(self._on_ticked)
        self.table.edited.connect(self._on_edited)
        self.make = button(
            "Average",
            self._on_average,
            role="primary",
            icon_name="circles-three",
            name="averageMake",
            tip="Add the average as a mixture of all trees of the ticked models.",
        )
        self.facts = facts_label("averageFacts")
        self.note = Note(name="averageNote")
        self._task = LatestTask(self, self._on_result, self._on_failed)
        bar = row(
            label("Rows", "secondary"),
            self.row_sets,
            label("Weights", "secondary"),
            self.weighting,
            None,
            self.make,
        )
        vbox(self, bar, self.note, (self.table, 1), self.facts, spacing=8, margins=16)
        app.document.changed.connect(self._on_document)
        self._tick_first()
        self._refresh()

    def closed(self) -> None:
        self._task.forget()

    # -- settings

    def _tick_first(self) -> None:
        """All models over the variables of the active one, or of the first."""
        models = averageable(self._app.project)
        first = self._app.workspace.model_id or ""
        first = first if first in models else next(iter(models), "")
        if first:
            names = {*models[first].model.domain.names}
            self._ticked = {
                key for key, one in models.items() if {*one.model.domain.names} == names
            }

    @property
    def _keys(self) -> list[str]:
        """The ticked models."""
        return [key for key in averageable(self._app.project) if key in self._ticked]

    @property
    def _weighting(self) -> str:
        return str(self.weighting.currentData())

    def _on_ticked(self, number: int, is_on: bool) -> None:
        key = self.table.rows[number].key
        (self._ticked.add if is_on else self._ticked.discard)(key)
        self._refresh()

    def _on_edited(self, number: int, _column: int, text: str) -> None:
        line = self.table.rows[number]
        try:
            weight = float(text.replace(",", "."))
        except ValueError:
            self.note.show_text(f"{text!r} is not a number.", "danger")
            return
        if self._weighting != OWN:  # the other weights stay as they are shown
            self._own = {one.key: one.weight or 0.0 for one in self.table.rows}
        self._own[line.key] = weight
        self.weighting.show_choices(_WEIGHTINGS, OWN)
        self._refresh()

    def _on_document(self, before: Project, after: Project) -> None:
        if before.models is not after.models or before.data is not after.data:
            self._ticked &= set(averageable(after))
            if self._result is not None and not after.models.keys() >= self._result[0].keys():
                self._result = None  # its models have gone
            self._refresh()

    def _refresh(self, *_: object) -> None:
        project, models = self._app.project, averageable(self._app.project)
        chosen = {key: models[key].model for key in self._keys}
        titles = self._choices.titles(project, *(entry.model for entry in models.values()))
        key = str(self.row_sets.currentData() or "")
        if key not in titles and chosen:
            key = first_rows(titles, models[next(iter(chosen))]) or ""
        self.row_sets.show_choices(titles, key)
        rows = self._choices.rows(project, str(self.row_sets.currentData() or ""))
        self._is_current = False
        weights: str | Sequence[float] = self._weighting
        if weights == OWN:
            weights = [self._own.get(key, 1.0) for key in chosen]
        self._show()
        if len(chosen) < 2:
            self._task.forget()
            self._result = None
            self._show()
            self.note.show_text("Tick at least two models over the same variables.")
            return
        self.note.show_text("")
        data = None if rows is None else rows.data
        self._task.ask(partial(_average, chosen, data, weights))

    # -- the result

    def _on_result(self, result: tuple[dict[str, Model], Average, float | None]) -> None:
        self._result, self._is_current = result, True
        self._show()

    def _on_failed(self, error: BaseException) -> None:
        self._result = None
        self._show()
        if isinstance(error, PgmStudioError):
            self.note.show_text(str(error), "warning")
        else:
            self._app.errors.report(error)

    def _show(self) -> None:
        average = None if self._result is None else self._result[1]
        comparison = None if average is None else average.comparison
        weights: Mapping[str, float] = {} if average is None else average.weights
        lines = []
        for key, entry in averageable(self._app.project).items():
            known = key in self._ticked and key in weights
            one = comparison[key] if comparison is not None and known else None
            lines.append(
                _Line(
                    key,
                    entry.title,
                    entry.model.kind,
                    key in self._ticked,
                    None if one is None else one.log2_likelihood_per_row,
                    None if one is None else one.bic,
                    weights[key] if known else None,
                )
            )
        self.table.show_rows(lines)
        self.make.setEnabled(self._is_current)
        self.facts.setText("" if average is None else self._facts(average))

    def _facts(self, average: Average) -> str:
        model, bits = average.model, None if self._result is None else self._result[2]
        facts = [
            counted(len(model.weights), "tree"),
            counted(model.representation_size(), "free parameter"),
        ]
        if bits is not None:
            facts.append(f"{decimal(bits)} bits per row")
        if average.left_out:
            titles = self._app.project.models
            facts.append(f"without weight: {', '.join(titles[k].title for k in average.left_out)}")
        return f"Average: {' · '.join(facts)}"

    def _on_average(self) -> None:
        if self._result is None:
            return
        models, average, _ = self._result
        project, key = self._app.project, str(self.row_sets.currentData() or "")
        weights = {project.models[k].title: weight for k, weight in average.weights.items()}
        data_id = key.partition("/")[0]
        entry = ModelEntry(
            f"Average of {len(models)} models",
            average.model,
            data_id=data_id if data_id in project.data else None,
            provenance={"average": weights, "weights": self._weighting, "rows": key},
        )
        add_and_show_model(self._app, entry, "Average models")


def _average(
    models: dict[str, Model],
    data: DataSet | None,
    weights: str | Sequence[float],
    _cancel: CancelToken,
) -> tuple[dict[str, Model], Average, float | None]:
    """The models, their average, and its bits per row."""
    rows = None if data is None else rows_over(data, next(iter(models.values())).domain)
    average = average_models(models, rows, weights)
    bits = None if rows is None else likelihood_of(average.model, rows).per_row
    return models, average, bits
