"""The inspector of a node of a decision graph: conditions, flow, parameters, changes, rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QGridLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.languages.pdg.candidate_operations import (
    CandidateOperation,
    Operation,
    ScoreWeight,
)
from pgmstudio.core.languages.pdg.diagrams import node_name, operation_text, short_operation_text
from pgmstudio.core.languages.pdg.measures import in_flows, numbers_change
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.node_facts import (
    MAX_ROWS,
    GraphNodeFacts,
    Move,
    ReachRule,
    ReachRules,
    graph_node_facts,
    reach_rules,
)
from pgmstudio.core.languages.pdg.session import NodeFlows
from pgmstudio.core.number_format import change, counted, grouped, percent
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.pdg.nodes import (
    ask_flows,
    graph_nodes,
    move,
    rows_of,
    set_numbers,
    take,
    weight_of,
)
from pgmstudio.gui.model_page.node_notes import NotesTab
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar
from pgmstudio.gui.widgets.basic import (
    Section,
    Segments,
    button,
    empty,
    hairline,
    label,
    row,
    scrolled,
    vbox,
)
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.fact_rows import Fact, FactRows
from pgmstudio.gui.widgets.inspector_header import InspectorHead
from pgmstudio.gui.widgets.table import Column, SelectionMode, Table

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class ChangeRow:
    """A row of the list; `refusal` is the reason why not, `what` is emitted on a click."""

    text: str
    icon: str
    bits: float | None
    size: int
    score: float | None
    what: object
    refusal: str = ""
    tip: str = ""


class ChangeRows(QWidget):
    """A grid of changes; `requested` emits the `what` of the row that was clicked."""

    requested = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.rows: tuple[ChangeRow, ...] = ()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(4)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 1)
        self._score = "Δscore"
        self._buttons: list[QPushButton] = []

    def press(self, position: int) -> None:
        """As a click on a row."""
        self._buttons[position].click()

    def show_rows(self, rows: Sequence[ChangeRow], score: str) -> None:
        if tuple(rows) == self.rows and score == self._score:
            return
        self.rows, self._score = tuple(rows), score
        focused = next((i for i, made in enumerate(self._buttons) if made.hasFocus()), None)
        if focused is not None:
            self.setFocus()  # or the focus would go on by itself, and what is scrolled with it
        empty(self._grid)
        self._buttons = []
        heads = (
            ("Command", "The change; a click makes it and can be undone."),
            ("ΔL, bits", "Log-likelihood of the training rows, with the likeliest parameters."),
            ("Δsize", "Effective size."),
            ("Δscore", score),
        )
        for column, (text, tip) in enumerate(heads):
            head = label(text, "tertiary", size="caption")
            head.setToolTip(tip)
            if column:
                head.setAlignment(_RIGHT)
            self._grid.addWidget(head, 0, column)
        for index, one in enumerate(rows, start=1):
            self._add_row(index, one)
        if focused is not None and self._buttons:
            self._buttons[min(focused, len(self._buttons) - 1)].setFocus()

    def _add_row(self, position: int, row: ChangeRow) -> None:
        made = button(row.text, lambda: None, role="link", icon_name=row.icon)
        made.setObjectName(f"{self.objectName()}.{position - 1}")
        tip = f"Not now: {row.refusal}" if row.refusal else row.tip or row.text
        made.setToolTip(tip)
        made.setAccessibleName(f"{row.text}: {tip}")
        made.setEnabled(not row.refusal)
        made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        made.setStyleSheet("text-align: left; padding-left: 0px;")
        made.clicked.connect(self._on_clicked)
        self._buttons.append(made)
        self._grid.addWidget(made, position, 0)
        changes = (change(row.bits), change(row.size, 0), change(row.score))
        parts = ("–",) * 3 if row.refusal else changes
        for column, text in enumerate(parts, start=1):
            pays = column == 3 and row.score is not None and row.score > 0
            role = "tertiary" if row.refusal else "heading" if pays else ""
            number = label(text, role, size="dense")
            number.setAlignment(_RIGHT)
            self._grid.addWidget(number, position, column)

    def _on_clicked(self) -> None:
        made = self.sender()
        if isinstance(made, QPushButton) and made in self._buttons:
            self.requested.emit(self.rows[self._buttons.index(made)].what)

    def cell(self, position: int, column: int) -> str:
        """The text of a cell, for tests."""
        item = self._grid.itemAtPosition(position + 1, column)
        widget = None if item is None else item.widget()
        return widget.text() if isinstance(widget, QLabel | QPushButton) else ""


_DIGITS = 3
MAX_NAME = 92  # px of a state; the rest is for the bar


def with_fraction(fractions: Sequence[float], position: int, fraction: float) -> tuple[float, ...]:
    """The fractions with one replaced and the others scaled to sum to 1, or equal if all were 0."""
    fraction = min(1.0, max(0.0, fraction))
    rest = sum(fractions) - fractions[position]
    others = len(fractions) - 1
    result = [
        fraction
        if i == position
        else (1 - fraction) * (s / rest if rest > 0 else 1 / max(1, others))
        for i, s in enumerate(fractions)
    ]
    total = sum(result)
    return tuple(value / total for value in result)


class _Bar(QWidget):
    """The bar of one fraction: a press or a drag proposes it, the release accepts it."""

    dragged = Signal(float)
    let_go = Signal()
    taken_back = Signal()

    def __init__(self, state: int) -> None:
        super().__init__()
        self._state, self._fraction = state, 0.0
        self._is_held = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.SizeHorCursor)

    def show_fraction(self, fraction: float) -> None:
        if fraction != self._fraction:
            self._fraction = fraction
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(80, round(20 * theme().scale))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = 8 * theme().scale
        track = QRectF(0, (self.height() - height) / 2, self.width(), height)
        paint_bar(painter, track, Bar(self._fraction, theme().category(self._state, "line")))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)  # for Esc
        self._is_held = True
        self._drag(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._is_held:
            self._drag(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._is_held = False
        self.let_go.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._is_held = False
            self.taken_back.emit()
        else:
            super().keyPressEvent(event)

    def _drag(self, event: QMouseEvent) -> None:
        fraction = event.position().x() / max(1, self.width())
        self.dragged.emit(round(min(1.0, max(0.0, fraction)), _DIGITS))


class _Field(QDoubleSpinBox):
    """The field of one fraction: typing proposes it, Enter or leaving the field accepts it."""

    proposed = Signal(float)
    taken_back = Signal()

    def __init__(self, bars: ParameterBars) -> None:
        super().__init__()
        self._of = bars
        self.setRange(0.0, 1.0)
        self.setDecimals(_DIGITS)
        self.setSingleStep(0.01)
        self.setFixedWidth(self.fontMetrics().horizontalAdvance("0.000") + 46)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.valueChanged.connect(self.proposed)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            is_undo = event.matches(QKeySequence.StandardKey.Undo)
            is_undo = is_undo or event.matches(QKeySequence.StandardKey.Redo)
            if is_undo and self._of.proposal is None:  # the last step, not the last letter
                event.ignore()
                return False
        return super().event(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:  # the panel is being scrolled
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.taken_back.emit()
        else:
            super().keyPressEvent(event)


class ParameterBars(QWidget):
    """A distribution, which always sums to 1: first proposed, then accepted or taken back."""

    proposed = Signal(object)  # tuple of fractions; None: cancelled
    changed = Signal(object)  # tuple of fractions

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._states: tuple[str, ...] = ()
        self.fractions: tuple[float, ...] = ()  # those of the model
        # The proposed fractions, until they are accepted or cancelled.
        self.proposal: tuple[float, ...] | None = None
        self._bars: list[_Bar] = []
        self._fields: list[_Field] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(1, 1)

    def show_shares(self, states: tuple[str, ...], fractions: Sequence[float]) -> None:
        if (
            states == self._states
            and tuple(fractions) == self.fractions
            and self.proposal is not None
        ):
            return  # the same values again, while others are being proposed
        if states != self._states:
            self._rebuild(states)
        self.fractions, self.proposal = tuple(fractions), None
        self._show(self.fractions)

    def take_back(self) -> None:
        """As it was before something was proposed."""
        if self.proposal is not None:
            self._propose(None)

    def _show(self, fractions: Sequence[float], but: _Field | None = None) -> None:
        for bar, field, fraction in zip(self._bars, self._fields, fractions, strict=True):
            bar.show_fraction(fraction)
            if field is not but:
                with QSignalBlocker(field):
                    field.setValue(fraction)

    def _rebuild(self, states: tuple[str, ...]) -> None:
        empty(self._grid)
        self._states, self._bars, self._fields = states, [], []
        widths = (self.fontMetrics().horizontalAdvance(state) for state in states)
        self._grid.setColumnMinimumWidth(0, round(min(MAX_NAME * theme().scale, max(widths))) + 2)
        for index, state in enumerate(states):
            bar, field = _Bar(index), _Field(self)
            bar.setObjectName(f"parameterBar.{state}")
            bar.setAccessibleName(f"Probability of {state}")
            bar.setToolTip(
                f"Drag to change the probability of {state}; the others follow. Esc takes it back."
            )
            field.setObjectName(f"parameter.{state}")
            field.setAccessibleName(f"Probability of {state}")
            field.setToolTip(
                f"Probability of {state}; the others are scaled to sum to 1. "
                "Enter accepts, Esc takes back."
            )
            bar.dragged.connect(self._on_dragged)
            bar.let_go.connect(self._accept)
            field.proposed.connect(self._on_typed)
            field.editingFinished.connect(self._accept)
            for one in (bar, field):
                one.taken_back.connect(self.take_back)
            self._grid.addWidget(ElidedLabel(state), index, 0)
            self._grid.addWidget(bar, index, 1)
            self._grid.addWidget(field, index, 2)
            self._bars.append(bar)
            self._fields.append(field)

    def _on_dragged(self, fraction: float) -> None:
        bar = self.sender()
        if isinstance(bar, _Bar):
            self._propose(with_fraction(self.fractions, self._bars.index(bar), fraction))

    def _on_typed(self, fraction: float) -> None:
        field = self.sender()
        if isinstance(field, _Field):
            position = self._fields.index(field)
            # Enter emits the number of a field even if it is the one it had, rounded.
            is_same = abs(fraction - self.fractions[position]) <= 0.5001 * 10**-_DIGITS
            proposal = None if is_same else with_fraction(self.fractions, position, fraction)
            self._propose(proposal, but=field)

    def _propose(self, fractions: tuple[float, ...] | None, but: _Field | None = None) -> None:
        self.proposal = fractions
        self._show(self.fractions if fractions is None else fractions, but)
        self.proposed.emit(fractions)

    def _accept(self) -> None:
        if self.proposal is not None:
            proposal, self.proposal = self.proposal, None
            self.changed.emit(proposal)
            self._show(self.fractions)  # set again by then, or refused
            self.proposed.emit(None)


class RuleLines(QLabel):
    """Its text is without marks, a rule in each line."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setWordWrap(True)
        self.setProperty("rich", True)
        self.setProperty("textSize", "dense")
        self._lines: tuple[str, ...] = ()

    def show_rules(self, result: ReachRules) -> None:
        rest = result.count - len(result.rules)
        more = [f"{grouped(rest)} more"] if rest else []
        starts = ["" if number == 0 else "or " for number in range(len(result.rules))]
        pairs = list(zip(starts, result.rules, strict=True))
        self._lines = (*(start + rule.text for start, rule in pairs), *more)
        marked = [*(start + _marked(rule) for start, rule in pairs), *more]
        style = f"margin: 0 0 {theme().space(2)}px 0"
        self.setText("".join(f"<p style='{style}'>{text}</p>" for text in marked))
        self.setAccessibleName(", ".join(self._lines))

    def text(self) -> str:
        return "\n".join(self._lines)


def _marked(rule: ReachRule) -> str:
    parts = [
        f"{escape(name)} = <b>{escape(' or '.join(states))}</b>" for name, states in rule.parts
    ]
    return ", ".join(parts) or rule.text


# The data page shows all columns.
MAX_COLUMNS = 40


class GraphRowsTab(QWidget):
    """The first rows that come to the node."""

    def __init__(self) -> None:
        super().__init__()
        self.note = label("", "tertiary", size="dense", wrap=True, name="graphNodeRowsNote")
        self.table = Table(
            "graphNodeRows",
            "Rows that come to this node",
            row_title=lambda number: grouped(number + 1),
            selection=SelectionMode.ExtendedSelection,
        )
        self._shown: tuple[object, ...] = ()
        vbox(self, self.note, (self.table, 1), margins=(16, 10, 16, 8), spacing=6)

    def show_rows(self, data: DataSet | None, rows: tuple[int, ...], variable: str) -> None:
        """These rows, the variable of the node first."""
        key = (None if data is None else data.fingerprint, rows, variable)
        if key == self._shown:
            return
        self._shown = key
        self.table.show_columns(())
        if data is None or not rows:
            self.note.setText(
                "No rows of the project belong to this model."
                if data is None
                else "No row comes to this node."
            )
            return
        names = [variable, *(name for name in data.domain.names if name != variable)]
        names = names[:MAX_COLUMNS]
        most = f"The first {MAX_ROWS} rows" if len(rows) == MAX_ROWS else f"{len(rows)} rows"
        self.note.setText(f"{most} that reach this node, complete rows only.")

        def column(name: str) -> Column:
            codes, states = data.codes[data.domain.index(name)], data.domain[name].states
            return Column(name, value=lambda number: states[int(codes[number])])

        self.table.show_columns([column(name) for name in names])
        self.table.show_rows(rows)


TABS = (
    ("node", "Node", "When it is reached, its flow and parameters, and what can be changed"),
    ("rows", "Rows", "The rows that come to this node"),
    ("notes", "Notes", "What you want to remember about the variable"),
)
MAX_RULES = 6
_TOPIC = "inspector-flows"
_ICONS = {Operation.MERGE: "git-merge", Operation.SPLIT: "git-fork", Operation.REDIRECT: "path"}


class GraphNodeInspector(QWidget):
    """The inspector of one node of a decision graph; its tab stays when another is chosen."""

    changed = Signal()  # another node is chosen

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("graphNodeInspector")
        self._app = app
        self._subject: ActiveModel | None = None
        self._selection = graph_nodes(app)
        self._selection.changed.connect(self.changed)
        self._key = ("", 0)
        self._asked: tuple[object, ...] = ()
        self._facts: GraphNodeFacts | None = None
        self._latest_task = LatestTask(self, self._on_facts, app.errors.report)
        self._head = InspectorHead("inspectorGraphNode")
        self.segments = Segments(TABS, "graphNodeTabs")
        self.segments.chosen.connect(self._on_tab)
        tabs = row(self.segments, None)
        tabs.setContentsMargins(16, 0, 16, 10)
        self.rows = GraphRowsTab()
        self.notes = NotesTab(app)
        self._pages = QStackedWidget()
        self._pages.addWidget(scrolled(self._node_tab(), "graphNodeScroll"))
        self._pages.addWidget(self.rows)
        self._pages.addWidget(scrolled(self.notes, "graphNotesTabScroll"))
        vbox(self, self._head, tabs, hairline(), self._pages, spacing=0)

    def _node_tab(self) -> QWidget:
        reached = Section("Reached when", line=False)
        self.rules = RuleLines("graphNodeRules")
        reached.add(self.rules)
        self._flow = Section("Flow")
        self.flow = FactRows("graphNodeFlow")
        self.flow_note = label("", "tertiary", size="dense", wrap=True, name="graphNodeFlow")
        self._flow.add(self.flow, self.flow_note)
        parameters = Section("Parameters")
        self.parameters = ParameterBars("graphNodeParameters")
        self.parameters.changed.connect(self._on_parameters)
        self.parameters.proposed.connect(self._on_proposed)
        self.counts = label("", "tertiary", size="dense", wrap=True, name="graphNodeCounts")
        parameters.add(self.parameters, self.counts)
        changes = Section("Change this node")
        self.changes = ChangeRows("graphNodeChanges")
        self.changes.requested.connect(self._on_step)
        self.measured = label("", "tertiary", size="dense", wrap=True, name="graphNodeMeasured")
        changes.add(self.changes, self.measured)
        self._forest = Section("Move in the forest")
        self.moves = ChangeRows("graphNodeMoves")
        self.moves.requested.connect(self._on_move)
        self._forest.add(self.moves)
        content = QWidget()
        vbox(
            content,
            reached,
            self._flow,
            parameters,
            changes,
            self._forest,
            None,
            margins=(0, 8, 0, 8),
            spacing=4,
        )
        return content

    def _on_tab(self, key: str) -> None:
        self._pages.setCurrentIndex([tab[0] for tab in TABS].index(key))

    def commit(self) -> None:
        """Something else will be inspected: keep what was typed."""
        self.notes.editor.commit()

    # -- showing

    def show_element(self, subject: ActiveModel, variable: str) -> bool:
        """Show the chosen node if it is one of this variable."""
        key = self._selection.chosen(subject.model_id)
        if key is None or key[0] != variable:
            return False
        self._show_node(subject, *key)
        return True

    def _show_node(self, subject: ActiveModel, variable: str, node: int) -> None:
        graph = subject.model
        if not isinstance(graph, DecisionGraph):
            return
        if self._key != (variable, node):
            self.parameters.take_back()
        self._subject, self._key = subject, (variable, node)
        i = graph.domain.index(variable)
        self._ask(subject, graph)
        self._show_head(graph)
        result = reach_rules(graph, variable, node, MAX_RULES)
        self.rules.show_rules(result)
        states = graph.domain[variable].states
        self.parameters.show_shares(states, graph.parameters[i][node].tolist())
        ask_flows(subject.live, _TOPIC, partial(self._show_flow, subject, i, node))
        self.notes.show_node(subject, variable)
        self._emit_changes(graph)

    def _show_head(self, graph: DecisionGraph) -> None:
        name, facts = node_name(graph, *self._key), self._facts
        text = "counting rows…" if facts is None else "no rows to count"
        if facts is not None and facts.counts is not None:
            here, total = grouped(round(facts.counts.sum())), grouped(round(facts.total))
            text = f"{here} of {total} rows reach this node"
        self._head.show_text(f"{name} of {self._key[0]}", text)

    def _show_flow(self, subject: ActiveModel, i: int, node: int, flows: NodeFlows) -> None:
        graph, live = subject.model, subject.live
        if not isinstance(graph, DecisionGraph) or subject is not self._subject:
            return
        into, out = float(flows.in_flow[i][node]), float(flows.out_flow[i][node])
        fraction = float(flows.visits[i][node])
        count = len(live.evidence)
        self._flow.title.setText(f"Flow given {counted(count, 'finding')}" if count else "Flow")
        facts: list[Fact] = [
            ("In-flow", f"{into:.4f}", "Probability of reaching it, with the evidence not below."),
            ("Out-flow", f"{out:.4f}", "Probability of the evidence at and below it."),
            ("P(reached | e)", f"{percent(fraction)} %", "Their product, divided by P(e)."),
        ]
        self.flow.show_facts(facts)
        before = float(in_flows(graph)[i][node])
        text = f"{into:.4f} × {out:.4g} ÷ P(e) {2.0**live.log2_evidence:.4g}."
        if count:
            text += f" Before evidence: {percent(before)} %."
        self.flow_note.setText(text)

    # -- what takes a moment

    def _ask(self, subject: ActiveModel, graph: DecisionGraph) -> None:
        data = rows_of(self._app.project, subject.entry)
        weight = self._weight(subject)
        entry = self._app.project.data.get(subject.entry.data_id or "")
        asked = (graph, entry, self._key, weight)
        if asked == self._asked:
            return
        self._asked, self._facts = asked, None
        self._latest_task.ask(partial(graph_node_facts, graph, data, *self._key, weight))

    def _weight(self, subject: ActiveModel) -> ScoreWeight:
        project, entry = self._app.project, subject.entry
        return weight_of(project, entry, rows_of(project, entry))

    def _on_facts(self, facts: GraphNodeFacts) -> None:
        self._facts = facts
        subject = self._subject
        if subject is not None and isinstance(subject.model, DecisionGraph):
            self._show_head(subject.model)
            self._emit_changes(subject.model)

    def _emit_changes(self, graph: DecisionGraph) -> None:
        subject, facts = self._subject, self._facts
        if subject is None:
            return
        variable = self._key[0]
        weight = self._weight(subject)
        score = f"By {weight.label}; above 0 the model improves."
        if facts is None:
            self.measured.setText("Measuring…")
            return
        shown = [
            ChangeRow(
                short_operation_text(graph, one.step, is_from_here=one.step.variable != variable),
                _ICONS[one.step.operation],
                one.bits,
                one.size,
                one.score(weight),
                one.step,
                one.refusal,
                operation_text(graph, one.step),
            )
            for one in facts.prospects
        ]
        self.changes.show_rows(shown, score)
        rows = grouped(round(facts.total))
        self.measured.setText(
            f"ΔL on {rows} training rows; closer to 0 loses less. Δscore by {weight.label}."
            if facts.total
            else "ΔL per row, as the model itself expects; open its data for more."
        )
        self._forest.title.setText(f"Move {variable} in the forest")
        self.moves.show_rows([_move_row(one, weight) for one in facts.moves], score)
        self._forest.setVisible(bool(facts.moves))
        self._on_proposed(self.parameters.proposal)
        data = rows_of(self._app.project, subject.entry)
        self.rows.show_rows(data, facts.rows, variable)

    def _on_proposed(self, fractions: tuple[float, ...] | None) -> None:
        """Show the effect of another distribution; without one, the rows that reach the node."""
        subject, facts, (variable, node) = self._subject, self._facts, self._key
        if subject is None or not isinstance(subject.model, DecisionGraph):
            return
        graph = subject.model
        counts = None if facts is None else facts.counts
        if fractions is None:
            each = () if counts is None else zip(graph.domain[variable].states, counts, strict=True)
            text = ", ".join(f"{state} {grouped(round(n))}" for state, n in each)
            self.counts.setText(f"Rows: {text}" if text else "")
            return
        before = graph.parameters[graph.domain.index(variable)][node]
        if counts is None:  # per row, as the model itself expects
            counts = in_flows(graph)[graph.domain.index(variable)][node] * before
        bits = numbers_change(counts, before, np.asarray(fractions))
        score = self._weight(subject).gain(bits, 0, 0)
        self.counts.setText(
            f"ΔL {change(bits)} bits, Δsize 0, Δscore {change(score)}, the other parameters as "
            "they are. Enter or releasing the mouse accepts, Esc cancels."
        )

    # -- requests

    def _on_parameters(self, fractions: tuple[float, ...]) -> None:
        if self._subject is not None:
            set_numbers(self._app, self._subject.model_id, *self._key, fractions)

    def _on_step(self, step: CandidateOperation) -> None:
        if self._subject is not None and self._facts is not None:  # not one of the graph before
            take(self._app, self._subject.model_id, step)

    def _on_move(self, result: Move) -> None:
        if self._subject is not None and self._facts is not None:
            move(self._app, self._subject.model_id, self._key[0], result.above)


def _move_row(result: Move, weight: ScoreWeight) -> ChangeRow:
    text = "To the top" if result.above is None else f"Below {result.above}"
    score = None if result.bits is None else weight.gain(result.bits, result.size, result.free)
    tip = "The same distribution." if result.is_exact else "Refitted to the rows."
    tip = f"{text}. {tip}"
    return ChangeRow(
        text, "tree-structure", result.bits, result.size, score, result, result.refusal, tip
    )
