"""The table panel of a Markov network: the potentials of the cliques of a variable."""

from __future__ import annotations

import itertools
import math
from functools import partial
from operator import itemgetter

import numpy as np
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.arrays import Floats
from pgmstudio.core.inference.junction_tree.query import joint_of
from pgmstudio.core.languages.markov_network.fitting import MAX_PROJECTED_CELLS
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.number_format import decimal, general, grouped
from pgmstudio.core.project.model_edits import edit_language
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.languages.markov_network.actions import FIT_PARAMETERS
from pgmstudio.gui.widgets.bar_painting import Bar
from pgmstudio.gui.widgets.basic import button, label, row
from pgmstudio.gui.widgets.combo_box import chooser, offer
from pgmstudio.gui.widgets.grid_view import CellMarks
from pgmstudio.gui.widgets.table import Column, Table

MAX_CELLS = 4096  # of a potential that is shown
Clique = tuple[int, ...]


def parse_potential(text: str) -> float | None:
    """A finite number ≥ 0; a decimal comma is understood; None otherwise."""
    try:
        value = float(text.strip().replace(",", ".").replace("\u202f", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


class PotentialEditor(QWidget):
    """One clique at a time; a typed number is one undoable edit."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("potentialEditor")
        self._app = app
        self._model_id = ""
        self._model: MarkovNetwork | None = None
        self.cliques = chooser("potentialClique", "The clique whose potential is shown", 24)
        self.cliques.activated.connect(self._on_clique)
        self._scale = button(
            "Normalise",
            self._on_normalise,
            icon_name="scales",
            name="potentialNormalise",
            tip="Scale the potential so that its numbers sum to 1; the distribution stays.",
        )
        self._fit = button(
            "Fit parameters",
            self._on_fit,
            icon_name="database",
            name="potentialFit",
            tip="Fit all potentials to the rows of the model's data set.",
        )
        self.note = label("", "secondary", size="dense")
        self.table = Table(
            "potentialTable",
            "Potential of a clique",
            is_sortable=False,
            tip="Double-click a number of ψ to change it; any number ≥ 0.",
        )
        self.table.edited.connect(self._on_edited)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        heading = label("Potential of", "heading", size="dense")
        self._bar = row(heading, self.cliques, self._scale, self._fit, None, self.note)
        self._bar.setMinimumWidth(1)
        layout.addWidget(self._bar)
        layout.addWidget(self.table, 1)

    @property
    def clique(self) -> Clique | None:
        """The clique that is shown."""
        clique = self.cliques.currentData()
        return clique if isinstance(clique, tuple) else None

    def show_variable(self, model_id: str, entry: ModelEntry, name: str) -> None:
        """The cliques of a variable; the one that was chosen stays where it can."""
        model = entry.model
        assert isinstance(model, MarkovNetwork)
        self._model_id, self._model = model_id, model
        variable = model.domain.index(name)
        titles = [entry.node_titles.get(one, one) for one in model.domain.names]
        mine = [clique for clique in model.structure.maximal_cliques if variable in clique]
        # Of an edge, a clique with both ends.
        edges = self._app.workspace.selection.edges
        ends = {model.domain.index(end) for end in edges[0]} if len(edges) == 1 else {variable}
        before = self.clique
        wanted = before if before in mine and ends <= set(before or ()) else None
        wanted = wanted or next((c for c in mine if ends <= set(c)), mine[0])
        offer(self.cliques, {c: ", ".join(titles[v] for v in c) for c in mine}, wanted)
        self._fit.setEnabled(self._app.actions[FIT_PARAMETERS].isEnabled())
        self._show(titles)

    def _show(self, titles: list[str]) -> None:
        model, clique = self._model, self.clique
        if model is None or clique is None:
            return
        potential = self._potential(model, clique)
        variables = [model.domain.variables[v] for v in clique]
        if potential.size > MAX_CELLS:
            self.table.show_columns(())
            self.note.setText(f"{grouped(potential.size)} cells are too many to show.")
            return
        self.note.setText("")
        joint = np.full(potential.shape, math.nan)
        if model.clique_tree.table_cells <= MAX_PROJECTED_CELLS:
            joint = joint_of(model, clique, {})
        largest = float(potential.max())
        rows = [
            (
                *(v.states[code] for v, code in zip(variables, codes, strict=True)),
                float(potential[codes]),
                float(joint[codes]),
            )
            for codes in itertools.product(*(range(v.cardinality) for v in variables))
        ]
        count = len(clique)
        self.table.show_columns(
            [
                *(Column(titles[v], value=itemgetter(n)) for n, v in enumerate(clique)),
                Column(
                    "ψ",
                    partial(general, digits=6),
                    True,
                    value=itemgetter(count),
                    tip="The potential: a number ≥ 0 of any scale.",
                    is_editable=True,
                ),
                Column(
                    "",
                    stretches=True,
                    marks=lambda row: CellMarks(bar=Bar(row[count] / largest)),
                    tip="ψ, relative to the largest.",
                ),
                Column(
                    "P",
                    partial(decimal, digits=4),
                    True,
                    value=itemgetter(count + 1),
                    tip="The probability of these states together in the model.",
                ),
            ]
        )
        self.table.show_rows(rows)

    @staticmethod
    def _potential(model: MarkovNetwork, clique: Clique) -> Floats:
        return model.potentials[model.structure.maximal_cliques.index(clique)]

    # -- requests

    def _on_clique(self) -> None:
        entry = self._app.project.models.get(self._model_id)
        if entry is not None and self._model is not None:
            names = self._model.domain.names
            self._show([entry.node_titles.get(name, name) for name in names])

    def _on_edited(self, number: int, column: int, text: str) -> None:
        model, clique = self._model, self.clique
        if model is None or clique is None or column != len(clique):
            return
        value = parse_potential(text)
        if value is None:
            self._app.notify(f"“{text}” is no potential; type a number ≥ 0.")
            return
        potential = self._potential(model, clique)
        values = potential.copy()
        values.flat[number] = value
        if values.flat[number] != potential.flat[number]:
            states = ", ".join(map(str, self.table.rows[number][: len(clique)]))
            self._change(f"Set the potential of ({states})", values)

    def _on_normalise(self) -> None:
        if self._model is not None and self.clique is not None:
            potential = self._potential(self._model, self.clique)
            self._change("Normalise a potential", potential / potential.sum())

    def _on_fit(self) -> None:
        self._app.actions[FIT_PARAMETERS].trigger()

    def _change(self, text: str, values: Floats) -> None:
        assert self._model is not None
        names = [self._model.domain.names[v] for v in self.clique or ()]
        edit = partial(
            edit_language,
            edit="set_potential",
            model_id=self._model_id,
            variables=names,
            values=values,
        )
        if not self._app.change(text, edit):
            self._on_clique()  # what was typed is not in the model
