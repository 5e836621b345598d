"""Which way edges point where the data cannot tell: one decided after another, what follows too."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.graphs.cpdag import Pdag, cpdag_of, extension_of, oriented
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.models.arc_reversal import with_equivalent_graph
from pgmstudio.core.models.bayesian_network import BayesianNetwork
from pgmstudio.core.project.equivalence_edits import same_distribution
from pgmstudio.core.running import CancelToken
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.pages.stepwise_plan import Edge, StepPlan
from pgmstudio.gui.views.ambiguous_bar import Answer, Question
from pgmstudio.gui.workers.questions import Asker


@dataclass(frozen=True, eq=False)
class _Turned:
    """The model over a graph in which an edge points as it was decided."""

    before: BayesianNetwork
    after: BayesianNetwork
    edge: Edge


def free_pdag(dag: Dag, decided: tuple[Edge, ...]) -> Pdag:
    """The equivalence class with these directions and all that follow from them."""
    cpdag = cpdag_of(dag)
    wanted = [(dag.index(a), dag.index(b)) for a, b in decided if dag.has_edge(a, b)]
    return (oriented(cpdag, wanted) if wanted else cpdag) or cpdag


def direction_questions(pdag: Pdag) -> tuple[Question, ...]:
    """One for each edge that could still point either way."""
    return tuple(
        Question(
            f"{one} – {other} could point either way; the data say the same of both.",
            tuple(Answer(f"{a} → {b}", (a, b), True) for a, b in ((one, other), (other, one))),
        )
        for one, other in pdag.undirected
    )


class FreeDirections(QObject):
    """Of a network that no tests left open: equivalent graphs hold the same distribution."""

    changed = Signal()

    def __init__(self, shell: Shell, plan: StepPlan, model_id: str, parent: QObject) -> None:
        super().__init__(parent)
        self._shell, self._plan, self._model_id = shell, plan, model_id
        self._asker = Asker(self)
        self._asker.answered.connect(self._on_turned)
        self._asker.failed.connect(self._on_failed)

    @property
    def _network(self) -> BayesianNetwork | None:
        entry = self._shell.project.models.get(self._model_id)
        model = None if entry is None else entry.model
        return model if isinstance(model, BayesianNetwork) else None

    @property
    def decided(self) -> tuple[Edge, ...]:
        """Directions that were decided and still hold."""
        network = self._network
        known = self._plan.decided.get(self._model_id, ())
        return () if network is None else tuple(e for e in known if network.dag.has_edge(*e))

    @property
    def questions(self) -> tuple[Question, ...]:
        network = self._network
        if network is None:
            return ()
        return direction_questions(free_pdag(network.dag, self.decided))

    @property
    def is_waiting(self) -> bool:
        return self._asker.is_waiting

    def answer(self, answer: Answer) -> None:
        """The edge points this way; the tables are carried over in the background."""
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
            found = None if wanted is None else extension_of(wanted)
            assert found is not None  # the edge is free in the class, so a member has it this way
            return _Turned(network, with_equivalent_graph(network, found), answer.edge)

        self._asker.ask(turn)

    def forget(self) -> None:
        """Ask again about everything that was decided."""
        self._plan.decided.pop(self._model_id, None)
        self.changed.emit()

    def _decide(self, edge: Edge) -> None:
        self._plan.decided[self._model_id] = (*self.decided, edge)
        self.changed.emit()

    def _on_turned(self, turned: _Turned) -> None:
        if turned.before is not self._network:
            self.changed.emit()
            return
        kept = self.decided
        words = f"Direct {turned.edge[0]} → {turned.edge[1]}, same distribution"
        edit = partial(same_distribution, model_id=self._model_id, model=turned.after)
        self._plan.decided[self._model_id] = (*kept, turned.edge)
        self._shell.change(words, edit)
        self.changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self._shell.errors.report(error)
        self.changed.emit()

    def stop(self) -> None:
        """Nothing goes on behind a closed page."""
        self._asker.forget()
