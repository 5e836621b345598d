"""The controller of d-separation on a canvas: the query, its answer in the background, the
marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject

from pgmstudio.core.analysis.edge_strength import JointSession
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.separation import Meeting, Separation, irrelevant_to, separation_of
from pgmstudio.core.inference.base import Done, InferenceSession, Observed
from pgmstudio.core.inference.information_measures import conditional_information_bits
from pgmstudio.core.languages.base import ContextOperations
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.diagrams import diagram_row
from pgmstudio.core.languages.registry import language_of
from pgmstudio.core.model import HasDag, Model
from pgmstudio.core.number_format import counted, general
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.layers.separation import Shown, shown_of
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.separation.bar import SeparationBar
from pgmstudio.gui.separation.context_answer import (
    ContextAnswer,
    context_answer,
    information_in_context,
)

TOPIC = "separation"
# Fewer bits are rounding errors.
NO_BITS = 1e-12
MAX_LISTED = 12
MAX_NAMED = 2


def separation_graph(model: Model) -> Dag | None:
    """The directed graph of a model; None where it has none.

    The separations of a tree do not depend on the direction of its edges.
    """
    network = as_network(model)
    if network is not None:
        return network.dag
    return model.dag if isinstance(model, HasDag) else None


def information(
    names: Sequence[str], session: InferenceSession, cancel: CancelToken
) -> float | None:
    """I(A;B|Z) in bits without evidence; `names` are A, B and those of Z."""
    if not isinstance(session, JointSession):
        return None
    return conditional_information_bits(session.joint(list(names)))


class SeparationController(QObject):
    """The separation queries of one model page; `is_open` while the bar is shown."""

    def __init__(self, app: AppContext, model_id: str, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._app, self._model_id, self._canvas = app, model_id, canvas
        bar = self.bar = SeparationBar()  # the page adds it to its layout
        self._one: str | None = None
        self._other: str | None = None
        self._given: list[str] = []
        self._role = "A"
        self.answer: Separation | None = None
        self.in_context: ContextAnswer | None = None
        self._numbers = ""
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_answer)
        self._latest_task.failed.connect(app.errors.report)
        canvas.signals.pick.connect(self.pick)
        bar.role_chosen.connect(self.choose_role)
        bar.evidence_requested.connect(self.take_evidence)
        bar.check_requested.connect(self.check)
        bar.clear_requested.connect(self.clear)
        bar.close_requested.connect(self.close)
        app.workspace.beliefs_changed.connect(self._on_beliefs_changed)
        context_views(app).changed.connect(self._on_beliefs_changed)
        self._asked_about = self._asked_now()

    # -- query

    @property
    def is_open(self) -> bool:
        return not self.bar.isHidden()

    @property
    def role(self) -> str:
        """The role that the next click chooses."""
        return self._role

    @property
    def question(self) -> tuple[str | None, str | None, tuple[str, ...]]:
        return self._one, self._other, tuple(self._given)

    @property
    def _live(self) -> BeliefService:
        return self._app.workspace.beliefs(self._model_id)

    @property
    def _model(self) -> Model | None:
        entry = self._app.project.models.get(self._model_id)
        return None if entry is None else entry.model

    @property
    def _operations(self) -> ContextOperations | None:
        return None if self._model is None else language_of(self._model).contexts

    def _asked_now(self) -> tuple[object, ...]:
        """What an answer depends on: the model and its context, or its directed graph."""
        if self._operations is not None:
            return (self._model, self._context)
        return (None if self._model is None else separation_graph(self._model),)

    def _names(self) -> tuple[str, ...]:
        """The variables that can be picked."""
        if self._model is None or self._asked_now()[0] is None:
            return ()
        return self._model.domain.names

    @property
    def _context(self) -> dict[str, str]:
        return context_views(self._app).context(self._model_id)

    def disabled_reason(self, picture: str = "") -> str:
        """Why d-separation cannot be queried in a diagram; empty when it can."""
        if not self._names():
            return "d-separation is about the edges of a directed graph or a tree."
        diagram = diagram_row(self._app.project.models[self._model_id].model, picture)
        if diagram is not None and not diagram.has_variables:
            return "the nodes of this diagram are sets of variables; show another diagram."
        return ""

    def open(self) -> None:
        """Open the bar; two selected nodes become A and B."""
        if self.is_open:
            return
        self.bar.show()
        chosen = self._app.workspace.selection.nodes
        if self._one is None and self._other is None and 1 <= len(chosen) <= 2:
            self._one, self._other = (*chosen, None)[:2]
            self._role = "B" if self._other is None else "Z"
        self._ask()

    def close(self) -> None:
        self.bar.hide()
        self.stop()
        self._canvas.separation.show(Shown())
        self._canvas.refresh_soon()
        if self._canvas.view.tool.name == "separation":
            self._canvas.signals.tool.emit("select")
        self._app.actions.refresh()

    def choose_role(self, role: str) -> None:
        self._role = role
        self.bar.show_role(role)
        self._canvas.signals.tool.emit("separation")

    def pick(self, node: str, role: str = "") -> None:
        """Give a node a role, or remove that role; then go to the next role."""
        if node not in self._names():
            self._canvas.refuse(
                self.disabled_reason() or "only variables can be picked; show the graph."
            )
            return
        if not self.is_open:
            self.bar.show()
        role = role or self._role
        had = self._letters().get(node)
        self._drop(node)
        if had != role:
            if role == "A":
                self._one = node
            elif role == "B":
                self._other = node
            else:
                self._given.append(node)
            self._role = self._next(role)
        else:
            self._role = role
        self._ask()

    def _next(self, role: str) -> str:
        if role == "Z":
            return "Z"
        return "A" if self._one is None else "B" if self._other is None else "Z"

    def _drop(self, node: str) -> None:
        self._one = None if self._one == node else self._one
        self._other = None if self._other == node else self._other
        self._given = [name for name in self._given if name != node]

    def no_evidence_reason(self) -> str:
        """Why the evidence cannot be taken as given; empty when it can."""
        seen = any(isinstance(f, Observed | Done) for f in self._live.evidence.values())
        return "" if seen else "nothing is observed; click a state first."

    def take_evidence(self) -> None:
        """Take observed variables and interventions as given; A and B stay."""
        self._given = [
            name
            for name, finding in self._live.evidence.items()
            if isinstance(finding, Observed | Done) and name not in (self._one, self._other)
        ]
        self._ask()

    def clear(self) -> None:
        self._one, self._other, self._given, self._role = None, None, [], "A"
        self._ask()

    # -- the answer

    def _letters(self) -> dict[str, str]:
        letters = dict.fromkeys(self._given, "Z")
        if self._one is not None:
            letters[self._one] = "A"
        if self._other is not None:
            letters[self._other] = "B"
        return letters

    def _ask(self) -> None:
        self.answer, self.in_context, self._numbers = None, None, ""
        self._live.side.forget(TOPIC)
        asked = self._asked_about = self._asked_now()
        self._show()
        if asked[0] is None or self._one is None:
            self._latest_task.forget()
            return
        one, other, given = self.question
        model, operations = self._model, self._operations
        if model is not None and operations is not None:
            ask = partial(context_answer, operations, model, self._context)
            self._latest_task.ask(partial(ask, one or "", other, given))
        elif isinstance(asked[0], Dag):
            self._latest_task.ask(partial(_answer, asked[0], one or "", other, given))

    def _on_answer(self, result: Separation | ContextAnswer) -> None:
        self.in_context = result if isinstance(result, ContextAnswer) else None
        self.answer = result.trails if isinstance(result, ContextAnswer) else result
        self._show()

    def _show(self) -> None:
        """Show the letters now and the trails when they are computed."""
        if not self.is_open:
            return
        title = self._title
        self.bar.show_role(self._role)
        self.bar.show_names(
            {
                "A": [title(self._one)] if self._one else [],
                "B": [title(self._other)] if self._other else [],
                "Z": [title(name) for name in self._given],
            }
        )
        self._canvas.separation.show(shown_of(self._letters(), self.answer))
        self._canvas.refresh_soon()
        self._show_answer()
        self._allow()

    def _title(self, name: str | None) -> str:
        titles = self._app.project.models[self._model_id].node_titles
        return titles.get(name or "", name or "")

    def _show_answer(self) -> None:
        result = self.answer
        self.bar.show_check(not self._numbers)
        if self._one is None:
            self.bar.show_text("Click a node for A.", "Then one for B, then the given variables.")
        elif result is None:
            self.bar.show_text("…", "")
        elif self._other is None:
            count = counted(len(result.irrelevant), "variable")
            verb = "is" if len(result.irrelevant) == 1 else "are"
            self.bar.show_text("Click a node for B.", f"{count} {verb} irrelevant to A.")
        else:
            known = f" given {self._names_text(self._given)}" if self._given else ""
            one, other = self._title(self._one), self._title(self._other)
            if self.in_context is not None:
                heading = self.in_context.statement(one, other, known)
                holds = self.in_context.holds
                look = ("check-circle", "success_ink") if holds else ("path", "accent")
            elif result.is_separated:
                heading, look = f"{one} ⟂ {other}{known}", ("check-circle", "success_ink")
            else:
                heading = f"{one} and {other} are connected{known}"
                look = ("path", "accent")
            self.bar.show_text(
                heading, self._details(result), *look, tip=self._trails_listed(result)
            )

    def _names_text(self, names: Sequence[str]) -> str:
        """The names, or their number if there are three or more."""
        few = len(names) <= MAX_NAMED
        return ", ".join(map(self._title, names)) if few else counted(len(names), "variable")

    def _details(self, result: Separation) -> str:
        parts = [self._numbers] if self._numbers else []
        if self.in_context is not None:
            parts += filter(None, [self.in_context.detail()])
        if result.active:
            more = " and more" if result.has_more else ""
            parts.append(f"{counted(len(result.active), 'active trail')}{more}.")
        elif result.blocked:
            parts.append(f"Blocked at {self._stops(result)}.")
        else:
            parts.append("No trail joins them.")
        return " ".join(parts)

    def _stops(self, result: Separation) -> str:
        """The first blocking node of every trail: given nodes and colliders."""
        blocks = dict.fromkeys(trail.blocks[0] for trail in result.blocked)
        known = [self._title(b.node) for b in blocks if b.meeting is not Meeting.COLLIDER]
        closed = [self._title(b.node) for b in blocks if b.meeting is Meeting.COLLIDER]
        parts = [f"{', '.join(known)} (given)"] if known else []
        word = "collider" if len(closed) == 1 else "colliders"
        parts += [f"{', '.join(closed)} ({word}, nothing given below)"] if closed else []
        return " and ".join(parts)

    def _trails_listed(self, result: Separation) -> str:
        """Every trail with its reasons, for the tooltip."""
        known = ", ".join(map(self._title, self._given))
        lines = [f"given: {known}"] if known else []
        lines += [f"active: {trail}" for trail in result.active[:MAX_LISTED]]
        lines += [
            f"blocked: {trail} ({'; '.join(map(str, trail.blocks))})"
            for trail in result.blocked[: max(0, MAX_LISTED - len(result.active))]
        ]
        if len(result.active) + len(result.blocked) > MAX_LISTED or result.has_more:
            lines.append("… and more")
        return "\n".join(lines)

    def _allow(self) -> None:
        is_whole = self.answer is not None and self._other is not None
        error = self._live.error
        self.bar.allow(
            evidence=self.no_evidence_reason(),
            check="choose A and B first."
            if not is_whole
            else ("" if error is None else str(error)),
            clear="" if self._letters() else "nothing is chosen.",
        )

    # -- in numbers

    def check(self) -> None:
        """Compute I(A;B|Z) of the model in the background."""
        one, other, given = self.question
        if one is None or other is None:
            return
        self._show_numbers("Computing…")
        names = (one, other, *given)
        question: Callable[..., float | None] = partial(information, names)
        model, operations = self._model, self._operations
        if model is not None and operations is not None:
            question = partial(information_in_context, operations, model, names, self._context)
        self._live.side.ask(TOPIC, question, self._on_numbers, self._on_no_numbers)

    def _on_numbers(self, bits: float | None) -> None:
        if bits is None:
            self._show_numbers("This model has no joint distributions to check it.")
            return
        text = "I(A;B|Z)" if self._given else "I(A;B)"
        if bits >= NO_BITS:
            shown = f"{bits:.4f}" if bits >= 0.0005 else general(bits, 2)
            self._show_numbers(f"{text} = {shown} bits.")
        elif self.answer is not None and not self.answer.is_separated:
            self._show_numbers(f"{text} = 0 bits: independent by the parameters, not by the graph.")
        else:
            self._show_numbers(f"{text} = 0 bits.")

    def _on_no_numbers(self, error: PgmStudioError) -> None:
        self._show_numbers(str(error))

    def _show_numbers(self, text: str) -> None:
        self._numbers = text
        self._show_answer()

    # -- changes

    def _on_beliefs_changed(self, model_id: str) -> None:
        if model_id != self._model_id or not self.is_open:
            return
        asked = self._asked_now()
        if asked[0] is self._asked_about[0] and asked[1:] == self._asked_about[1:]:
            self._allow()
            return
        names = self._names()
        for node in [node for node in self._letters() if node not in names]:
            self._drop(node)
        self._ask()

    def stop(self) -> None:
        """Stop background work."""
        self._latest_task.forget()
        if self._model_id in self._app.project.models:
            self._live.side.forget(TOPIC)


def _answer(
    graph: Dag, one: str, other: str | None, given: tuple[str, ...], _cancel: CancelToken
) -> Separation:
    """The answer of a query; without B only the variables irrelevant to A."""
    if other is None:
        return Separation(one, "", given, irrelevant_to(graph, one, given), (), ())
    return separation_of(graph, one, other, given)
