"""The inspector of a node of a decision graph: conditions, flow, parameters, changes, rows."""

from __future__ import annotations

from functools import partial
from html import escape

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QLabel,
    QStackedWidget,
    QVBoxLayout,
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
from pgmstudio.gui.languages.pdg.change_list import ChangeRow, ChangeRows
from pgmstudio.gui.languages.pdg.flows import ask_flows
from pgmstudio.gui.languages.pdg.node_rows import move, rows_of, set_numbers, take, weight_of
from pgmstudio.gui.languages.pdg.node_selection import graph_nodes
from pgmstudio.gui.languages.pdg.parameter_bars import ParameterBars
from pgmstudio.gui.model_page.node_notes import NotesTab
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Section, Segments, hairline, label, row, scrolled
from pgmstudio.gui.widgets.fact_rows import Fact, FactRows
from pgmstudio.gui.widgets.inspector_header import InspectorHead
from pgmstudio.gui.widgets.table import Column, SelectionMode, Table


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
        self.note = label("", "tertiary", size="dense", wrap=True)
        self.note.setObjectName("graphNodeRowsNote")
        self.table = Table(
            "graphNodeRows",
            "Rows that come to this node",
            row_title=lambda number: grouped(number + 1),
            selection=SelectionMode.ExtendedSelection,
        )
        self._shown: tuple[object, ...] = ()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 10, 16, 8)
        layout.setSpacing(6)
        layout.addWidget(self.note)
        layout.addWidget(self.table, 1)

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
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_facts)
        self._latest_task.failed.connect(app.errors.report)
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
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for widget in (self._head, tabs, hairline(), self._pages):
            layout.addWidget(widget)

    def _node_tab(self) -> QWidget:
        reached = Section("Reached when", line=False)
        self.rules = RuleLines("graphNodeRules")
        reached.add(self.rules)
        self._flow = Section("Flow")
        self.flow = FactRows("graphNodeFlow")
        self.flow_note = label("", "tertiary", size="dense", wrap=True)
        self.flow_note.setObjectName("graphNodeFlow")
        self._flow.add(self.flow)
        self._flow.add(self.flow_note)
        parameters = Section("Parameters")
        self.parameters = ParameterBars("graphNodeParameters")
        self.parameters.changed.connect(self._on_parameters)
        self.parameters.proposed.connect(self._on_proposed)
        self.counts = label("", "tertiary", size="dense", wrap=True)
        self.counts.setObjectName("graphNodeCounts")
        parameters.add(self.parameters)
        parameters.add(self.counts)
        changes = Section("Change this node")
        self.changes = ChangeRows("graphNodeChanges")
        self.changes.requested.connect(self._on_step)
        self.measured = label("", "tertiary", size="dense", wrap=True)
        self.measured.setObjectName("graphNodeMeasured")
        changes.add(self.changes)
        changes.add(self.measured)
        self._forest = Section("Move in the forest")
        self.moves = ChangeRows("graphNodeMoves")
        self.moves.requested.connect(self._on_move)
        self._forest.add(self.moves)
        content = QWidget()
        inner = QVBoxLayout(content)
        inner.setContentsMargins(0, 8, 0, 8)
        inner.setSpacing(4)
        for section in (reached, self._flow, parameters, changes, self._forest):
            inner.addWidget(section)
        inner.addStretch(1)
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
