"""The page that compares up to four evidence scenarios on one model side by side."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
)

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.project.scenarios import (
    LETTERS,
    PRESENT,
    Outcome,
    Scenario,
    cases_for,
    evaluate,
    scenario_table,
)
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.evidence.query_page import ModelQueryPage
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_cards import BarCard, BarCardList, BarGroup
from pgmstudio.gui.widgets.basic import Note, TwoSides, button, hairline, label, named, row
from pgmstudio.gui.widgets.belief_bars import tuple_of
from pgmstudio.gui.widgets.combo_box import Combo
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.file_dialog import ask_where

NONE = "—"
REST_MS = 60


class ScenariosPage(ModelQueryPage):
    """Scenario A is the present evidence, B to D are saved scenarios, unless changed."""

    icon_name = "flag"

    def __init__(self, app: AppContext, model_id: str) -> None:
        super().__init__(app, model_id, "scenarios", REST_MS)
        self._outcomes: tuple[Outcome, ...] = ()
        self.cards = BarCardList(
            "scenarioCards",
            "Beliefs by scenario",
            "One card per variable, one thin bar per scenario and state.",
        )
        self.cards.setSelectionMode(BarCardList.SelectionMode.ExtendedSelection)
        self._choices: dict[str, QComboBox] = {}
        self._facts: dict[str, QLabel] = {}
        self._only = QCheckBox("Selected variables only")
        self._only.setObjectName("scenariosOnlySelected")
        self._only.setToolTip("Show only the variables that are selected in the variables panel.")
        self._only.toggled.connect(self._show)
        self._by_difference = named(QCheckBox("Largest difference first"), "scenariosByDifference")
        self._by_difference.setToolTip(
            "Order by the largest difference between two scenarios, the target first."
        )
        self._by_difference.toggled.connect(self._show)
        self._note = Note(name="scenariosNote")
        copy = button(
            "Copy",
            self.copy,
            icon_name="copy",
            name="scenariosCopy",
            tip="Copy the shown beliefs as tab-separated text.",
        )
        export = button(
            "Export CSV…",
            self._on_export,
            icon_name="export",
            name="scenariosExport",
            tip="Write the shown beliefs to a file.",
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 8, 0)
        layout.setSpacing(8)
        layout.addLayout(self._slots())
        layout.addWidget(self._note)
        legend = label("The outline is the prior.", "tertiary", size="dense")
        ticks = row(self._only, self._by_difference, None)
        layout.addWidget(TwoSides(ticks, row(legend, None, copy, export)))
        layout.addWidget(hairline())
        layout.addWidget(self.cards, 1)
        app.workspace.selection_changed.connect(self._on_selection_changed)
        theme().follow(self._restyle)
        self._refill()
        self._restyle()
        self._ask()

    def _slots(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        for position, letter in enumerate(LETTERS):
            heading = label(letter, "heading", size="title", name=f"scenarioLetter{letter}")
            choice = Combo()
            choice.setObjectName(f"scenario{letter}")
            choice.setAccessibleName(f"Scenario {letter}")
            choice.setToolTip(f"The evidence of scenario {letter}.")
            choice.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            choice.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            choice.setMinimumContentsLength(10)
            choice.activated.connect(self._on_chosen)
            fact = named(ElidedLabel("", "tertiary", size="dense"), f"scenarioFact{letter}")
            self._choices[letter], self._facts[letter] = choice, fact
            line, column = divmod(position, 2)
            grid.addWidget(heading, 2 * line, 2 * column)
            grid.addWidget(choice, 2 * line, 2 * column + 1)
            grid.addWidget(fact, 2 * line + 1, 2 * column + 1)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        return grid

    def _restyle(self) -> None:
        for position, letter in enumerate(LETTERS):
            heading = self.findChild(QLabel, f"scenarioLetter{letter}")
            ink = theme().category(position, "ink").name()
            if heading is not None:
                heading.setStyleSheet(f"color: {ink};")

    # -- scenarios

    def _refill(self) -> None:
        """Keep the user's choices; new saved scenarios fill the other slots."""
        cases = cases_for(self._app.project, self._model_id)
        names = [NONE, PRESENT, *cases]
        default = dict(zip(LETTERS, [PRESENT, *cases], strict=False))
        for letter, choice in self._choices.items():
            is_new = choice.count() == 0 or not choice.property("chosen")
            wanted = default.get(letter, NONE) if is_new else choice.currentText()
            choice.clear()
            choice.addItems(names)
            choice.setCurrentIndex(max(0, choice.findText(wanted)))

    def _on_chosen(self) -> None:
        choice = self.sender()
        if isinstance(choice, QComboBox):
            choice.setProperty("chosen", True)
        self._ask()

    def scenarios(self) -> list[Scenario]:
        cases = {PRESENT: self._live.evidence, **cases_for(self._app.project, self._model_id)}
        chosen = {letter: choice.currentText() for letter, choice in self._choices.items()}
        return [Scenario(letter, n, cases[n]) for letter, n in chosen.items() if n in cases]

    def _ask(self) -> None:
        entry = self._entry
        if entry is None:
            return
        if self._live.error is not None:
            self._note.show_text(str(self._live.error), "warning")
            return
        question = partial(evaluate, entry.model.domain, self.scenarios())
        self._live.side.ask(self._topic, question, self._on_outcomes, self._on_error)

    def _on_error(self, error: PgmStudioError) -> None:
        self._note.show_text(str(error), "warning")

    def _on_outcomes(self, outcomes: tuple[Outcome, ...]) -> None:
        self._outcomes = tuple(
            outcome.relative() if self._live.is_relative else outcome for outcome in outcomes
        )
        self._show()

    # -- showing

    def _on_selection_changed(self, _selection: object) -> None:
        if self._only.isChecked():
            self._show()

    @property
    def _names(self) -> list[str]:
        domain = self._app.project.models[self._model_id].model.domain
        chosen = self._app.workspace.selection.nodes
        if self._only.isChecked() and self._app.workspace.model_id == self._model_id:
            names = [name for name in domain.names if name in chosen]
        else:
            names = list(domain.names)
        if self._by_difference.isChecked():
            target = self._app.workspace.target
            names.sort(key=lambda name: (name != target, -self._difference(name)))
        return names

    def _difference(self, name: str) -> float:
        """The largest change of a state's probability between scenarios, or to the prior."""
        beliefs = [o.beliefs[name] for o in self._outcomes if name in o.beliefs]
        if len(beliefs) == 1 and name in self._live.priors:
            beliefs.append(self._live.priors[name])
        if len(beliefs) < 2:
            return 0.0
        return round(float(np.ptp(np.stack(beliefs), axis=0).max()), 9)

    def _show(self, *_: object) -> None:
        entry = self._entry
        if entry is None:
            return
        subject = ActiveModel(self._model_id, entry, self._live, None)
        good = [outcome for outcome in self._outcomes if outcome.beliefs]
        cards = []
        for name in self._names:
            groups = [
                BarGroup(letter, tuple_of(o.beliefs[name]), partial(_colors, letter))
                for o in good
                if name in o.beliefs and (letter := o.scenario.letter)
            ]
            observed = [o.scenario.letter for o in good if name in o.scenario.evidence]
            cards.append(
                BarCard(
                    name,
                    subject.variable(name).states,
                    tuple(groups),
                    subject.title(name),
                    evidence=f"evidence in {', '.join(sorted(observed))}" if observed else "",
                    priors=tuple_of(self._live.priors.get(name, ())),
                    scale=self._live.scale,
                )
            )
        self.cards.show_cards(cards)
        problems = [f"{o.scenario.letter}: {o.problem}" for o in self._outcomes if o.problem]
        message = " ".join(problems)
        if not cards:
            message = "No variable is selected. Select some in the variables panel."
        self._note.show_text(message, "warning")
        result = {outcome.scenario.letter: outcome for outcome in self._outcomes}
        for letter, fact in self._facts.items():
            fact.setText(_fact(result.get(letter), entry.node_titles, self._live.scale))
            fact.setToolTip(fact.text())

    # -- export

    def text(self, separator: str = "\t") -> str:
        """The shown beliefs as a table."""
        model = self._app.project.models[self._model_id].model
        good = [outcome for outcome in self._outcomes if outcome.beliefs]
        return scenario_table(model, self._live.priors, good, self._names, separator)

    def copy(self) -> None:
        QApplication.clipboard().setText(self.text())

    def _on_export(self) -> None:
        kinds = "CSV (*.csv);;TSV (*.tsv)"
        ask_where(self, "Export scenarios", "scenarios.csv", kinds, self.export)

    def export(self, path: Path) -> None:
        """Write the shown beliefs; tabs for .tsv, commas otherwise."""
        self._app.export_file(path, self.text("\t" if path.suffix == ".tsv" else ","))


def _colors(letter: str) -> tuple[QColor, QColor]:
    number = LETTERS.index(letter)
    return theme().category(number, "fill"), theme().category(number, "ink")


def _fact(outcome: Outcome | None, titles: Mapping[str, str], scale: Scale) -> str:
    if outcome is None:
        return ""
    evidence = outcome.scenario.evidence
    if not evidence:
        return "no evidence"
    text = ", ".join(f"{titles.get(name, name)} {finding}" for name, finding in evidence.items())
    symbol = "P" if scale is Scale.PROBABILITY else "Π"
    degree = 2.0**outcome.log2_evidence
    shown = f"{symbol}(e) {degree:.3g}" if not outcome.problem else "impossible"
    return f"{shown} · {text}"
