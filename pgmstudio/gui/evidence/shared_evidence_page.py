"""The page of shared evidence: beliefs of all models side by side, largest disagreements first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QSplitter, QTableView, QVBoxLayout, QWidget

from pgmstudio.core.analysis.disagreement import (
    Disagreement,
    Measure,
    ModelAnswer,
    disagreement_csv,
    disagreements,
)
from pgmstudio.core.inference.base import SCALED_LIKELIHOODS, Observed
from pgmstudio.core.inference.findings import short_text
from pgmstudio.core.languages.markers import marker_family
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.shared_evidence import MAX_MODELS, EvidenceLink, askable, titles_of
from pgmstudio.gui.navigation import close_welcome, open_model_page
from pgmstudio.gui.theme.language_symbols import mark_colors, mark_icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_cards import BarCard, BarCardList, BarGroup
from pgmstudio.gui.widgets.basic import Note, Segments, button, hairline, label, named, row
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.file_dialog import ask_where
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.table import Column, Table

KEY = "same-evidence"
LETTERS = "ABCDEFGH"
FEWEST = 2
ROUNDING = 1e-9
_MEASURES: dict[str, Measure] = {"tv": "total variation", "kl": "relative entropy"}
_BY = (
    ("tv", "Total variation", "½ Σ|p − q|: the largest difference of any probability"),
    ("kl", "Relative entropy", "D(p‖q) in bits: ∞ where q is 0 and p is not"),
)


def _probability(log2: float | None) -> str:
    return "–" if log2 is None else f"{2.0**log2:#.4g}"  # as many digits for all, to compare


def _distance(value: float) -> str:
    return "–" if value < 0 else "∞" if value == float("inf") else f"{value:.3f}"


_MODEL_COLUMNS = (
    Column(
        "Model",
        stretches=True,
        tip="Double-click to open the model.",
        icon=lambda row: mark_icon(str(row[-1])),
    ),
    Column(
        "P(e)",
        _probability,
        True,
        tip=f"Probability of the evidence in this model. {SCALED_LIKELIHOODS}",
    ),
)
_RANK_COLUMNS = (
    Column("Variable", str, stretches=True, tip="Click to show its card."),
    Column(
        "Apart",
        _distance,
        True,
        tip="The largest distance between two models.",
        explains="Distance of two beliefs",
    ),
    Column("Models", str, tip="The two models with the largest distance."),
)


class SharedEvidencePage(Page):
    """While the page is open, evidence entered in one of its models is set in all of them."""

    fixed_title = "Shared evidence"
    icon_name = "scales"

    def __init__(self, app: AppContext) -> None:
        super().__init__(KEY)
        self._app = app
        self.link = EvidenceLink(app, self)
        self.answers: list[ModelAnswer] = []
        self.ranking: tuple[Disagreement, ...] = ()
        self._leader: str | None = None
        self.by = Segments(_BY, "sameEvidenceBy")
        self.by.chosen.connect(self._refresh)
        self.facts = named(ElidedLabel(), "sameEvidenceFacts")
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
            tip="Export the beliefs of all models and states with full precision.",
        )
        self.note = Note(name="sameEvidenceNote")
        self.models = Table(
            "sameEvidenceModels",
            "Models that share the evidence",
            _MODEL_COLUMNS,
            key=tuple,
            is_sortable=False,
        )
        self.models.chosen.connect(self._on_model)
        self.ranks = Table(
            "sameEvidenceRanks", "Variables, the largest disagreement first", _RANK_COLUMNS
        )
        # Clicking a header still sorts; without its arrow fewer names are shortened.
        self.ranks.horizontalHeader().setSortIndicatorShown(False)
        self.ranks.selected.connect(self._on_rank)
        self.cards = BarCardList(
            "sameEvidenceCards",
            "Beliefs of every model, by variable",
            "Click a state, or press 1…9, to set it as evidence in all models.",
        )
        self.cards.state_clicked.connect(self.link.click_state)
        self._soon = one_shot(self, self._refresh, 0)
        self._lay_out()
        self.link.changed.connect(self._soon.start)
        app.document.changed.connect(self._on_document)
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
        split.addWidget(self.cards)
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
    def model_id(self) -> str | None:
        """The leading model, which the panels show."""
        return self._leader if self._leader in self._app.project.models else None

    def closed(self) -> None:
        self._soon.stop()
        self.link.leave()

    def begin(self, leader: str | None) -> None:
        """Link all models with a variable in common with the leader, and take over its evidence."""
        models = askable(self._app.project)
        lead = leader if leader in models else next(iter(models), None)
        self._leader = lead
        if lead is None:
            self.link.join((), None)
            return
        names = set(models[lead].model.domain.names)
        others = [
            key
            for key, entry in models.items()
            if key != lead and names & set(entry.model.domain.names)
        ]
        self.link.join((lead, *others[-(MAX_MODELS - 1) :]), lead)

    def _on_document(self, before: Project, after: Project) -> None:
        if before.models is not after.models:
            self.begin(self._leader)
            self._soon.start()

    # -- showing

    @property
    def measure(self) -> Measure:
        return _MEASURES[self.by.current]

    def _refresh(self, *_: object) -> None:
        project = self._app.project
        ids = tuple(titles_of(project, self.link.model_ids))
        self.answers = self.link.answers()
        self.ranking = disagreements(self.answers, self.measure)
        families = [_marker_family(project.models[key]) for key in ids]
        letters = dict(zip((one.name for one in self.answers), LETTERS, strict=False))
        self._show_models(families, letters)
        self._show_ranks(letters)
        self.cards.show_cards([self._card(one, families, letters) for one in self.ranking])
        evidence = self.link.evidence
        text = ", ".join(f"{name} {finding}" for name, finding in evidence.items())
        wait = " · some models are still computing" if self.link.is_waiting else ""
        shown = text or "no evidence: click a state on a card"
        self.facts.setText(f"{counted(len(ids), 'model')} · {shown}{wait}")
        self.clear_button.setEnabled(bool(evidence))
        self.clear_button.setToolTip(
            "Retract the evidence in all models." if evidence else "Not now: there is no evidence."
        )
        self._show_note(letters)

    def _show_note(self, letters: dict[str, str]) -> None:
        """Show findings that models refused and models that are left out."""
        if len(self.answers) < FEWEST:
            self.note.show_text(
                "There is only one model. Open or learn another one to compare with."
            )
            return
        parts = [
            f"{letters.get(one.name, '')}: {reason}."
            for one in self.answers
            for reason in [*one.left_out, *([one.problem.rstrip(".")] if one.problem else [])]
        ]
        left = len(askable(self._app.project)) - len(self.answers)
        if left:
            parts.append(f"{counted(left, 'model')} left out: no common variable, or too many.")
        self.note.show_text(" ".join(parts), "warning" if parts else None)

    def _show_models(self, families: Sequence[str], letters: dict[str, str]) -> None:
        rows: list[tuple[object, ...]] = []
        for one, family in zip(self.answers, families, strict=True):
            name = f"{letters.get(one.name, '')}  {one.name}"
            rows.append((name, one.log2_evidence, family))
        self.models.show_rows(rows)
        self._fit()

    def _fit(self) -> None:
        _as_high_as_its_rows(self.models, most=MAX_MODELS)

    def _show_ranks(self, letters: dict[str, str]) -> None:
        rows = []
        for one in self.ranking:
            far = one.distances.get(self.measure)
            is_apart = far is not None and far.value > ROUNDING
            between = " – ".join(letters[n] for n in far.between) if is_apart and far else ""
            rows.append((one.variable, one.distance(self.measure), between))
        with QSignalBlocker(self.ranks):
            self.ranks.show_rows(rows)

    def _card(self, one: Disagreement, families: Sequence[str], letters: dict[str, str]) -> BarCard:
        groups = [
            BarGroup(
                letters.get(answer.name, ""),
                one.beliefs.get(answer.name, (None,) * len(one.states)),
                partial(mark_colors, family),
                one.lacking.get(answer.name, ""),
            )
            for answer, family in zip(self.answers, families, strict=True)
        ]
        far = one.distances.get(self.measure)
        unit = " bits" if self.measure == "relative entropy" else ""
        subtitle = "nothing to compare"
        if far is not None:
            first, second = far.between
            is_apart = far.value > ROUNDING
            between = f"{letters[first]} and {letters[second]}" if is_apart else "all agree"
            subtitle = f"{_distance(far.value)}{unit} · {between}"
        finding = self.link.evidence.get(one.variable)
        text = ""
        if finding is not None:
            domain = next(a.domain for a in self.answers if one.variable in a.domain)
            text = short_text(domain[one.variable], finding)
        return BarCard(
            one.variable,
            one.states,
            tuple(groups),
            one.variable,
            subtitle,
            text,
            is_framed=finding is not None,
            observed=finding.state if isinstance(finding, Observed) else "",
        )

    # -- commands

    def _on_rank(self, number: int) -> None:
        if number < len(self.ranking):
            self.cards.show_card(self.ranking[number].variable)

    def _on_model(self, number: int) -> None:
        ids = list(titles_of(self._app.project, self.link.model_ids))
        if number < len(ids):
            open_model_page(self._app, ids[number])

    def _on_export(self) -> None:
        kinds = "Table (*.csv);;Table (*.tsv)"
        ask_where(self, "Export beliefs", "same-evidence.csv", kinds, self.export)

    def export(self, path: Path) -> None:
        """Write all beliefs; tabs for .tsv, commas otherwise."""
        separator = "\t" if path.suffix.lower() == ".tsv" else ","
        self._app.export_file(path, disagreement_csv(self.answers, self.ranking, separator))


def _marker_family(entry: ModelEntry) -> str:
    """The marker of the language of a model."""
    return marker_family(entry.model.kind, entry.provenance.get("learner", ""))


def _as_high_as_its_rows(table: QTableView, most: int) -> None:
    rows = max(1, min(most, table.model().rowCount()))
    head = table.horizontalHeader().sizeHint().height()
    table.setFixedHeight(head + rows * theme().px("row") + 4)


def open_same_evidence(app: AppContext) -> SharedEvidencePage:
    """Open the page; the active model leads."""
    leader = app.workspace.model_id
    close_welcome(app)
    page = app.open_page(KEY, partial(SharedEvidencePage, app))
    assert isinstance(page, SharedEvidencePage)
    page.begin(leader or page.model_id)
    return page
