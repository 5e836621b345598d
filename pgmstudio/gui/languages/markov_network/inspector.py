"""The inspector sections of Markov networks: an edge with its contexts, a blanket, the φ's."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from operator import itemgetter
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.ldag.partitions import star_rows
from pgmstudio.core.languages.markov_network.fitting import NO_FINITE_ESTIMATE
from pgmstudio.core.languages.markov_network.log_linear import (
    is_implied,
    parameter_count,
    restrictions_of,
)
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.pseudo_likelihood import PseudoLikelihood
from pgmstudio.core.languages.markov_network.strata import strata_checks
from pgmstudio.core.languages.markov_network.structure import (
    Configuration,
    Edge,
    MarkovStructure,
    edge_of,
)
from pgmstudio.core.languages.markov_network.summaries import (
    StructureScores,
    blanket_classes,
    context_changes,
    given_blanket,
    pseudo_likelihood_of,
    structure_scores,
)
from pgmstudio.core.model import edge_text
from pgmstudio.core.number_format import change, class_letter, counted, decimal, grouped
from pgmstudio.core.project.model_edits import edit_language, remove_edge
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.contexts.context_rows import (
    MAX_CONTEXTS,
    Context,
    ContextRow,
    ContextRows,
    locked_note,
)
from pgmstudio.gui.languages.markov_network.log_linear import (
    MAX_PARAMETERS,
    ParameterTable,
    cost_facts,
    fit_facts,
    nats,
    parameter_rows,
    restriction_facts,
)
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, Section, button, label, row
from pgmstudio.gui.widgets.chip import category_chip
from pgmstudio.gui.widgets.fact_rows import Fact, FactRows
from pgmstudio.gui.widgets.grid_view import CellMarks
from pgmstudio.gui.widgets.table import Column, Table

MAX_BLANKET_ROWS = 12  # shown without scrolling
HIGHER = "higher is better"
Changes = dict[Configuration, tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Statistics:
    """The answer about a model; None where no data set has its variables."""

    model: MarkovNetwork
    about: Hashable
    answer: Any


class StatisticsTask(QObject):
    """Asks one question about one model at a time; the newest is answered."""

    computed = Signal(object)  # Statistics

    def __init__(self, app: AppContext, parent: QObject, question: Callable[..., Any]) -> None:
        """`question` gets the scores of the data, the structure, what it is about, and a token."""
        super().__init__(parent)
        self._app, self._question = app, question
        self._asked: tuple[object, object, Hashable] = (None, None, None)
        report = app.errors.at("inspectorPanel").report
        self._latest_task = LatestTask(self, self.computed, report)

    def ask(self, model_id: str, model: MarkovNetwork, about: Hashable = None) -> None:
        """Nothing when it was asked last."""
        sources = model_sources(self._app)
        rows = sources.rows(model_id)
        data = None if rows is None else rows.data
        before, self._asked = self._asked, (model, data, about)
        if before[0] is model and before[1] is data and before[2] == about:
            return
        params = sources.params(model_id)
        ess = float(getattr(params, "ess", 1.0))
        self._latest_task.ask(partial(_answer, self._question, model, data, ess, about))


def _answer(
    question: Callable[..., Any],
    model: MarkovNetwork,
    data: DataSet | None,
    ess: float,
    about: Hashable,
    cancel: CancelToken,
) -> Statistics:
    scores = None if data is None else pseudo_likelihood_of(model.structure, data, ess)
    answer = None if scores is None else question(scores, model.structure, about, cancel)
    return Statistics(model, about, answer)


def context_rows(model: MarkovNetwork, edge: Edge) -> list[ContextRow] | None:
    """Every configuration of the common neighbours, in order; None when there are too many."""
    structure = model.structure
    if structure.configuration_count(edge) > MAX_CONTEXTS:
        return None
    common = [model.domain.variables[v] for v in structure.common_neighbours(*edge)]
    elements = structure.contexts.get(edge, frozenset())
    is_last = len(elements) == structure.configuration_count(edge) - 1
    return [
        ContextRow(
            context,
            tuple(v.states[code] for v, code in zip(common, context, strict=True)),
            context in elements,
            is_implied=context in elements and _follows(structure, edge, context),
            is_locked=is_last and context not in elements,
        )
        for context in itertools.product(*(range(v.cardinality) for v in common))
    ]


def _follows(structure: MarkovStructure, edge: Edge, context: Configuration) -> bool:
    """Whether the other contexts imply this one."""
    others = structure.without_context(edge, context)
    return bool(others.contexts) and is_implied(others, restrictions_of(others), edge, context)


def _edge_statistics(
    scores: PseudoLikelihood, structure: MarkovStructure, edge: Edge, cancel: CancelToken
) -> tuple[StructureScores, Changes]:
    has_few = 1 < structure.configuration_count(edge) <= MAX_CONTEXTS
    changes = context_changes(scores, structure, edge, cancel) if has_few else {}
    return structure_scores(scores, structure, cancel), changes


class EdgeSections(QWidget):
    """Contexts to tick with their effect on the score, and what they imply for the parameters."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("inspectorContexts")
        self._app = app
        self._subject: ActiveModel | None = None
        self._names = ("", "")
        self._edge: Edge = (0, 0)
        self._changes: Changes = {}
        self._scores: StructureScores | None = None
        self._task = StatisticsTask(app, self, _edge_statistics)
        self._task.computed.connect(self._on_computed)
        contexts = Section("The edge vanishes when", line=False)
        self.rows = ContextRows()
        self.rows.ticked.connect(self._on_ticked)
        self._text = label("", "secondary", size="dense", wrap=True)
        self._text.setObjectName("contextsText")
        self.note = Note(name="contextsNote", rich=True)
        self.note.link_activated.connect(self._on_delete)
        for widget in (self.rows, self._text, self.note):
            contexts.add(widget)
        parameters = Section("Log-linear parameters")
        self.parameters = ParameterTable("contextsParameters")
        parameters.add(self.parameters)
        self._restricted = Section("Restrictions", "one per context")
        self.restrictions = FactRows("contextsRestrictions")
        self._restricted.add(self.restrictions)
        cost = Section("Cost of the model", HIGHER)
        self.cost = FactRows("contextsCost")
        cost.add(self.cost)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        self._shown_parameters = parameters
        for section in (contexts, parameters, self._restricted, cost):
            layout.addWidget(section)
        self.hide()

    def show_subject(self, subject: ActiveModel, names: tuple[str, ...]) -> None:
        """The edge between two variables."""
        model = subject.model
        if not isinstance(model, MarkovNetwork):
            self.hide()
            return
        edge = edge_of(*map(model.domain.index, names[:2]))
        if edge != self._edge or self._subject is None or self._subject.model is not model:
            self._changes, self._scores = {}, None
        self._subject, self._names, self._edge = subject, (names[0], names[1]), edge
        self._show_rows(model)
        self._show_parameters(model)
        facts = restriction_facts(model, subject.title, edge)
        self.restrictions.show_facts(facts)
        self._restricted.setVisible(bool(facts))
        if not self.cost.facts or not self._changes:
            self.cost.show_facts(cost_facts(model, None))
        self.show()
        self._task.ask(subject.model_id, model, edge)

    def _show_parameters(self, model: MarkovNetwork) -> None:
        assert self._subject is not None
        edge = self._edge
        rows = parameter_rows(
            model,
            self._subject.title,
            lambda p: set(edge) <= set(p[0]) or (len(p[0]) == 1 and p[0][0] in edge),
            self._scores,
        )
        self.parameters.show_parameters(rows)
        self._shown_parameters.setVisible(bool(rows))

    def _show_rows(self, model: MarkovNetwork) -> None:
        assert self._subject is not None
        edge, title = self._edge, self._subject.title
        common = model.structure.common_neighbours(*edge)
        rows = context_rows(model, edge) if common else None
        self.rows.setVisible(rows is not None)
        text = ""
        if rows is not None:
            changes = [self._changes.get(row.context) for row in rows]
            columns = [
                ("Rows", ["" if c is None else grouped(round(c[0])) for c in changes]),
                ("Δ log MPL", ["" if c is None else change(c[1], 2) for c in changes]),
            ]
            heads = [title(model.domain.names[v]) for v in common]
            self.rows.show_rows(heads, rows, columns if self._changes else ())
        elif common:
            text = "This edge has too many contexts to tick one by one."
        else:
            text = "Its ends have no common neighbour, so there is no context to vanish in."
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self.note.show_text(locked_note(rows or ()))

    def _on_computed(self, statistics: Statistics) -> None:
        subject = self._subject
        if (
            subject is None
            or statistics.model is not subject.model
            or statistics.about != self._edge
            or statistics.answer is None
        ):
            return
        self._scores, self._changes = statistics.answer
        self.cost.show_facts(cost_facts(statistics.model, self._scores))
        self._show_parameters(statistics.model)
        self._show_rows(statistics.model)

    def _on_ticked(self, context: Context, on: bool) -> None:
        subject = self._subject
        if subject is None:
            return
        source, target = self._names
        edit = partial(
            edit_language,
            edit="add_context" if on else "remove_context",
            model_id=subject.model_id,
            source=source,
            target=target,
            context=context,
        )
        verb = "vanishes" if on else "stays"
        states = next(", ".join(row.states) for row in self.rows.rows if row.context == context)
        text = f"{edge_text(subject.model, source, target)} {verb} in ({states})"
        if not self._app.change(text, edit):
            self.show_subject(subject, self._names)

    def _on_delete(self, _link: str) -> None:
        subject, (source, target) = self._subject, self._names
        if subject is None:
            return
        edit = partial(remove_edge, model_id=subject.model_id, source=source, target=target)
        if self._app.change(f"Delete {edge_text(subject.model, source, target)}", edit):
            self._app.workspace.select()


def _structure_statistics(
    scores: PseudoLikelihood, structure: MarkovStructure, _about: object, cancel: CancelToken
) -> StructureScores:
    return structure_scores(scores, structure, cancel)


class BlanketSection(Section):
    """The neighbours of a variable, the classes of their joint states, and its score."""

    def __init__(self, app: AppContext) -> None:
        super().__init__("Given its neighbours")
        self.setObjectName("inspectorBlanket")
        self._subject: ActiveModel | None = None
        self._name = ""
        self._scores: StructureScores | None = None
        self._task = StatisticsTask(app, self, _structure_statistics)
        self._task.computed.connect(self._on_computed)
        self.facts = FactRows("inspectorBlanketFacts")
        self.table = Table("inspectorBlanketTable", "Classes of the neighbours' joint states")
        self.note = label("", "tertiary", size="dense", wrap=True)
        for widget in (self.facts, self.table, self.note):
            self.add(widget)
        self.hide()

    def show_subject(self, subject: ActiveModel, names: tuple[str, ...]) -> None:
        model = subject.model
        if not isinstance(model, MarkovNetwork):
            self.hide()
            return
        if self._subject is None or self._subject.model is not model:
            self._scores = None
        self._subject, self._name = subject, names[0]
        self._show(model)
        self.show()
        self._task.ask(subject.model_id, model)

    def _on_computed(self, statistics: Statistics) -> None:
        if self._subject is not None and statistics.model is self._subject.model:
            self._scores = statistics.answer
            self._show(statistics.model)

    def _show(self, model: MarkovNetwork) -> None:
        assert self._subject is not None
        domain, title = model.domain, self._subject.title
        variable = domain.index(self._name)
        members = sorted(model.structure.neighbours[variable])
        blanket = ", ".join(title(domain.names[v]) for v in members)
        facts: list[Fact] = [
            (
                "Markov blanket",
                blanket or "empty",
                "The neighbours: given them, the others do not matter.",
            )
        ]
        self.table.setVisible(bool(members))
        self.note.setText("")
        try:
            classes = blanket_classes(model.structure, variable)
        except TooLargeError as problem:
            self.table.hide()
            self.note.setText(str(problem))
        else:
            count = int(classes.max(initial=0)) + 1
            text = f"{grouped(count)} of {counted(classes.size, 'joint state')}"
            facts.append(("Classes", text, "Joint states with the same probabilities are a class."))
            if members:
                self._show_classes(model, variable, classes)
        self.note.setVisible(bool(self.note.text()))
        if self._scores is not None:
            value = nats(self._scores.variable_nats[variable])
            facts.append(("Log score", value, "Its part of the log MPL, natural logarithm."))
        self.facts.show_facts(facts)

    def _show_classes(self, model: MarkovNetwork, variable: int, classes: Any) -> None:
        assert self._subject is not None
        domain, title = model.domain, self._subject.title
        members = [domain.variables[v] for v in sorted(model.structure.neighbours[variable])]
        states = domain.variables[variable].states
        table = given_blanket(model, variable)
        rows = []
        for number, codes in star_rows(classes):
            at = tuple(0 if code is None else code for code in codes)
            named = [
                "∗" if code is None else member.states[code]
                for member, code in zip(members, codes, strict=True)
            ]
            rows.append((number, *named, *(float(p) for p in table[at])))
        rows.sort(key=itemgetter(0))
        shown = range(len(states)) if len(states) > 2 else range(1, 2)
        columns = [
            Column(
                "Class",
                class_letter,
                value=itemgetter(0),
                marks=lambda row: CellMarks(chip=category_chip(class_letter(row[0]), row[0])),
            ),
            *(
                Column(
                    f"P({states[k]})",
                    decimal,
                    True,
                    value=itemgetter(1 + len(members) + k),
                    tip=f"P({title(self._name)} = {states[k]}) given the neighbours.",
                )
                for k in shown
            ),
            *(
                Column(title(member.name), value=itemgetter(n))
                for n, member in enumerate(members, start=1)
            ),
        ]
        self.table.show_columns(columns)
        self.table.show_rows(rows)
        height = self.table.verticalHeader().defaultSectionSize()
        head = self.table.horizontalHeader().sizeHint().height()
        bar = self.table.horizontalScrollBar().sizeHint().height() if len(columns) > 4 else 0
        self.table.setFixedHeight(
            min(MAX_BLANKET_ROWS, len(rows)) * height + head + bar + theme().space(2)
        )


class ModelSections(QWidget):
    """The φ's with their restrictions and fit, and whether the strata have a closed form."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("inspectorLogLinear")
        self._app = app
        self._subject: ActiveModel | None = None
        self._task = StatisticsTask(app, self, _structure_statistics)
        self._task.computed.connect(self._on_computed)
        form = Section("Log-linear form", HIGHER)
        self.facts = FactRows("logLinearFacts")
        self.warning = Note(name="logLinearNote")
        self.parameters = ParameterTable("logLinearParameters")
        self.restrictions = FactRows("logLinearRestrictions")
        for widget in (self.facts, self.warning, self.parameters, self.restrictions):
            form.add(widget)
        self._strata = Section("Strata")
        self.checks = label("", size="dense", wrap=True)
        self.checks.setObjectName("strataChecks")
        self.likelihood = FactRows("strataFacts")
        self._cycle = button(
            "Show the cycle",
            self._on_cycle,
            role="link",
            name="strataCycle",
            tip="Select the variables and edges of the cycle without a chord.",
        )
        self._strata.add(self.checks)
        self._strata.add(row(self._cycle, None))
        self._strata.add(self.likelihood)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(form)
        layout.addWidget(self._strata)
        self.hide()

    def show_subject(self, subject: ActiveModel, _names: tuple[str, ...] = ()) -> None:
        model = subject.model
        if not isinstance(model, MarkovNetwork):
            self.hide()
            return
        if self._subject is None or self._subject.model is not model:
            self._show(model, subject, None)
            self._show_checks(model)
        self._subject = subject
        self.show()
        self._task.ask(subject.model_id, model)

    def _on_computed(self, statistics: Statistics) -> None:
        if self._subject is not None and statistics.model is self._subject.model:
            self._show(statistics.model, self._subject, statistics.answer)

    def _show(
        self, model: MarkovNetwork, subject: ActiveModel, scores: StructureScores | None
    ) -> None:
        structure = model.structure
        count, rank = parameter_count(structure), restrictions_of(structure).rank
        facts: list[Fact] = [
            ("Parameters φ", grouped(count), "Of complete sets of variables, contexts apart."),
            ("Rank of restrictions", grouped(rank), "How many parameters the contexts save."),
            *cost_facts(model, scores),
        ]
        note = ""
        likelihood: list[Fact] = []
        if scores is not None and scores.fitted is not None:
            facts += fit_facts(scores.fitted)
            note = "" if scores.fitted.is_finite else NO_FINITE_ESTIMATE
        if scores is not None and scores.stratified_nats is not None:
            tip = "Natural logarithm, with the equivalent sample size of the run."
            likelihood = [("Log marginal likelihood", nats(scores.stratified_nats), tip)]
        self.facts.show_facts(facts)
        self.likelihood.show_facts(likelihood)
        self.warning.show_text(note, "warning")
        self.parameters.show_parameters(parameter_rows(model, subject.title, scores=scores))
        self.parameters.setVisible(count <= MAX_PARAMETERS)
        self.restrictions.show_facts(restriction_facts(model, subject.title))

    def _show_checks(self, model: MarkovNetwork) -> None:
        checks = strata_checks(model.structure)
        lines = []
        for check in checks:
            lines.append(f"{'✗' if check.problems else '✓'} {check.title}")
            lines += check.problems
        is_closed = not any(check.problems for check in checks)
        self._strata.fact.setText("closed form" if is_closed else "no closed form")
        self.checks.setText("\n".join(lines))
        self._cycle.setVisible(model.structure.chordless_cycle is not None)

    def _on_cycle(self) -> None:
        model = None if self._subject is None else self._subject.model
        assert isinstance(model, MarkovNetwork)
        cycle = model.structure.chordless_cycle or ()
        names = model.domain.names
        ends = [edge_of(*pair) for pair in pairwise((*cycle, *cycle[:1]))]
        self._app.workspace.select(
            tuple(names[v] for v in cycle), tuple((names[i], names[j]) for i, j in ends)
        )
