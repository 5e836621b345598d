"""The inspector of a model, shown when nothing is selected: size, fit, evidence, provenance."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QCheckBox, QFrame, QPushButton, QWidget

from pgmstudio.core.inference.findings import Chip
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.languages.registry import language_of
from pgmstudio.core.languages.sizes import SizeBreakdown
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.core.project.model_edits import set_model_notes
from pgmstudio.core.project.model_rows import ModelRows
from pgmstudio.gui.beliefs.evidence_diagnostics import EvidenceDiagnostics, stop_listening
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import no_probabilities_reason
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.evidence.evidence_list import EvidenceSection
from pgmstudio.gui.evidence.row_evidence import row_surprise_of, surprises
from pgmstudio.gui.inspector.language_sections import LanguageSections
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.description import ModelDescription
from pgmstudio.gui.languages.registry import SubjectKind, language_view
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.runs.model_summary import ModelFacts, fit_facts, model_facts, provenance_facts
from pgmstudio.gui.theme.icons import language_icon
from pgmstudio.gui.widgets.bar_rows import RankBars
from pgmstudio.gui.widgets.basic import Note, Section, Segments, button, label, named, row, vbox
from pgmstudio.gui.widgets.fact_rows import Fact, FactRows
from pgmstudio.gui.widgets.inspector_header import InspectorHead, lay_under
from pgmstudio.gui.widgets.notes_editor import NotesEditor

_HOW = (
    ("rest", "Given rest", "−log2 P(e | all other evidence)"),
    ("parents", "Given parents", "−log2 P(state | states of its parents), where all are known"),
)
MAX_RANKED = 8


class SurpriseSection(Section):
    """Hidden while there is no evidence."""

    def __init__(self, app: AppContext) -> None:
        super().__init__("Most surprising evidence", "bits")
        self.setObjectName("inspectorSurprise")
        self._app = app
        self._subject: ActiveModel | None = None
        self._keeper: EvidenceDiagnostics | None = None
        self._controller = row_surprise_of(app)
        self._controller.changed.connect(self._refresh)
        self._row = label("", "secondary", size="dense", wrap=True, name="inspectorSurpriseRow")
        self.how = Segments(_HOW, "inspectorSurpriseHow")
        self.how.chosen.connect(self._controller.measure_by)
        self.ranks = RankBars("inspectorSurprises", most=MAX_RANKED)
        self.ranks.chosen.connect(self._on_chosen)
        self._none = label("", "tertiary", size="dense", wrap=True)
        self.mark = QCheckBox("Mark it in the diagram")
        self.mark.setObjectName("inspectorSurpriseMark")
        self.mark.setToolTip("Write on every observed node how many bits it surprises.")
        self.mark.clicked.connect(self._controller.mark_surprise)
        self._next = button(
            "Next least likely row",
            self._on_next,
            icon_name="table",
            name="inspectorSurpriseNext",
            tip="The states of the next row of the data become the evidence (F7).",
        )
        self.add(
            self._row, row(self.how, None), self.ranks, self._none, self.mark, row(self._next, None)
        )

    def show_subject(self, subject: ActiveModel) -> None:
        self._subject = subject
        keeper = subject.live.diagnostics
        if keeper is not self._keeper:
            stop_listening(self._keeper, self._refresh)
            self._keeper = keeper
            keeper.changed.connect(self._refresh)
        keeper.follow()
        self._refresh()

    def _refresh(self, *_: object) -> None:
        subject, keeper = self._subject, self._keeper
        if subject is None or keeper is None or subject.live.error is not None:
            self.hide()
            return
        has_bits = no_probabilities_reason(subject.model) is None
        evidence = subject.live.evidence if has_bits else {}
        self.setVisible(bool(evidence))
        if not evidence or self._app.project.models.get(subject.model_id) is None:
            return
        self.how.choose(self._controller.measure)
        bits = surprises(self._controller, subject.live)
        ranked = sorted(bits.items(), key=lambda one: -one[1])
        shown = [(name, subject.title(name), min(value, 999.0)) for name, value in ranked]
        self.ranks.show_ranks(shown)
        self._none.setText("" if shown else "Nothing to show yet.")
        self._none.setVisible(not shown)
        self.mark.setChecked(self._controller.marks_surprise)
        self._show_row(subject)
        spec = self._app.actions.specs.get("evidence.next-row")
        self._next.setVisible(spec is not None and spec.disabled_reason() is None)

    def _show_row(self, subject: ActiveModel) -> None:
        result = self._controller.row_of(subject.model_id)
        self._row.setVisible(result is not None)
        if result is None:
            return
        name = next((e.name for e in self._app.project.data.values() if e.data is result.data), "")
        text = f"Row {grouped(result.row + 1)}{f' of {name}' if name else ''}"
        ranking = self._controller.ranking_of(subject.model, result.data)
        if ranking is not None:
            bits = float(ranking.bits[result.row])
            message = f"{bits:.2f} bits" if math.isfinite(bits) else "impossible in this model"
            position = grouped(ranking.rank_of(result.row) + 1)
            rows = counted(len(ranking.order), "row")
            text += f": {message} in all, number {position} of {rows} by surprise"
        left = len(result.evidence) - len(subject.live.evidence)
        lost = (
            f" Evidence on {counted(left, 'variable')} could not hold with the rest."
            if left > 0
            else ""
        )
        self._row.setText(f"{text}.{lost}")

    def _on_chosen(self, name: str) -> None:
        self._app.workspace.select((name,))

    def _on_next(self) -> None:
        action = self._app.actions.by_id.get("evidence.next-row")
        if action is not None:
            action.trigger()


MAX_SHOWN, MAX_LISTED = 5, 400
_PARTS = (
    ("families", "By variable", "Free parameters of every table"),
    ("cliques", "By clique", "Cells of every table beliefs are computed in"),
)


class SizeSection(Section):
    """The largest tables and cliques; hidden for languages that have neither."""

    def __init__(self) -> None:
        super().__init__("Size breakdown")
        self.setObjectName("inspectorSizes")
        self._sizes = SizeBreakdown()
        self._shows_all = False
        self._title: Callable[[str], str] = str
        self._parts = Segments(_PARTS, "sizePart")
        self._parts.chosen.connect(self._show)
        self.facts = FactRows("inspectorSizeFacts")
        self._more = button("", self._on_more, role="link", name="sizeMore")
        self.add(row(self._parts, None), self.facts, row(self._more, None))
        self.hide()

    def show_sizes(self, sizes: SizeBreakdown, title: Callable[[str], str]) -> None:
        """`title` gives what is written for a variable."""
        self._title = title
        if sizes is not self._sizes:
            self._sizes, self._shows_all = sizes, False
        self.setVisible(bool(sizes.families or sizes.cliques))
        self._parts.setVisible(bool(sizes.families))
        self._show()

    def _on_more(self) -> None:
        self._shows_all = not self._shows_all
        self._show()

    def _show(self, *_: object) -> None:
        has_only_cliques = bool(self._sizes.cliques) and not self._sizes.families
        is_cliques = has_only_cliques or self._parts.current == "cliques"
        lines = self._cliques() if is_cliques else self._families()
        total = sum(number for number, _ in lines)
        ordered = sorted(lines, key=lambda line: -line[0])
        shown = ordered[: MAX_LISTED if self._shows_all else MAX_SHOWN]
        unit = "cells" if is_cliques else "free"
        facts: list[Fact] = [(f"{grouped(number)} {unit}", fact) for number, fact in shown]
        left = len(ordered) - len(shown)
        if left:
            rest = total - sum(number for number, _ in shown)
            facts.append((f"{grouped(rest)} {unit}", f"{left} more"))
        if is_cliques:
            tip = "The heuristic that found these cliques; another may find others."
            facts.append(("Triangulated by", self._sizes.triangulator, tip))
        self.facts.show_facts(facts)
        what = "cliques" if is_cliques else "variables"
        self.fact.setText(f"{grouped(total)} in all")
        self._more.setVisible(len(ordered) > MAX_SHOWN)
        text = "Show the largest only" if self._shows_all else f"Show all {len(ordered)} {what}"
        self._more.setText(text)
        self._more.setToolTip(text)
        self._more.setAccessibleName(text)

    def _families(self) -> list[tuple[int, str]]:
        result = []
        for family in self._sizes.families:
            text = self._title(family.variable)
            if family.parents:
                text += f" given {', '.join(map(self._title, family.parents))}"
                text += f", {counted(family.rows, 'row')}"
            result.append((family.free, text))
        return result

    def _cliques(self) -> list[tuple[int, str]]:
        return [
            (clique.cells, ", ".join(map(self._title, clique.variables)))
            for clique in self._sizes.cliques
        ]


# Longer lists of states are shown on request.
MAX_EXPLAINED = 40


class ModelInspector(QWidget):
    """The sizes, fit, evidence and provenance of the active model."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("modelInspector")
        self._app = app
        self._subject: ActiveModel | None = None
        self._asked: tuple[object, ...] = ()
        self._facts: ModelFacts | None = None
        self._latest_task = LatestTask(self, self._on_facts, app.errors.at("inspectorPanel").report)
        self._head = InspectorHead("inspectorModel")
        self._error = Note(level="warning", name="inspectorModelError")
        self._stale = Note(
            "The rows it was learned from have changed since.", "warning", "inspectorModelStale"
        )
        self._again = button(
            "Learn again",
            self._on_learn_again,
            role="link",
            name="inspectorLearnAgain",
            tip="Learn from the present rows with the same learner, settings and seed.",
        )
        self._stale.add_button(self._again)
        size = Section("Size and fit", line=False)
        self.facts = FactRows("inspectorModelFacts")
        size.add(self._error, self._stale, self.facts)
        self.evidence = EvidenceSection(app, "modelEvidence")
        self.surprise = SurpriseSection(app)
        self._explanation = Section("Most probable explanation")
        self.explain = QCheckBox("Mark it in the diagram")
        self.explain.setObjectName("inspectorExplain")
        self.explain.setToolTip("The most probable state of all variables together.")
        self.explain.clicked.connect(self._on_explain)
        self.explained = FactRows("inspectorExplained")
        self._explains_all = False
        self._explain_more = button("", self._on_explain_more, role="link", name="explainMore")
        self._explanation.add(self.explain, self.explained, row(self._explain_more, None))
        self._provenance = Section("Provenance")
        card = named(QFrame(), "inspectorProvenance")
        card.setProperty("role", "card")
        self.card = FactRows("inspectorProvenanceFacts")
        self._reproduce = button(
            "Reproduce",
            self._on_reproduce,
            icon_name="arrow-clockwise",
            name="inspectorReproduce",
            tip="Run its learner again with the same data, settings and seed, and compare.",
        )
        reproduce = row(self._reproduce, None)
        vbox(card, self.card, reproduce, margins=10)
        self._provenance.add(card)
        notes = Section("Notes")
        self.editor = NotesEditor("inspectorModelNotes", "Notes on this model")
        self.editor.edited.connect(self._on_notes)
        notes.add(self.editor)
        self.sizes = SizeSection()
        self._of_language = LanguageSections(app, SubjectKind.MODEL)
        sections = (
            size,
            self._of_language,
            self.sizes,
            self.evidence,
            self.surprise,
            self._explanation,
            self._provenance,
            notes,
        )
        lay_under(self._head, sections, self, "inspectorModelScroll")

    def show_model(self, subject: ActiveModel) -> None:
        self._subject = subject
        entry, live = subject.entry, subject.live
        facts = [subject.language, counted(len(subject.model.domain), "variable")]
        facts += self._description(subject).facts(subject.model)
        chip = Chip("edited", "", "virtual") if entry.is_edited else None
        self._head.show_text(
            entry.title, " · ".join(facts), chip, language_icon(subject.model.kind)
        )
        self._error.show_text("" if live.error is None else str(live.error))
        self._stale.setVisible(self._app.project.is_stale(subject.model_id))
        self._offer(self._again, "learn.again")
        self._of_language.show_subject(subject)
        self.evidence.show_subject(subject)
        self.surprise.show_subject(subject)
        self._ask_facts(subject)
        self._show_facts(subject)
        self._show_explanation(subject)
        self._show_provenance(subject)
        self.editor.show_notes(subject.model_id, entry.notes)

    def commit(self) -> None:
        self.editor.commit()

    @staticmethod
    def _description(subject: ActiveModel) -> ModelDescription:
        return language_view(subject.model.kind).description.load()

    # -- size and fit

    def _ask_facts(self, subject: ActiveModel) -> None:
        rows = self._rows(subject)
        asked = (subject.model, rows)
        # Opening a session triangulates; doing it here at the same time would repeat the work.
        if asked == self._asked:
            return
        self._asked, self._facts = (), None  # the facts were those of another model
        if subject.live.is_waiting and not subject.live.priors:
            return
        self._asked = asked
        model, note = subject.model, self._description(subject).size_note
        self._latest_task.ask(
            lambda _cancel: model_facts(model, None if rows is None else rows.data, note)
        )

    def _rows(self, subject: ActiveModel) -> ModelRows | None:
        """The rows that the model was learned from, as its run has them; else of its data set."""
        if subject.entry.data_id not in self._app.project.data:
            return None
        return model_sources(self._app).rows(subject.model_id)

    def _on_facts(self, facts: ModelFacts) -> None:
        self._facts = facts
        if self._subject is not None:
            self._show_facts(self._subject)

    def _show_facts(self, subject: ActiveModel) -> None:
        result = self._facts
        rows = self._rows(subject)
        facts: list[Fact] = [
            (
                language_of(subject.model).size_title,
                grouped(subject.model.representation_size()),
                "The number of parameters to estimate.",
            )
        ]
        facts += self._description(subject).size_facts(subject.model, result)
        if rows is not None:
            count = rows.whole.row_count if rows.chosen is None else len(rows.chosen)
            text = f"{rows.label}, {counted(count, 'row')}"
            facts.append(("Data", text, "The rows that the fit is measured on."))
            if result is not None and result.problem:
                facts.append(("Fit", result.problem))
            elif result is None:
                is_probable = no_probabilities_reason(subject.model) is None
                facts.append(("Log-likelihood" if is_probable else "Fit", "…"))
            else:
                facts += fit_facts(result.fit)
        self.facts.show_facts(facts)
        self.sizes.show_sizes(SizeBreakdown() if result is None else result.sizes, subject.title)

    # -- most probable explanation

    def _show_explanation(self, subject: ActiveModel) -> None:
        live = subject.live
        self.explain.setChecked(live.shows_most_probable)
        self.explain.setEnabled(live.error is None)
        is_probable = no_probabilities_reason(subject.model) is None
        title = "Most probable explanation" if is_probable else "Most possible tuple"
        self._explanation.title.setText(title)
        log2 = live.log2_most_probable
        self.explained.setVisible(log2 is not None)
        if log2 is None:
            self._explain_more.hide()
            return
        alone = math.exp2(log2)
        facts: list[Fact] = [("Probability", f"{alone:.4g}", "Of this joint state.")]
        if not is_probable:
            facts = [("Possibility", f"{alone:.4g}", "The degree of this tuple.")]
        elif live.evidence:
            given = math.exp2(log2 - live.log2_evidence)
            facts = [
                ("Given the evidence", f"{given:.4g}", "Its probability divided by P(e)."),
                ("With the evidence", f"{alone:.4g}", "Its probability, joint with the evidence."),
            ]
        if isinstance(subject.model, ComponentModel):
            bound = live.log2_most_probable_bound
            text = "exact" if bound is None else f"lower bound; none above {math.exp2(bound):.4g}"
            tip = "A mixture cannot be maximised one variable at a time."
            facts.append(("This is", text, tip))
        states = [
            (subject.title(name), state)
            for name, state in live.most_probable.items()
            if name not in live.evidence
        ]
        facts += states if self._explains_all else states[:MAX_EXPLAINED]
        self.explained.show_facts(facts)
        more = f"Show all {counted(len(states), 'variable')}"
        self._explain_more.setText("Show fewer" if self._explains_all else more)
        self._explain_more.setVisible(len(states) > MAX_EXPLAINED)

    def _on_explain_more(self) -> None:
        self._explains_all = not self._explains_all
        if self._subject is not None:
            self._show_explanation(self._subject)

    def _on_explain(self, on: bool) -> None:
        if self._subject is not None:
            self._subject.live.show_most_probable(on)
            self._app.actions.refresh()

    # -- provenance, notes

    def _show_provenance(self, subject: ActiveModel) -> None:
        provenance = subject.entry.provenance
        self._provenance.setVisible("learner" in provenance)
        if "learner" not in provenance:
            return
        self.card.show_facts(provenance_facts(provenance))
        self._offer(self._reproduce, "learn.reproduce")

    def _offer(self, shown: QPushButton, action_id: str) -> None:
        """Enable a button like its action, with the reason in its tooltip if it is disabled."""
        spec = self._app.actions.specs.get(action_id)
        reason = None if spec is None else spec.disabled_reason()
        shown.setEnabled(spec is not None and reason is None)
        shown.setToolTip(f"Not now: {reason}" if reason else (spec.tip if spec is not None else ""))

    def _on_reproduce(self) -> None:
        action = self._app.actions.by_id.get("learn.reproduce")
        if action is not None:
            action.trigger()

    def _on_learn_again(self) -> None:
        self._app.actions["learn.again"].trigger()

    def _on_notes(self, model_id: str, text: str) -> None:
        entry = self._app.project.models.get(model_id)
        if entry is not None:
            edit = partial(set_model_notes, model_id=model_id, notes=text)
            self._app.change(f"Note on {entry.title}", edit, merge=f"note:{model_id}")
