"""The page of shared evidence: beliefs of all models side by side, largest disagreements first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QSplitter,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.analysis.disagreement import (
    Disagreement,
    Measure,
    ModelAnswer,
    disagreement_csv,
    disagreements,
)
from pgmstudio.core.drawing.svg.nodes import percent
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.inference.base import SCALED_LIKELIHOODS, Observed
from pgmstudio.core.inference.finding_text import short_words
from pgmstudio.core.languages.markers import marker_family
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.shared_evidence import (
    MAX_MODELS,
    EvidenceLink,
    askable,
    titles_of,
)
from pgmstudio.gui.navigation import close_welcome, open_model_page
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.language_symbols import mark_colors, mark_icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_cards import (
    CARD,
    GAP,
    PADDING,
    BarCard,
    BarCardList,
    BarCardPainter,
    BarCards,
    Index,
    Reading,
)
from pgmstudio.gui.widgets.basic import Note, Segments, button, hairline, label, row
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.table import Column, Table


@dataclass(frozen=True, slots=True)
class ModelBeliefs:
    """The beliefs of one model on a card: its letter, its language and one number per state."""

    letter: str
    family: str
    values: tuple[float | None, ...]
    lacking: str = ""  # the reason for missing numbers


@dataclass(frozen=True, slots=True)
class EvidenceCard(BarCard):
    """The card of a variable: the beliefs of every model and their largest distance."""

    models: tuple[ModelBeliefs, ...]
    distance: str  # formatted; empty where nothing can be compared
    between: str
    finding: str = ""  # the evidence on it
    seen: str = ""  # the state that is observed

    @property
    def bars(self) -> tuple[Reading, ...]:
        return tuple((model.letter, model.values) for model in self.models)

    @property
    def under(self) -> str:
        return f"{self.distance} · {self.between}" if self.distance else "nothing to compare"

    @property
    def evidence(self) -> str:
        return self.finding

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(f"{model.letter}: {model.lacking}" for model in self.models if model.lacking)

    @property
    def frame(self) -> str:
        return "evidence" if self.finding else ""

    def colors(self, number: int) -> tuple[QColor, QColor]:
        return mark_colors(self.models[number].family)

    def state_ink(self, state: str) -> str:
        return "evidence_ink" if state == self.seen else "text"

    @property
    def description(self) -> str:
        parts = [f"{self.name}, {self.finding or 'no evidence'}"]
        if self.distance:
            parts.append(f"{self.distance} between {self.between}")
        for model in self.models:
            beliefs = [
                f"{state} {'unknown' if value is None else percent(value) + ' percent'}"
                for state, value in zip(self.states, model.values, strict=True)
            ]
            parts.append(f"{model.letter}: {model.lacking or ', '.join(beliefs)}")
        return "\n".join(parts)


class CardPainter(BarCardPainter):
    """The card painter, with the distance under the name and clickable states."""

    clicked = Signal(str, str)  # variable, state

    width = 204
    leading = 1
    more = "more states"

    def head(self) -> int:
        return super().head() + QFontMetrics(theme().font("caption")).height() + 2

    def state_at(self, card: BarCard, position: QRectF, at: QPointF) -> str | None:
        """The state whose bars are at a point of the list."""
        top = position.top() + PADDING + self.head()
        row = int((at.y() - top) // self.block(card))
        inside = position.left() < at.x() < position.right() - GAP
        if at.y() < top or not inside or row >= len(card.shown()):
            return None
        return card.states[card.shown()[row]]

    def editorEvent(
        self, event: QEvent, model: Any, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            card: BarCard = index.data(CARD)
            state = self.state_at(card, QRectF(option.rect), event.position())
            if state is not None and event.button() == Qt.MouseButton.LeftButton:
                self.clicked.emit(card.name, state)
                return True
        return super().editorEvent(event, model, option, index)


class EvidenceCardList(BarCardList):
    """The card list; keys 1…9 set states of the selected card."""

    state_clicked = Signal(str, str)

    def __init__(self, model: BarCards) -> None:
        super().__init__(model)
        self.setObjectName("sameEvidenceCards")
        self.setAccessibleName("Beliefs of every model, by variable")
        self.setToolTip("Click a state, or press 1…9, to set it as evidence in all models.")
        self._cards = model
        self.painter_of_cards = CardPainter(self)
        self.painter_of_cards.clicked.connect(self.state_clicked)
        self.setItemDelegate(self.painter_of_cards)

    def show_card(self, name: str) -> None:
        """Select a card and scroll to it."""
        for position, card in enumerate(self._cards.cards):
            if card.name == name:
                self.setCurrentIndex(self._cards.index(position))
                self.scrollTo(self._cards.index(position))

    def state_point(self, name: str, state: str) -> QPointF:
        """The middle of the bars of a state, for tests and tours."""
        number = [card.name for card in self._cards.cards].index(name)
        card, index = self._cards.cards[number], self._cards.index(number)
        position, made = self.visualRect(index), self.painter_of_cards
        row = [card.states[i] for i in card.shown()].index(state)
        top = position.top() + PADDING + made.head() + (row + 0.4) * made.block(card)
        return QPointF(position.left() + position.width() * 0.6, top)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        number = event.key() - Qt.Key.Key_1
        current = self.currentIndex()
        if 0 <= number < 9 and current.isValid():
            card = self._cards.cards[current.row()]
            if number < len(card.states):
                self.state_clicked.emit(card.name, card.states[number])
            return
        super().keyPressEvent(event)


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
    Column("Apart", _distance, True, tip="The largest distance between two models."),
    Column("Models", str, tip="The two models with the largest distance."),
)


class SharedEvidencePage(Page):
    """While the page is open, evidence entered in one of its models is set in all of them."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(KEY)
        self._app = app
        self.link = EvidenceLink(app, self)
        self.answers: list[ModelAnswer] = []
        self.ranking: tuple[Disagreement, ...] = ()
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
            tip="Export the beliefs of all models and states with full precision.",
        )
        self.note = Note(name="sameEvidenceNote")
        self.models = Table(
            "sameEvidenceModels",
            "Models with the same evidence",
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
        self.cards = BarCards(self)
        self.list = EvidenceCardList(self.cards)
        self.list.state_clicked.connect(self.link.click_state)
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
        self.cards.show([self._card(one, families, letters) for one in self.ranking])
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
        self.ranks.blockSignals(True)
        self.ranks.show_rows(rows)
        self.ranks.blockSignals(False)

    def _card(
        self, one: Disagreement, families: Sequence[str], letters: dict[str, str]
    ) -> EvidenceCard:
        models = []
        for answer, family in zip(self.answers, families, strict=True):
            values = one.beliefs.get(answer.name, (None,) * len(one.states))
            lacking = one.lacking.get(answer.name, "")
            models.append(ModelBeliefs(letters.get(answer.name, ""), family, values, lacking))
        far = one.distances.get(self.measure)
        unit = " bits" if self.measure == "relative entropy" else ""
        distance = "" if far is None else f"{_distance(far.value)}{unit}"
        between = "all agree"
        if far is not None and far.value > ROUNDING:
            between = f"{letters[far.between[0]]} and {letters[far.between[1]]}"
        finding = self.link.evidence.get(one.variable)
        text, seen = "", ""
        if finding is not None:
            domain = next(a.domain for a in self.answers if one.variable in a.domain)
            text = short_words(domain[one.variable], finding)
            seen = finding.state if isinstance(finding, Observed) else ""
        return EvidenceCard(one.variable, one.states, tuple(models), distance, between, text, seen)

    # -- commands

    def _on_rank(self, number: int) -> None:
        if number < len(self.ranking):
            self.list.show_card(self.ranking[number].variable)

    def _on_model(self, number: int) -> None:
        ids = list(titles_of(self._app.project, self.link.model_ids))
        if number < len(ids):
            open_model_page(self._app, ids[number])

    def _on_export(self) -> None:
        kinds = "Table (*.csv);;Table (*.tsv)"
        path, _ = QFileDialog.getSaveFileName(self, "Export beliefs", "same-evidence.csv", kinds)
        if path:
            self.export(Path(path))

    def export(self, path: Path) -> None:
        """Write all beliefs; tabs for .tsv, commas otherwise."""
        separator = "\t" if path.suffix.lower() == ".tsv" else ","
        try:
            text = disagreement_csv(self.answers, self.ranking, separator)
            self._app.write_csv(path, text)
        except PgmStudioError as error:
            self._app.errors.report(error)
            return
        self._app.notify(f"{path.name} was written.")


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
