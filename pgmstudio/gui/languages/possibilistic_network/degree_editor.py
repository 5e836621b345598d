"""The table panel of a possibilistic network: the conditional degrees of a variable."""

from __future__ import annotations

import itertools
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.arrays import Floats
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.inference.belief_text import belief_text
from pgmstudio.core.languages.possibilistic_network.model import (
    CONVENTIONS,
    JOINT,
    PossibilisticNetwork,
    conditional_degrees,
)
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.core.project.model_edits import edit_language
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.languages.possibilistic_network.inspector import CONVENTION_TEXTS
from pgmstudio.gui.languages.tables import TableSource
from pgmstudio.gui.widgets.bar_painting import Bar
from pgmstudio.gui.widgets.basic import Segments, allow, button, label, row
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.grid_view import CellMarks
from pgmstudio.gui.widgets.param_form import choice_label
from pgmstudio.gui.widgets.table import Column, Table

MAX_CELLS = 4096  # of a table that is shown
_TITLES = {key: choice_label(key) for key in CONVENTIONS}


class DegreeTables(TableSource):
    """No conditional probability tables."""

    no_table_text = "Select one variable, or an edge, to see and edit its conditional degrees."


def parse_degree(text: str) -> float | None:
    """A number from 0 to 1; a decimal comma is understood; None otherwise."""
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


class DegreeEditor(QWidget):
    """The degrees by one convention at a time; those of the model's own can be typed."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("degreeEditor")
        self._app = app
        self._model_id, self._name = "", ""
        self._model: PossibilisticNetwork | None = None
        self.conventions = Segments(
            [(key, _TITLES[key], CONVENTION_TEXTS[key]) for key in CONVENTIONS], "degreeConvention"
        )
        self.conventions.chosen.connect(lambda _: self._show())
        self.use = button(
            "Use",
            self._on_use,
            icon_name="check",
            name="degreeUse",
            tip="Give the model conditional degrees by this convention.",
        )
        self.note = ElidedLabel("", "secondary", size="dense")
        self.note.setObjectName("degreeNote")
        self.table = Table(
            "degreeTable",
            "Conditional degrees",
            is_sortable=False,
            tip="Double-click a degree to change it; a number from 0 to 1.",
        )
        self.table.edited.connect(self._on_edited)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        self._title = label("", "heading", size="dense")
        self._bar = row(self._title, self.conventions, self.use, self.note)
        self._bar.setMinimumWidth(1)
        layout.addWidget(self._bar)
        layout.addWidget(self.table, 1)

    def show_variable(self, model_id: str, entry: ModelEntry, name: str) -> None:
        """The degrees of a variable given its parents, by the model's own convention first."""
        model = entry.model
        assert isinstance(model, PossibilisticNetwork)
        if model is not self._model or name != self._name:
            self.conventions.choose(model.convention)
        self._model_id, self._model, self._name = model_id, model, name
        self._show()

    def _degrees(self, model: PossibilisticNetwork, v: int) -> Floats:
        convention = self.conventions.current
        if convention == model.convention:
            return model.degrees[v]
        family = model.projections([model.scope(v)])[0]
        return conditional_degrees(family, convention)

    def _show(self) -> None:
        model = self._model
        if model is None:
            return
        v = model.domain.index(self._name)
        convention = self.conventions.current
        is_own = convention == model.convention
        allow(self.use, "the model has this convention." if is_own else None)
        parents = [model.domain.variables[p] for p in model.scope(v)[:-1]]
        given = ", ".join(parent.name for parent in parents)
        self._title.setText(f"π({self._name} | {given})" if given else f"π({self._name})")
        degrees = self._degrees(model, v)
        if degrees.size > MAX_CELLS:
            self.table.show_columns(())
            self.note.setText(f"{grouped(degrees.size)} degrees are too many to show.")
            return
        self.note.setText(self._scale_note(degrees, convention))
        states = model.domain.variables[v].states
        count = len(parents)
        self.table.show_columns(
            [
                *(Column(p.name, value=itemgetter(n)) for n, p in enumerate(parents)),
                *(
                    Column(
                        state,
                        partial(belief_text, scale=Scale.POSSIBILITY),
                        True,
                        value=itemgetter(count + n),
                        marks=partial(_bar, index=count + n),
                        is_editable=is_own,
                        stretches=True,
                    )
                    for n, state in enumerate(states)
                ),
            ]
        )
        combinations = itertools.product(*(range(p.cardinality) for p in parents))
        self.table.show_rows(
            [
                (
                    *(p.states[code] for p, code in zip(parents, codes, strict=True)),
                    *degrees[codes].tolist(),
                )
                for codes in combinations
            ]
        )

    @staticmethod
    def _scale_note(degrees: Floats, convention: str) -> str:
        """A warning where a column of conditional degrees has no state of degree 1."""
        tops = degrees.reshape(-1, degrees.shape[-1]).max(axis=1)
        low = int((tops < 1 - 1e-9).sum())
        if convention == JOINT or not low or degrees.ndim == 1:
            return CONVENTION_TEXTS[convention]
        rows = counted(low, "row")
        return f"Not normalised: {rows} without a degree of 1."

    # -- requests

    def _on_use(self) -> None:
        convention = self.conventions.current
        self._change(
            f"Conditional degrees: {_TITLES[convention]}", "set_convention", convention=convention
        )

    def _on_edited(self, number: int, column: int, text: str) -> None:
        model = self._model
        if model is None:
            return
        v = model.domain.index(self._name)
        state = column - (len(model.scope(v)) - 1)
        value = parse_degree(text)
        if state < 0 or value is None:
            self._app.notify(f"“{text}” is no degree of possibility; type a number from 0 to 1.")
            return
        degrees = np.array(model.degrees[v])
        degrees.reshape(-1, degrees.shape[-1])[number, state] = value
        if not (degrees == model.degrees[v]).all():
            self._change(
                f"Set a degree of {self._name}",
                "set_degrees",
                variable=self._name,
                degrees=degrees,
            )

    def _change(self, text: str, edit: str, **values: Any) -> None:
        change = partial(edit_language, edit=edit, model_id=self._model_id, **values)
        if not self._app.change(text, change):
            self._show()  # what was typed is not in the model


def _bar(line: tuple[object, ...], index: int) -> CellMarks:
    value = line[index]
    return CellMarks(bar=Bar(value if isinstance(value, float) else None))
