"""Measures of a structure difference, and a list of its edges."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from pgmstudio.core.analysis.structure_comparison import MORAL, SKELETON, ModelDifference
from pgmstudio.core.drawing.difference import OTHER_CONTEXTS, STYLES, SYMBOLS
from pgmstudio.core.graphs.comparison import (
    EdgeChange,
    EdgeDifference,
    GraphDifference,
    UndirectedDifference,
)
from pgmstudio.core.number_format import grouped, signed
from pgmstudio.gui.canvas.edge_item import PENS
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, Section
from pgmstudio.gui.widgets.fact_rows import Fact, FactRows

Edge = tuple[str, str]
ORDER = (EdgeChange.ADDED, EdgeChange.MISSING, EdgeChange.REVERSED, EdgeChange.COMMON)
CHANGES = {
    EdgeChange.COMMON: "in both",
    EdgeChange.ADDED: "only in the second",
    EdgeChange.MISSING: "only in the first",
    EdgeChange.REVERSED: "reversed in the first",
}
DAG_AS = {
    MORAL: "The directed graph is compared by its moral graph: parents of a child are joined.",
    SKELETON: "The directed graph is compared by its skeleton: its edges without directions.",
}


class DifferenceFacts(QWidget):
    """Panel with the measures above and the differing edges below."""

    chosen = Signal(object)  # edge
    explain_requested = Signal(object)  # edge to explain

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("differenceFacts")
        self.setMinimumWidth(theme().px("right_min"))
        self._difference: ModelDifference | None = None
        self.rows = FactRows("differenceNumbers")
        self._only = Note(name="differenceOnly")
        numbers = Section("Second against first", line=False)
        numbers.add(self.rows)
        numbers.add(self._only)
        self.list = QListWidget()
        self.list.setObjectName("differenceList")
        self.list.setAccessibleName("Edges that differ")
        self.list.setToolTip("Click an edge to show it in the diagram; double-click to explain it.")
        self.list.setMinimumHeight(90)
        self.list.currentItemChanged.connect(self._on_current)
        self.list.itemDoubleClicked.connect(self._on_double_clicked)
        self.common = QCheckBox("Show common edges")
        self.common.setObjectName("differenceCommon")
        self.common.setToolTip("List also the edges that both models have.")
        self.common.toggled.connect(self._fill)
        self._section = Section("Edges that differ")
        self._section.add(self.list)
        self._section.add(self.common)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 10, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(numbers)
        layout.addWidget(self._section, 1)
        theme().changed.connect(self._fill)

    def show_difference(self, difference: ModelDifference) -> None:
        self._difference = difference
        self.rows.show_facts(facts_of(difference))
        graph = difference.graph
        parts = [] if difference.dag_as is None else [DAG_AS[difference.dag_as]]
        parts += [
            f"Only the {which} model has {', '.join(names)}."
            for which, names in (("first", graph.only_first), ("second", graph.only_second))
            if names
        ]
        self._only.show_text(" ".join(parts))
        self._fill()

    def _fill(self, *_: object) -> None:
        if self._difference is None:
            return
        graph, contexts = self._difference.graph, self._difference.contexts
        joint = "–" if isinstance(graph, UndirectedDifference) else "→"
        self.list.blockSignals(True)
        self.list.clear()
        for change in ORDER:
            for edge in graph.of(change):
                is_other = edge.edge in contexts
                if change is EdgeChange.COMMON and not (is_other or self.common.isChecked()):
                    continue
                sign = OTHER_CONTEXTS if is_other else SYMBOLS[change] or "="
                item = QListWidgetItem(f"{sign}  {edge.source} {joint} {edge.target}")
                item.setData(Qt.ItemDataRole.UserRole, edge.edge)
                item.setForeground(theme().color(PENS[STYLES[change]].color))
                item.setToolTip(describe_edge(edge, self._difference))
                self.list.addItem(item)
        self.list.blockSignals(False)
        self._section.fact.setText(str(graph.distance + len(contexts) or "none"))

    def text_of(self, edge: Edge) -> str:
        """Tooltip of an edge in the diagram."""
        if self._difference is None:
            return ""
        edges = self._difference.graph.edges
        found = next((e for e in edges if e.edge == edge), None)
        return "" if found is None else describe_edge(found, self._difference)

    def select(self, edge: Edge | None) -> None:
        """Select an edge in the list without sending a signal."""
        self.list.blockSignals(True)
        self.list.setCurrentRow(-1)
        for row in range(self.list.count()):
            if self.list.item(row).data(Qt.ItemDataRole.UserRole) == edge:
                self.list.setCurrentRow(row)
        self.list.blockSignals(False)

    def _on_current(self, item: QListWidgetItem | None, _before: object = None) -> None:
        if item is not None:
            self.chosen.emit(tuple(item.data(Qt.ItemDataRole.UserRole)))

    def _on_double_clicked(self, item: QListWidgetItem) -> None:
        self.explain_requested.emit(tuple(item.data(Qt.ItemDataRole.UserRole)))


def describe_edge(edge: EdgeDifference, difference: ModelDifference) -> str:
    """Description of the change of an edge."""
    text = CHANGES[edge.change]
    if edge.edge in difference.contexts:
        first, second = ("; ".join(each) or "none" for each in difference.contexts[edge.edge])
        return f"{text}; vanishes in other contexts: {first} against {second}"
    if edge.change is EdgeChange.REVERSED and not edge.changes_class:
        return f"{text}; both directions are equivalent there"
    if edge.change is EdgeChange.COMMON and edge.changes_class:
        return f"{text}, but reversible in one class and compelled in the other"
    return text


def facts_of(difference: ModelDifference) -> list[Fact]:
    """Rows of counts, distances, sizes and likelihood; changes are second − first."""
    facts: list[Fact] = [
        *_edge_facts(difference.graph),
        ("Parameters", _change(*difference.parameters), "Free parameters; fewer is simpler."),
        (
            "Effective size",
            _change(*difference.effective_sizes),
            "Cells of the clique tables of the junction tree: the cost of inference.",
        ),
    ]
    fit = difference.likelihood
    if fit is not None:
        tip = f"On {grouped(round(fit.rows))} rows; above 0 the second model fits better."
        if fit.per_row is None:
            facts.append(("Δ log-likelihood", "one model has probability 0", tip))
        else:
            error = fit.per_row.standard_error
            spread = "" if error is None else f" ± {error:.4f}"
            facts += [
                ("Δ log-likelihood", f"{signed(fit.per_row.value * fit.rows, 1)} bits", tip),
                ("in bits per row", f"{signed(fit.per_row.value, 4)}{spread}", tip),
            ]
    return facts


def _edge_facts(graph: GraphDifference | UndirectedDifference) -> list[Fact]:
    counts = graph.counts
    common = grouped(counts[EdgeChange.COMMON])
    added, missing = grouped(counts[EdgeChange.ADDED]), grouped(counts[EdgeChange.MISSING])
    if isinstance(graph, UndirectedDifference):
        return [
            ("Common edges (TP)", common, "True positives, the first model being the truth."),
            ("+ added (FP)", added, "False positives: only the second model has them."),
            ("− missing (FN)", missing, "False negatives: only the first model has them."),
            ("Hamming distance", grouped(graph.distance), "Edges added or missing."),
            ("F1", f"{graph.f1:.3f}", "2 TP / (2 TP + FP + FN); 1 if all edges are the same."),
        ]
    return [
        ("Common edges", common),
        ("+ added", added, "Only the second model has them."),
        ("− missing", missing, "Only the first model has them."),
        (
            "⇄ reversed",
            grouped(counts[EdgeChange.REVERSED]),
            "Both models have them with opposite directions.",
        ),
        (
            "SHD of the graphs",
            grouped(graph.shd),
            "Structural Hamming distance: edges added, missing or reversed.",
        ),
        (
            "SHD of the classes",
            grouped(graph.shd_of_classes),
            "SHD of the CPDAGs; 0 if both models have the same independences.",
        ),
    ]


def _change(before: int, after: int) -> str:
    sign = "+" if after > before else ""
    return f"{grouped(before)} → {grouped(after)} ({sign}{grouped(after - before)})"
