"""The inspector of a labelled DAG: labels of an edge and their scores, similar rows of a table."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QSignalBlocker, Qt
from PySide6.QtWidgets import QSlider, QWidget

from pgmstudio.core.languages.ldag.labels import ColumnClasses, column_classes
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import Classes, is_implied, is_regular, label_of
from pgmstudio.core.languages.ldag.partitions import with_context as with_one
from pgmstudio.core.languages.ldag.scores import LabelCost, VariableCost, fits, label_cost
from pgmstudio.core.number_format import decimal, grouped
from pgmstudio.core.project.model_edits import EditableTables, edit_language
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.evidence.cpt_edit_session import cpt_edit_session
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.contexts.context_rows import (
    MAX_CONTEXTS,
    Context,
    ContextRow,
    ContextRows,
    locked_note,
)
from pgmstudio.gui.languages.ldag.label_statistics import LabelCounter, LabelNumbers, score_of
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_rows import RankBars
from pgmstudio.gui.widgets.basic import (
    Note,
    Section,
    button,
    hairline,
    hbox,
    label,
    named,
    row,
    vbox,
)
from pgmstudio.gui.widgets.fact_rows import Fact, FactRows
from pgmstudio.gui.widgets.number_box import decimal_box

SCORE = "Score ↑"
MAX_ROWS = 512  # larger tables take too long to look at


def context_rows(model: LabelledDag, source: str, target: str) -> list[ContextRow] | None:
    """Every context of the label, in order; None when there are too many."""
    others = [model.domain[name] for name in model.other_parents(source, target)]
    classes: Classes = model.classes[model.domain.index(target)]
    axis = model.dag.parents(target).index(source)
    label_here = label_of(classes, axis)
    if label_here.size > MAX_CONTEXTS or classes.size > MAX_ROWS:
        return None
    rows = []
    for context in itertools.product(*(range(v.cardinality) for v in others)):
        states = tuple(v.states[code] for v, code in zip(others, context, strict=True))
        is_in = bool(label_here[context])
        rows.append(
            ContextRow(
                context,
                states,
                is_in,
                is_implied=is_in and is_implied(classes, axis, context),
                is_locked=not is_in and not is_regular(with_one(classes, axis, context)),
            )
        )
    return rows


def merged_text(
    row: ContextRow, counts: NDArray[np.float64] | None, axis: int, *, most: int = 3
) -> str:
    """The rows of data that come together in a context: `146 + 394`."""
    if not row.is_in:
        return "not merged"
    if counts is None:
        return "merged"
    rows = np.moveaxis(counts.sum(axis=-1), axis, -1)[row.context]
    listed = [grouped(round(float(count))) for count in rows[:most]]
    return " + ".join(listed) + (" + …" if rows.size > most else "")


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
        self._text = label("", "secondary", size="dense", wrap=True, name="labelText")
        self.note = Note(name="labelNote", rich=True)
        self.note.link_activated.connect(self._on_delete)
        contexts.add(self.rows, self._text, self.note)
        self._truth = Section("True in this context")
        self._statements = label("", size="dense", wrap=True, name="labelStatements")
        self._given = label("", "tertiary", size="dense", wrap=True)
        self._truth.add(self._statements, self._given)
        cost = Section("Cost of the model")
        self.facts = FactRows("labelCost")
        cost.add(self.facts)
        layout = vbox(self, contexts, self._truth, cost, spacing=4)
        line = vbox(None, hairline(), margins=(16, 0, 16, 8))
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
        self.note.show_text(locked_note(result or ()))

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
        nowhere = "Choose a context above the canvas to see the independences in it."
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
                (
                    SCORE,
                    bits(cost.score),
                    f"{what} of graph and labels. Higher is better.",
                ),
                ("Without labels", bits(cost.plain), "The same graph with every row on its own."),
                (
                    "Label prior κ",
                    f"{numbers.score.kappa:g}",
                    "The prior weight of every merged row; smaller values give fewer labels.",
                ),
            ]
        elif numbers is None:
            facts.append((SCORE, "…", "Being counted."))
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
        more: dict[str, Any] = {"weights": self._weights()} if on else {}
        edit = partial(
            edit_language,
            edit="add_context" if on else "remove_context",
            model_id=subject.model_id,
            source=source,
            target=target,
            context=context,
            **more,
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
        self._latest_task = LatestTask(self, self._on_cost, app.errors.at("inspectorPanel").report)
        self.bars = ScoreBars()
        self.bars.chosen.connect(self._on_chosen)
        self.note = label("", "secondary", size="dense", wrap=True, name="labelScoreNote")
        self._more = button("", self._on_more, role="link", name="labelScoresMore")
        self.add(self.bars, row(self._more, None), self.note)
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


# In hundredths: beyond a half every column is like every other in most tables.
MAX_HUNDREDTHS = 50
# Telling that many columns apart takes longer than a slider may.
MAX_COLUMNS = 1000
MAKE_LABELS = "model.labels-from-rows"


class SimilarRowsSection(Section):
    """The section with a slider for ε, which also marks similar columns in the table."""

    def __init__(self, app: AppContext) -> None:
        super().__init__("Similar columns")
        self._app, self._work = app, cpt_edit_session(app)
        self._columns: NDArray[np.float64] | None = None
        self._names: list[str] = []
        title = "ε, the largest difference between similar columns"
        tip = "ε: columns whose probabilities differ by at most ε are similar."
        epsilon = self._work.epsilon
        self.field = decimal_box("similarEpsilon", title, tip, 0, 1, epsilon, step=0.01)
        self.field.valueChanged.connect(self._on_typed)
        self.slider = named(QSlider(Qt.Orientation.Horizontal), "similarSlider", title, tip)
        self.slider.setRange(0, MAX_HUNDREDTHS)
        self.slider.setValue(round(epsilon * 100))
        self.slider.valueChanged.connect(self._on_moved)
        self._note = label("", "secondary", size="dense", wrap=True, name="similarNote")
        self.field.setMaximumWidth(theme().px("left_min") // 2)
        both = hbox(None, label("ε", "secondary", size="dense"), (self.slider, 1), self.field)
        self.add(both, self._note)
        self.make = button(
            "Make labels from equal rows",
            self._on_make,
            icon_name="tag",
            name="similarLabels",
            tip="A labelled graph of the whole network: rows within ε become one.",
        )
        self.add(row(self.make, None))
        self._work.similarity_changed.connect(self._refresh)

    def show_subject(self, subject: ActiveModel, names: tuple[str, ...]) -> None:
        """The columns of the table of a variable; nothing for a table of one column."""
        name = names[0]
        parents = [subject.variable(parent) for parent in subject.parents(name)]
        model = subject.model
        if not parents or not isinstance(model, EditableTables):
            self.hide()
            return
        table = model.table(name)
        self._columns = table.reshape(-1, table.shape[-1])
        ordered = sorted(parents, key=lambda parent: model.domain.index(parent.name))
        self._names = [
            ", ".join(parent.states[code] for parent, code in zip(ordered, codes, strict=True))
            for codes in np.ndindex(*(parent.cardinality for parent in ordered))
        ]
        self.show()
        self._refresh()

    def _on_make(self) -> None:
        self._app.actions[MAKE_LABELS].trigger()

    def _on_moved(self, hundredths: int) -> None:
        self._work.set_similarity(marks=True, epsilon=hundredths / 100)

    def _on_typed(self, epsilon: float) -> None:
        self._work.set_similarity(marks=True, epsilon=epsilon)

    def _refresh(self) -> None:
        epsilon = self._work.epsilon
        with QSignalBlocker(self.field), QSignalBlocker(self.slider):
            self.field.setValue(epsilon)
            self.slider.setValue(round(epsilon * 100))
        columns = self._columns
        if columns is not None:
            too_many = f"{len(columns)} columns are too many to compare."
            can_compare = len(columns) <= MAX_COLUMNS
            self._note.setText(
                similarity_text(column_classes(columns, epsilon), self._names)
                if can_compare
                else too_many
            )


def similarity_text(result: ColumnClasses, names: list[str]) -> str:
    """How many kinds of columns there are, and from which ε on there is one less."""
    count = len(result.classes)
    if result.count == count:
        first = f"All {count} columns differ by more than ε."
    elif result.count == 1:
        first = f"All {count} columns are similar: the parents make no difference beyond ε."
    else:
        first = f"{count} columns are {result.count} kinds."
    if result.next_epsilon is None or result.next_pair is None:
        return first
    left, right = (_group(part, names) for part in result.next_pair)
    return f"{first} At {result.next_epsilon:.2g}, {left} and {right} become one kind."


def _group(columns: tuple[int, ...], names: list[str]) -> str:
    more = f" with {len(columns) - 1} more" if len(columns) > 1 else ""
    return f"({names[columns[0]]}){more}"
