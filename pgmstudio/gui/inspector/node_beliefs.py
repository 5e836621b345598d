"""The tab Belief of a variable: bars, likelihoods, evidence, largest changes, next question."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from pgmstudio.core.analysis.belief_query import become
from pgmstudio.core.analysis.value_of_information import information_about
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.drawing.svg.nodes import mark_of
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.base import (
    Done,
    Finding,
    InferenceSession,
    Likelihood,
    Scale,
    as_seen,
    weights_of,
)
from pgmstudio.core.inference.information_measures import ranked, shift_bits, shifts_bits
from pgmstudio.core.number_format import percent
from pgmstudio.gui.beliefs.evidence_diagnostics import (
    EvidenceDiagnostics,
    stop_listening,
    trace_text,
)
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import no_probabilities_reason
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.evidence.evidence_list import EvidenceSection
from pgmstudio.gui.evidence.likelihood_sliders import LikelihoodSliders
from pgmstudio.gui.evidence.state_gestures import tip_in, use_in
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar
from pgmstudio.gui.widgets.bar_rows import RIGHT, PlainRows, RankBars
from pgmstudio.gui.widgets.basic import Section, button, label, row, set_role, vbox
from pgmstudio.gui.widgets.belief_bars import Bars, BeliefBars, tuple_of
from pgmstudio.gui.widgets.debounce import one_shot

MAX_ROWS = 8

LIKELIHOOD_TIP = "Enter the likelihood of the observation in each state (L)."


class EvidenceImpactSection(Section):
    """Hidden while the variable has no evidence of its own."""

    def __init__(self) -> None:
        super().__init__("Without its own evidence")
        self.setObjectName("inspectorCautious")
        self.bars = PlainBars("inspectorCautiousBars")
        self._text = label("", "secondary", size="dense", wrap=True, name="inspectorEvidenceImpact")
        self.add(self.bars, self._text)
        self._keeper: EvidenceDiagnostics | None = None
        self._subject: ActiveModel | None = None
        self._name = ""

    def show_node(self, subject: ActiveModel, name: str) -> None:
        self._subject, self._name = subject, name
        keeper = subject.live.diagnostics
        if keeper is not self._keeper:
            stop_listening(self._keeper, self._refresh)
            self._keeper = keeper
            keeper.changed.connect(self._refresh)
        if name in subject.live.evidence:
            keeper.follow()
        self._refresh()

    def _refresh(self) -> None:
        subject, keeper = self._subject, self._keeper
        trace = None if keeper is None else keeper.traced.traces.get(self._name)
        self.setVisible(trace is not None)
        if subject is None or trace is None or self._name not in subject.model.domain:
            return
        states = subject.variable(self._name).states
        prior = subject.live.priors.get(self._name, ())
        self.bars.show_bars(states, [float(v) for v in trace.own_belief], [float(v) for v in prior])
        self._text.setText(trace_text(trace))


class PlainBars(PlainRows):
    """States with bars and numbers; the prior as an outline."""

    air = 5

    def __init__(self, name: str) -> None:
        tip = "The belief given only the other evidence; the outline is the prior."
        super().__init__(name, "Belief without its own evidence", tip)
        self._rows: list[tuple[str, float, float | None]] = []

    @property
    def beliefs(self) -> dict[str, float]:
        return {state: value for state, value, _ in self._rows}

    def show_bars(self, states: tuple[str, ...], values: list[float], priors: list[float]) -> None:
        """The most probable states first where there are many."""
        pairs = priors if len(priors) == len(values) else [None] * len(values)
        rows = list(zip(states, values, pairs, strict=True))
        if len(rows) > MAX_ROWS:
            rows = sorted(rows, key=lambda one: -one[1])[:MAX_ROWS]
        self._rows = rows
        text = ", ".join(f"{state} {percent(value)} percent" for state, value, _ in rows)
        self.setAccessibleName(f"Without its own evidence: {text}")
        self.updateGeometry()
        self.update()

    def _row_count(self) -> int:
        return len(self._rows)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = theme().font("dense")
        painter.setFont(font)
        metrics = QFontMetrics(font)
        number = metrics.horizontalAdvance("100.0") + 8
        left, right = self.width() * 0.34, self.width() - number
        height = self._row_height()
        for index, (state, value, prior) in enumerate(self._rows):
            rect = QRectF(0, index * height, self.width(), height)
            painter.setPen(theme().color("text"))
            self._paint_name(painter, rect, state, left)
            painter.drawText(rect, RIGHT, percent(value))
            bar = QRectF(left, rect.center().y() - 4.5, right - left, 9)
            paint_bar(painter, bar, Bar(value, prior=prior))


ASK_NEXT = "ask-next"
# While evidence is being dragged, what takes longer waits until it rests.
REST_MS = 150
MAX_QUERIED = 60


def bars_of(subject: ActiveModel, name: str) -> Bars:
    """The bars of one variable as they are shown now."""
    live, variable = subject.live, subject.variable(name)
    belief, prior = live.beliefs.get(name, ()), live.priors.get(name, ())
    finding = live.evidence.get(name)
    weights = () if finding is None else tuple_of(weights_of(variable, as_seen(finding)))
    is_done = isinstance(finding, Done)
    return Bars(
        title=subject.title(name),
        states=variable.states,
        beliefs=tuple_of(belief) if len(belief) == variable.cardinality else (),
        priors=tuple_of(prior) if len(prior) == variable.cardinality else (),
        mark=mark_of(dict(zip(variable.states, weights, strict=True)), is_done=is_done)
        if weights
        else None,
        weights=weights if isinstance(finding, Likelihood) else (),
        impossible=frozenset(s for s in variable.states if live.is_impossible(name, s)),
        most_probable=live.most_probable.get(name),
        is_stale=live.is_stale or name in subject.waiting,
        scale=live.scale,
        errors=tuple_of(live.errors.get(name, ())),
    )


def information_around(
    domain: Domain,
    evidence: Mapping[str, Finding],
    name: str,
    session: InferenceSession,
    cancel: CancelToken,
) -> tuple[str, dict[str, float]]:
    """The name, and the mutual information of every other variable with it given the evidence."""
    become(session, evidence)
    return name, information_about(session, domain, name, cancel)


def show_waiting(fact: QLabel, subject: ActiveModel, name: str) -> None:
    """Why the bars of a variable are grey: they wait for a table, or are not computed yet."""
    waits = name in subject.waiting
    set_role(fact, "chip-warning" if waits else "tertiary")
    fact.setText("waits for the table" if waits else "stale" if subject.live.is_stale else "")
    fact.setToolTip("A column of the table does not sum to 1 yet." if waits else "")


class BeliefTab(QWidget):
    """Follows one variable."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)  # growing paints what is new
        self._app = app
        self._subject: ActiveModel | None = None
        self._name = ""
        self._belief = Section("Belief", line=False)
        self.bars = BeliefBars("inspectorBars")
        self.bars.tip_of = self._tip
        self.bars.state_used.connect(self._on_state_used)
        self.bars.likelihood_requested.connect(self._on_likelihood_requested)
        self.bars.cleared.connect(self._on_clear)
        self.bars.target_requested.connect(self._on_target)
        self._summary = label("", "secondary", size="dense", wrap=True, name="inspectorSummary")
        self._recompute = button(
            "Recompute",
            self._on_recompute,
            role="link",
            icon_name="clock",
            name="inspectorRecompute",
            tip="Update the beliefs (F5).",
        )
        self._likelihood = button(
            "Likelihood",
            self._on_likelihood_requested,
            icon_name="sliders-horizontal",
            name="inspectorLikelihood",
            tip=LIKELIHOOD_TIP,
        )
        self._likelihood.setCheckable(True)
        self._target = button(
            "Make target",
            self._on_target,
            icon_name="crosshair",
            name="inspectorTarget",
            tip="Make this variable the target (T).",
        )
        self.sliders = LikelihoodSliders("inspectorSliders")
        self.sliders.weights_requested.connect(self._on_weights)
        self.sliders.hide()
        self._belief.add(
            self.bars,
            self._summary,
            self._recompute,
            row(self._likelihood, self._target, None),
            self.sliders,
        )
        self.cautious = EvidenceImpactSection()
        self.evidence = EvidenceSection(app, "nodeEvidence")
        self._changed = Section("What changed most", "bits from prior")
        self.shifts = RankBars("inspectorShifts")
        self.shifts.chosen.connect(self._on_chosen)
        self._changed.add(self.shifts)
        self._next = Section("Value of information")
        self._next_text = label(
            "", "secondary", size="dense", wrap=True, rich=True, name="inspectorAskNext"
        )
        self._next_text.linkActivated.connect(self._on_chosen)
        self._next.add(self._next_text)
        vbox(
            self,
            self._belief,
            self.cautious,
            self.evidence,
            self._changed,
            self._next,
            None,
            margins=(0, 8, 0, 8),
            spacing=4,
        )
        self._rest = one_shot(self, self._ask_next, REST_MS)
        self._asked: tuple[object, ...] = ()

    # -- showing

    def show_node(self, subject: ActiveModel, name: str) -> None:
        is_other = name != self._name
        self._subject, self._name = subject, name
        live = subject.live
        self.bars.show_bars(bars_of(subject, name))
        finding = live.evidence.get(name)
        if is_other:
            self._likelihood.setChecked(False)
        reason = no_probabilities_reason(subject.model)
        self._likelihood.setEnabled(reason is None)
        self._likelihood.setToolTip(LIKELIHOOD_TIP if reason is None else f"Not now: {reason}")
        wants_sliders = self._likelihood.isChecked() or isinstance(finding, Likelihood)
        self.sliders.setVisible(wants_sliders)
        self._likelihood.setChecked(wants_sliders)
        if wants_sliders:
            self.sliders.show_variable(subject, name)
        is_target = subject.target == name
        self._target.setText("No target" if is_target else "Make target")
        self._show_belief(subject, name)
        self.cautious.show_node(subject, name)
        self.evidence.show_subject(subject)
        self._show_shifts(subject)
        self._show_next(subject)

    def _show_belief(self, subject: ActiveModel, name: str) -> None:
        live = subject.live
        count = len(live.evidence)
        findings = "1 finding" if count == 1 else f"{count} findings"
        self._belief.title.setText(f"Belief given {findings}" if count else "Prior belief")
        show_waiting(self._belief.fact, subject, name)
        self._recompute.setVisible(live.is_stale and not live.is_live)
        belief, prior = live.beliefs.get(name), live.priors.get(name)
        if live.error is not None:
            self._summary.setText(str(live.error))
        elif belief is None:
            self._summary.setText("Beliefs are being computed…")
        elif not count or prior is None or live.scale is not Scale.PROBABILITY:
            self._summary.setText("Click a state to set it as evidence.")
        else:
            top = int(belief.argmax())
            state = subject.variable(name).states[top]
            shift = shift_bits(belief, prior)
            text = percent(float(prior[top]), 2)
            self._summary.setText(f"Prior {text} % {state}. Shift {shift:.2f} bits.")

    def _show_shifts(self, subject: ActiveModel) -> None:
        live = subject.live
        moved = {
            name: bits
            for name, bits in shifts_bits(live.beliefs, live.priors).items()
            if name not in live.evidence or isinstance(live.evidence[name], Likelihood)
        }
        has_bits = bool(live.evidence) and live.scale is Scale.PROBABILITY
        most = ranked(moved) if has_bits else ()
        self._changed.setVisible(bool(most))
        self.shifts.show_ranks([(name, subject.title(name), bits) for name, bits in most])

    # -- value of information

    def _show_next(self, subject: ActiveModel) -> None:
        live, target = subject.live, subject.target
        fits = len(subject.model.domain) <= MAX_QUERIED
        can = target is not None and target in subject.model.domain and live.error is None and fits
        can = can and live.scale is Scale.PROBABILITY
        self._next.setVisible(can)
        if not can or target is None:
            return
        question = (subject.model, dict(live.evidence), target)
        if question != self._asked:
            self._asked = question
            self._mark_next(is_stale=True)
            self._rest.start()

    def _mark_next(self, *, is_stale: bool) -> None:
        """Until the answer is there, the one before is shown for what it is."""
        subject = self._subject
        if subject is None or subject.target is None:
            return
        is_stale = is_stale and bool(self._next_text.text())
        message = f"for {subject.title(subject.target)}"
        self._next.fact.setText(f"{message} · stale" if is_stale else message)
        set_role(self._next_text, "tertiary" if is_stale else "secondary")

    def _ask_next(self) -> None:
        subject = self._subject
        if subject is None or subject.target is None or subject.target not in subject.model.domain:
            return
        live, domain = subject.live, subject.model.domain
        question = partial(information_around, domain, live.evidence, subject.target)
        live.side.ask(ASK_NEXT, question, self._on_next)

    def _on_next(self, answer: tuple[str, dict[str, float]]) -> None:
        subject = self._subject
        if subject is None or answer[0] != subject.target:
            return
        self._mark_next(is_stale=False)
        open_ones = {n: b for n, b in answer[1].items() if n not in subject.live.evidence}
        best = ranked(open_ones)[:2]
        if not best:
            self._next_text.setText("No other variable has information about the target.")
            return
        parts = [
            f"<a href='{escape(name)}' style='text-decoration:none'>"
            f"{escape(subject.title(name))}</a>"
            f"{' is the most informative' if not index else ''}: <b>{bits:.2f} bits</b>"
            for index, (name, bits) in enumerate(best)
        ]
        self._next_text.setText(", then ".join(parts) + ".")

    # -- requests

    def _tip(self, state: str) -> str:
        return tip_in(self._subject, self._name, state)

    def _on_state_used(self, state: str, held: Qt.KeyboardModifier, position: QPoint) -> None:
        use_in(self._subject, self._name, state, held, self.bars, position)

    def _on_weights(self, variable: str, weights: Mapping[str, float]) -> None:
        if self._subject is not None:
            self._subject.live.set_likelihood(variable, weights)

    def _on_likelihood_requested(self) -> None:
        subject = self._subject
        if subject is None:
            return
        finding = subject.live.evidence.get(self._name)
        if not self._likelihood.isEnabled():  # the key L of the bars
            self._app.notify(self._likelihood.toolTip())
            return
        if self.sender() is self.bars:
            self._likelihood.setChecked(True)
        if not self._likelihood.isChecked() and isinstance(finding, Likelihood):
            subject.live.retract(self._name)
        self.show_node(subject, self._name)

    def _on_clear(self) -> None:
        if self._subject is not None:
            self._subject.live.retract(self._name)

    def _on_target(self) -> None:
        workspace = self._app.workspace
        workspace.set_target(None if workspace.target == self._name else self._name)

    def _on_recompute(self) -> None:
        if self._subject is not None:
            self._subject.live.update_now()

    def _on_chosen(self, name: str) -> None:
        self._app.workspace.select((name,))
