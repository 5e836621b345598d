"""The inspector sections of mixtures: weights, shared edges, assignments, and hidden variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPoint, QRectF, QSignalBlocker, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QSlider, QWidget

from pgmstudio.core.analysis.cluster_assignment import row_components, shares_by
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.components import choice_information
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.tree.model import edge_information
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.trace import HiddenScan
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.validation import (
    ACCEPTED,
    REJECTED,
)
from pgmstudio.core.languages.tree_mixture.model import (
    GUARANTEED,
    NOT_GUARANTEED,
    NOT_IDENTIFIABLE,
    Mixture,
    TreeMixture,
    effective_count,
    identifiability,
    partition_of,
)
from pgmstudio.core.number_format import counted, grouped, percent
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.tree_mixture.component_selection import component_views
from pgmstudio.gui.runs.artifact_source import artifact_in, run_of_model
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_rows import BarRows, RankBars
from pgmstudio.gui.widgets.basic import (
    Note,
    Section,
    button,
    empty,
    label,
    lay_out_now,
    named,
    row,
    vbox,
    widening,
)
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.fact_rows import Fact, FactRows

_LEVELS = {
    GUARANTEED: "success",
    NOT_GUARANTEED: "warning",
    NOT_IDENTIFIABLE: "warning",
    ACCEPTED: "success",
    REJECTED: "danger",
}
# The diagram shows all blocks.
MAX_BLOCKS = 12


class PartitionSection(Section):
    """Only for mixtures whose trees share their edges and leave several blocks."""

    def __init__(self, app: AppContext) -> None:
        super().__init__("Blocks")
        self.setObjectName("inspectorPartition")
        self._app = app
        self._result: tuple[tuple[object, ...], HiddenScan | None] = ((), None)
        self.blocks = FactRows("inspectorBlocks")
        self.identifiable = Note(name="inspectorIdentifiable")
        self.tested = Note(name="inspectorBlocksTested")
        self._open = button(
            "Candidates…",
            self._on_open,
            icon_name="circles-three",
            name="inspectorCandidates",
            tip="Every model the search passed: length, blocks, and their test.",
        )
        self.add(self.blocks, self.identifiable, self.tested, row(self._open, None))
        self.hide()

    def show_subject(self, subject: ActiveModel, _names: tuple[str, ...] = ()) -> None:
        model = subject.model
        blocks = partition_of(model) if isinstance(model, TreeMixture) else None
        self.setVisible(blocks is not None and len(blocks) > 1)
        if not isinstance(model, TreeMixture) or blocks is None or len(blocks) < 2:
            return
        self.fact.setText(
            f"{len(blocks)} given {' and '.join(model.separators) or 'the hidden variable'}"
        )
        named = [", ".join(map(subject.title, block)) for block in blocks]
        facts = [(f"Block {n}", text, text) for n, text in enumerate(named[:MAX_BLOCKS], 1)]
        if len(blocks) > MAX_BLOCKS:
            facts.append((f"{counted(len(blocks) - MAX_BLOCKS, 'block')} more", "", ""))
        self.blocks.show_facts(facts)
        verdict, message = identifiability(model)
        self.identifiable.show_text(message, _LEVELS.get(verdict, "info"))
        scan = self._scan_of(subject)
        self._open.setVisible(scan is not None)
        best = None if scan is None else scan.best
        if best is None:
            self.tested.show_text("")
        elif scan is not None and any(one.is_kept for one in scan.divisions):
            self._show_divisions(scan)
        elif best.blocks != blocks:
            self.tested.show_text(
                "These blocks were not tested: the model has been edited.", "info"
            )
        elif best.check is None:
            self.tested.show_text("The blocks were not tested on held-out rows.", "info")
        else:
            level = _LEVELS.get(best.check.verdict, "warning")
            self.tested.show_text(best.check.summary(), level)

    def _show_divisions(self, scan: HiddenScan) -> None:
        """Blocks of a model of several levels are those of the best model, divided further."""
        kept = [one for one in scan.divisions if one.is_kept]
        text = " ".join(one.text() for one in kept)
        worst = next((one for one in kept if one.verdict != ACCEPTED), kept[0])
        self.tested.show_text(text, _LEVELS.get(worst.verdict, "info"))

    def _scan_of(self, subject: ActiveModel) -> HiddenScan | None:
        """The scan that the run of the model saved; read once for a run."""
        project = self._app.project
        run_id = run_of_model(project, subject.model_id)
        run = None if run_id is None else project.runs[run_id]
        if self._result[0] != (run_id, run):
            scan = None if run is None else artifact_in(run, HiddenScan.kind)
            self._result = (run_id, run), scan if isinstance(scan, HiddenScan) else None
        return self._result[1]

    def _on_open(self) -> None:
        action = self._app.actions.by_id.get("learn.hidden-scan")
        if action is not None:
            action.trigger()


ComponentRow = tuple[str, tuple[float, ...]]  # a state, and the weights of the components
_NAME_SHARE = 0.34
_MIN_NUMBERED = 12  # px of a part that holds its number


class ComponentBars(BarRows):
    """Stacked bars of component weights; parts have a number as well as a colour."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "Component weights", "Weights of the components.")
        self.rows: tuple[ComponentRow, ...] = ()
        self._names: tuple[str, ...] = ()

    def show_rows(self, rows: Sequence[ComponentRow], names: Sequence[str]) -> None:
        self.rows, self._names = tuple(rows), tuple(names)
        parts = [f"{state}: {self._format(fractions)}" for state, fractions in rows]
        self.setAccessibleName("; ".join(parts) or "Component weights")
        self.updateGeometry()
        self.update()

    def _format(self, fractions: Sequence[float]) -> str:
        parts = zip(self._names, fractions, strict=True)
        return ", ".join(f"{name} {percent(fraction)} %" for name, fraction in parts)

    def _row_count(self) -> int:
        return len(self.rows)

    def tip_at(self, position: QPoint) -> str | None:
        row = position.y() // self._row_height()
        if not 0 <= row < len(self.rows):
            return None
        state, fractions = self.rows[row]
        return f"{state}: {self._format(fractions)}"

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, look = QPainter(self), theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, height = self.width() * _NAME_SHARE, self._row_height()
        for line, (state, fractions) in enumerate(self.rows):
            rect = QRectF(0, line * height, self.width(), height)
            painter.setFont(look.font("dense"))
            painter.setPen(look.color("text"))
            self._paint_name(painter, rect, state, left)
            x, available = left, self.width() - left
            painter.setFont(look.font("micro", "semibold"))
            for number, fraction in enumerate(fractions):
                part = QRectF(x, rect.center().y() - 7, available * fraction, 14)
                x += part.width()
                painter.setPen(Qt.PenStyle.NoPen)
                fill = look.category(number, "line")
                painter.setBrush(fill)
                painter.drawRoundedRect(part.adjusted(0.5, 0, -0.5, 0), 2, 2)
                if part.width() >= _MIN_NUMBERED:
                    painter.setPen(_ink_on(fill))
                    painter.drawText(part, Qt.AlignmentFlag.AlignCenter, str(number + 1))


def _ink_on(background: QColor) -> QColor:
    """Dark on light, light on dark."""
    surface, text = theme().color("surface"), theme().color("text")
    light, dark = (surface, text) if surface.lightnessF() > text.lightnessF() else (text, surface)
    bright = 0.299 * background.redF() + 0.587 * background.greenF() + 0.114 * background.blueF()
    return dark if bright > 0.6 else light


MAX_EDGES, MAX_TREES, MAX_RANKED, MAX_STATES = 8, 5, 8, 6
Edge = tuple[str, str]


@dataclass(frozen=True, eq=False)
class ComponentFacts:
    """Slow facts: information about the component, shared edges, rows by a column."""

    model: Mixture
    ranking: dict[str, float]
    shared: list[tuple[Edge, dict[int, float]]]  # the edges of most trees first
    edge_count: int
    column: str = ""  # one the model does not know
    by_state: tuple[ComponentRow, ...] = ()


def component_facts(model: Mixture, data: DataSet | None, cancel: CancelToken) -> ComponentFacts:
    """Compute the facts; runs in the background."""
    shared: list[tuple[Edge, dict[int, float]]] = []
    result: dict[Edge, dict[int, float]] = {}
    if isinstance(model, TreeMixture):
        for number, tree in enumerate(model.trees):
            for edge, bits in edge_information(tree).items():
                result.setdefault(edge, {})[number] = bits
        shared = sorted(
            ((edge, bits) for edge, bits in result.items() if len(bits) > 1),
            key=lambda one: (-len(one[1]), -sum(one[1].values())),
        )
    cancel.raise_if_cancelled()
    column, by_state = _by_column(model, data, cancel)
    return ComponentFacts(model, choice_information(model), shared, len(result), column, by_state)


def _by_column(
    model: Mixture, data: DataSet | None, cancel: CancelToken
) -> tuple[str, tuple[ComponentRow, ...]]:
    """Mean responsibilities by the last column that the model lacks, as an external check."""
    others = (
        []
        if data is None
        else [v for v in data.domain if v.name not in model.domain and v.cardinality <= MAX_STATES]
    )
    if data is None or not others or not data.row_count:
        return "", ()
    variable = others[-1]
    result = row_components(model, data, cancel)
    means = shares_by(result, data.column(variable.name), variable.cardinality)
    rows = zip(variable.states, means.tolist(), strict=True)
    return variable.name, tuple((s, tuple(m)) for s, m in rows if m[0] == m[0])


class ComponentSections(QWidget):
    """Hidden for other languages."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("inspectorComponents")
        self._app = app
        self._views = component_views(app)
        self._views.changed.connect(self._on_views)
        self._subject: ActiveModel | None = None
        self._asked: tuple[object, ...] = ()
        self._facts: ComponentFacts | None = None
        self._latest_task = LatestTask(self, self._on_facts, app.errors.at("inspectorPanel").report)
        vbox(self, self._weights(), self._shared(), self._ranked(), self._belonging(), spacing=4)

    # -- parts

    def _weights(self) -> Section:
        self.weights = Section("Weights: prior to posterior")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setObjectName("inspectorBlend")
        self.slider.setAccessibleName("From the prior weights to those given the evidence, in %")
        self.slider.setRange(0, 100)
        self.slider.setValue(100)
        self.slider.valueChanged.connect(self._on_slider)
        self._given = named(ElidedLabel("", "tertiary", size="dense"), "inspectorBlendGiven")
        self._given.setAlignment(Qt.AlignmentFlag.AlignRight)
        ends = widening(row(label("prior weights", "tertiary", size="dense"), self._given), 1)
        self.facts = FactRows("inspectorComponentFacts")
        self.weights.add(self.slider, ends, self.facts)
        return self.weights

    def _shared(self) -> Section:
        self.shared = Section("Edges in more than one tree")
        self._grid_holder = QWidget()
        self._grid = QGridLayout(self._grid_holder)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(5)
        self._grid.setHorizontalSpacing(12)
        self._grid.setColumnStretch(0, 1)
        self.shared.add(self._grid_holder)
        return self.shared

    def _ranked(self) -> Section:
        self.ranked = Section("Informative variables", "bits")
        self.ranking = RankBars("inspectorSwitches", most=MAX_RANKED, digits=3)
        self.ranking.chosen.connect(self._on_ranked)
        self._ranked_tip = label("", "tertiary", size="dense", wrap=True)
        self.ranked.add(self.ranking, self._ranked_tip)
        return self.ranked

    def _belonging(self) -> Section:
        self.belonging = Section("Assignments")
        self.by_state = ComponentBars("inspectorBelonging")
        self._by_text = label("", "tertiary", size="dense", wrap=True)
        self.belonging.add(
            self.by_state,
            self._by_text,
            row(
                self._opener("Rows…", "model.assignments", "table", "inspectorRows"),
                self._opener("Profiles…", "model.profiles", "chart-line", "inspectorProfiles"),
                None,
            ),
        )
        return self.belonging

    def _opener(self, text: str, action: str, icon_name: str, name: str) -> QWidget:
        command: Callable[[], object] = partial(self._trigger, action)
        tip = {
            "model.assignments": "The class or tree of every row, with its responsibility.",
            "model.profiles": "How the classes or trees differ, variable by variable.",
        }[action]
        return button(text, command, icon_name=icon_name, name=name, tip=tip)

    def _trigger(self, action: str) -> None:
        result = self._app.actions.by_id.get(action)
        if result is not None:
            self._app.actions.refresh(action)
            result.trigger()

    # -- showing

    def show_subject(self, subject: ActiveModel, _names: tuple[str, ...] = ()) -> None:
        self._subject = subject
        model = subject.model
        is_mixture = isinstance(model, TreeMixture | LatentClasses)
        self.setVisible(is_mixture)
        if not isinstance(model, TreeMixture | LatentClasses):
            return
        data = self._app.project.data.get(subject.entry.data_id or "")
        rows = None if data is None else data.data
        if self._asked != (model, rows):
            self._asked, self._facts = (model, rows), None
            self._latest_task.ask(partial(component_facts, model, rows))
        self._show_weights(subject, model)
        self._show_facts(subject)

    def _on_views(self, model_id: str) -> None:
        subject = self._subject
        if subject is not None and subject.model_id == model_id and self.isVisible():
            value = round(100 * self._views.blend(model_id))
            if value != self.slider.value():
                self.slider.setValue(value)

    def _show_weights(self, subject: ActiveModel, model: Mixture) -> None:
        evidence = subject.live.evidence
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(100 * self._views.blend(subject.model_id)))
        self.slider.setEnabled(bool(evidence))
        self.slider.setToolTip(
            "Left: what is believed without evidence; right: with it. Weights and bars follow."
            if evidence
            else "Not now: there is no evidence yet. Click a state to set it."
        )
        parts = [f"{subject.title(name)} {finding}" for name, finding in evidence.items()]
        self._given.setText("given " + ", ".join(parts) if parts else "no evidence yet")
        names = model.component_names
        what = "trees" if isinstance(model, TreeMixture) else "classes"
        effective = effective_count(model.weights)
        facts: list[Fact] = [
            (
                f"Effective {what}",
                f"{effective:.2f} of {len(names)}",
                f"2^H of the weights: as many {what} of equal weight would be as mixed.",
            )
        ]
        if isinstance(model, LatentClasses):
            sizes = grouped(model.definition_size()), grouped(model.printed_size())
            facts += [
                (
                    "Effective size",
                    grouped(model.effective_size()),
                    "classes · Σ states: cells of the junction tree, published tables B. "
                    "Compared with other languages.",
                ),
                ("Size, definition", sizes[0], "classes · Σ (states − 1)."),
                ("Size, tables A", sizes[1], "Free parameters + 1: most published tables."),
            ]
        elif model.separators:
            facts.append(("Component", f"seen, as {' and '.join(model.separators)}"))
        else:
            facts.append(("Edges", "shared by all trees" if model.is_shared else "free"))
        self.facts.show_facts(facts)

    def _on_facts(self, facts: ComponentFacts) -> None:
        self._facts = facts
        if self._subject is not None and facts.model is self._subject.model:
            self._show_facts(self._subject)
            lay_out_now()

    def _show_facts(self, subject: ActiveModel) -> None:
        result = self._facts
        is_trees = isinstance(subject.model, TreeMixture)
        self.shared.setVisible(is_trees and result is not None and bool(result.shared))
        self.ranked.setVisible(result is not None)
        has_rows = result is not None and bool(result.by_state)
        self.by_state.setVisible(has_rows)
        self._by_text.setVisible(has_rows)
        if result is None:
            return
        ranks = [(name, subject.title(name), bits) for name, bits in result.ranking.items()]
        self.ranking.show_ranks(ranks)
        self.ranked.title.setText("Informative variables" if is_trees else "Informative items")
        self._ranked_tip.setText(
            "I(tree; variable): the information that the variable gives about the tree."
            if is_trees
            else "I(class; item): the information that the item gives about the class."
        )
        self.belonging.title.setText(
            "Assignments to trees" if is_trees else "Assignments to classes"
        )
        names = result.model.component_names
        self.by_state.show_rows(result.by_state, names)
        self._by_text.setText(
            f"Mean responsibility by {result.column}, which the model does not know."
        )
        if is_trees:
            self._show_edges(subject, result)

    def _show_edges(self, subject: ActiveModel, result: ComponentFacts) -> None:
        empty(self._grid)
        count = len(result.model.weights)
        self.shared.fact.setText(f"{len(result.shared)} of {result.edge_count}")
        columns = range(count) if count <= MAX_TREES else ()
        if columns:
            self._cell(0, 0, "MI, bits", "tertiary")
        for number in columns:
            self._cell(0, number + 1, str(number + 1), "tertiary", right=True)
        for line, (edge, bits) in enumerate(result.shared[:MAX_EDGES], start=1):
            text = " – ".join(subject.title(end) for end in edge)
            self._cell(line, 0, text)
            for number in columns:
                message = f"{bits[number]:.2f}" if number in bits else "–"
                self._cell(line, number + 1, message, right=True)
            if not columns:
                self._cell(line, 1, f"{counted(len(bits), 'tree')}", right=True)

    def _cell(
        self, line: int, column: int, text: str, role: str = "", *, right: bool = False
    ) -> None:
        if column == 0:
            made = ElidedLabel(text, role, size="dense")
            made.setToolTip(text)
            self._grid.addWidget(made, line, column)
            made.show()  # now: Qt would do it a turn later
            return
        number = label(text, role, size="dense")
        if right:
            number.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._grid.addWidget(number, line, column)
        number.show()

    # -- acting

    def _on_slider(self, value: int) -> None:
        if self._subject is not None:
            self._views.set_blend(self._subject.model_id, value / 100)

    def _on_ranked(self, name: str) -> None:
        self._app.workspace.select((name,))
