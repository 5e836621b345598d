"""What each table of a labelled graph costs: a bar per variable, likelihood and prior apart."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint

from pgmstudio.core.models.labelled_dag import LabelledDag
from pgmstudio.core.scores.label_costs import LabelCost, VariableCost, fits, label_cost
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.document.label_numbers import score_of
from pgmstudio.gui.document.model_sources import sources_of
from pgmstudio.gui.panels.inspector_labels import bits
from pgmstudio.gui.panels.rank_bars import RankBars
from pgmstudio.gui.panels.subject import Subject
from pgmstudio.gui.style.widgets import Section, button, label, row
from pgmstudio.gui.workers.questions import Asker

MOST_SHOWN, MOST_LISTED = 8, 400


class ScoreBars(RankBars):
    """The dearest table first; the tip has the parts of its score."""

    def __init__(self) -> None:
        super().__init__("labelScoreBars", most=MOST_LISTED, digits=3)
        self._parts: dict[str, VariableCost] = {}

    def show_costs(self, costs: list[tuple[VariableCost, str, float]]) -> None:
        """Each with its title and its bits a row."""
        self._parts = {cost.variable: cost for cost, _, _ in costs}
        self.show_ranks([(cost.variable, title, each) for cost, title, each in costs])

    def tip_at(self, place: QPoint) -> str | None:
        found = self.row_at(place)
        if found is None:
            return None
        key, title, each = self.ranks[found]
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

    def __init__(self, shell: Shell) -> None:
        super().__init__("Score by variable")
        self.setObjectName("inspectorLabelScores")
        self._shell = shell
        self._subject: Subject | None = None
        self._cost: LabelCost | None = None
        self._total = 1.0
        self._asked: tuple[object, ...] = ()
        self._shows_all = False
        self._asker = Asker(self)
        self._asker.answered.connect(self._on_cost)
        self._asker.failed.connect(shell.errors.at("inspectorPanel").report)
        self.bars = ScoreBars()
        self.bars.chosen.connect(self._on_chosen)
        self.words = label("", "secondary", size="dense", wrap=True)
        self.words.setObjectName("labelScoreWords")
        self._more = button("", self._on_more, role="link", name="labelScoresMore")
        for widget in (self.bars, row(self._more, None), self.words):
            self.add(widget)
        self.hide()

    def show_subject(self, subject: Subject) -> None:
        rows = sources_of(self._shell).rows(subject.model_id)
        data = None if rows is None else rows.data
        model, self._subject = subject.model, subject
        if not isinstance(model, LabelledDag) or data is None or not fits(model, data):
            self._asked, self._cost = (), None
            self._asker.forget()
            self.hide()
            return
        asked = (model, data)
        if len(self._asked) == 2 and all(a is b for a, b in zip(asked, self._asked, strict=True)):
            self._tell()
            return
        self._asked, self._total = asked, max(data.total_weight, 1e-300)
        score = score_of(self._shell, subject.model_id, data)
        self._asker.ask(partial(label_cost, model, data, score))

    def _on_cost(self, cost: LabelCost) -> None:
        self._cost = cost
        self._tell()

    def _tell(self) -> None:
        subject, cost = self._subject, self._cost
        if subject is None or cost is None:
            return
        ordered = sorted(cost.by_variable, key=lambda one: one.score)
        shown = ordered if self._shows_all else ordered[:MOST_SHOWN]
        self.bars.show_costs(
            [(c, subject.title(c.variable), -c.score / self._total) for c in shown]
        )
        self.fact.setText(f"{-cost.score / self._total:.3f} bits per row in all")
        likelihood = sum(one.likelihood for one in cost.by_variable)
        self.words.setText(
            f"Likelihood {bits(likelihood)}, prior {bits(cost.score - likelihood)}; "
            f"without labels {bits(cost.plain)}."
        )
        count = len(ordered)
        words = "Show the dearest only" if self._shows_all else f"Show all {count} variables"
        self._more.setText(words)
        self._more.setToolTip(words)
        self._more.setAccessibleName(words)
        self._more.setVisible(count > MOST_SHOWN)
        self.show()

    def _on_more(self) -> None:
        self._shows_all = not self._shows_all
        self._tell()

    def _on_chosen(self, variable: str) -> None:
        self._shell.bench.select((variable,))
