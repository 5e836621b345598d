"""Sections of the inspector of a possibilistic network: the model, and one of its edges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from operator import itemgetter

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.imprecise import UNKNOWN, ImpreciseData, cell_text
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.belief_text import short_degree
from pgmstudio.core.inference.findings import Chip
from pgmstudio.core.inference.join_tree import MINIMUM, PRODUCT
from pgmstudio.core.languages.possibilistic_network.fit import DRAWN
from pgmstudio.core.languages.possibilistic_network.learning.learner import APPROXIMATE
from pgmstudio.core.languages.possibilistic_network.model import CONVENTIONS, PossibilisticNetwork
from pgmstudio.core.number_format import decimal, grouped
from pgmstudio.core.scores.association_measures import nonspecificity
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.possibilistic_network.actions import RESCALE, change_network
from pgmstudio.gui.languages.possibilistic_network.alpha import alpha_cuts
from pgmstudio.gui.languages.possibilistic_network.degree_grid import MAX_STATES, DegreeGrid
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar
from pgmstudio.gui.widgets.basic import Note, Section, Segments, allow, button, label, row, vbox
from pgmstudio.gui.widgets.combo_box import chooser, offer
from pgmstudio.gui.widgets.grid_view import CellMarks
from pgmstudio.gui.widgets.param_form import choice_label
from pgmstudio.gui.widgets.table import Column, Table

MAX_ROWS = 5  # imprecise rows that are listed
_NORMS = (
    (MINIMUM, "Minimum", "The degree of a tuple is the smallest of its conditional degrees."),
    (PRODUCT, "Product", "The degree of a tuple is the product of its conditional degrees."),
)
CONVENTION_TEXTS = {
    "joint": "π(a | b) = π(a, b)",
    "hisdal": "π(a | b) = π(a, b) if that is less than π(b), else 1",
    "product": "π(a | b) = π(a, b) / π(b)",
}


class ModelSection(QWidget):
    """Norm, convention, and whether the largest degree is 1."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self._app = app
        self.section = Section("Degrees")
        self.norm = Segments(_NORMS, "inspectorNorm")
        self.norm.chosen.connect(self._on_norm)
        self.convention = chooser("inspectorConvention", "How conditional degrees are defined.", 12)
        self.convention.activated.connect(self._on_convention)
        self._formula = label("", "tertiary", size="dense", wrap=True)
        self.warning = Note("", "warning", "inspectorScale")
        self.rescale = button(
            "Rescale",
            self._on_rescale,
            name="inspectorRescale",
            tip="Divide all degrees by the largest, so that it is 1.",
        )
        self.approximate = Note("", "warning", "inspectorApproximate")
        self.section.add(
            row(label("Norm", "secondary"), self.norm, None),
            row(label("Conditional", "secondary"), self.convention, None),
            self._formula,
            self.approximate,
            self.warning,
            row(self.rescale, None),
        )
        vbox(self, self.section)
        self.hide()

    def show_subject(self, subject: ActiveModel, names: tuple[str, ...]) -> None:
        model = subject.model
        self.setVisible(isinstance(model, PossibilisticNetwork))
        if not isinstance(model, PossibilisticNetwork):
            return
        self.norm.choose(model.norm)
        offer(self.convention, {key: choice_label(key) for key in CONVENTIONS}, model.convention)
        self._formula.setText(CONVENTION_TEXTS[model.convention])
        is_drawn = DRAWN in subject.entry.provenance.get("measures", {})
        self.approximate.show_text(APPROXIMATE if is_drawn else "", "warning")
        if not subject.live.priors:  # not computed yet, or not possible
            self.section.fact.setText("")
            self.warning.show_text("")
            self.rescale.hide()
            return
        top = subject.live.largest_degree
        self.section.fact.setText(f"largest {short_degree(top)}")
        is_normal = top >= 1 - 1e-9
        self.rescale.setVisible(not is_normal)
        reason = None if model.norm == MINIMUM else "degrees are combined by their product."
        allow(self.rescale, reason)
        self.warning.show_text(
            ""
            if is_normal
            else f"Not normalised: no tuple is fully possible, the largest degree is "
            f"{short_degree(top)}. Necessity is relative to it.",
            "warning",
        )

    def _on_rescale(self) -> None:
        change_network(self._app, RESCALE, "rescale")

    def _on_norm(self, norm: str) -> None:
        change_network(self._app, f"Combine degrees by their {norm}", "set_norm", norm=norm)

    def _on_convention(self) -> None:
        convention = self.convention.currentData()
        text = f"Conditional degrees: {choice_label(convention)}"
        change_network(self._app, text, "set_convention", convention=convention)


@dataclass(frozen=True, eq=False)
class _PairDegrees:
    model: PossibilisticNetwork
    pair: tuple[int, int]
    degrees: Floats


def _pair_degrees(
    model: PossibilisticNetwork, pair: tuple[int, int], _cancel: CancelToken
) -> _PairDegrees:
    return _PairDegrees(model, pair, model.projections([pair])[0])


class EdgeSections(QWidget):
    """The largest degrees of both ends, their specificity gain, and imprecise rows of the data."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self._app = app
        self._subject: tuple[ActiveModel, tuple[str, ...]] | None = None
        self._degrees: _PairDegrees | None = None
        self._task = LatestTask(self, self._on_degrees, app.errors.report)
        self._cuts = alpha_cuts(app)
        self._cuts.changed.connect(self._on_cut)
        projection = Section("Max-projection", "before evidence", line=False)
        self.grid = DegreeGrid("inspectorDegrees")
        self._below = label("Dashed pairs are below α.", "tertiary", size="dense")
        projection.add(self.grid, self._below)
        self._gain = Section("Specificity gain")
        self.bars = Table(
            "inspectorGain",
            "Nonspecificity in bits",
            (
                Column("", value=itemgetter(0)),
                Column(
                    "",
                    stretches=True,
                    marks=lambda line: CellMarks(bar=Bar(line[2], "belief")),
                ),
                Column("bits", partial(decimal, digits=2), True, value=itemgetter(1)),
            ),
            is_sortable=False,
        )
        self.bars.horizontalHeader().hide()
        self._formula = label("", "tertiary", size="dense", wrap=True)
        self._gain.add(self.bars, self._formula)
        self._rows = Section("Imprecise rows")
        self.rows = Table("inspectorImprecise", "Imprecise rows", is_sortable=False)
        about = "{ } one of these states  ·  ∗ any state"
        self._rows.add(self.rows, label(about, "tertiary", size="dense", wrap=True))
        vbox(self, projection, self._gain, self._rows, spacing=4)
        self.hide()

    def show_subject(self, subject: ActiveModel, names: tuple[str, ...]) -> None:
        self._subject = (subject, names)
        model = subject.model
        self.setVisible(isinstance(model, PossibilisticNetwork))
        if not isinstance(model, PossibilisticNetwork):
            return
        pair = (model.domain.index(names[0]), model.domain.index(names[1]))
        known = self._degrees
        if known is None or known.model is not model or known.pair != pair:
            self._task.ask(partial(_pair_degrees, model, pair))
            return
        degrees = known.degrees
        variables = [model.domain.variables[v] for v in pair]
        alpha = self._cuts.alpha(subject.model_id)
        self.grid.setVisible(max(v.cardinality for v in variables) <= MAX_STATES)
        self._below.setVisible(alpha > 0)
        titles = (subject.title(names[0]), subject.title(names[1]))
        self.grid.show_degrees(titles, variables[0].states, variables[1].states, degrees, alpha)
        first = nonspecificity(degrees.max(axis=1))
        second = nonspecificity(degrees.max(axis=0))
        both = nonspecificity(degrees)
        longest = max(first, second, both) or 1.0
        gain = first + second - both
        self._gain.fact.setText(f"{decimal(gain, 2)} bits")
        rows = ((f"{titles[0]} alone", first), (f"{titles[1]} alone", second))
        self.bars.show_rows(
            [(text, bits, bits / longest) for text, bits in (*rows, ("both together", both))]
        )
        _fit(self.bars, 3, has_head=False)
        numbers = [decimal(bits, 2) for bits in (first, second, both, gain)]
        self._formula.setText(
            f"Nonspecificity in bits: {numbers[0]} + {numbers[1]} − {numbers[2]} = {numbers[3]}"
        )
        self._show_rows(subject, pair)

    def _show_rows(self, subject: ActiveModel, pair: tuple[int, int]) -> None:
        rows = model_sources(self._app).rows(subject.model_id)
        data = None if rows is None else rows.data
        self._rows.setVisible(isinstance(data, ImpreciseData))
        if not isinstance(data, ImpreciseData):
            return
        columns = [data.domain.index(subject.model.domain.names[v]) for v in pair]
        is_missing = np.zeros(data.row_count, dtype=bool)
        for column in columns:
            is_missing |= data.codes[column] == data.missing_code
        numbers = np.flatnonzero(is_missing)
        shown = numbers[:MAX_ROWS].tolist()
        self._rows.fact.setText(f"{len(shown)} of {grouped(numbers.size)}")
        self.rows.show_columns(
            [
                Column("", str, value=itemgetter(0)),
                *(
                    Column(
                        data.domain.names[column],
                        value=itemgetter(index),
                        marks=partial(_chip, index=index),
                        stretches=True,
                    )
                    for index, column in enumerate(columns, start=1)
                ),
            ]
        )
        self.rows.show_rows([(number + 1, *_texts(data, columns, number)) for number in shown])
        _fit(self.rows, len(shown))

    def _on_degrees(self, degrees: _PairDegrees) -> None:
        self._degrees = degrees
        if self._subject is not None:
            self.show_subject(*self._subject)

    def _on_cut(self, model_id: str) -> None:
        subject = self._subject
        if subject is not None and self.isVisible() and subject[0].model_id == model_id:
            self.show_subject(*subject)


def _fit(table: Table, rows: int, *, has_head: bool = True) -> None:
    head = table.horizontalHeader().sizeHint().height() if has_head else 0
    table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.setFixedHeight(head + rows * theme().px("row") + 6)


def _texts(data: DataSet, columns: list[int], row: int) -> list[str]:
    return [cell_text(data, column, row, " ").replace(UNKNOWN, "∗") for column in columns]


def _chip(line: tuple[object, ...], index: int) -> CellMarks | None:
    text = str(line[index])
    is_imprecise = text == "∗" or text.startswith("{")
    return CellMarks(chip=Chip(text, "", "warning")) if is_imprecise else None
