"""The score table page: all models of the project on the same rows."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QVBoxLayout

from pgmstudio.core.analysis.family_scores import (
    HIGHER_IS_BETTER,
    SCORES,
    GraphScores,
    graph_scores,
)
from pgmstudio.core.analysis.model_comparison import (
    ModelScores,
    model_scores,
    score_lines,
)
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.registry import kind_title, language, scale_of
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import counted, decimal, general, grouped, measure_title
from pgmstudio.core.project.project import ComparisonEntry, Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evaluation.figure_card import table_writer
from pgmstudio.gui.evaluation.row_choice import RowChoices
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.navigation import open_help, open_model_page
from pgmstudio.gui.runs.model_summary import measure_text
from pgmstudio.gui.widgets.basic import Note, button, label, row, widening
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.elided_label import facts_label
from pgmstudio.gui.widgets.file_dialog import ask_where
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.table import Column, Table

KEY = "scores"
SortedText = tuple[float, str]  # sort key and text


def _text(value: SortedText) -> str:
    return value[1]


_COLUMNS = (
    Column("Model", stretches=True),
    Column(
        "Bits per row ↑", _text, True, tip="Mean of log2 P(row) ± standard error; higher is better."
    ),
    Column("BIC ↑", _text, True, tip="Bits per row: (L − k/2 · log2 N) / N; higher is better."),
    Column("AIC ↑", _text, True, tip="Bits per row: (L − k · log2 e) / N; higher is better."),
    Column(
        "BIC eff. ↑",
        _text,
        True,
        tip="Experimental: BIC with the effective size in place of k; higher is better.",
    ),
    Column("BDeu ↑", _text, True, tip="Bits per row of the graph alone, equivalent sample size 1."),
    Column("Free par. ↓", _text, True, tip="k, the free parameters."),
    Column(
        "Eff. size ↓",
        _text,
        True,
        tip="Effective size, the cost of inference; see the note below.",
    ),
)


def bits_of(value: float | None, error: float | None = None) -> SortedText:
    """A number with three digits, or a dash, which sorts last."""
    if value is None:
        return -math.inf, "–"
    spread = "" if error is None else f" ± {error:.3f}"
    return value, decimal(value) + spread


def count_of(value: int | None) -> SortedText:
    """A whole number with grouped digits."""
    return (math.inf, "too large") if value is None else (value, grouped(value))


def _family_column(key: str, number: int) -> Column:
    """The scores of one kind; all digits are in the tooltip."""
    is_better = "Higher is better." if key in HIGHER_IS_BETTER else "Lower is better."
    text = partial(general, digits=3) if key == "kl" else partial(decimal, digits=1)
    return Column(
        f"{_SHORT.get(key, SCORES[key])} {'↑' if key in HIGHER_IS_BETTER else '↓'}",
        text,
        True,
        tip=f"{SCORES[key]}. {is_better}",
        explains=_TOTALS.get(key, ""),
        cell_tip=lambda row: decimal(row[number], 6),
    )


_SHORT = {"loglik": "Log-lik."}
# Totals, unlike the numbers per row with the same names in the table above.
_TOTALS = {
    "bdeu": "BDeu (graph)",
    "bic": "BIC (graph)",
    "aic": "AIC (graph)",
    "mdl": "MDL (length)",
    "loglik": "Log-likelihood (graph)",
}
_FAMILY_COLUMNS = (
    Column("Family", stretches=True, cell_tip=lambda row: row[0]),
    *(_family_column(key, number) for number, key in enumerate(SCORES, start=1)),
)

# Models of different scales cannot be compared, so one scale is shown.
_SCALES = {
    Scale.PROBABILITY: "Probabilities",
    Scale.RELATION: "Relations",
    Scale.POSSIBILITY: "Degrees of possibility",
}


def _fit_columns(kind: str, measures: Sequence[str]) -> tuple[Column, ...]:
    """The columns of models without probabilities."""
    row = language(kind)
    small = dict.fromkeys(row.fit_order, "Lower is better.")
    return (
        Column("Model", stretches=True),
        *(
            Column(
                measure_title(name) + (" ↓" if name in small else ""),
                _text,
                True,
                tip=small.get(name, ""),
            )
            for name in measures
        ),
        Column(f"{row.size_title} ↓", _text, True, tip="The size of its tables."),
        _COLUMNS[-1],
    )


def _common_measures(
    kind: str, measures: Sequence[str], scores: Collection[ModelScores]
) -> dict[str, float]:
    """Measures that are equal for all models, such as the tuples of the data; those that decide
    which model is best always have a column."""
    result = {}
    for name in measures:
        values = {one.measures.get(name) for one in scores}
        value = values.pop()
        if not values and value is not None and name not in language(kind).fit_order:
            result[name] = value
    return result


def measure_of(value: float | None) -> SortedText:
    """A count or a number with three digits; a dash sorts last."""
    if value is None:
        return math.inf, "–"
    return value, measure_text(value)


class ScoreTablePage(Page):
    """Table of the scores of all models of a scale, or of those of a stored comparison.

    Scores are cached by model and rows.
    """

    icon_name = "scales"

    def __init__(self, app: AppContext, comparison_id: str | None = None) -> None:
        super().__init__(KEY if comparison_id is None else f"{KEY}:{comparison_id}")
        self._app, self._choices, self._comparison_id = app, RowChoices(), comparison_id
        self._rows_key: str | None = None
        self._data: DataSet | None = None
        self._known: dict[int, tuple[Model, ModelScores]] = {}
        self._keys: tuple[str, ...] = ()
        self._columns: tuple[Column, ...] = _COLUMNS
        self.row_sets = ChoiceBox("scoresOn", "Rows for the scores")
        self.row_sets.picked.connect(self._on_rows)
        self.scales = ChoiceBox("scoresScale", "Models of which scale are compared")
        self.scales.picked.connect(self._on_scale)
        self._scale = self._first_scale()
        self.facts = facts_label("scoresFacts")
        self.note = Note(name="scoresNote")
        self.table = Table("scoreTable", "Scores of all models; click a header to sort", _COLUMNS)
        self.table.chosen.connect(self._on_chosen)
        self.table.selected.connect(self._on_selected)
        self.meaning = facts_label("scoresMeaning")
        self.exporter = button(
            "Export CSV…",
            self._on_export,
            icon_name="export",
            name="scoresExport",
            tip="Export a line per model with all digits.",
        )
        self._more = button(
            "Effective size?",
            partial(open_help, app, "reference/glossary.md"),
            role="link",
            name="scoresHelp",
            tip="Show “effective size” in the glossary of the manual.",
        )
        self.families = Table(
            "scoreFamilies", "Scores of each variable given its parents", _FAMILY_COLUMNS
        )
        self._families_title = label("", "secondary", size="dense", name="scoreFamiliesTitle")
        self._latest_task = LatestTask(self, self._on_scored, self._on_failed)
        self._families_task = LatestTask(self, self._on_families, self._on_failed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.setSpacing(8)
        on = label("Scores on", "secondary")
        bar = row(self.scales, on, self.row_sets, self.facts, self.exporter)
        layout.addWidget(widening(bar, 3))
        layout.addWidget(self.note)
        layout.addWidget(self.table, 1)
        layout.addWidget(self._families_title)
        layout.addWidget(self.families, 2)
        layout.addWidget(widening(row(self.meaning, self._more), 0))
        app.document.changed.connect(self._on_document)
        self._refresh()

    @property
    def title(self) -> str:
        comparison = self._comparison
        return "Score table" if comparison is None else comparison.title

    @property
    def _comparison(self) -> ComparisonEntry | None:
        return self._app.project.comparisons.get(self._comparison_id or "")

    @property
    def model_id(self) -> str | None:
        """The model of the selected line, which the panels show."""
        number = self.table.current
        if number is None or number >= len(self._keys):
            return None
        return self._keys[number] if self._keys[number] in self._app.project.models else None

    def closed(self) -> None:
        self._latest_task.forget()
        self._families_task.forget()

    # -- computation

    def _on_rows(self, key: object) -> None:
        self._rows_key = str(key)
        self._refresh()

    def _on_document(self, before: Project, after: Project) -> None:
        if self._comparison_id is not None and before.comparisons is not after.comparisons:
            if self._comparison is None:
                self._app.center.close_page(self)
                return
            self.title_changed.emit()
        if before.models is not after.models or before.data is not after.data:
            self._refresh()

    def _first_scale(self) -> Scale:
        """That of the active model, or of the first one."""
        models = self._app.project.models
        active = models.get(self._app.workspace.model_id or "")
        entry = active or next(iter(models.values()), None)
        return Scale.PROBABILITY if entry is None else scale_of(entry.model.kind)

    def _on_scale(self, scale: object) -> None:
        self._scale = Scale(scale)
        self._refresh()

    def _show_scales(self) -> None:
        """Offer the scales of the models, where there are several."""
        there = {scale_of(model.kind) for model in self._all_models().values()}
        titles = {scale: title for scale, title in _SCALES.items() if scale in there}
        if self._scale not in titles:
            self._scale = next(iter(titles), Scale.PROBABILITY)
        texts = {scale.value: title for scale, title in titles.items()}
        self.scales.show_choices(texts, self._scale.value)
        self.scales.setVisible(len(titles) > 1)

    def _models(self) -> dict[str, Model]:
        """The models of the chosen scale."""
        return {
            key: model
            for key, model in self._all_models().items()
            if scale_of(model.kind) is self._scale
        }

    def _all_models(self) -> dict[str, Model]:
        comparison, models = self._comparison, self._app.project.models
        keys = (
            models if comparison is None else [key for key in comparison.model_ids if key in models]
        )
        return {key: models[key].model for key in keys}

    def _refresh(self) -> None:
        self._show_scales()
        project, models = self._app.project, self._models()
        titles = self._choices.titles(project, *models.values())
        if self._rows_key not in titles:
            own = None if self._comparison is None else self._comparison.data_id
            keys = [k for k in titles if k.partition("/")[0] == own] or list(titles)
            tested = (k for k in keys if k.endswith("/test"))
            self._rows_key = next(tested, next(iter(keys), None))
        self.row_sets.show_choices(titles, self._rows_key)
        rows = self._choices.rows(project, self._rows_key or "")
        if rows is None:
            self._latest_task.forget()
            self.table.show_rows([])
            self._show_families(None)
            self.note.show_text("No data set has columns of a model. Import one first (Ctrl+I).")
            return
        if rows.data is not self._data:
            self._data, self._known = rows.data, {}
        live = {id(model) for model in models.values()}
        self._known = {key: known for key, known in self._known.items() if key in live}
        pending = [model for model in models.values() if id(model) not in self._known]
        self._show()
        if pending:
            self.facts.setText(f"Scoring {counted(len(pending), 'model')}…")
            self._latest_task.ask(partial(_scored, pending, rows.data))

    def _on_scored(self, result: list[tuple[Model, ModelScores]]) -> None:
        self._known.update((id(model), (model, scores)) for model, scores in result)
        self._show()

    def _on_failed(self, error: BaseException) -> None:
        if isinstance(error, PgmStudioError):
            self.note.show_text(str(error), "warning")
        else:
            self._app.errors.report(error)

    # -- showing

    def scores(self) -> dict[str, ModelScores]:
        """The known scores by model id."""
        known = {key: self._known.get(id(model)) for key, model in self._models().items()}
        return {key: one[1] for key, one in known.items() if one is not None}

    def _show(self) -> None:
        project, scores = self._app.project, self.scores()
        self._keys = tuple(scores)
        current = self.table.current
        measures = list(dict.fromkeys(name for one in scores.values() for name in one.measures))
        kind = next((one.kind for one in scores.values() if one.measures), "")
        common = _common_measures(kind, measures, scores.values())
        measures = [name for name in measures if name not in common]
        columns = _fit_columns(kind, measures) if measures else _COLUMNS
        if columns != self._columns:
            self._columns = columns
            self.table.show_columns(columns)
        self.table.show_rows(
            [
                (
                    project.models[key].title,
                    *(
                        [measure_of(one.measures.get(name)) for name in measures]
                        or (
                            bits_of(one.log2_per_row, one.standard_error),
                            bits_of(one.bic),
                            bits_of(one.aic),
                            bits_of(one.bic_effective),
                            bits_of(one.bdeu),
                        )
                    ),
                    count_of(one.representation_size),
                    count_of(one.effective_size),
                )
                for key, one in scores.items()
            ]
        )
        self.table.select(current or 0)
        rows = 0 if self._data is None else self._data.row_count
        facts = [counted(len(scores), "model"), counted(rows, "row")]
        facts += [f"{measure_title(name)} {measure_text(v)}" for name, v in common.items()]
        self.facts.setText(" · ".join(facts))
        self.exporter.setEnabled(bool(scores))
        self._refresh_note(scores)

    def _refresh_note(self, scores: dict[str, ModelScores]) -> None:
        """Show problems, and a warning if models have different variables."""
        titles = {key: self._app.project.models[key].title for key in scores}
        notes = [f"{titles[key]}: {one.problem}" for key, one in scores.items() if one.problem]
        columns = {one.columns for one in scores.values() if not one.problem}
        if len(columns) > 1 and self._scale is Scale.PROBABILITY:
            notes.append(
                "Log-likelihoods of models with different variables are not comparable; "
                "compare models over the same columns."
            )
        self.note.show_text(" ".join(notes), "warning" if notes else None)

    def _on_selected(self, number: int) -> None:
        one = self.scores().get(self._keys[number]) if number < len(self._keys) else None
        if self._app.center.current is self:
            self._app.workspace.activate_model(self.model_id)
        if one is not None:
            meaning = (
                language(one.kind).effective_size_note
                or "numbers read in one update of all beliefs"
            )
            self.meaning.setText(f"{kind_title(one.kind)}: its effective size is the {meaning}.")
            self._show_families(self._models().get(self._keys[number]))

    def _show_families(self, model: Model | None) -> None:
        """The scores of each family of the selected model, if it has a directed graph."""
        network, data = as_network(model), self._data
        if network is None or data is None or not {*network.domain.names} <= {*data.domain.names}:
            self._families_task.forget()
            self.families.hide()
            self._families_title.hide()
            return
        self.families.show()
        self._families_title.show()
        self._families_task.ask(partial(graph_scores, network.dag, data))

    def _on_families(self, scores: GraphScores) -> None:
        rows = counted(scores.rows, "complete row")
        self._families_title.setText(f"By variable, in bits, on {rows}; KL in bits per row")
        lines = [
            (" | ".join(filter(None, (one.variable, ", ".join(one.parents)))), one.scores)
            for one in scores.families
        ]
        self.families.show_rows(
            [
                (name, *(values[key] for key in SCORES))
                for name, values in (*lines, ("In all", scores.total))
            ]
        )

    def _on_chosen(self, number: int) -> None:
        open_model_page(self._app, self._keys[number])

    # -- export

    def _on_export(self) -> None:
        ask_where(self, "Export scores", "scores.csv", "Table (*.csv)", self.export)

    def export(self, path: Path) -> None:
        """Write the table to all digits."""
        titles = self._app.project.models
        # Titles may be equal; the file then adds the model id.
        named: dict[str, ModelScores] = {}
        for key, one in self.scores().items():
            title = titles[key].title
            named[f"{title} ({key})" if title in named else title] = one
        table_writer(self._app).write(path, partial(score_lines, named))


def _scored(
    models: list[Model], data: DataSet, cancel: CancelToken
) -> list[tuple[Model, ModelScores]]:
    return [(model, model_scores(model, data, cancel)) for model in models]


def open_saved_comparison(app: AppContext, comparison_id: str) -> ScoreTablePage:
    """Open the score table of a stored comparison."""
    made = partial(ScoreTablePage, app, comparison_id)
    page = app.open_page(f"{KEY}:{comparison_id}", made)
    assert isinstance(page, ScoreTablePage)
    return page
