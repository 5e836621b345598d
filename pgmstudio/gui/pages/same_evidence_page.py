"""The same evidence in all models: beliefs side by side, the largest disagreements first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFileDialog, QSplitter, QTableView, QVBoxLayout, QWidget

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.experiments.disagreement import (
    Disagreement,
    Measure,
    ModelAnswer,
    disagreement_csv,
    disagreements,
)
from pgmstudio.core.inference.findings import SCALED_LIKELIHOODS
from pgmstudio.core.inference.protocols import Observed
from pgmstudio.core.pictures.curve_signs import sign_family
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.app.opening import close_welcome, open_model_page
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.document.evidence_words import short_words
from pgmstudio.gui.pages.curves_tables import SignedTable
from pgmstudio.gui.pages.fact_table import Column, FactTable
from pgmstudio.gui.pages.page import Page
from pgmstudio.gui.pages.same_evidence_cards import (
    EvidenceCard,
    EvidenceCardList,
    Voice,
)
from pgmstudio.gui.pages.same_evidence_link import (
    MOST_MODELS,
    EvidenceLink,
    askable,
    titles_of,
)
from pgmstudio.gui.panels.bar_cards import BarCards
from pgmstudio.gui.panels.elided_label import ElidedLabel
from pgmstudio.gui.style.icons import icon
from pgmstudio.gui.style.numbers import counted
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import Note, Segments, button, hairline, label, row
from pgmstudio.gui.workers.one_shot import one_shot

KEY = "same-evidence"
LETTERS = "ABCDEFGH"
FEWEST = 2
ROUNDING = 1e-9
_MEASURES: dict[str, Measure] = {"tv": "total variation", "kl": "relative entropy"}
_BY = (
    ("tv", "Total variation", "½ Σ|p − q|: the largest difference of any probability"),
    ("kl", "Relative entropy", "D(p‖q) in bits: ∞ where q rules out what p thinks possible"),
)


def _probability(log2: float | None) -> str:
    return "–" if log2 is None else f"{2.0**log2:#.4g}"  # as many digits for all, to compare


def _distance(value: float) -> str:
    return "–" if value < 0 else "∞" if value == float("inf") else f"{value:.3f}"


_MODEL_COLUMNS = (
    Column("Model", str, stretches=True, tip="A double-click opens it."),
    Column(
        "P(e)",
        _probability,
        True,
        tip=f"Probability of the evidence in this model. {SCALED_LIKELIHOODS}",
    ),
)
_RANK_COLUMNS = (
    Column("Variable", str, stretches=True, tip="A click shows its card."),
    Column("Apart", _distance, True, tip="The largest difference of two models about it."),
    Column("Models", str, tip="Between which two models."),
)


class SameEvidencePage(Page):
    """While it is open, evidence entered anywhere goes to all its models."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(KEY)
        self._shell = shell
        self.link = EvidenceLink(shell, self)
        self.answers: list[ModelAnswer] = []
        self.found: tuple[Disagreement, ...] = ()
        self._leader: str | None = None
        self.by = Segments(_BY, "sameEvidenceBy")
        self.by.chosen.connect(self._refresh)
        self.facts = ElidedLabel()
        self.facts.setObjectName("sameEvidenceFacts")
        self.clear_button = button(
            "Clear evidence",
            self.link.clear,
            icon_name="eraser",
            name="sameEvidenceClear",
            tip="Retract the evidence in all models.",
        )
        self.exporter = button(
            "Export CSV…",
            self._on_export,
            icon_name="export",
            name="sameEvidenceExport",
            tip="Beliefs of every model and state, to all digits.",
        )
        self.note = Note(name="sameEvidenceNote")
        self.models = SignedTable(
            "sameEvidenceModels", "Models with the same evidence", _MODEL_COLUMNS
        )
        self.models.setSortingEnabled(False)
        self.models.chosen.connect(self._on_model)
        self.ranks = FactTable(
            "sameEvidenceRanks", "Variables, the largest disagreement first", _RANK_COLUMNS
        )
        # A click on a head still sorts; without room for its arrow fewer names are cut.
        self.ranks.horizontalHeader().setSortIndicatorShown(False)
        self.ranks.selected.connect(self._on_rank)
        self.cards = BarCards(self)
        self.list = EvidenceCardList(self.cards)
        self.list.state_clicked.connect(self.link.click_state)
        self._soon = one_shot(self, self._refresh, 0)
        self._lay_out()
        self.link.changed.connect(self._soon.start)
        shell.document.changed.connect(self._on_document)
        theme().changed.connect(self._fit)

    def _lay_out(self) -> None:
        bar = row(self.by, None, self.clear_button, self.exporter)
        left = QWidget()
        inside = QVBoxLayout(left)
        inside.setContentsMargins(0, 0, 8, 8)
        inside.setSpacing(4)
        inside.addWidget(self.models)
        inside.addSpacing(6)
        inside.addWidget(label("Largest disagreements", "heading", size="dense"))
        inside.addWidget(self.ranks, 1)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(left)
        split.addWidget(self.list)
        split.setStretchFactor(0, 0)
        split.setStretchFactor(1, 1)
        split.setSizes([250, 900])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 10, 8, 0)
        layout.setSpacing(8)
        for part in (bar, self.facts, self.note, hairline()):
            layout.addWidget(part)
        layout.addWidget(split, 1)

    # -- the page

    @property
    def title(self) -> str:
        return "Same evidence"

    def page_icon(self) -> QIcon:
        return icon("scales")

    @property
    def model_id(self) -> str | None:
        """The model whose evidence was taken first: panels around show it."""
        return self._leader if self._leader in self._shell.project.models else None

    def closed(self) -> None:
        self._soon.stop()
        self.link.leave()

    def begin(self, leader: str | None) -> None:
        """All models that share a variable with the leader, and its evidence."""
        models = askable(self._shell.project)
        lead = leader if leader in models else next(iter(models), None)
        self._leader = lead
        if lead is None:
            self.link.join((), None)
            return
        names = set(models[lead].model.domain.names)
        alike = [
            key
            for key, entry in models.items()
            if key != lead and names & set(entry.model.domain.names)
        ]
        self.link.join((lead, *alike[-(MOST_MODELS - 1) :]), lead)

    def _on_document(self, before: Project, after: Project) -> None:
        if before.models is not after.models:
            self.begin(self._leader)
            self._soon.start()

    # -- showing

    @property
    def measure(self) -> Measure:
        return _MEASURES[self.by.current]

    def _refresh(self, *_: object) -> None:
        project = self._shell.project
        ids = tuple(titles_of(project, self.link.model_ids))
        self.answers = self.link.answers()
        self.found = disagreements(self.answers, self.measure)
        families = [_sign(project.models[key]) for key in ids]
        letters = dict(zip((one.name for one in self.answers), LETTERS, strict=False))
        self._show_models(families, letters)
        self._show_ranks(letters)
        self.cards.show([self._card(one, families, letters) for one in self.found])
        evidence = self.link.evidence
        words = ", ".join(f"{name} {finding}" for name, finding in evidence.items())
        wait = " · some models still work" if self.link.is_waiting else ""
        told = words or "no evidence: click a state on a card"
        self.facts.setText(f"{counted(len(ids), 'model')} · {told}{wait}")
        self.clear_button.setEnabled(bool(evidence))
        self.clear_button.setToolTip(
            "Retract the evidence in all models." if evidence else "Not now: there is no evidence."
        )
        self._tell_note(letters)

    def _tell_note(self, letters: dict[str, str]) -> None:
        """What models could not take, and who is left out."""
        if len(self.answers) < FEWEST:
            self.note.tell("There is one model only. Open or learn another one to compare with.")
            return
        said = [
            f"{letters.get(one.name, '')}: {reason}."
            for one in self.answers
            for reason in [*one.left_out, *([one.problem.rstrip(".")] if one.problem else [])]
        ]
        left = len(askable(self._shell.project)) - len(self.answers)
        if left:
            said.append(f"{counted(left, 'model')} left out: no common variable, or too many.")
        self.note.tell(" ".join(said), "warning" if said else None)

    def _show_models(self, families: Sequence[str], letters: dict[str, str]) -> None:
        rows: list[tuple[object, ...]] = []
        for one, family in zip(self.answers, families, strict=True):
            name = f"{letters.get(one.name, '')}  {one.name}"
            rows.append((name, one.log2_evidence, family))
        self.models.show_rows(rows)
        self._fit()

    def _fit(self) -> None:
        _as_high_as_its_rows(self.models, most=MOST_MODELS)

    def _show_ranks(self, letters: dict[str, str]) -> None:
        rows = []
        for one in self.found:
            far = one.distances.get(self.measure)
            is_apart = far is not None and far.value > ROUNDING
            between = " – ".join(letters[n] for n in far.between) if is_apart and far else ""
            rows.append((one.variable, one.distance(self.measure), between))
        self.ranks.blockSignals(True)
        self.ranks.show_rows(rows)
        self.ranks.blockSignals(False)

    def _card(
        self, one: Disagreement, families: Sequence[str], letters: dict[str, str]
    ) -> EvidenceCard:
        voices = []
        for answer, family in zip(self.answers, families, strict=True):
            values = one.beliefs.get(answer.name, (None,) * len(one.states))
            lacking = one.lacking.get(answer.name, "")
            voices.append(Voice(letters.get(answer.name, ""), family, values, lacking))
        far = one.distances.get(self.measure)
        unit = " bits" if self.measure == "relative entropy" else ""
        distance = "" if far is None else f"{_distance(far.value)}{unit}"
        between = "all agree"
        if far is not None and far.value > ROUNDING:
            between = f"{letters[far.between[0]]} and {letters[far.between[1]]}"
        finding = self.link.evidence.get(one.variable)
        words, seen = "", ""
        if finding is not None:
            domain = next(a.domain for a in self.answers if one.variable in a.domain)
            words = short_words(domain[one.variable], finding)
            seen = finding.state if isinstance(finding, Observed) else ""
        return EvidenceCard(one.variable, one.states, tuple(voices), distance, between, words, seen)

    # -- deeds

    def _on_rank(self, number: int) -> None:
        if number < len(self.found):
            self.list.show_card(self.found[number].variable)

    def _on_model(self, number: int) -> None:
        ids = list(titles_of(self._shell.project, self.link.model_ids))
        if number < len(ids):
            open_model_page(self._shell, ids[number])

    def _on_export(self) -> None:
        kinds = "Table (*.csv);;Table (*.tsv)"
        path, _ = QFileDialog.getSaveFileName(self, "Export beliefs", "same-evidence.csv", kinds)
        if path:
            self.export(Path(path))

    def export(self, path: Path) -> None:
        """Write all beliefs; tabs for .tsv, commas otherwise."""
        separator = "\t" if path.suffix.lower() == ".tsv" else ","
        try:
            text = disagreement_csv(self.answers, self.found, separator)
            self._shell.write_csv(path, text)
        except PgmStudioError as error:
            self._shell.errors.report(error)
            return
        self._shell.tell(f"{path.name} was written.")


def _sign(entry: ModelEntry) -> str:
    """By what the sign of its language is known."""
    return sign_family(entry.model.kind, entry.provenance.get("learner", ""))


def _as_high_as_its_rows(table: QTableView, most: int) -> None:
    rows = max(1, min(most, table.model().rowCount()))
    head = table.horizontalHeader().sizeHint().height()
    table.setFixedHeight(head + rows * theme().px("row") + 4)


def open_same_evidence(shell: Shell) -> SameEvidencePage:
    """The page in front; the model in view leads."""
    leader = shell.bench.model_id
    close_welcome(shell)
    page = shell.open_page(KEY, partial(SameEvidencePage, shell))
    assert isinstance(page, SameEvidencePage)
    page.begin(leader or page.model_id)
    return page
