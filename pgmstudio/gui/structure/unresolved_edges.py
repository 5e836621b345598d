"""Unresolved edges of a learned model: their questions, the bar that asks them, and the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QWidget

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import Pdag, cpdag_of, extension_of, oriented
from pgmstudio.core.languages.bayesian_network.arc_reversal import with_equivalent_graph
from pgmstudio.core.languages.bayesian_network.conversions import plain_network
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.ambiguity import (
    Choices,
    OpenStructure,
    Resolved,
    read_choices,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import skeleton_events
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.model import DirectedModel, Model
from pgmstudio.core.project.edits import (
    Computed,
    choices_of,
    direct_edges,
    resolve_choices,
    same_distribution,
)
from pgmstudio.core.project.project import ModelEntry, Project, Run
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.layers import OpenLink
from pgmstudio.gui.canvas.overlays import TwoLineBar
from pgmstudio.gui.context import AppContext, Edge
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.runs.artifact_source import artifact_in, run_of_model, task_of
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.actions import popup
from pgmstudio.gui.widgets.basic import (
    IconLabel,
    button,
    hbox,
    label,
    literal,
    named,
    tool_button,
)
from pgmstudio.gui.widgets.elided_label import ElidedLabel

MAX_BUTTONS = 2
NARROW = 640  # pixels at 100 %


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to a question: an edge to keep, or a direction."""

    text: str
    edge: Edge
    is_direction: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its possible answers."""

    text: str
    answers: tuple[Answer, ...]


class UnresolvedBar(TwoLineBar):
    """A bar with one question at a time and a button for each answer."""

    answered = Signal(object)  # Answer
    moved = Signal(int)  # to the question before or after
    all_requested = Signal()
    close_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("ambiguousBar", "Unresolved edges", parent)
        self._icon = IconLabel(icon("question", "virtual_ink"))
        self._heading = named(ElidedLabel(), "ambiguous.heading")
        self._count = label("", "secondary", size="dense", name="ambiguous.count")
        self._back = tool_button(
            "caret-left", "Previous question", partial(self.moved.emit, -1), name="ambiguous.back"
        )
        self._forth = tool_button(
            "caret-right", "Next question", partial(self.moved.emit, 1), name="ambiguous.forth"
        )
        self._buttons: list[QPushButton] = []
        self._shown: tuple[Answer, ...] = ()
        self._rest: tuple[Answer, ...] = ()
        top = hbox(
            None,
            self._icon,
            (self._heading, 1),
            self._back,
            self._count,
            self._forth,
            tool_button(
                "x",
                "Close; the edges stay unresolved and their marks disappear",
                self.close_requested.emit,
                name="ambiguous.x",
            ),
            spacing=6,
        )
        self._hint = ElidedLabel("Or click an edge of the graph.", "tertiary")
        self._hint.brief = "Or click an edge."
        self._answers = QHBoxLayout()
        self._answers.setSpacing(6)
        below = hbox(None, self._answers, (self._hint, 1), spacing=6)
        self._all = button(
            "Resolve all by strength",
            self.all_requested.emit,
            role="link",
            name="ambiguous.all",
            tip="Keep the strongest edge of each ambiguous region and the directions as drawn.",
        )
        below.addWidget(self._all)
        self._lay_out(top, below)

    def show_question(self, question: Question, number: int, count: int) -> None:
        """Show a question; `number` is from 0."""
        self._heading.setText(question.text)
        self._heading.setToolTip(question.text)
        self._count.setText(f"{number + 1} of {count}")
        for step in (self._back, self._forth):
            step.setEnabled(count > 1)
        self._show_answers(question.answers)
        self.show()

    def set_busy(self, busy: bool) -> None:
        """Disable the answers while one is being applied."""
        for made in (*self._buttons, self._all):
            made.setEnabled(not busy)

    def _show_answers(self, answers: Sequence[Answer]) -> None:
        for made in self._buttons:
            self._answers.removeWidget(made)
            made.deleteLater()
        self._buttons = []
        for number, answer in enumerate(answers[:MAX_BUTTONS]):
            made = button(
                answer.text,
                partial(self.answered.emit, answer),
                tip=answer.text,
                name=f"ambiguous.answer{number}",
            )
            self._answers.addWidget(made)
            self._buttons.append(made)
        if len(answers) > MAX_BUTTONS:
            tip = "Other edges of this region"
            more = button("More…", self._on_more, tip=tip, name="ambiguous.more")
            self._answers.addWidget(more)
            self._buttons.append(more)
        self._shown, self._rest = tuple(answers[:MAX_BUTTONS]), tuple(answers[MAX_BUTTONS:])
        self._fit()

    def _fit(self) -> None:
        """Shorten long names; the tooltips have the full text."""
        scale = theme().scale
        narrow = self.width() < NARROW * scale
        self._all.setText("Resolve all" if narrow else "Resolve all by strength")
        taken = self._all.sizeHint().width() + (100 if self._rest else 20) * scale
        available = round(max(60.0, (self.width() - taken) / max(1, len(self._shown)) - 48 * scale))
        for made, answer in zip(self._buttons, self._shown, strict=False):
            text = made.fontMetrics().elidedText(
                answer.text, Qt.TextElideMode.ElideMiddle, available
            )
            made.setText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _on_more(self) -> None:
        menu = named(QMenu(self), "ambiguous.menu")
        for answer in self._rest:
            menu.addAction(literal(answer.text), partial(self.answered.emit, answer))
        position = self._buttons[-1]
        popup(menu, position.mapToGlobal(position.rect().bottomLeft()))


@dataclass(frozen=True, eq=False)
class _Turned:
    """The model with a graph in which an edge has the chosen direction."""

    before: BayesianNetwork
    after: BayesianNetwork
    edge: Edge


def free_pdag(dag: Dag, decided: tuple[Edge, ...]) -> Pdag:
    """The equivalence class with these directions and their consequences."""
    cpdag = cpdag_of(dag)
    wanted = [(dag.index(a), dag.index(b)) for a, b in decided if dag.has_edge(a, b)]
    return (oriented(cpdag, wanted) if wanted else cpdag) or cpdag


def direction_questions(free: Iterable[Edge]) -> tuple[Question, ...]:
    """One for each edge that could still point either way."""
    return tuple(
        Question(
            f"{one} – {other} could point either way; both directions fit the data equally well.",
            tuple(Answer(f"{a} → {b}", (a, b), True) for a, b in ((one, other), (other, one))),
        )
        for one, other in free
    )


class UnresolvedDirections(QObject):
    """Undetermined directions of a network: equivalent graphs have the same distribution."""

    changed = Signal()

    def __init__(
        self,
        app: AppContext,
        decided: MutableMapping[str, tuple[Edge, ...]],
        model_id: str,
        parent: QObject,
    ) -> None:
        """`decided`: the chosen directions by model id."""
        super().__init__(parent)
        self._app = app
        self._decided = decided
        self._model_id = model_id
        self._latest_task = LatestTask(self, self._on_turned, self._on_failed)

    @property
    def _network(self) -> BayesianNetwork | None:
        entry = self._app.project.models.get(self._model_id)
        return None if entry is None else plain_network(entry.model)

    @property
    def decided(self) -> tuple[Edge, ...]:
        """Chosen directions that still hold."""
        network = self._network
        known = self._decided.get(self._model_id, ())
        return () if network is None else tuple(e for e in known if network.dag.has_edge(*e))

    @property
    def questions(self) -> tuple[Question, ...]:
        network = self._network
        if network is None:
            return ()
        return direction_questions(free_pdag(network.dag, self.decided).undirected)

    @property
    def is_waiting(self) -> bool:
        return self._latest_task.is_waiting

    def answer(self, answer: Answer) -> None:
        """Direct an edge; the CPTs are computed in the background."""
        network = self._network
        if network is None or self.is_waiting:
            return
        if network.dag.has_edge(*answer.edge):
            self._decide(answer.edge)
            return
        decided = self.decided

        def turn(_cancel: CancelToken) -> _Turned:
            dag = network.dag
            pdag = free_pdag(dag, decided)
            wanted = oriented(pdag, [(dag.index(answer.edge[0]), dag.index(answer.edge[1]))])
            result = None if wanted is None else extension_of(wanted)
            assert result is not None  # the edge is free in the class, so a member has it this way
            return _Turned(network, with_equivalent_graph(network, result), answer.edge)

        self._latest_task.ask(turn)

    def forget(self) -> None:
        """Forget all chosen directions."""
        self._decided.pop(self._model_id, None)
        self.changed.emit()

    def _decide(self, edge: Edge) -> None:
        self._decided[self._model_id] = (*self.decided, edge)
        self.changed.emit()

    def _on_turned(self, turned: _Turned) -> None:
        if turned.before is not self._network:
            self.changed.emit()
            return
        before = self.decided
        text = f"Direct {turned.edge[0]} → {turned.edge[1]}, same distribution"
        before_edges = set(turned.before.dag.edges)
        edges = [edge for edge in turned.after.dag.edges if edge not in before_edges]
        how = partial(direct_edges, model_id=self._model_id, edges=edges)
        result = partial(same_distribution, model_id=self._model_id, model=turned.after)
        edit = Computed(how, result)
        self._decided[self._model_id] = (*before, turned.edge)
        self._app.change(text, edit)
        self.changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self._app.errors.report(error)
        self.changed.emit()

    def stop(self) -> None:
        """Stop background work when the page is closed."""
        self._latest_task.forget()


@dataclass(frozen=True, eq=False)
class _Chosen:
    """The model that follows from the choices, and the text of the undo step."""

    model: Model
    choices: Choices
    undo_text: str


def questions_of(resolved: Resolved) -> list[Question]:
    """The questions: regions first, since they decide which edges exist."""
    questions = [
        Question(
            region.question,
            tuple(Answer(f"Keep {link}", link.edge, False) for link in region.links),
        )
        for region in resolved.regions
    ]
    return [*questions, *direction_questions(resolved.free_edges)]


class UnresolvedController(QObject):
    """The unresolved edges of one model, while its structure is that of its run and choices."""

    changed = Signal()  # new questions, or answers are enabled again

    def __init__(self, app: AppContext, model_id: str, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._app, self._model_id, self._canvas = app, model_id, canvas
        bar = self.bar = UnresolvedBar()
        self.layer = canvas.ambiguous
        self._open: OpenStructure | None = None
        self._task: LearnTask | None = None
        self._resolved: Resolved | None = None
        self._questions: list[Question] = []
        self._number = 0
        self._is_shut = False
        self._is_on_dag = True
        self._pressed: OpenLink | None = None
        self._looking = LatestTask(self, self._show, app.errors.report)
        self._choosing = LatestTask(self, self._on_chosen, self._on_failed)
        bar.answered.connect(self.answer)
        bar.moved.connect(self._on_moved)
        bar.all_requested.connect(self.resolve_all)
        bar.close_requested.connect(self.shut)
        canvas.view.viewport().installEventFilter(self)
        app.document.changed.connect(self._on_document_changed)
        self._load()

    # -- questions

    @property
    def _entry(self) -> ModelEntry | None:
        return self._app.project.models.get(self._model_id)

    @property
    def is_open(self) -> bool:
        """Whether there are questions."""
        return bool(self._questions)

    @property
    def follows_run(self) -> bool:
        """Whether the model is that of its run and the choices so far."""
        return self._resolved is not None

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(self._questions)

    @property
    def is_waiting(self) -> bool:
        return self._looking.is_waiting or self._choosing.is_waiting

    def _load(self) -> None:
        """Load the open structure that the run of the model saved, if any."""
        run_id = run_of_model(self._app.project, self._model_id)
        artifact = None if run_id is None else artifact_in(self._app.project.runs[run_id], "open")
        self._open = artifact if isinstance(artifact, OpenStructure) else None
        self._look()

    def _look(self) -> None:
        """Compute the remaining questions in the background."""
        entry, result = self._entry, self._open
        self._show(None)
        if entry is None or result is None or not isinstance(entry.model, DirectedModel):
            return
        try:
            self._task = task_of(self._app.project, self._run())
        except PgmStudioError:
            return  # the data changed: nothing could be fitted
        task, edges = self._task, set(entry.model.edges)
        text = choices_of(entry)

        def look(cancel: CancelToken) -> Resolved | None:
            choices = read_choices(text, result.names)
            resolved = result.resolved(choices, _rules(task), lenient=True, cancel=cancel)
            return resolved if set(resolved.orientation.dag.edges) == edges else None

        self._looking.ask(look)

    def _run(self) -> Run:
        run_id = run_of_model(self._app.project, self._model_id)
        return self._app.project.runs[run_id or ""]

    def _show(self, resolved: Resolved | None) -> None:
        self._resolved = resolved
        self._questions = [] if resolved is None else questions_of(resolved)
        self._number = min(self._number, max(0, len(self._questions) - 1))
        self._draw()
        self.changed.emit()

    def show_on(self, is_editable: bool) -> None:
        """Draw marks only on the graph itself, not on other diagrams of the model."""
        self._is_on_dag = is_editable
        self._draw()

    def open(self) -> None:
        """Open the bar again."""
        self._is_shut = False
        self._draw()

    def shut(self) -> None:
        self._is_shut = True
        self._draw()

    def _draw(self) -> None:
        shown = self.is_open and not self._is_shut and self._is_on_dag
        self.layer.setVisible(shown)
        self.layer.show_links(self._links() if shown else ())
        self._canvas.refresh_soon()
        if shown:
            count = len(self._questions)
            self.bar.show_question(self._questions[self._number], self._number, count)
        else:
            self.bar.hide()

    def _links(self) -> tuple[OpenLink, ...]:
        resolved = self._resolved
        assert resolved is not None
        edges = set(resolved.orientation.dag.edges)
        current = {frozenset(answer.edge) for answer in self._questions[self._number].answers}

        def drawn(edge: Edge, kind: str) -> OpenLink:
            way = edge if edge in edges or edge[::-1] not in edges else (edge[1], edge[0])
            return OpenLink(way, kind, frozenset(edge) in current)

        links = [
            drawn(link.edge, "kept" if link.kept else "left out")
            for region in resolved.regions
            for link in region.links
        ]
        uncertain = {frozenset(link.edge) for link in links}
        links += [drawn(e, "free") for e in resolved.free_edges if frozenset(e) not in uncertain]
        return tuple(links)

    def _on_document_changed(self, before: Project, after: Project) -> None:
        old, new = before.models.get(self._model_id), after.models.get(self._model_id)
        if new is None or old is new:
            return
        if old is None or old.run_id != new.run_id:
            self._load()
        elif old.model is not new.model or choices_of(old) != choices_of(new):
            self._look()

    # -- answers

    def keep(self, edge: Edge) -> None:
        """Keep an uncertain edge, with the consequences in its region."""
        self._choose(lambda so_far: so_far.with_edge(edge, True), f"Keep {edge[0]} – {edge[1]}")

    def direct(self, edge: Edge) -> None:
        """Direct a free edge, with the directions that follow."""
        self._choose(lambda so_far: so_far.with_direction(edge), f"Direct {edge[0]} → {edge[1]}")

    def resolve_all(self) -> None:
        """Accept everything as drawn, by strength."""
        resolved = self._resolved
        if resolved is None:
            return
        dag = resolved.orientation.dag

        def all_of(so_far: Choices) -> Choices:
            for region in resolved.regions:
                for link in region.links:
                    so_far = so_far.with_edge(link.edge, link.kept)
            for one, other in resolved.free_edges:
                way = (one, other) if dag.has_edge(one, other) else (other, one)
                so_far = so_far.with_direction(way)
            return so_far

        self._choose(all_of, "Resolve all by strength")

    def _choose(self, chosen: Callable[[Choices], Choices], text: str) -> None:
        result, task, resolved = self._open, self._task, self._resolved
        if result is None or task is None or resolved is None or self._choosing.is_waiting:
            return
        choices = chosen(resolved.choices)
        self.bar.set_busy(True)

        def fit(cancel: CancelToken) -> _Chosen:
            after = result.resolved(choices, _rules(task), lenient=True, cancel=cancel)
            return _Chosen(_fitted(after, task, cancel), after.choices, text)

        self._choosing.ask(fit)

    def _on_chosen(self, chosen: _Chosen) -> None:
        self.bar.set_busy(False)
        edit = partial(
            resolve_choices, model_id=self._model_id, model=chosen.model, choose=str(chosen.choices)
        )
        if self._app.change(chosen.undo_text, edit):
            self._app.notify(f"{chosen.undo_text}: CPTs were fitted again.", undo=True)

    def _on_failed(self, error: BaseException) -> None:
        self.bar.set_busy(False)
        self._app.errors.report(error)
        self.changed.emit()

    def answer(self, answer: Answer) -> None:
        """Apply an answer in the background."""
        (self.direct if answer.is_direction else self.keep)(answer.edge)

    def _on_moved(self, step: int) -> None:
        self._number = (self._number + step) % len(self._questions)
        self._draw()
        position = self.layer.middle_of(self._questions[self._number].answers[0].edge)
        if position is not None and not self._canvas.view.sight().contains(position):
            self._canvas.view.centre_on(position)

    # -- clicks on the canvas

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QMouseEvent) or not self.layer.isVisible():
            return False
        is_left = event.button() == Qt.MouseButton.LeftButton
        if event.type() == QEvent.Type.MouseButtonPress and is_left and not event.modifiers():
            under = self._under(event)
            self._pressed = None if under is None else under[0]
            return self._pressed is not None
        if event.type() == QEvent.Type.MouseButtonRelease and is_left and self._pressed is not None:
            pressed, self._pressed = self._pressed, None
            under = self._under(event)
            if under is not None and under[0] == pressed:
                self._click(pressed, under[1])
            return True
        return False

    def _under(self, event: QMouseEvent) -> tuple[OpenLink, float] | None:
        view = self._canvas.view
        point = event.position().toPoint()
        if view.hit(point).node is not None:
            return None
        return self.layer.at(view.mapToScene(point), view.pixels_per_unit)

    def _click(self, link: OpenLink, fraction: float) -> None:
        """Keep a clicked uncertain edge, or direct a free one to the clicked end."""
        one, other = link.edge
        if link.kind == "free":
            self.direct((one, other) if fraction >= 0.5 else (other, one))
        else:
            self.keep(link.edge)

    def stop(self) -> None:
        """Stop background work when the page is closed."""
        self._looking.forget()
        self._choosing.forget()


def _rules(task: LearnTask) -> EdgeRules:
    return EdgeRules.of(task.data.domain.names, task.params.knowledge, None)


def _fitted(resolved: Resolved, task: LearnTask, cancel: CancelToken) -> Model:
    """Fit the CPTs with the settings and the seed of the run."""
    events = skeleton_events(
        task.data,
        resolved.skeleton,
        resolved.orientation,
        _rules(task),
        task.params,
        rows=task.data,
        rng=np.random.default_rng(task.seed),
        cancel=cancel,
    )
    *_, last = events
    assert isinstance(last, Finished)
    return last.model
