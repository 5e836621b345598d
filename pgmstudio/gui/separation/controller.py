"""The controller of separation on a canvas: the query, its answer in the background, the
marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QToolButton, QWidget

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.separation import Meeting, Separation, irrelevant_to, separation_of
from pgmstudio.core.inference.base import Done, InferenceSession, JointSession, Observed
from pgmstudio.core.inference.information_measures import conditional_information_bits
from pgmstudio.core.languages.base import ContextOperations
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.diagrams import diagram_row
from pgmstudio.core.languages.registry import language_of
from pgmstudio.core.model import HasDag, Model
from pgmstudio.core.number_format import counted, general
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.overlays import TwoLineBar
from pgmstudio.gui.canvas.separation_layer import Shown, shown_of
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import allow, button, hbox, literal, named, tool_button
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.number_help import NumberHelp

TOPIC = "separation"
# Fewer bits are rounding errors.
NO_BITS = 1e-12
MAX_LISTED = 12
MAX_NAMED = 2


ROLES = {
    "A": ("A", "The next click on a node chooses A (key A)"),
    "B": ("B", "The next click on a node chooses B (key B)"),
    "Z": ("Given", "The next clicks on nodes choose the given variables (key Z)"),
}
_WIDEST_CHIP = 210


@dataclass(frozen=True)
class ContextAnswer:
    """The answer to a separation query: trails in the graph of the context, and the cases used."""

    trails: Separation
    holds: bool
    context: Mapping[str, str]
    vanished: tuple[str, ...] = ()  # the edges as text
    cases: tuple[str, ...] = ()

    def statement(self, one: str, other: str, known: str) -> str:
        """“A ⟂ B given Z, where C = c”, or that it is not implied."""
        where = ", ".join(f"{name} = {state}" for name, state in self.context.items())
        where = f", where {where}" if where else ""
        if self.holds:
            return f"{one} ⟂ {other}{known}{where}"
        return f"{one} ⟂ {other}{known}{where}: not implied"

    def detail(self) -> str:
        """The explanation of the answer, shown before the trails."""
        parts = []
        if self.vanished:
            more = ", …" if self.vanished[3:] else ""
            parts.append(f"Without {', '.join(self.vanished[:3])}{more}.")
        if self.cases:
            parts.append(f"In every state of {' and '.join(self.cases)} on its own.")
        if not self.holds:
            parts.append("It may still hold: the search is sound, not complete.")
        return " ".join(parts)


def context_answer(
    operations: ContextOperations,
    model: Model,
    context: Mapping[str, str],
    one: str,
    other: str | None,
    given: tuple[str, ...],
    _cancel: CancelToken,
) -> ContextAnswer:
    """The separation of two variables where the context is observed; without B only the variables
    irrelevant to A."""
    # The queried variables are not fixed, even if the context names them.
    fixed = {n: s for n, s in context.items() if n not in (one, other) and n not in given}
    known = (*given, *fixed)
    free = [name for name in model.domain.names if name != one and name not in known]
    end = other or next(iter(free), None)
    if end is None:
        return ContextAnswer(Separation(one, "", known, frozenset(), (), ()), False, fixed)
    result = operations.separation.load()(model, [one], [end], given, fixed)
    trails = result.trails(one, end, known)
    if other is None:
        trails = replace(trails, other="", active=(), blocked=())
        return ContextAnswer(trails, False, fixed)
    gone = tuple(map(result.edge_text, result.vanished))
    return ContextAnswer(trails, result.holds, fixed, gone, result.cases)


def information_in_context(
    operations: ContextOperations,
    model: Model,
    names: Sequence[str],
    context: Mapping[str, str],
    _session: InferenceSession,
    _cancel: CancelToken,
) -> float:
    """I(A;B|Z) in bits where the context is observed; `names` are A, B and those of Z."""
    fixed = {n: s for n, s in context.items() if n not in names}
    return operations.information.load()(model, names, fixed)


class SeparationBar(TwoLineBar):
    """A bar to choose A, B and the given variables, and to show whether they are separated."""

    role_chosen = Signal(str)
    evidence_requested = Signal()
    check_requested = Signal()
    clear_requested = Signal()
    close_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("separationBar", "Separation", parent)
        self._chips: dict[str, QToolButton] = {}
        self._names: dict[str, Sequence[str]] = dict.fromkeys(ROLES, ())
        self._group = QButtonGroup(self)
        top = QHBoxLayout()
        top.setSpacing(6)
        for role, (_, tip) in ROLES.items():
            chip = named(QToolButton(), f"separation.{role}")
            chip.setProperty("role", "segment")
            chip.setProperty("position", "only")
            chip.setCheckable(True)
            chip.setToolTip(tip)
            chip.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            chip.clicked.connect(lambda _=False, role=role: self.role_chosen.emit(role))
            self._group.addButton(chip)
            self._chips[role] = chip
            top.addWidget(chip)
        top.addStretch(1)
        self._evidence = button(
            "Evidence as given",
            self.evidence_requested.emit,
            role="link",
            icon_name="flag-fill",
            tip="Take the observed variables as given",
            name="separation.evidence",
        )
        self._clear = button(
            "Clear",
            self.clear_requested.emit,
            role="link",
            icon_name="eraser",
            tip="Clear A, B and the given variables",
            name="separation.clear",
        )
        top.addWidget(self._evidence)
        top.addWidget(self._clear)
        top.addWidget(tool_button("x", "Close", self.close_requested.emit, name="separation.close"))
        self._icon = QLabel()
        self._heading = named(ElidedLabel("", "heading", is_snug=True), "separation.heading")
        self._detail = named(ElidedLabel("", "secondary"), "separation.detail")
        self._detail.elide = Qt.TextElideMode.ElideRight  # a sentence, not a name
        self._check = button(
            "Check in numbers",
            self.check_requested.emit,
            tip="I(A;B|Z) in the model's own distribution, in bits",
            name="separation.check",
        )
        asked = NumberHelp("I(A;B|Z)")
        below = hbox(
            None, self._icon, self._heading, (self._detail, 1), self._check, asked, spacing=8
        )
        self._lay_out(top, below)
        theme().changed.connect(self._fold)
        self.show_role("A")

    @property
    def detail(self) -> str:
        return self._detail.text()

    def show_role(self, role: str) -> None:
        self._chips[role].setChecked(True)

    def show_names(self, names: dict[str, Sequence[str]]) -> None:
        """Titles by role."""
        self._names = dict(names)
        self._fold()

    def show_text(
        self, heading: str, detail: str, icon_name: str = "", color: str = "text", *, tip: str = ""
    ) -> None:
        """Show the answer and its details; the tooltip has the full text."""
        self._heading.setText(heading)
        self._detail.setText(detail)
        whole = "\n".join(filter(None, [f"{heading}. {detail}", tip]))
        self._detail.setToolTip(whole)
        self._heading.setToolTip(whole)
        self.setAccessibleDescription(f"{heading}. {detail}" if detail else heading)
        self._icon.setVisible(bool(icon_name))
        if icon_name:
            size = theme().px("icon")
            self._icon.setPixmap(icon(icon_name, color).pixmap(size, size))
        self.updateGeometry()

    def allow(self, *, evidence: str = "", check: str = "", clear: str = "") -> None:
        """Set the reason why each button is disabled; empty: it is enabled."""
        for made, reason in (
            (self._evidence, evidence),
            (self._check, check),
            (self._clear, clear),
        ):
            allow(made, reason)

    def show_check(self, shown: bool) -> None:
        """Show or hide the check button; the numbers take its space."""
        self._heading.setMinimumHeight(self._check.sizeHint().height())
        self._check.setVisible(shown)

    def _fold(self) -> None:
        """Shorten the chips to the available width."""
        shown = (self._evidence, self._clear)
        available = self.width() - 70 - sum(made.sizeHint().width() + 6 for made in shown)
        each = max(60, min(_WIDEST_CHIP, available // len(ROLES)))
        for role, chip in self._chips.items():
            word, names = ROLES[role][0], self._names.get(role, ())
            whole = ", ".join(names) if names else "…"
            metrics = QFontMetrics(chip.font())
            left = each - 24 - metrics.horizontalAdvance(f"{word}: ")
            text = whole
            if metrics.horizontalAdvance(whole) > left and len(names) > 1:
                text = f"{len(names)} variables"
            text = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, max(24, left))
            chip.setText(literal(f"{word}: {text}"))
            chip.ensurePolished()
            chip.setMinimumHeight(chip.sizeHint().height())
            chip.setAccessibleName(f"{word}: {whole}. {ROLES[role][1]}")
            chip.setToolTip(f"{word}: {whole}\n{ROLES[role][1]}" if names else ROLES[role][1])

    def minimumSizeHint(self) -> QSize:
        return QSize(320, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()


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
        self._latest_task = LatestTask(self, self._on_answer, app.errors.report)
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
        """Why separation cannot be queried in a diagram; empty when it can."""
        if not self._names():
            return "separation needs a graph, and this model has none."
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
