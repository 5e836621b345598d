"""The inspector sections of labelled DAGs: the label of an edge, and the score of each table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.scores import LabelCost, VariableCost, fits, label_cost
from pgmstudio.core.number_format import decimal, grouped
from pgmstudio.core.project.model_edits import edit_language
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.contexts.context_rows import Context, ContextRows
from pgmstudio.gui.languages.ldag.label_editor import context_rows, merged_text
from pgmstudio.gui.languages.ldag.label_statistics import LabelCounter, LabelNumbers, score_of
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.widgets.bar_rows import RankBars
from pgmstudio.gui.widgets.basic import Note, Section, button, hairline, label, row
from pgmstudio.gui.widgets.fact_rows import Fact, FactRows

MAX_STATEMENTS = 8
Edge = tuple[str, str]


class LabelSections(QWidget):
    """Hidden for edges of other languages."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("inspectorLabel")
        self._app = app
        self._subject: ActiveModel | None = None
        self._edge: Edge = ("", "")
        self._numbers: LabelNumbers | None = None
        self._counter = LabelCounter(app, self)
        self._counter.computed.connect(self._on_computed)
        contexts = Section("The edge vanishes when", line=False)
        self.rows = ContextRows()
        self.rows.ticked.connect(self._on_ticked)
        self._text = label("", "secondary", size="dense", wrap=True)
        self._text.setObjectName("labelText")
        self.note = Note(name="labelNote", rich=True)
        self.note.link_activated.connect(self._on_delete)
        for widget in (self.rows, self._text, self.note):
            contexts.add(widget)
        self._truth = Section("True in this context")
        self._statements = label("", size="dense", wrap=True)
        self._statements.setObjectName("labelStatements")
        self._given = label("", "tertiary", size="dense", wrap=True)
        self._truth.add(self._statements)
        self._truth.add(self._given)
        cost = Section("Cost of the model")
        self.facts = FactRows("labelCost")
        cost.add(self.facts)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for section in (contexts, self._truth, cost):
            layout.addWidget(section)
        line = QVBoxLayout()
        line.setContentsMargins(16, 0, 16, 8)
        line.addWidget(hairline())
        layout.addLayout(line)
        context_views(app).changed.connect(self._on_context)
        self.hide()

    def show_subject(self, subject: ActiveModel, names: tuple[str, ...]) -> None:
        """The label of the edge from the first to the second name."""
        edge: Edge = (names[0], names[1])
        model = subject.model
        if not isinstance(model, LabelledDag):
            self.hide()
            return
        if subject.model is not (self._subject and self._subject.model) or edge != self._edge:
            stays = self._numbers is not None and self._numbers.variable == edge[1]
            self._numbers = self._numbers if stays and edge == self._edge else None
        self._subject, self._edge = subject, edge
        self.show()
        self._show_rows(model)
        self._refresh()
        codes = context_views(self._app).codes(subject.model_id)
        self._counter.ask(subject.model_id, model, edge[1], codes)

    def _show_rows(self, model: LabelledDag) -> None:
        source, target = self._edge
        others = model.other_parents(source, target)
        result = context_rows(model, source, target) if others else None
        self.rows.setVisible(result is not None)
        text = ""
        if not others:
            text = f"{target} has no other parent, so there is no context to vanish in."
        elif result is None:
            text = "This label has too many contexts to tick one by one."
        self._text.setText(text)
        self._text.setVisible(bool(text))
        if result is not None:
            title = self._subject.title if self._subject is not None else str
            axis = model.dag.parents(target).index(source)
            numbers = self._numbers
            counts = numbers.counts if numbers is not None and numbers.model is model else None
            if counts is None and numbers is not None and numbers.counts is not None:
                shape = (*model.classes[model.domain.index(target)].shape,)
                counts = numbers.counts if numbers.counts.shape[:-1] == shape else None
            texts = [merged_text(row, counts, axis) for row in result]
            self.rows.show_rows([title(name) for name in others], result, [("Rows", texts)])
        locked = [row for row in result or () if row.is_locked]
        states = escape(", ".join(locked[0].states)) if locked else ""
        self.note.show_text(
            f"With <b>({states})</b> as well, no context would need this edge. "
            '<a href="delete">Delete the edge instead</a>'
            if locked
            else ""
        )

    def _on_computed(self, numbers: LabelNumbers) -> None:
        subject = self._subject
        if subject is not None and numbers.model is subject.model:
            self._numbers = numbers
            self._show_rows(numbers.model)
            self._refresh()

    def _refresh(self) -> None:
        """Show the independences and the score, as far as they are computed."""
        subject, numbers = self._subject, self._numbers
        model = None if subject is None else subject.model
        if subject is None or not isinstance(model, LabelledDag):
            return
        is_now = numbers is not None and numbers.model is model
        context = context_views(self._app).context(subject.model_id)
        statements = numbers.statements if numbers is not None and is_now else ()
        lines = [
            f"{subject.title(s.one)} ⊥ {subject.title(s.other)}"
            + (f" given {', '.join(map(subject.title, s.given))}" if s.given else "")
            for s in statements[:MAX_STATEMENTS]
        ]
        if len(statements) > MAX_STATEMENTS:
            lines.append(f"… and {len(statements) - MAX_STATEMENTS} more")
        none = "No independences beyond those of the graph." if is_now else "…"
        nowhere = "Choose a context over the canvas to see what holds in it."
        self._statements.setText("\n".join(lines) or (none if context else nowhere))
        given = ", ".join(f"{subject.title(name)} = {state}" for name, state in context.items())
        self._given.setText(f"given {given}" if given and lines else "")
        self._given.setVisible(bool(given and lines))
        self.facts.show_facts(self._costs(model, numbers if is_now else None))

    def _costs(self, model: LabelledDag, numbers: LabelNumbers | None) -> list[Fact]:
        size, plain = model.representation_size(), model.unlabelled_size()
        facts: list[Fact] = [
            (
                "Free parameters",
                f"{grouped(size)} of {grouped(plain)} unlabelled",
                "(states − 1) for each class of rows, compared with the full table.",
            )
        ]
        cost = None if numbers is None else numbers.cost
        if numbers is not None and cost is not None:
            what = "BIC" if numbers.score.name == "bic" else "Marginal likelihood and prior"
            facts += [
                ("Score, higher is better", bits(cost.score), f"{what} of graph and labels."),
                ("Without labels", bits(cost.plain), "The same graph with every row on its own."),
                (
                    "Label prior κ",
                    f"{numbers.score.kappa:g}",
                    "How dear a merged row is to the prior.",
                ),
            ]
        elif numbers is None:
            facts.append(("Score, higher is better", "…", "Being counted."))
        return facts

    # -- requests

    def _weights(self) -> NDArray[np.float64] | None:
        numbers, subject = self._numbers, self._subject
        if numbers is None or subject is None or numbers.counts is None:
            return None
        return np.asarray(numbers.counts.sum(axis=-1).ravel())

    def _on_ticked(self, context: Context, on: bool) -> None:
        subject, (source, target) = self._subject, self._edge
        model = None if subject is None else subject.model
        if subject is None or not isinstance(model, LabelledDag):
            return
        others = model.other_parents(source, target)
        states = ", ".join(
            model.domain[name].states[code] for name, code in zip(others, context, strict=True)
        )
        edit: Callable[[Project], Project] = partial(
            edit_language,
            edit="remove_context",
            model_id=subject.model_id,
            source=source,
            target=target,
            context=context,
        )
        if on:
            edit = partial(
                edit_language,
                edit="add_context",
                model_id=subject.model_id,
                source=source,
                target=target,
                context=context,
                weights=self._weights(),
            )
        verb = "vanishes" if on else "stays"
        if not self._app.change(f"{source} → {target} {verb} in ({states})", edit):
            self._show_rows(model)

    def _on_delete(self, _link: str) -> None:
        subject, (source, target) = self._subject, self._edge
        locked = [row for row in self.rows.rows if row.is_locked]
        if subject is None or not locked:
            return
        edit = partial(
            edit_language,
            edit="delete_labelled_edge",
            model_id=subject.model_id,
            source=source,
            target=target,
            context=locked[0].context,
            weights=self._weights(),
        )
        if self._app.change(f"Delete {source} → {target}", edit):
            self._app.workspace.select()

    def _on_context(self, model_id: str) -> None:
        subject = self._subject
        if subject is None or subject.model_id != model_id or not self.isVisible():
            return
        if isinstance(subject.model, LabelledDag) and self._edge in subject.model.edges:
            codes = context_views(self._app).codes(model_id)
            self._counter.ask(model_id, subject.model, self._edge[1], codes)
            self._refresh()


def bits(value: float) -> str:
    """A score with two digits, thin spaces and a true minus."""
    return f"{decimal(value, 2)} bits"


MAX_SHOWN, MAX_LISTED = 8, 400


class ScoreBars(RankBars):
    """The tables by score, the highest first; the tooltip has the parts of the score."""

    def __init__(self) -> None:
        super().__init__("labelScoreBars", most=MAX_LISTED, digits=3)
        self._parts: dict[str, VariableCost] = {}

    def show_costs(self, costs: list[tuple[VariableCost, str, float]]) -> None:
        """Each with its title and its bits a row."""
        self._parts = {cost.variable: cost for cost, _, _ in costs}
        self.show_ranks([(cost.variable, title, each) for cost, title, each in costs])

    def tip_at(self, position: QPoint) -> str | None:
        result = self.row_at(position)
        if result is None:
            return None
        key, title, each = self.ranks[result]
        cost = self._parts[key]
        return "\n".join(
            (
                f"{title}: {each:.4g} bits per row",
                f"Likelihood {bits(cost.likelihood)}",
                f"Prior {bits(cost.prior)}",
                f"Score {bits(cost.score)}",
                f"Without labels {bits(cost.plain)}",
                "Click selects it.",
            )
        )


class LabelScoresSection(Section):
    """Hidden for other languages and where no data set fits."""

    def __init__(self, app: AppContext) -> None:
        super().__init__("Score by variable")
        self.setObjectName("inspectorLabelScores")
        self._app = app
        self._subject: ActiveModel | None = None
        self._cost: LabelCost | None = None
        self._total = 1.0
        self._asked: tuple[object, ...] = ()
        self._shows_all = False
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_cost)
        self._latest_task.failed.connect(app.errors.at("inspectorPanel").report)
        self.bars = ScoreBars()
        self.bars.chosen.connect(self._on_chosen)
        self.note = label("", "secondary", size="dense", wrap=True)
        self.note.setObjectName("labelScoreNote")
        self._more = button("", self._on_more, role="link", name="labelScoresMore")
        for widget in (self.bars, row(self._more, None), self.note):
            self.add(widget)
        self.hide()

    def show_subject(self, subject: ActiveModel, _names: tuple[str, ...] = ()) -> None:
        rows = model_sources(self._app).rows(subject.model_id)
        data = None if rows is None else rows.data
        model, self._subject = subject.model, subject
        if not isinstance(model, LabelledDag) or data is None or not fits(model, data):
            self._asked, self._cost = (), None
            self._latest_task.forget()
            self.hide()
            return
        asked = (model, data)
        if len(self._asked) == 2 and all(a is b for a, b in zip(asked, self._asked, strict=True)):
            self._refresh()
            return
        self._asked, self._total = asked, max(data.total_weight, 1e-300)
        score = score_of(self._app, subject.model_id, data)
        self._latest_task.ask(partial(label_cost, model, data, score))

    def _on_cost(self, cost: LabelCost) -> None:
        self._cost = cost
        self._refresh()

    def _refresh(self) -> None:
        subject, cost = self._subject, self._cost
        if subject is None or cost is None:
            return
        ordered = sorted(cost.by_variable, key=lambda one: one.score)
        shown = ordered if self._shows_all else ordered[:MAX_SHOWN]
        self.bars.show_costs(
            [(c, subject.title(c.variable), -c.score / self._total) for c in shown]
        )
        self.fact.setText(f"{-cost.score / self._total:.3f} bits per row in all")
        likelihood = sum(one.likelihood for one in cost.by_variable)
        self.note.setText(
            f"Likelihood {bits(likelihood)}, prior {bits(cost.score - likelihood)}; "
            f"without labels {bits(cost.plain)}."
        )
        count = len(ordered)
        text = "Show highest scores only" if self._shows_all else f"Show all {count} variables"
        self._more.setText(text)
        self._more.setToolTip(text)
        self._more.setAccessibleName(text)
        self._more.setVisible(count > MAX_SHOWN)
        self.show()

    def _on_more(self) -> None:
        self._shows_all = not self._shows_all
        self._refresh()

    def _on_chosen(self, variable: str) -> None:
        self._app.workspace.select((variable,))
