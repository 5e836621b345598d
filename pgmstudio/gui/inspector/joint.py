"""The inspector of several variables: joint belief, most probable states, mutual information."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QHeaderView, QWidget

from pgmstudio.core.analysis.belief_query import become
from pgmstudio.core.csv_text import csv_text
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.base import Finding, InferenceSession, JointSession, Observed, Scale
from pgmstudio.core.inference.information_measures import entropy_bits, mutual_information_bits
from pgmstudio.core.inference.map_search import Combination, MapAnswer
from pgmstudio.core.number_format import grouped, percent
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.evidence.map_query import LONGER_SECONDS, MapQuestion, map_query_of
from pgmstudio.gui.inspector.edge_explanation import EdgeExplanationSection
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_rows import RankBars
from pgmstudio.gui.widgets.basic import Note, Section, button, label, row
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.fact_rows import Fact, FactRows
from pgmstudio.gui.widgets.file_dialog import ask_where
from pgmstudio.gui.widgets.grid_view import GridView
from pgmstudio.gui.widgets.inspector_header import InspectorHead, lay_under

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
        self._text = label("", "secondary", size="dense", wrap=True, name="inspectorMapText")
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
        self.add(
            self._note,
            self._text,
            self.states,
            self.others,
            row(self._find, self._stop, self._use, None),
            row(self._longer, None),
        )
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


Index = QModelIndex | QPersistentModelIndex
STEPS = 8


class JointGrid(QAbstractTableModel):
    """Percentages; the deepest step of the ramp is the largest cell."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._variables: tuple[Variable, ...] = ()
        self._cells: NDArray[np.float64] = np.zeros((0, 0))
        self._largest = 1.0

    def show(self, variables: Sequence[Variable], table: NDArray[np.float64]) -> None:
        self.beginResetModel()
        self._variables = tuple(variables)
        self._cells = table.reshape(-1, table.shape[-1])
        self._largest = float(self._cells.max(initial=0.0)) or 1.0
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else int(self._cells.shape[0])

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else int(self._cells.shape[1])

    def row_states(self, row: int) -> list[str]:
        """The states of all variables but the last in a row."""
        indices = np.unravel_index(row, [v.cardinality for v in self._variables[:-1]] or [1])
        pairs = zip(self._variables[:-1], indices, strict=False)
        return [variable.states[int(position)] for variable, position in pairs]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        across = orientation == Qt.Orientation.Horizontal
        named = self._variables[-1:] if across else self._variables[:-1]
        states = [named[0].states[section]] if across else self.row_states(section)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                fifths = 1 if across else max(2, 5 - len(self._variables[-1].states))
                available = theme().px("right") * fifths // 5
                font = theme().font("dense", "semibold" if across else "regular")
                return shortened(states, available, QFontMetrics(font))
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleTextRole:
                pairs = zip(named, states, strict=True)
                return ", ".join(f"{variable.name} = {state}" for variable, state in pairs)
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        value = float(self._cells[index.row(), index.column()])
        step = min(STEPS - 1, int(STEPS * value / self._largest)) if value > 0 else 0
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return percent(value)
            case Qt.ItemDataRole.TextAlignmentRole:
                return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            case Qt.ItemDataRole.BackgroundRole:
                return theme().sequential(step)
            case Qt.ItemDataRole.ForegroundRole:
                return theme().color("text" if step <= 4 else "surface")
            case Qt.ItemDataRole.FontRole:
                return theme().font("dense")
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleTextRole:
                states = [*self.row_states(index.row()), self._variables[-1].states[index.column()]]
                pairs = zip(self._variables, states, strict=True)
                return ", ".join(f"{v.name} = {s}" for v, s in pairs) + f": {value:.6g}"
        return None


def shortened(states: Sequence[str], available: int, metrics: QFontMetrics) -> str:
    """The states separated by commas, the longest shortened first to fit the width.

    If not even a letter of each fits, the last states are shown, since they differ between rows.
    """
    between = metrics.horizontalAdvance(", ")
    widths = [metrics.horizontalAdvance(state) for state in states]
    free = available - between * (len(states) - 1)
    limit, left = free, len(states)
    for width in sorted(widths):  # a short one leaves its width to the longer ones
        limit = free // left
        if width > limit:
            break
        free, left = free - width, left - 1
        if not left:
            return ", ".join(states)
    middle = Qt.TextElideMode.ElideMiddle
    if limit < metrics.horizontalAdvance("m…"):
        return metrics.elidedText(", ".join(states), Qt.TextElideMode.ElideLeft, available)
    return ", ".join(
        metrics.elidedText(state, middle, limit) if width > limit else state
        for state, width in zip(states, widths, strict=True)
    )


def joint_text(variables: Sequence[Variable], table: NDArray[np.float64], separator: str) -> str:
    """One line per combination of states: the states, then the probability to all its digits."""
    head = [*(variable.name for variable in variables), "probability"]
    combinations = itertools.product(*(variable.states for variable in variables))
    cells = zip(combinations, table.ravel().tolist(), strict=True)
    return csv_text([head, *([*states, repr(value)] for states, value in cells)], separator)


TOPIC = "joint"
MAX_CELLS, MAX_SHOWN = 2**20, 4096
REST_MS = 60


@dataclass(frozen=True, eq=False)
class Joint:
    """P(variables | e), one axis each, and the mutual information of its pairs."""

    variables: tuple[Variable, ...]
    table: NDArray[np.float64]
    pair_bits: Mapping[tuple[str, str], float]
    entropy: float


def joint_belief(
    variables: Sequence[Variable],
    evidence: Mapping[str, Finding],
    session: InferenceSession,
    cancel: CancelToken,
) -> Joint:
    """The joint belief from a session that has joint beliefs."""
    if not isinstance(session, JointSession):
        raise PgmStudioError("This language has no joint beliefs yet.")
    become(session, evidence)
    table = np.asarray(session.joint([variable.name for variable in variables]))
    pairs = {}
    for a, b in combinations(range(len(variables)), 2):
        cancel.raise_if_cancelled()
        rest = tuple(axis for axis in range(table.ndim) if axis not in (a, b))
        names = variables[a].name, variables[b].name
        pairs[names] = mutual_information_bits(table.sum(axis=rest))
    return Joint(tuple(variables), table, pairs, entropy_bits(table.ravel()))


class JointInspector(QWidget):
    """Up to 2^20 cells are computed, up to 4096 are shown, all can be exported."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("jointInspector")
        self._app = app
        self._subject: ActiveModel | None = None
        self._names: tuple[str, ...] = ()
        self._asked: tuple[object, ...] = ()
        self.joint: Joint | None = None
        self._head = InspectorHead("inspectorJoint")
        self._note = Note(name="inspectorJointNote")
        self._facts_section = Section("Mutual information", line=False)
        self.facts = FactRows("inspectorJointFacts")
        self.pairs = RankBars("inspectorPairs", most=10, digits=3, name_fraction=0.6)
        self.pairs.chosen.connect(self._on_pair)
        self._facts_section.add(self._note, self.facts, self.pairs)
        self._table_section = Section("Joint belief", "%")
        self.grid = JointGrid(self)
        self.view = GridView(
            "inspectorJointTable",
            "Joint belief",
            tip="Each cell is the probability of its row and column together.",
            has_row_heads=True,
        )
        self.view.setShowGrid(True)
        self.view.setModel(self.grid)
        self.view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self._copy = button(
            "Copy",
            self._on_copy,
            icon_name="copy",
            name="inspectorJointCopy",
            tip="Copy the table as tab-separated text.",
        )
        self._export = button(
            "Export CSV…",
            self._on_export,
            icon_name="export",
            name="inspectorJointExport",
            tip="Write the whole joint belief to a file, one row per combination.",
        )
        self._axes = label("", "tertiary", size="dense", wrap=True, name="inspectorJointAxes")
        self._table_section.add(self._axes, self.view, row(self._copy, self._export, None))
        self.most_probable = MapSection(app)
        self.why = EdgeExplanationSection(app, "inspectorPairWhy")
        parts = (self._facts_section, self.most_probable, self._table_section, self.why)
        lay_under(self._head, parts, self, "inspectorJointScroll")
        self._rest = one_shot(self, self._ask, REST_MS)

    def show_nodes(self, subject: ActiveModel, names: tuple[str, ...]) -> None:
        if (
            names != self._names
            or self._subject is None
            or subject.model is not self._subject.model
        ):
            self.joint = None
        self._subject, self._names = subject, names
        self.most_probable.show_nodes(subject, names)
        titles = [subject.title(name) for name in names]
        shape = [subject.variable(name).cardinality for name in names]
        cells = math.prod(shape)
        size = (
            f"{grouped(cells)} cells = {' × '.join(map(str, shape))}"
            if len(shape) < 7
            else (f"{grouped(cells)} cells")
        )
        self._head.show_text(
            f"{len(names)} variables", ", ".join(titles[:6]) + " …" * (len(names) > 6)
        )
        if cells > MAX_CELLS:
            self._rest.stop()
            subject.live.side.forget(TOPIC)
            self.joint, self._asked = None, ()
            self._say(
                f"The joint belief has {size}; at most {grouped(MAX_CELLS)} are possible. "
                "Select fewer variables."
            )
        elif subject.live.error is not None:
            self._say(str(subject.live.error))
        else:
            asked = (subject.model, names, dict(subject.live.evidence))
            if asked != self._asked:
                self._asked = asked
                self._rest.start()
        self._refresh(size)
        if len(names) == 2:
            self.why.show_pair(subject, *names)
        else:
            self.why.hide()

    def _ask(self) -> None:
        subject = self._subject
        if subject is not None:
            variables = [subject.variable(name) for name in self._names]
            question = partial(joint_belief, variables, subject.live.evidence)
            subject.live.side.ask(TOPIC, question, self._on_joint, self._on_error)

    def _on_error(self, error: PgmStudioError) -> None:
        self._say(str(error))

    def _say(self, text: str) -> None:
        self._note.show_text(text, "warning")

    def _on_joint(self, joint: Joint) -> None:
        if self._subject is None or tuple(v.name for v in joint.variables) != self._names:
            return
        self.joint = joint
        self._note.show_text("")
        self._refresh(None)

    def _refresh(self, size: str | None) -> None:
        joint, subject = self.joint, self._subject
        self._table_section.setVisible(joint is not None)
        self.pairs.setVisible(joint is not None and len(self._names) > 2)
        if joint is None or subject is None:
            self.facts.show_facts([("Size", size or "")])
            return
        cells = joint.table.size
        is_distribution = subject.live.scale is Scale.PROBABILITY
        facts = []
        if is_distribution:
            facts.append(("Entropy", f"{joint.entropy:.3f} bits", "Of all of them together."))
        if is_distribution and len(self._names) == 2:
            bits = next(iter(joint.pair_bits.values()))
            facts.insert(0, ("Mutual information", f"{bits:.4f} bits", "Each about the other."))
        facts.append(("Size", f"{grouped(cells)} cells", "Combinations of their states."))
        self.facts.show_facts(facts)
        ranks = sorted(joint.pair_bits.items(), key=lambda pair: -pair[1])
        self.pairs.show_ranks(
            [("\n".join(p), " – ".join(map(subject.title, p)), bits) for p, bits in ranks]
        )
        can_show = cells <= MAX_SHOWN
        self.view.setVisible(can_show)
        self._copy.setVisible(can_show)
        if can_show:
            self.grid.show(joint.variables, joint.table)
            titles = [subject.title(name) for name in self._names]
            self._axes.setText(f"Down {', '.join(titles[:-1])}; across {titles[-1]}.")
            self._fit_view()
        else:
            self._say(
                f"{grouped(cells)} cells are too many to show; the whole table can be exported."
            )

    def _fit_view(self) -> None:
        """As high as its rows, up to a dozen."""
        height = theme().px("row") + 2
        self.view.verticalHeader().setDefaultSectionSize(height)
        self.view.verticalHeader().setMaximumWidth(theme().px("right") // 2)
        rows = min(12, self.grid.rowCount())
        head = self.view.horizontalHeader().sizeHint().height()
        bar = self.view.horizontalScrollBar().sizeHint().height()
        self.view.setFixedHeight(rows * height + head + bar + 6)

    def _on_pair(self, key: str) -> None:
        self._app.workspace.select(key.split("\n"))

    def _on_copy(self) -> None:
        if self.joint is not None:
            text = joint_text(self.joint.variables, self.joint.table, "\t")
            QApplication.clipboard().setText(text)

    def _on_export(self) -> None:
        if self.joint is None:
            return
        name = "-".join(self._names[:4]) + ".csv"
        ask_where(self, "Export joint belief", name, "CSV (*.csv)", self.export)

    def export(self, path: Path) -> None:
        """Write the joint belief, one row per combination of states."""
        if self.joint is None:
            return
        text = joint_text(self.joint.variables, self.joint.table, ",")
        try:
            self._app.write_csv(path, text)
        except (OSError, PgmStudioError) as error:
            problem = PgmStudioError(f"{path.name} cannot be written: {error}.")
            self._app.errors.at("inspectorPanel").report(problem)
            return
        self._app.notify(f"{path.name} holds {grouped(self.joint.table.size)} rows.")
