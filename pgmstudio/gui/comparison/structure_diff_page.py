"""The structure difference page: edges added, missing and reversed in a second model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QSplitter,
    QWidget,
)

from pgmstudio.core.analysis.structure_comparison import (
    MORAL,
    SKELETON,
    DagAs,
    ModelDifference,
    structure_difference,
)
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import fitted_to
from pgmstudio.core.drawing.diagram import GraphPicture, Point
from pgmstudio.core.drawing.difference import OTHER_CONTEXTS, STYLES, SYMBOLS, difference_picture
from pgmstudio.core.drawing.layout.fitted import zoom_at_fit
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.comparison import (
    EdgeChange,
    EdgeDifference,
    GraphDifference,
    UndirectedDifference,
)
from pgmstudio.core.languages.diagrams import structure_diagram
from pgmstudio.core.model import Model, UndirectedModel, edges_of, has_edges
from pgmstudio.core.number_format import grouped, join_names, signed
from pgmstudio.core.project.project import (
    ModelEntry,
    Project,
    most_similar_model,
    rows_in_memory,
)
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.edge_item import PENS
from pgmstudio.gui.canvas.layout_worker import LayoutMaker, LayoutQuestion, Placed, placed_beside
from pgmstudio.gui.canvas.node_geometry import face_size
from pgmstudio.gui.canvas.node_view import NodeView
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import (
    Note,
    Section,
    button,
    hairline,
    label,
    scrolled,
    tool_button,
    vbox,
)
from pgmstudio.gui.widgets.combo_box import chooser, offer
from pgmstudio.gui.widgets.fact_rows import Fact, FactRows
from pgmstudio.gui.widgets.page import Page

Edge = tuple[str, str]
NO_ROWS = "no rows"
SIDE = 300
MIN_ZOOM_AT_FIT = 0.6  # with the positions of the first model; else this canvas has its own layout


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
        self.common = QCheckBox("List common edges")
        self.common.setObjectName("differenceCommon")
        self.common.setToolTip("List also the edges that both models have.")
        self.common.toggled.connect(self._fill)
        self._section = Section("Edges that differ")
        self._section.add(self.list)
        self._section.add(self.common)
        content = QWidget()
        vbox(content, numbers, (self._section, 1), margins=(0, 10, 0, 0), spacing=4)
        vbox(self, scrolled(content, "differenceScroll"), spacing=0)
        theme().follow(self._fill)

    def show_difference(self, difference: ModelDifference) -> None:
        self._difference = difference
        self.rows.show_facts(facts_of(difference))
        graph = difference.graph
        parts = [] if difference.dag_as is None else [DAG_AS[difference.dag_as]]
        parts += [
            f"Only the {which} model has {join_names(names, 8, 'variables')}."
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
        with QSignalBlocker(self.list):
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
        self._section.fact.setText(str(graph.distance + len(contexts) or "none"))

    def text_of(self, edge: Edge) -> str:
        """Tooltip of an edge in the diagram."""
        if self._difference is None:
            return ""
        edges = self._difference.graph.edges
        result = next((e for e in edges if e.edge == edge), None)
        return "" if result is None else describe_edge(result, self._difference)

    def select(self, edge: Edge | None) -> None:
        """Select an edge in the list without sending a signal."""
        with QSignalBlocker(self.list):
            self.list.setCurrentRow(-1)
            for row in range(self.list.count()):
                if self.list.item(row).data(Qt.ItemDataRole.UserRole) == edge:
                    self.list.setCurrentRow(row)

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


@dataclass(frozen=True, eq=False)
class _Result:
    difference: ModelDifference
    picture: GraphPicture
    problem: str  # why there is no likelihood, if so


def _compared(
    first: Model, second: Model, data: DataSet | None, dag_as: DagAs, cancel: CancelToken
) -> _Result:
    """Compare the structures, and the likelihoods if both models fit the data."""
    problem = ""
    try:
        rows = None if data is None else fitted_to(data, first.domain)
        difference = structure_difference(first, second, rows, dag_as=dag_as)
    except PgmStudioError as refusal:
        if data is None:
            raise
        difference, problem = structure_difference(first, second, dag_as=dag_as), str(refusal)
    picture = difference_picture(difference.graph, difference.contexts)
    return _Result(difference, picture, problem)


class DifferencePage(Page):
    """Page of the window that compares two models, optionally on a data set."""

    fixed_title = "Structure difference"
    icon_name = "scales"

    def __init__(self, app: AppContext) -> None:
        super().__init__("difference")
        self._app = app
        self._result: _Result | None = None
        self._request: tuple[object, ...] = ()
        self._positions: dict[str, Point] = {}
        self.first = self._combo("differenceFirst", "The first model (reference)")
        self.second = self._combo("differenceSecond", "The second model")
        self.rows = self._combo("differenceRows", "Rows to compare the likelihoods on")
        self.dag_as = self._combo("differenceDagAs", "What the directed graph is compared by")
        offer(self.dag_as, {MORAL: "moral graph", SKELETON: "skeleton"}, MORAL)
        self.dag_as.activated.connect(self._ask)
        self._is_by_hand = False  # whether the user chose the rows
        for combo in (self.first, self.second):
            combo.activated.connect(self._on_models)
        self.rows.activated.connect(self._on_rows)
        self.note = Note(level="warning", name="differenceNote")
        self.canvas = Canvas()
        self.canvas.view.is_editable = False
        self.canvas.view.describe_edge = self._describe
        self.facts = DifferenceFacts()
        self.facts.chosen.connect(self._on_listed)
        self.facts.explain_requested.connect(self._on_requested)
        self.canvas.signals.select.connect(self._on_selected)
        self.canvas.signals.move.connect(self._on_moved)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.canvas)
        self._splitter.addWidget(self.facts)
        self._splitter.setStretchFactor(0, 1)
        self._splitter.setSizes([700, SIDE])
        layout = vbox(self, self._head(), hairline(), self.note, self._splitter, spacing=0)
        layout.setStretch(3, 1)
        self._layouts = LayoutMaker(self)
        self._layouts.placed.connect(self._on_placed)
        self._layouts.failed.connect(self._on_failed)
        self._latest_task = LatestTask(self, self._on_answered, self._on_failed)
        app.document.changed.connect(self._on_document_changed)
        self._fill()
        self._ask()

    # -- the page

    @property
    def short_title(self) -> str:
        return "Difference"

    @property
    def model_id(self) -> str | None:
        """The first model, which the panels show."""
        chosen = self.first.currentData()
        return chosen if chosen in self._app.project.models else None

    def closed(self) -> None:
        self._latest_task.forget()
        for worker in (self._layouts, self.canvas):
            worker.stop()

    def _head(self) -> QWidget:
        head = QWidget()
        head.setProperty("role", "surface")
        line = QHBoxLayout(head)
        line.setContentsMargins(12, 6, 12, 6)
        line.setSpacing(8)
        swap = tool_button(
            "arrows-left-right", "Swap the two models", self.swap, name="differenceSwap"
        )
        export = button(
            "Export…",
            self._on_export,
            icon_name="export",
            name="differenceExport",
            tip="Export the diagram with its legend as PNG, SVG or PDF (Ctrl+E).",
        )
        on = label("on", "secondary")
        for widget in (self.first, swap, self.second, self.dag_as, on, self.rows):
            line.addWidget(widget, 1 if isinstance(widget, QComboBox) else 0)
        line.addWidget(export)
        return head

    def _combo(self, name: str, tip: str) -> QComboBox:
        made = chooser(name, tip, 9)
        made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        return made

    # -- selection

    def _fill(self) -> None:
        """Offer the models with edges; by default the newest and the one most similar to it."""
        project = self._app.project
        usable = {key: entry for key, entry in project.models.items() if has_edges(entry.model)}
        newest = next(reversed(usable), "")
        similar = most_similar_model(usable, newest) if usable else None
        for combo, default in ((self.first, similar or newest), (self.second, newest)):
            selected = None if combo.currentData() in usable else default
            offer(combo, {key: entry.title for key, entry in usable.items()}, selected)
        rows = {key: entry.name for key, entry in rows_in_memory(project).items()}
        offer(self.rows, {None: NO_ROWS, **rows})
        self._suggest_rows()

    def _suggest_rows(self) -> None:
        """Select the data of the first model, or data that fit both, unless the user chose some."""
        if self._is_by_hand:
            return
        data, first = self._app.project.data, self._entry(self.first)
        second = self._entry(self.second)
        if first is None or second is None:
            return
        needed = {*first.model.domain.names, *second.model.domain.names}
        fitting = [key for key, entry in data.items() if needed <= set(entry.data.domain.names)]
        own = [key for key in (first.data_id, second.data_id) if key in fitting]
        self.rows.setCurrentIndex(max(0, self.rows.findData(next(iter(own + fitting), None))))

    def _on_models(self) -> None:
        self._suggest_rows()
        self._ask()

    def _on_rows(self) -> None:
        self._is_by_hand = True
        self._ask()

    def choose(self, first: str, second: str) -> None:
        """Compare these two models of the project."""
        self.first.setCurrentIndex(self.first.findData(first))
        self.second.setCurrentIndex(self.second.findData(second))
        self._suggest_rows()
        self._ask()

    def swap(self) -> None:
        first, second = self.first.currentIndex(), self.second.currentIndex()
        self.first.setCurrentIndex(second)
        self.second.setCurrentIndex(first)
        self._ask()

    def _entry(self, combo: QComboBox) -> ModelEntry | None:
        return self._app.project.models.get(combo.currentData() or "")

    def _ask(self, *_: object) -> None:
        first, second = self._entry(self.first), self._entry(self.second)
        if first is None or second is None:
            self.canvas.show_waiting_text("Two models with edges are needed. Learn or open them.")
            return
        self.canvas.show_waiting_text("")
        entry = self._app.project.data.get(self.rows.currentData() or "")
        data = None if entry is None else entry.data
        kinds = {isinstance(entry.model, UndirectedModel) for entry in (first, second)}
        self.dag_as.setVisible(len(kinds) == 2)
        request = (first.model, second.model, data, self.dag_as.currentData())
        if not self._request or any(
            a is not b for a, b in zip(request, self._request, strict=True)
        ):
            if self._app.center.current is self:
                self._app.workspace.activate_model(self.model_id)
            if not self._request or self._request[0] is not first.model:
                self._positions = {}
                self.canvas.view.keep_fitted()
            self._request = request
            self._latest_task.ask(partial(_compared, *request))

    def _on_document_changed(self, before: Project, after: Project) -> None:
        if before.models is not after.models or before.data is not after.data:
            self._fill()
            self._ask()

    def _on_failed(self, error: BaseException) -> None:
        self._app.errors.report(error)

    # -- showing

    @property
    def difference(self) -> ModelDifference | None:
        """The shown difference."""
        return None if self._result is None else self._result.difference

    def _on_answered(self, answer: _Result) -> None:
        self._result = answer
        self.facts.show_difference(answer.difference)
        self.note.show_text(answer.problem)
        self._draw()

    def _faces(self, picture: GraphPicture) -> dict[str, NodeView]:
        assert self._result is not None
        graph, first = self._result.difference.graph, self._entry(self.first)
        titles = {} if first is None else first.node_titles
        only = {
            **dict.fromkeys(graph.only_first, "first"),
            **dict.fromkeys(graph.only_second, "second"),
        }
        differing = {e.source for e in picture.edges if e.label} | set(only)
        differing |= {e.target for e in picture.edges if e.label}
        return {
            node.id: NodeView(
                titles.get(node.id, node.id)
                + (f" (only {only[node.id]})" if node.id in only else ""),
                is_faint=bool(differing) and node.id not in differing,
            )
            for node in picture.nodes
        }

    def _draw(self, placed: Placed | None = None) -> None:
        """Use the node positions of the first model if its names can be read with them, else
        compute a layout for this canvas."""
        if self._result is None:
            return
        picture = self._result.picture
        faces = self._faces(picture)
        sizes = {node.id: face_size(node, faces[node.id]) for node in picture.nodes}
        known = {**self._known(), **self._positions}
        here = {i: known[i] for i in picture.ids if i in known}
        canvas = self.canvas.view.canvas_size
        fits = bool(self._positions) or zoom_at_fit(here, sizes, canvas) >= MIN_ZOOM_AT_FIT
        if len(here) * 2 < len(picture.ids) or not fits:
            self._layouts.ask(LayoutQuestion("difference", picture, sizes, None, canvas))
            return
        if len(here) < len(picture.ids):
            here = placed_beside(picture, here, sizes)
        self._positions = dict(here)
        is_first = not self.canvas.scene.nodes
        routes = placed.routes if placed is not None and placed.picture is picture else None
        self.canvas.scene.show_picture(picture, faces, here, routes=routes)
        if is_first:
            self.canvas.view.fit()

    def _known(self) -> dict[str, Point]:
        """Node positions of the first model: those on its open page, else those in the project."""
        model_id = self.first.currentData()
        page = self._app.center.page(f"model:{model_id}")
        if isinstance(page, ModelPage) and page.shows_structure:
            return dict(page.scene().positions)
        entry = self._entry(self.first)
        if entry is None:
            return {}
        return dict(entry.layouts.get(structure_diagram(entry.model), {}))

    def _on_placed(self, placed: Placed) -> None:
        if self._result is not None and placed.picture is self._result.picture:
            self._positions = dict(placed.positions)
            self._draw(placed)
            self.canvas.view.fit()

    def _describe(self, source: str, target: str) -> str:
        return self.facts.text_of((source, target))

    # -- user actions

    def _on_listed(self, edge: Edge) -> None:
        scene = self.canvas.scene
        scene.show_selection((), (edge,))
        if edge in scene.edges:
            self.canvas.view.ensureVisible(scene.edges[edge].boundingRect(), 24, 24)

    def _on_requested(self, edge: Edge) -> None:
        """Explain the edge of the first model in the inspector."""
        entry = self._entry(self.first)
        if entry is None:
            return
        own = next((e for e in (edge, edge[::-1]) if e in edges_of(entry.model)), None)
        if own is not None:
            self._app.workspace.select((), (own,))
        elif all(name in entry.model.domain for name in edge):
            self._app.workspace.select(edge)
        self._app.actions.refresh("model.why")
        if self._app.actions["model.why"].isEnabled():
            self._app.actions["model.why"].trigger()

    def _on_selected(self, nodes: Iterable[str], edges: Iterable[Edge]) -> None:
        edges = tuple(edges)
        self.canvas.scene.show_selection(nodes, edges)
        self.facts.select(edges[0] if len(edges) == 1 else None)

    def _on_moved(self, positions: dict[str, Point]) -> None:
        """Move nodes in this diagram only; the models are not changed."""
        self._positions |= positions
        self.canvas.scene.move_nodes(positions)
        QTimer.singleShot(0, self.canvas, self.canvas.refresh_soon)

    def _on_export(self) -> None:
        self._app.actions["file.export"].trigger()
