"""Steps 4 and 5 of the wizard: a list on the left, the model on the right."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSlider, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.core.analysis.feature_selection import p_value_text
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.bayesian_network.edge_analysis import link_strengths
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.ambiguity import (
    read_choices,
)
from pgmstudio.core.languages.conversions import dag_of
from pgmstudio.core.model import DirectedModel, Model
from pgmstudio.core.number_format import counted, decimal
from pgmstudio.core.project.edits import choices_of
from pgmstudio.core.project.model_edits import remove_edge
from pgmstudio.core.scores.edge_reports import LinkStrength
from pgmstudio.gui.canvas.edge_strengths import Strengths
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.pages import extended_model_page
from pgmstudio.gui.learning.wizard.state import LINKS, QUESTIONS, WizardState
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.structure.unresolved_edges import (
    Answer,
    Question,
    UnresolvedController,
    UnresolvedDirections,
)
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar
from pgmstudio.gui.widgets.basic import (
    Note,
    Segments,
    button,
    empty,
    hairline,
    label,
    named,
    row,
    scrolled,
    vbox,
)
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.grid_view import CellMarks
from pgmstudio.gui.widgets.step_bar import PlainLine
from pgmstudio.gui.widgets.table import Column, Table

Edge = tuple[str, str]
BESIDE_FROM = 760  # page width (px at 100 %) below which the list is above the model


MAX_DIGITS = 300.0  # −log₁₀ of a p-value that underflows


MAX_SHOWN = 40
LOOK_AGAIN_MS = 30
NOTHING = "All edges are resolved."


class QuestionsPanel(QWidget):
    """List of all unresolved edges of a model, in sync with those on the canvas."""

    def __init__(self, app: AppContext, plan: WizardState) -> None:
        super().__init__()
        self.setObjectName("stepwiseQuestions")
        self._app, self._plan = app, plan
        self._controller: UnresolvedController | None = None
        self._directions: UnresolvedDirections | None = None
        self._model_id: str | None = None
        self._shown: tuple[Question, ...] | None = None
        self._buttons: list[QPushButton] = []
        self._soon = one_shot(self, self.refresh)
        self._count = PlainLine("stepwiseDecided")
        self._done = Note(level="success", name="stepwiseNothingOpen")
        self._all = button(
            "Resolve all by strength",
            self._on_all,
            role="link",
            name="stepwiseResolveAll",
            tip="Keep the strongest edge of each ambiguous region and the directions as drawn.",
        )
        self._again = button(
            "Reset decisions",
            self._on_again,
            role="link",
            name="stepwiseAskAgain",
            tip="Discard the decided directions; the model does not change.",
        )
        self._list = QWidget()
        self._rows = QVBoxLayout(self._list)
        self._rows.setContentsMargins(0, 0, 8, 0)
        self._rows.setSpacing(8)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 8, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(row(label("Unresolved edges", "heading"), self._count))
        layout.addWidget(self._done)
        layout.addWidget(scrolled(self._list, "stepwiseQuestionScroll"), 1)
        layout.addWidget(row(self._all, self._again, None))

    def show_model(self, model_id: str, controller: UnresolvedController) -> None:
        """Show the unresolved edges of a model page."""
        self.leave()
        self._model_id, self._controller = model_id, controller
        self._directions = UnresolvedDirections(self._app, self._plan.decided, model_id, self)
        controller.changed.connect(self.refresh_soon)
        self._directions.changed.connect(self.refresh_soon)
        self._shown = None
        self.refresh_soon()

    def leave(self) -> None:
        """Clear the panel."""
        if self._controller is not None:
            self._controller.changed.disconnect(self.refresh_soon)
        if self._directions is not None:
            self._directions.stop()
            self._directions.deleteLater()
        self._controller = self._directions = self._model_id = None

    @property
    def is_waiting(self) -> bool:
        controller, free = self._controller, self._directions
        return bool((controller and controller.is_waiting) or (free and free.is_waiting))

    @property
    def _has_tests(self) -> bool:
        """Whether the run stored its unresolved edges with the model."""
        entry = self._app.project.models.get(self._model_id or "")
        run = None if entry is None else self._app.project.runs.get(entry.run_id or "")
        if run is None or "open" not in run.artifacts or self._controller is None:
            return False
        return self._controller.follows_run or self._controller.is_waiting

    @property
    def questions(self) -> tuple[Question, ...]:
        if self._controller is not None and self._has_tests:
            return self._controller.questions
        return () if self._directions is None else self._directions.questions

    def _decided(self) -> int:
        entry = self._app.project.models.get(self._model_id or "")
        if entry is None or self._directions is None:
            return 0
        if not self._has_tests:
            return len(self._directions.decided)
        made = read_choices(choices_of(entry), entry.model.domain.names)
        return len(made.edges) + len(made.directions)

    def refresh_soon(self) -> None:
        """Refresh after all listeners have handled a change; between two models there is none."""
        self._soon.start(0)

    def refresh(self) -> None:
        """Show the current questions."""
        if self._controller is None or self._model_id not in self._app.project.models:
            return
        if self._controller.is_waiting:
            self._soon.start(LOOK_AGAIN_MS)
            return
        questions, decided = self.questions, self._decided()
        self._count.setText(f"{decided} decided · {len(questions)} open")
        has_tests = self._has_tests
        self._all.setVisible(bool(questions) and has_tests)
        self._again.setVisible(not has_tests and decided > 0)
        self._done.show_text("" if questions else NOTHING)
        self._show(questions)

    def _show(self, questions: tuple[Question, ...]) -> None:
        if questions == self._shown:
            for made in self._buttons:
                made.setEnabled(True)
            return
        self._shown = questions
        self._buttons = []
        empty(self._rows)
        for number, question in enumerate(questions[:MAX_SHOWN]):
            self._rows.addWidget(self._question(number, question))
        if len(questions) > MAX_SHOWN:
            more = counted(len(questions) - MAX_SHOWN, "more", "more")
            self._rows.addWidget(label(f"{more}, shown when these are decided.", "tertiary"))
        self._rows.addStretch(1)

    def _question(self, number: int, question: Question) -> QWidget:
        made = QWidget()
        layout = vbox(made, label(question.text, wrap=True), spacing=6)
        pair: list[QPushButton] = []
        for index, answer in enumerate(question.answers):
            choice = button(
                answer.text,
                partial(self._on_answer, answer),
                tip=answer.text,
                name=f"stepwiseAnswer{number}.{index}",
            )
            pair.append(choice)
            if len(pair) == 2:
                layout.addWidget(row(*pair, None))
                pair = []
            self._buttons.append(choice)
        if pair:
            layout.addWidget(row(*pair, None))
        layout.addWidget(hairline())
        return made

    def _on_answer(self, answer: Answer) -> None:
        for made in self._buttons:
            made.setEnabled(False)
        if self._controller is not None and self._has_tests:
            self._controller.answer(answer)
        elif self._directions is not None:
            self._directions.answer(answer)

    def _on_all(self) -> None:
        if self._controller is not None:
            self._controller.resolve_all()

    def _on_again(self) -> None:
        if self._directions is not None:
            self._directions.forget()


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of edge strength; larger is stronger."""

    short_title: str
    tip: str
    title: str
    unit: str
    of: Callable[[LinkStrength], float]


MEASURES = {
    "bic": Measure(
        "Δ BIC",
        "Decrease of BIC (bits) when the edge is removed; negative if removing it improves BIC.",
        "Δ BIC",
        "bits",
        lambda link: link.bic_gain,
    ),
    "mi": Measure(
        "MI",
        "Mutual information of the two variables in the data.",
        "MI",
        "bits",
        lambda link: link.information_bits,
    ),
    "p": Measure(
        "p-value",
        "p-value of independence given the other parents; bars show −log₁₀ p.",
        "−log₁₀ p",
        "",
        lambda link: min(MAX_DIGITS, -math.log10(link.p_value)) if link.p_value else MAX_DIGITS,
    ),
}


@dataclass(frozen=True, eq=False)
class _Result:
    model: Model
    data: DataSet
    links: tuple[LinkStrength, ...]


@dataclass(frozen=True, slots=True)
class _LinkRow:
    """An edge; `strength`: by the selected measure, as a fraction of the largest."""

    link: LinkStrength
    strength: float
    is_weak: bool


_COLUMNS = (
    Column(
        "Edge",
        stretches=True,
        tip="Parent → child",
        value=lambda row: f"{row.link.source} → {row.link.target}",
    ),
    Column(
        "Strength",
        stretches=True,
        tip="By the selected measure",
        marks=lambda row: CellMarks(bar=Bar(row.strength)),
    ),
    Column(
        "Δ BIC",
        lambda bits: decimal(bits, 1),
        True,
        tip=MEASURES["bic"].tip,
        value=lambda row: row.link.bic_gain,
    ),
    Column(
        "MI",
        decimal,
        True,
        tip=MEASURES["mi"].tip,
        value=lambda row: None if row.link.alone is None else row.link.information_bits,
    ),
    Column(
        "p",
        lambda p: "–" if p is None else p_value_text(p),
        True,
        tip="p-value of independence given the other parents",
        value=lambda row: None if row.link.given_parents is None else row.link.p_value,
        explains="p-value",
    ),
)


class LinksPanel(QWidget):
    """Edge strengths, measured in the background and shown as edge widths on the canvas."""

    picked = Signal(object)  # an edge
    measured = Signal(object)  # Strengths or None
    hidden = Signal(object)  # hidden edges

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("stepwiseLinks")
        self._app = app
        self._model_id: str | None = None
        self._result: _Result | None = None
        self._requested: tuple[Model, DataSet] | None = None
        self._latest_task = LatestTask(self, self._on_result, app.errors.report)
        self.measure = Segments(
            [(k, m.short_title, m.tip) for k, m in MEASURES.items()], "stepwiseBy"
        )
        self.measure.chosen.connect(self._on_measure)
        self.table = Table(
            "stepwiseLinkTable",
            "Edges by strength; Delete removes the selected one.",
            _COLUMNS,
            key=lambda row: row.link.edge,
            row_tip=lambda row: _tip(row.link),
            row_color=lambda row: "text_tertiary" if row.is_weak else None,
            row_height=1.1,
            gap=theme().space(3),
        )
        self.table.selected.connect(self._on_selected)
        self.table.removal_requested.connect(self._on_remove)
        self._note = Note(name="stepwiseNoRows")
        self.weak = QSlider(Qt.Orientation.Horizontal)
        self.weak.setObjectName("stepwiseHide")
        self.weak.setToolTip("Hide the weakest edges; the model does not change.")
        self.weak.setAccessibleName("Number of hidden edges")
        self.weak.valueChanged.connect(self._on_weak)
        self._hidden_text = PlainLine("stepwiseHideText")
        self._hidden_text.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._remove = button(
            "Remove edge",
            self._on_remove,
            icon_name="trash",
            tip="Remove the selected edge from the model; can be undone.",
            name="stepwiseRemove",
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 8, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(row(label("Edge strengths", "heading"), None, self.measure))
        layout.addWidget(self._note)
        layout.addWidget(self.table, 1)
        layout.addWidget(row(self.weak, self._hidden_text))
        layout.addWidget(row(self._remove, None))

    # -- measuring

    def show_model(self, model_id: str | None) -> None:
        """Show the edges of a model, or none."""
        if model_id != self._model_id:
            self._model_id = model_id
            self._result = None
            self.weak.setValue(0)
        self.refresh()

    def refresh(self) -> None:
        """Measure again if the model or the data changed."""
        entry = self._app.project.models.get(self._model_id or "")
        if entry is None or not isinstance(entry.model, DirectedModel):
            self._result = None
            self._show()
            return
        rows = model_sources(self._app).rows_or_why(self._model_id or "")
        if isinstance(rows, str):
            self._result = None
            self._latest_task.forget()
            self._note.show_text(rows, "warning")
            self._show()
            return
        model = entry.model
        self._note.show_text("")
        result = self._result
        if result is not None and result.model is model and result.data is rows:
            self._show()
            return
        if (
            self._requested is not None
            and self._requested[0] is model
            and self._requested[1] is rows
        ):
            return
        self._requested = (model, rows)
        if result is None:
            self._note.show_text("Measuring edges…", "info")

        def measured(cancel: CancelToken) -> _Result:
            return _Result(model, rows, link_strengths(dag_of(model), rows, cancel))

        self._latest_task.ask(measured)

    def _on_result(self, result: _Result) -> None:
        self._requested = None
        self._result = result
        self._note.show_text("" if result.links else "The model has no edges.", "info")
        self._show()

    # -- showing

    @property
    def links(self) -> tuple[LinkStrength, ...]:
        """All edges, weakest by the selected measure first."""
        if self._result is None:
            return ()
        value = MEASURES[self.measure.current].of
        return tuple(sorted(self._result.links, key=lambda link: (value(link), link.edge)))

    @property
    def hidden_edges(self) -> frozenset[Edge]:
        return frozenset(link.edge for link in self.links[: self.weak.value()])

    def _show(self) -> None:
        links, measure = self.links, MEASURES[self.measure.current]
        values = {link.edge: measure.of(link) for link in links}
        most = max(values.values(), default=0.0)
        self.weak.setRange(0, len(links))
        hidden = self.hidden_edges
        self.table.show_rows(
            [
                _LinkRow(
                    link,
                    max(0.0, values[link.edge]) / most if most > 0 else 0.0,
                    is_weak=link.bic_gain < 0 or link.edge in hidden,
                )
                for link in links
            ]
        )
        self._refresh_hidden()
        strengths = Strengths(measure.title, measure.unit, values) if values else None
        self.measured.emit(strengths)
        self.hidden.emit(hidden)
        self._allow()

    def _refresh_hidden(self) -> None:
        count = self.weak.value()
        text = f"{counted(count, 'edge')} hidden" if count else "All edges are drawn"
        self._hidden_text.setText(text)

    def _allow(self) -> None:
        edge = self.edge
        self._remove.setEnabled(edge is not None)
        self._remove.setToolTip(
            "Not now: select an edge in the table."
            if edge is None
            else f"Remove {edge[0]} → {edge[1]} from the model; can be undone."
        )

    # -- user actions

    @property
    def edge(self) -> Edge | None:
        """The selected edge."""
        row = self.table.current_row
        return None if row is None else row.link.edge

    def _on_measure(self, _key: str) -> None:
        self._show()

    def _on_weak(self, _count: int) -> None:
        self._show()

    def _on_selected(self, _number: int) -> None:
        self._allow()
        self.picked.emit(self.edge)

    def _on_remove(self, *_: object) -> None:
        if self.edge is None:
            return
        model_id = self._model_id or ""
        source, target = self.edge
        edit = partial(remove_edge, model_id=model_id, source=source, target=target)
        if self._app.change(f"Remove {source} → {target}", edit):
            self._app.notify(f"{source} → {target} removed.", undo=True)

    def stop(self) -> None:
        """Cancel background work when the page is closed."""
        self._latest_task.forget()


def _tip(link: LinkStrength) -> str:
    lines = [f"{link.source} → {link.target}"]
    lines.append(f"Removing it decreases BIC by {decimal(link.bic_gain, 1)} bits.")
    if link.bic_gain < 0:
        lines[-1] = f"Removing it increases BIC by {-link.bic_gain:.1f} bits."
    lines.append(f"Given the other parents it carries {link.added_bits:.4f} bits.")
    return "\n".join(lines)


class ModelSteps(QWidget):
    """Model page beside a list of unresolved edges or edge strengths."""

    def __init__(self, app: AppContext, plan: WizardState) -> None:
        super().__init__()
        self.setObjectName("stepwiseModel")
        self._app, self._plan = app, plan
        self._step = QUESTIONS
        self.page: ModelPage | None = None
        self._hidden: Collection[Edge] = ()
        self.choice = ChoiceBox("stepwiseModelChoice", "The model to show.")
        self.choice.picked.connect(plan.choose_model)
        self._facts = PlainLine("stepwiseModelFacts")
        self.questions = QuestionsPanel(app, plan)
        self.links = LinksPanel(app)
        self.links.measured.connect(self._on_measured)
        self.links.hidden.connect(self._on_hidden)
        self.links.picked.connect(self._on_edge)
        self._left = QStackedWidget()
        self._left.addWidget(self.questions)
        self._left.addWidget(self.links)
        self._left.setMinimumWidth(round(240 * theme().scale))
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self._left)
        self._unseen = QWidget(self)
        self._unseen.hide()
        # Sizes are set when the layout is done.
        self._soon = one_shot(self, self._set_sizes)
        head = row(label("Model", "secondary"), self.choice, self._facts)
        head.setContentsMargins(16, 8, 16, 8)
        vbox(self, head, hairline(), (self._split, 1), spacing=0)
        self.setFocusProxy(self.choice)

    def show_step(self, step: int) -> None:
        """Show the unresolved edges or the edge strengths."""
        self._step = step
        self._left.setCurrentWidget(self.questions if step == QUESTIONS else self.links)
        self.refresh()

    def refresh(self) -> None:
        """Update to the current model."""
        plan = self._plan
        self.choice.show_choices(plan.models(), plan.model_id)
        self._refresh_facts()
        if plan.model_id is None:
            self.leave()
            return
        if self.page is None or self.page.model_id != plan.model_id:
            self._open(plan.model_id)
        assert self.page is not None
        on_links = self._step == LINKS
        self.links.show_model(plan.model_id if on_links else None)
        if not on_links:
            self.questions.refresh_soon()
            self.page.questions.open()
            self._on_measured(None)
            self._on_hidden(())
        else:
            self.page.questions.shut()

    def _refresh_facts(self) -> None:
        entry = self._app.project.models.get(self._plan.model_id or "")
        run = None if entry is None else self._app.project.runs.get(entry.run_id or "")
        edited = ", edited" if entry is not None and entry.is_edited and run else ""
        made = "" if entry is None else "drawn manually" if run is None else f"learned{edited}"
        self._facts.setText(made)

    def _open(self, model_id: str) -> None:
        self.leave()
        self.page = named(extended_model_page(self._app, model_id), "stepwiseGraph")
        self.page.bar.hide()
        self.page.questions.bar.setParent(self._unseen)  # shown in the list
        self._split.addWidget(self.page)
        self.page.setMinimumSize(round(280 * theme().scale), round(200 * theme().scale))
        self.page.scene().contents_changed.connect(self._apply_hidden)
        self._split.setStretchFactor(0, 0)
        self._split.setStretchFactor(1, 1)
        self._turn()
        self._soon.start()
        self.questions.show_model(model_id, self.page.questions)

    def leave(self) -> None:
        """Close the shown model."""
        self.questions.leave()
        page, self.page = self.page, None
        if page is not None:
            page.closed()
            page.questions.bar.setParent(page)  # deleted with its page
            page.hide()
            page.setParent(None)
            page.deleteLater()

    def stop(self) -> None:
        """Cancel background work when the page is closed."""
        self.leave()
        self.links.stop()

    # -- the canvas

    def _on_measured(self, strengths: Strengths | None) -> None:
        if self.page is not None:
            self.page.canvas.show_strengths(strengths)

    def _on_hidden(self, edges: Collection[Edge]) -> None:
        self._hidden = edges
        self._apply_hidden()

    def _apply_hidden(self) -> None:
        if self.page is not None:
            for ends, item in self.page.scene().edges.items():
                item.setVisible(ends not in self._hidden)

    def _on_edge(self, edge: Edge) -> None:
        if self.page is not None:
            self._app.workspace.select((), (edge,))
            self.page.scene().show_selection((), (edge,))

    # -- layout

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        ways = Qt.Orientation
        wide = self.width() >= BESIDE_FROM * theme().scale
        orientation = ways.Horizontal if wide else ways.Vertical
        if self._split.orientation() != orientation:
            self._split.setOrientation(orientation)
            self._soon.start()

    def _set_sizes(self) -> None:
        """Give the list two fifths of the width; the user can drag the splitter."""
        across = self._split.orientation() == Qt.Orientation.Horizontal
        whole = self._split.width() if across else self._split.height()
        self._split.setSizes([whole * 2 // 5, whole * 3 // 5])
