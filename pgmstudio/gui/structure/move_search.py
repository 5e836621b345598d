"""A structure search step by step on the active model: its next moves, vetoes, and their use."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.base import BAYESIAN_NETWORK, EdgeAnalysis, Language
from pgmstudio.core.languages.registry import edge_analysis, kinds_with, language_of
from pgmstudio.core.learning.edge_moves import (
    SMOOTHING,
    TOP,
    ClimbResult,
    EdgeSearch,
    MoveKey,
    MoveList,
    MoveParams,
    climb,
)
from pgmstudio.core.model import Model, edge_text
from pgmstudio.core.project import edits
from pgmstudio.core.project.edits import replace_structure
from pgmstudio.core.project.model_edits import make_moves
from pgmstudio.core.project.model_rows import no_rows_reason
from pgmstudio.core.project.project import Project
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.project.model_state import ByModel
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.widgets.debounce import one_shot

REST_MS = 30
Edit = Callable[[Project], Project]


@dataclass(frozen=True, eq=False)
class MoveQuestion:
    """The graph, the data and the constraints of a list of moves."""

    model_id: str
    model: Model
    data: DataSet
    knowledge: Knowledge
    params: MoveParams
    vetoes: tuple[MoveKey, ...]

    def is_same(self, other: MoveQuestion | None) -> bool:
        return (
            other is not None
            and self.model is other.model
            and self.data is other.data
            and self.knowledge is other.knowledge
            and (self.model_id, self.params, self.vetoes)
            == (other.model_id, other.params, other.vetoes)
        )

    @property
    def analysis(self) -> EdgeAnalysis:
        return edge_analysis(self.model.kind)

    @property
    def graph(self) -> Any:
        return self.analysis.graph_of(self.model)

    def rules(self) -> Any:
        names = self.model.domain.names
        knowledge = self.knowledge.among(names)
        if not self.analysis.is_directed:  # tiers order directions
            knowledge = replace(knowledge, tiers=(), closed_tiers=frozenset())
        return self.analysis.rules(names, knowledge, self.params.max_parents, self.vetoes)

    def fitted(self, graph: Any, smoothing: float, cancel: CancelToken) -> Model:
        """The model with another graph."""
        return self.analysis.fitted(self.model, graph, self.data, smoothing, cancel)


@dataclass(frozen=True, eq=False)
class Taken:
    """The model after some moves, their query, and the text of the undo step."""

    question: MoveQuestion
    model: Model
    moves: tuple[MoveKey, ...]
    smoothing: float
    undo_text: str
    rule: Edit | None = None


class _Searches:
    """The search over one data set, shared by workers and used by one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: tuple[DataSet, EdgeAnalysis, MoveParams] | None = None
        self._search: EdgeSearch | None = None

    def listing(
        self, question: MoveQuestion, cancel: CancelToken
    ) -> Iterator[Progress | tuple[MoveQuestion, MoveList]]:
        with self._lock:
            search = self._over(question)
            for event in search.list_moves(question.graph, question.rules(), TOP, cancel):
                yield (question, event) if isinstance(event, MoveList) else event

    def climbing(
        self, question: MoveQuestion, steps: int | None, smoothing: float, cancel: CancelToken
    ) -> Iterator[Progress | Taken]:
        with self._lock:
            search = self._over(question)
            for event in climb(search, question.graph, question.rules(), steps, cancel):
                if isinstance(event, ClimbResult):
                    after = question.model
                    if event.moves:
                        after = question.fitted(event.graph, smoothing, cancel)
                    keys = tuple(move.key for move in event.moves)
                    yield Taken(question, after, keys, smoothing, "")
                else:
                    yield event

    def moved(self, question: MoveQuestion, key: MoveKey) -> Any:
        """The graph after a move."""
        with self._lock:
            return self._over(question).moved(question.graph, key)

    def _over(self, question: MoveQuestion) -> EdgeSearch:
        """The search of a query; rules and limits do not matter to its counts."""
        params = replace(question.params, max_parents=None)
        known = self._known
        if (
            self._search is None
            or known is None
            or known[0] is not question.data
            or known[1:] != (question.analysis, params)
        ):
            self._known = question.data, question.analysis, params
            self._search = question.analysis.search(question.data, params, question.graph)
        return self._search


class MoveSearch(QObject):
    """The step-by-step search of a window; it computes moves only while they are shown."""

    changed = Signal()

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self.params = MoveParams()
        self.move_list: MoveList | None = None
        self.shown: MoveQuestion | None = None  # the query of `move_list`
        self.looked_at: MoveKey | None = None
        self.status = ""  # progress or an error message
        self._vetoes: ByModel[tuple[MoveKey, ...]] = ByModel(app.document)
        self._asked: MoveQuestion | None = None
        self.is_watched = self.is_taking = False
        self._searches = _Searches()
        self._looking = LatestTask(self, self._on_looked, self._on_failed)
        self._doing = LatestTask(self, self._on_done, self._on_failed)
        self._rest = one_shot(self, self._ask, REST_MS)
        app.workspace.active_model_changed.connect(self.follow)
        app.document.replaced.connect(self._on_replaced)
        app.document.changed.connect(self.follow)
        self.changed.connect(self._on_changed)

    def _on_changed(self) -> None:
        """Update actions that depend on whether there is a best move."""
        if "learn.best-move" in self._app.actions.by_id:
            self._app.actions.refresh("learn.best-move")

    def _on_replaced(self) -> None:
        self._looking.forget()
        self._doing.forget()
        self._searches = _Searches()
        self.params, self.status, self.is_taking = MoveParams(), "", False
        self._asked = self.shown = self.move_list = self.looked_at = None

    # -- query

    @property
    def model_id(self) -> str | None:
        return self._app.workspace.model_id

    @property
    def is_undirected(self) -> bool:
        return not self._analysis.is_directed

    @property
    def scores(self) -> Mapping[str, str]:
        """What the scores of moves are called in the language of the model."""
        return self._analysis.move_scores

    @property
    def score(self) -> str:
        """The score of the moves; one that the language does not have is its first."""
        scores = self.scores
        return self.params.score if self.params.score in scores else next(iter(scores))

    @property
    def _analysis(self) -> EdgeAnalysis:
        entry = self._app.project.models.get(self.model_id or "")
        return edge_analysis(BAYESIAN_NETWORK if entry is None else entry.model.kind)

    @property
    def vetoes(self) -> tuple[MoveKey, ...]:
        return self._vetoes.get(self.model_id or "", ())

    @property
    def is_waiting(self) -> bool:
        """Whether the shown moves do not belong to the current graph."""
        return self.is_taking or self._asked is not self.shown

    def disabled_reason(self) -> str | None:
        """Why there are no moves; None when there are."""
        entry = self._app.project.models.get(self.model_id or "")
        if entry is None:
            return f"open {kinds_with(_has_moves)} first."
        if not _has_moves(language_of(entry.model)):
            return f"next moves are those of {kinds_with(_has_moves)}."
        if model_sources(self._app).rows(self.model_id or "") is None:
            reason = no_rows_reason(self._app.project, self.model_id or "")
            return reason[0].lower() + reason[1:] if reason.startswith("This") else reason
        return None

    def _question(self) -> MoveQuestion | None:
        model_id = self.model_id
        if model_id is None or self.disabled_reason() is not None:
            return None
        model = self._app.project.models[model_id].model
        rows = model_sources(self._app).rows(model_id)
        assert rows is not None
        knowledge = self._app.project.knowledge
        params = replace(self.params, score=self.score)
        return MoveQuestion(model_id, model, rows.data, knowledge, params, self.vetoes)

    # -- listing moves

    def watch(self, is_watched: bool) -> None:
        """Set whether the moves are shown."""
        if is_watched != self.is_watched:
            self.is_watched = is_watched
            if not is_watched:
                self._looking.forget()
                self._asked = self.shown = self.move_list = None
            self.follow()

    def follow(self, *_: object) -> None:
        """Update after a change of model, data, rules, limits or vetoes."""
        if not self.is_watched:
            self.changed.emit()
            return
        question = self._question()
        if question is None:
            self._rest.stop()
            self._looking.forget()
            self._asked = self.shown = self.move_list = None
            self.status = ""
        elif not question.is_same(self._asked):
            self._asked = question
            if self.shown is not None and self.shown.model_id != question.model_id:
                self.shown = self.move_list = None
                self.status = ""
            self._rest.start()
        self.changed.emit()

    def measure(self, params: MoveParams) -> None:
        """Set the score and the maximum number of parents."""
        if params != self.params:
            self.params = params
            self.follow()

    def look_at(self, key: MoveKey | None) -> None:
        """Emphasise a move on the canvas."""
        if key != self.looked_at:
            self.looked_at = key
            self.changed.emit()

    def _ask(self) -> None:
        if self._asked is not None:
            self._looking.follow(partial(self._searches.listing, self._asked))

    def _on_looked(self, event: Progress | tuple[MoveQuestion, MoveList]) -> None:
        if isinstance(event, Progress):
            self.status = event.message
        else:
            self.shown, self.move_list = event
            self.status = ""
            keys = [move.key for move in self.move_list.moves]
            if self.looked_at not in keys:
                self.looked_at = keys[0] if keys else None
        self.changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self.status = str(error) if isinstance(error, PgmStudioError) else ""
        self.is_taking = False
        self.changed.emit()
        self._app.errors.report(error)

    # -- vetoes

    def veto(self, key: MoveKey) -> None:
        """Exclude a move from this search until it is allowed again."""
        if self.model_id is not None and key not in self.vetoes:
            self._vetoes[self.model_id] = (*self.vetoes, key)
            self.follow()

    def allow(self, key: MoveKey) -> None:
        if self.model_id is not None:
            self._vetoes[self.model_id] = tuple(k for k in self.vetoes if k != key)
            self.follow()

    # -- making moves

    def take(self, key: MoveKey) -> None:
        """Make this move; the affected CPTs are fitted to the data."""
        self._take(key, str(key), None)

    def force(self, key: MoveKey) -> None:
        """Make this move and add a rule so that no search reverts it; contexts have no rules."""
        entry = self._app.project.models.get(self.model_id or "")
        if entry is None or key.context:
            self.take(key)
            return
        brought = key.brought
        edge = (key.source, key.target) if brought is None else brought
        edit = edits.forbid_edge if brought is None else edits.require_edge
        verb = "Remove and forbid" if brought is None else "Require"
        text = f"{verb} {edge_text(entry.model, *edge)}"
        self._take(key, text, edits.rule_edit(edit, entry.model, *edge))

    def _take(self, key: MoveKey, text: str, rule: Edit | None) -> None:
        question = self._current()
        if question is None:
            return
        smoothing = self._smoothing(question.model_id)

        def fit(cancel: CancelToken) -> Taken:
            graph = self._searches.moved(question, key)
            after = question.fitted(graph, smoothing, cancel)
            return Taken(question, after, (key,), smoothing, text, rule)

        self.is_taking = True
        self._doing.ask(fit)
        self.changed.emit()

    def take_best(self, steps: int | None) -> None:
        """Make the best move `steps` times, or until none raises the score, as one undoable
        step."""
        question = self._current()
        if question is not None:
            smoothing = self._smoothing(question.model_id)

            def climb(cancel: CancelToken) -> Iterator[Progress | Taken]:
                return self._searches.climbing(question, steps, smoothing, cancel)

            self.is_taking = True
            self._doing.follow(climb)
            self.changed.emit()

    def stop(self) -> None:
        """Cancel; the graph stays as it is."""
        self._doing.forget()
        self.is_taking = False
        self.status = ""
        self.changed.emit()

    def _current(self) -> MoveQuestion | None:
        """The shown query, unless the project changed since or a move is being made."""
        question = self._question()
        if self.is_taking or question is None or not question.is_same(self.shown):
            return None
        return question

    def _smoothing(self, model_id: str) -> float:
        """The smoothing of the run that made the model, else one row per cell."""
        run = model_sources(self._app).run(model_id)
        return SMOOTHING if run is None else run.measures.get("smoothing", SMOOTHING)

    def _on_done(self, event: Progress | Taken) -> None:
        if isinstance(event, Progress):
            self.status = event.message
            self.changed.emit()
            return
        self.status, self.is_taking = "", False
        question = event.question
        entry = self._app.project.models.get(question.model_id)
        if entry is None or entry.model is not question.model:
            self._app.notify("The graph has changed meanwhile; no move was made.")
        elif question.analysis.graph_of(event.model) == question.graph:
            self._app.notify("No move raises the score; nothing was changed.")
        else:
            self._change(event)
        self.changed.emit()

    def _change(self, taken: Taken) -> None:
        model_id = taken.question.model_id

        moves = [
            (key.action, key.source, key.target, *filter(None, (key.context,)))
            for key in taken.moves
        ]
        how = partial(make_moves, model_id=model_id, moves=moves, smoothing=taken.smoothing)
        result = partial(replace_structure, model_id=model_id, model=taken.model)
        rule = () if taken.rule is None else (taken.rule,)
        edit = edits.InOrder((*rule, edits.Computed(how, result)))
        count = len(taken.moves)
        text = taken.undo_text or f"Take {count} best {'move' if count == 1 else 'moves'}"
        self._app.change(text, edit)


def _has_moves(row: Language) -> bool:
    return row.edge_analysis is not None


def move_search(app: AppContext) -> MoveSearch:
    """The `MoveSearch` of a window, made on first use."""
    return app.service(MoveSearch)


class MovesController(QObject):
    """Shows the next moves on the canvas of one model page."""

    def __init__(self, app: AppContext, model_id: str, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._model_id, self._canvas = model_id, canvas
        self._search = move_search(app)
        self._is_on_dag = True
        self._search.changed.connect(self._draw)

    def show_on(self, is_editable: bool) -> None:
        """Draw moves only on the graph itself, not on other diagrams of the model."""
        self._is_on_dag = is_editable
        self._draw()

    def _draw(self) -> None:
        search, layer = self._search, self._canvas.moves
        shown = search.shown
        is_own = shown is not None and shown.model_id == self._model_id
        result = search.move_list if is_own else None
        drawn: list[tuple[int, MoveKey]] = []
        if result is not None and self._is_on_dag:
            # Moves that lower the score are drawn only while they are selected.
            drawn = [
                (number, move.key)
                for number, move in enumerate(result.moves, start=1)
                if result.raises(move) or move.key == search.looked_at
            ]
        if drawn or layer.moves:
            layer.show_moves(drawn, search.looked_at)
            self._canvas.refresh_soon()
