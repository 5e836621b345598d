"""The most probable states of the selected variables together, in the inspector of several."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.inference.map_search import Combination, MapAnswer
from pgmstudio.core.number_format import percent
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.evidence.map_query import LONGER_SECONDS, MapQuestion, map_query_of
from pgmstudio.gui.widgets.basic import Note, Section, button, label, row
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.fact_rows import Fact, FactRows

# Longer lists of states are shown in the diagram.
MAX_STATES = 24


class MapSection(Section):
    """Searched on request, since it may take a while; shows whether the result is proved."""

    def __init__(self, app: AppContext) -> None:
        super().__init__("Most probable together", "MAP")
        self.setObjectName("inspectorMap")
        self._app = app
        self._controller = map_query_of(app)
        self._controller.changed.connect(self._refresh)
        self._question: MapQuestion | None = None
        self._subject: ActiveModel | None = None
        self._note = Note(name="inspectorMapNote")
        self._text = label("", "secondary", size="dense", wrap=True)
        self._text.setObjectName("inspectorMapText")
        self.states = FactRows("inspectorMapStates")
        self.others = FactRows("inspectorMapOthers")
        self._find = button(
            "Find",
            self.begin,
            icon_name="crosshair",
            name="inspectorMapFind",
            tip="The most probable states of these variables together, the others summed out.",
        )
        self._stop = button(
            "Stop, keep best",
            self._controller.stop,
            icon_name="stop",
            name="inspectorMapStop",
            tip="End the search and keep the best configuration found so far.",
        )
        self._longer = button(
            "Search longer",
            self._on_longer,
            icon_name="hourglass",
            name="inspectorMapLonger",
            tip=f"Search again for up to {LONGER_SECONDS:g} s.",
        )
        self._use = button(
            "Set as evidence",
            self._on_use,
            icon_name="flag",
            name="inspectorMapUse",
            tip="Add these states to the evidence.",
        )
        for part in (self._note, self._text, self.states, self.others):
            self.add(part)
        self.add(row(self._find, self._stop, self._use, None))
        self.add(row(self._longer, None))
        for later in (self._stop, self._use, self._longer, self.states, self.others):
            later.hide()
        # A search that ends immediately should not flicker.
        self._stale_timer = one_shot(self, self._refresh, 200)

    def show_nodes(self, subject: ActiveModel, names: Sequence[str]) -> None:
        self._subject = subject
        self._question = MapQuestion(subject.model, tuple(names), subject.live.evidence)
        self.setVisible(subject.live.error is None)
        self._refresh()

    def begin(self) -> None:
        """Begin the search for what is shown."""
        if self._question is not None:
            self._controller.search(self._question)
            self._stale_timer.start()

    def _on_longer(self) -> None:
        if self._question is not None:
            self._controller.search(self._question, LONGER_SECONDS)

    def _refresh(self) -> None:
        question, subject = self._question, self._subject
        if question is None or subject is None:
            return
        controller = self._controller
        answer = controller.answer_to(question)
        is_searching = controller.is_searching and controller.is_about(question)
        self._note.show_text(controller.problem_of(question), "warning")
        self._find.setVisible(answer is None and not is_searching)
        self._stop.setVisible(is_searching and not self._stale_timer.isActive())
        self._longer.setVisible(answer is not None and not answer.is_exact)
        self._use.setVisible(answer is not None)
        self.states.setVisible(answer is not None)
        self.others.setVisible(answer is not None and len(answer.best) > 1)
        if answer is not None:
            self._show_answer(subject, answer)
        else:
            message = "Searching for the most probable combination…" if is_searching else ""
            self._text.setText(message)
        self._text.setVisible(bool(self._text.text()))

    def _show_answer(self, subject: ActiveModel, answer: MapAnswer) -> None:
        first = answer.best[0]
        self._text.setText(self._controller.answer_text(answer))
        chance = percent(math.exp2(first.log2_probability))
        facts: list[Fact] = [("Probability", f"{chance} %", "The other variables are summed out.")]
        if subject.live.evidence:
            joint = math.exp2(first.log2_probability + subject.live.log2_evidence)
            facts = [
                ("Given the evidence", f"{chance} %", "The other variables are summed out."),
                ("With the evidence", f"{joint:.4g}", "Its probability times P(e)."),
            ]
        if not answer.is_exact:
            bound = percent(min(1.0, math.exp2(answer.log2_bound)))
            facts.append(("At most", f"{bound} %", "No combination can be more probable."))
        states = [(subject.title(name), state) for name, state in first.states.items()]
        facts += states[:MAX_STATES]
        if len(states) > MAX_STATES:
            facts.append((f"{len(states) - MAX_STATES} more variables", ""))
        self.states.show_facts(facts)
        self.others.show_facts(
            [_other(subject, first, one, index) for index, one in enumerate(answer.best[1:], 2)]
        )

    def _on_use(self) -> None:
        question, subject = self._question, self._subject
        answer = None if question is None else self._controller.answer_to(question)
        if subject is None or answer is None:
            return
        live = subject.live
        states = {
            n: Observed(s) for n, s in answer.best[0].states.items() if n not in live.evidence
        }
        live.set_all({**live.evidence, **states})


def _other(subject: ActiveModel, first: Combination, one: Combination, position: int) -> Fact:
    """The n-th best: how probable, and in what it differs from the best."""
    differs = [
        f"{subject.title(name)} = {state}"
        for name, state in one.states.items()
        if state != first.states[name]
    ]
    chance = percent(math.exp2(one.log2_probability))
    return f"{position}. {chance} %", ", ".join(differs), "In what it differs from the first."
