"""A structure search step by step on the active model: its next moves, vetoes, and their use."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.conversions import plain_network
from pgmstudio.core.languages.bayesian_network.learning.score_based.candidate_moves import (
    SMOOTHING,
    TOP,
    ClimbResult,
    MoveKey,
    MoveList,
    MoveParams,
    NextMove,
    NextMoves,
    moved,
    refitted,
    rules_for,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.markov_network.edge_moves import MARKOV_SCORES, EdgeScores
from pgmstudio.core.languages.markov_network.edge_moves import moved as markov_moved
from pgmstudio.core.languages.markov_network.fitting import fit
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.undirected_rules import UndirectedRules
from pgmstudio.core.model import Model, edge_text
from pgmstudio.core.project import edits
from pgmstudio.core.project.edits import replace_structure
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
    network: BayesianNetwork | MarkovNetwork
    data: DataSet
    knowledge: Knowledge
    params: MoveParams
    vetoes: tuple[MoveKey, ...]

    def is_same(self, other: MoveQuestion | None) -> bool:
        return (
            other is not None
            and self.network is other.network
            and self.data is other.data
            and self.knowledge is other.knowledge
            and (self.model_id, self.params, self.vetoes)
            == (other.model_id, other.params, other.vetoes)
        )


@dataclass(frozen=True, eq=False)
class Taken:
    """The network after some moves, their query, and the text of the undo step."""

    question: MoveQuestion
    network: BayesianNetwork | MarkovNetwork
    moves: tuple[NextMove, ...]
    undo_text: str
    rule: Edit | None = None


class _Counts:
    """The counts of one data set, shared by workers and used by one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: tuple[DataSet, MoveParams] | None = None
        self._moves: NextMoves | None = None
        self._scores: EdgeScores | None = None

    def listing(
        self, question: MoveQuestion, cancel: CancelToken
    ) -> Iterator[Progress | tuple[MoveQuestion, MoveList]]:
        with self._lock:
            network = question.network
            if isinstance(network, MarkovNetwork):
                yield question, self._list(question, network.structure, TOP, cancel)
                return
            moves = self._over(question, network)
            yield from moves.score_graph(network.dag, cancel)
            yield question, moves.list_moves(_rules(question))

    def climbing(
        self, question: MoveQuestion, steps: int | None, smoothing: float, cancel: CancelToken
    ) -> Iterator[Progress | Taken]:
        with self._lock:
            network = question.network
            if isinstance(network, MarkovNetwork):
                yield from self._climb(question, network, steps, smoothing, cancel)
                return
            moves = self._over(question, network)
            for event in moves.climb(network.dag, _rules(question), steps, cancel):
                if isinstance(event, ClimbResult):
                    after = refitted(network, event.dag, question.data, smoothing, cancel)
                    yield Taken(question, after, event.moves, "")
                else:
                    yield event

    def _renew(self, question: MoveQuestion) -> None:
        """Drop the counts of other data or another score; rules and limits do not matter."""
        params = replace(question.params, max_parents=None)
        known = self._known
        if known is None or known[0] is not question.data or known[1] != params:
            self._known = question.data, params
            self._moves = self._scores = None

    def _over(self, question: MoveQuestion, network: BayesianNetwork) -> NextMoves:
        """The moves of a query."""
        self._renew(question)
        data, dag, moves = question.data, network.dag, self._moves
        if moves is None or not moves.fits_memory(dag, data):
            params = replace(question.params, max_parents=None)
            moves = self._moves = NextMoves.over(data, params, dag)
        return moves

    def _list(
        self, question: MoveQuestion, structure: MarkovStructure, top: int, cancel: CancelToken
    ) -> MoveList:
        self._renew(question)
        params = question.params
        if self._scores is None:
            self._scores = EdgeScores(
                question.data,
                MARKOV_SCORES[params.score],
                ess=params.ess,
                lambda_=params.lambda_,
                max_table_cells=params.max_table_cells,
            )
        names = structure.domain.names
        # Tiers order directions, and there are none here.
        known = replace(question.knowledge.among(names), tiers=(), closed_tiers=frozenset())
        rules = UndirectedRules.of(names, known)
        return self._scores.moves(structure, rules, top, question.vetoes, cancel)

    def _climb(
        self,
        question: MoveQuestion,
        network: MarkovNetwork,
        steps: int | None,
        smoothing: float,
        cancel: CancelToken,
    ) -> Iterator[Progress | Taken]:
        structure = network.structure
        taken: list[NextMove] = []
        while steps is None or len(taken) < steps:
            best = self._list(question, structure, 1, cancel)
            if best.is_optimum:
                break
            taken.append(best.moves[0])
            structure = markov_moved(structure, best.moves[0].key)
            score = best.score + best.moves[0].gain
            message = f"{len(taken)} moves taken, score {score:,.1f} bits"
            yield Progress(None if steps is None else len(taken) / steps, message)
        after = _fitted(structure, question.data, smoothing, cancel) if taken else network
        yield Taken(question, after, tuple(taken), "")


def _fitted(
    structure: MarkovStructure, data: DataSet, smoothing: float, cancel: CancelToken
) -> MarkovNetwork:
    return run_to_end(fit(structure, data, smoothing=smoothing, cancel=cancel)).network


def _rules(question: MoveQuestion) -> EdgeRules:
    return rules_for(
        question.network.domain.names,
        question.knowledge,
        question.params.max_parents,
        question.vetoes,
    )


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
        self._counts = _Counts()
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
        self._counts = _Counts()
        self.params, self.status, self.is_taking = MoveParams(), "", False
        self._asked = self.shown = self.move_list = self.looked_at = None

    # -- query

    @property
    def model_id(self) -> str | None:
        return self._app.workspace.model_id

    @property
    def is_undirected(self) -> bool:
        entry = self._app.project.models.get(self.model_id or "")
        return entry is not None and isinstance(entry.model, MarkovNetwork)

    @property
    def score(self) -> str:
        """The score of the moves; one that an undirected graph does not have is BIC there."""
        is_known = not self.is_undirected or self.params.score in MARKOV_SCORES
        return self.params.score if is_known else "bic"

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
            return "open a Bayesian network or a Markov network first."
        if _movable(entry.model) is None:
            return "next moves exist for Bayesian networks and Markov networks."
        if model_sources(self._app).rows(self.model_id or "") is None:
            reason = no_rows_reason(self._app.project, self.model_id or "")
            return reason[0].lower() + reason[1:] if reason.startswith("This") else reason
        return None

    def _question(self) -> MoveQuestion | None:
        model_id = self.model_id
        if model_id is None or self.disabled_reason() is not None:
            return None
        network = _movable(self._app.project.models[model_id].model)
        rows = model_sources(self._app).rows(model_id)
        assert network is not None
        assert rows is not None
        knowledge = self._app.project.knowledge
        params = replace(self.params, score=self.score)
        return MoveQuestion(model_id, network, rows.data, knowledge, params, self.vetoes)

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
            self._looking.follow(partial(self._counts.listing, self._asked))

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
        moves = self.move_list.moves if self.move_list else ()
        move = next((m for m in moves if m.key == key), None)
        taken = () if move is None else (move,)
        smoothing = self._smoothing(question.model_id)

        def fit(cancel: CancelToken) -> Taken:
            network, data = question.network, question.data
            if isinstance(network, MarkovNetwork):
                structure = markov_moved(network.structure, key)
                fitted = _fitted(structure, data, smoothing, cancel)
                return Taken(question, fitted, taken, text, rule)
            after = refitted(network, moved(network.dag, key), data, smoothing, cancel)
            return Taken(question, after, taken, text, rule)

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
                return self._counts.climbing(question, steps, smoothing, cancel)

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
        if entry is None or entry.model is not question.network:
            self._app.notify("The graph has changed meanwhile; no move was made.")
        elif _graph(event.network) == _graph(question.network):
            self._app.notify("No move raises the score; nothing was changed.")
        else:
            self._change(event)
        self.changed.emit()

    def _change(self, taken: Taken) -> None:
        model_id = taken.question.model_id

        def edit(project: Project) -> Project:
            project = project if taken.rule is None else taken.rule(project)
            return replace_structure(project, model_id=model_id, model=taken.network)

        count = len(taken.moves)
        text = taken.undo_text or f"Take {count} best {'move' if count == 1 else 'moves'}"
        self._app.change(text, edit)


def _movable(model: Model) -> BayesianNetwork | MarkovNetwork | None:
    """The model as one whose next moves can be listed."""
    return model if isinstance(model, MarkovNetwork) else plain_network(model)


def _graph(network: BayesianNetwork | MarkovNetwork) -> Dag | MarkovStructure:
    return network.structure if isinstance(network, MarkovNetwork) else network.dag


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
