"""The page of a relation: its tuples, its pairs of variables, and the decomposition test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from heapq import nsmallest

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.relation import Relation
from pgmstudio.core.errors import PgmStudioError, TooLargeError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.markov_network.structure import Edge, MarkovStructure
from pgmstudio.core.languages.relational_network.decomposition import (
    Decomposition,
    all_decompositions,
    decompose,
    spurious_tuples,
)
from pgmstudio.core.languages.relational_network.model import RelationalNetwork
from pgmstudio.core.languages.relational_network.pairs import PairProjection, all_pairs
from pgmstudio.core.number_format import counted, decimal, grouped, whole
from pgmstudio.core.project.edits import replace_model
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.relational_network.gain_graph import GainGraph, graph_icon
from pgmstudio.gui.languages.relational_network.pair_panel import PairPanel
from pgmstudio.gui.languages.relational_network.relation_drawing import (
    Codes,
    Drawn,
    RelationPicture,
    RelationView,
)
from pgmstudio.gui.languages.relational_network.relation_source import data_of_model, relation_for
from pgmstudio.gui.languages.relational_network.tests_view import TestsView
from pgmstudio.gui.navigation import export_drawing
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.theme.theme import Weight
from pgmstudio.gui.widgets.basic import (
    Note,
    Segments,
    allow,
    button,
    label,
    named,
    row,
    scrolled,
    vbox,
    wide_first,
)
from pgmstudio.gui.widgets.combo_box import ChoiceBox, chooser, offer
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.image_file import Drawing
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.table import Column, Table

TUPLES, GRAPH = "tuples", "graph"  # drawn in the cube: no beams, or those of the graph
MAX_VARIABLES = 6  # for all graphs
FEW_VARIABLES = 3  # all graphs are shown at once
MAX_GRAPHS = 1_024  # listed; of more the best
MAX_SPURIOUS = 200  # listed and drawn
_NARROW = 640  # px below which the two halves are one above the other
_VIEWS = (
    ("relation", "Relation", "The tuples, and their projections to pairs of variables."),
    ("pairs", "Pairs", "The projection to a pair of variables with its Hartley gain."),
    ("tests", "Tests", "Conditional independence tests; the graph follows the threshold ε."),
)
_GRAPHS = (
    ("own", "Graph of the model", "How many tuples the graph of the model adds."),
    ("all", "All graphs", "The tuples that each graph over the variables adds."),
)


def graph_text(names: Sequence[str], edges: Sequence[Edge]) -> str:
    """The edges of a graph, for a table."""
    if len(names) > 2 and len(edges) == len(names) * (len(names) - 1) // 2:
        return "all edges"
    return ", ".join(f"{names[a]}–{names[b]}" for a, b in edges) or "no edges"


@dataclass(frozen=True, eq=False)
class RelationFacts:
    """What the page shows of a model; `graphs` has the model's graph alone or all of them."""

    model: RelationalNetwork
    relation: Relation
    pairs: tuple[PairProjection, ...]
    graphs: tuple[Decomposition, ...]
    own: Decomposition | None
    has_projections: bool  # those of the model are the relation's
    data: DataSet | None  # None: the relation is the model's own
    note: str = ""

    def network(self, edges: Sequence[Edge]) -> RelationalNetwork:
        """A graph with the projections of the relation."""
        structure = MarkovStructure(self.relation.domain, frozenset(edges))
        return RelationalNetwork.of_relation(structure, self.relation)


def relation_facts(
    model: RelationalNetwork,
    data: DataSet | None,
    known: Relation | None,
    has_all: bool,
    cancel: CancelToken,
) -> RelationFacts:
    """`known` is the relation of the data, if it was made before."""
    relation = relation_for(model, data) if known is None else known
    edges = tuple(sorted(model.structure.edges))
    graphs: list[Decomposition] = []
    own, note = None, ""
    try:
        own = decompose(relation, edges)
        graphs = [own]
    except TooLargeError as problem:
        note = str(problem)
    if has_all:
        results = all_decompositions(relation, cancel)
        if len(results) > MAX_GRAPHS:
            note = f"The {whole(MAX_GRAPHS)} best of {whole(len(results))} graphs are listed."
            results = nsmallest(MAX_GRAPHS, results, key=lambda one: one.rank)
        # Numbered as in the lecture: few edges first, of equally many the best first.
        graphs = sorted(results, key=lambda one: (len(one.edges), one.rank))
    projected = RelationalNetwork.of_relation(model.structure, relation).projections
    is_same = all(
        a.shape == b.shape and bool((a == b).all())
        for a, b in zip(projected, model.projections, strict=True)
    )
    pairs = tuple(all_pairs(relation))
    return RelationFacts(model, relation, pairs, tuple(graphs), own, is_same, data, note)


def absent_part(facts: RelationFacts, codes: Codes) -> tuple[int, ...]:
    """Two variables whose states in a tuple never occur together; none if every pair does."""
    for pair in facts.pairs:
        if not pair.occurs[codes[pair.first], codes[pair.second]]:
            return pair.first, pair.second
    return ()


def _pair_key(pair: tuple[int, int]) -> str:
    return f"{pair[0]}-{pair[1]}"


class RelationPage(Page):
    """Follows the model of the project and its data."""

    icon_name = "cube"

    def __init__(self, app: AppContext, model_id: str) -> None:
        super().__init__(page_key(model_id))
        self._app, self._id = app, model_id
        self.facts: RelationFacts | None = None
        self.spurious: Sequence[Codes] = ()
        self._sparsest = 0  # the number of the sparsest exact graph
        self._facts_task = LatestTask(self, self._on_facts, self._on_failed)
        self._spurious_task = LatestTask(self, self._on_spurious, self._on_failed)
        self.views = Segments(_VIEWS, "relationViews")
        self.views.chosen.connect(self.show_view)
        self.summary = named(ElidedLabel("", "secondary"), "relationSummary")
        self._variable = chooser("relationVariable", "The variable whose pairs are drawn.", 9)
        self._variable.currentIndexChanged.connect(self._on_variable)
        self.note = Note(name="relationNote")
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self._relation_half())
        self._split.addWidget(self._graph_half())
        self._split.setSizes([296, 404])
        self._split.setStretchFactor(0, 1)
        self._split.setStretchFactor(1, 1)
        self.shown = ChoiceBox(
            "relationShown", "What is drawn besides the tuples: cylindrical extensions as beams."
        )
        self.shown.setMinimumContentsLength(9)
        self.shown.picked.connect(self._show_extensions)
        export = button(
            "Export…",
            self._on_export,
            icon_name="export",
            name="relationExport",
            tip="Export the drawing as PNG, SVG or PDF.",
        )
        head = row(self.views, self._variable, self.shown, None, export)
        parts = (head, self.summary, self.note, (self._split, 1))
        vbox(self, *parts, margins=(16, 12, 16, 8), spacing=8)
        app.document.changed.connect(self._on_document)
        if self._model is not None and len(self._model.domain) <= FEW_VARIABLES:
            self.scope.choose("all")
        self._ask()

    def _relation_half(self) -> QWidget:
        self.drawing_view = RelationView()
        self.drawing_view.pair_chosen.connect(self.show_pair)
        self.pairs = Table(
            "relationPairs",
            "Pairs of variables",
            (
                Column("Pair", stretches=True),
                Column("Occur", str, True, tip="Pairs of states that occur, of all."),
                Column("%", lambda part: decimal(100 * part, 0), True, tip="Of all pairs."),
                Column(
                    "Gain",
                    lambda bits: decimal(bits, 2),
                    True,
                    tip="Hartley gain in bits.",
                    explains="Bits (Hartley)",
                ),
            ),
        )
        self.pairs.selected.connect(self._on_pair)
        self.pair = PairPanel("relationPair")
        both = QSplitter(Qt.Orientation.Vertical)
        both.setChildrenCollapsible(False)
        both.addWidget(self.pairs)
        both.addWidget(self.pair)
        both.setSizes([160, 300])
        self._left = QStackedWidget()
        self.gain_graph = GainGraph()
        self._graph_title = label("", "secondary", size="dense", wrap=True, name="relationGains")
        drawn = QWidget()
        vbox(
            drawn,
            (scrolled(self.drawing_view, "relationScroll"), 1),
            self._graph_title,
            self.gain_graph,
            spacing=4,
        )
        self._left.addWidget(drawn)
        self._left.addWidget(both)
        self.tests = TestsView(self._app)
        self.tests.graph_changed.connect(self.select_graph)
        self.tests.graph_requested.connect(self._use)
        self._left.addWidget(self.tests)
        return self._left

    def _graph_half(self) -> QWidget:
        self.scope = Segments(_GRAPHS, "decompositionScope")
        self.scope.chosen.connect(lambda _: self._ask())
        self.graphs = Table(
            "decompositionGraphs",
            "Decomposition test",
            (
                Column("No.", weight=self._weight),
                Column("Graph", stretches=True, cell_tip=lambda row: row[1], icon=self._icon),
                Column("Tuples", grouped, True, tip="Tuples that the graph represents, |R_G|."),
                Column(
                    "Additional",
                    lambda count: grouped(count) if count else "✓ 0",
                    True,
                    tip="Additional tuples: those of the graph that the relation does not have; "
                    "0: it is exact.",
                    short_title="Added",
                    color=lambda row: "success_ink" if row[3] == 0 else None,
                    weight=lambda row: "semibold" if row[3] == 0 else "regular",
                ),
            ),
        )
        self.graphs.show_short_titles(True)
        self.graphs.selected.connect(self._on_graph)
        self.use = button(
            "Use this graph",
            self.use_graph,
            icon_name="check",
            name="decompositionUse",
            tip="Give the model the selected graph with the projections of the relation.",
        )
        self._spurious_text = label("", "secondary", wrap=True, name="spuriousText")
        self.tuples = Table(
            "spuriousTuples", "Additional tuples", row_color=lambda _: "evidence_ink"
        )
        made = QWidget()
        vbox(
            made,
            row(self.scope, None),
            (self.graphs, 3),
            wide_first(row(self._spurious_text, self.use)),
            (self.tuples, 2),
            margins=(8, 0, 0, 0),
            spacing=8,
        )
        return made

    def _icon(self, graph: Sequence[object]) -> QIcon:
        """The graph as a sign before its edges."""
        assert self.facts is not None
        number = graph[0]
        assert isinstance(number, int)
        return graph_icon(len(self.facts.relation.domain), self.facts.graphs[number - 1].edges)

    def _weight(self, graph: Sequence[object]) -> Weight:
        """The number of the sparsest exact graph stands out."""
        return "semibold" if graph[0] == self._sparsest else "regular"

    # -- the page

    def drawing(self) -> Drawing | None:
        """The relation, or the grid of the pair."""
        parts: dict[str, Drawn] = {"relation": self.drawing_view, "pairs": self.pair.grid}
        part = parts.get(self.views.current)
        return None if part is None or self.facts is None else RelationPicture(part, self.title)

    def _on_export(self) -> None:
        drawing = self.drawing()
        if drawing is not None:
            export_drawing(self._app, drawing)
        else:
            self._app.notify("Show the relation or its pairs to export a drawing of them.")

    @property
    def title(self) -> str:
        entry = self._app.project.models.get(self._id)
        return "Relation" if entry is None else f"Relation of {entry.title}"

    @property
    def model_id(self) -> str | None:
        return self._id if self._id in self._app.project.models else None

    def minimumSizeHint(self) -> QSize:
        return QSize(320, 240)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < _NARROW
        self._split.setOrientation(
            Qt.Orientation.Vertical if is_narrow else Qt.Orientation.Horizontal
        )

    def closed(self) -> None:
        self._facts_task.forget()
        self._spurious_task.forget()
        self.tests.forget()

    # -- asking

    @property
    def _model(self) -> RelationalNetwork | None:
        entry = self._app.project.models.get(self._id)
        model = None if entry is None else entry.model
        return model if isinstance(model, RelationalNetwork) else None

    def _on_document(self, before: Project, after: Project) -> None:
        if self._model is None:
            QTimer.singleShot(0, self, self._leave)
        elif before.models.get(self._id) is not after.models.get(self._id) or (
            before.data is not after.data
        ):
            self.title_changed.emit()
            self._ask()

    def _leave(self) -> None:
        self._app.center.close_page(self)

    def _ask(self) -> None:
        model = self._model
        if model is None:
            return
        is_possible = len(model.domain) <= MAX_VARIABLES
        reason = f"at most {MAX_VARIABLES} variables have few enough graphs."
        allow(self.scope.button("all"), None if is_possible else reason)
        if not is_possible:
            self.scope.choose("own")
        data = data_of_model(self._app, self._id)
        has_all = self.scope.current == "all"
        facts = self.facts
        known = facts.relation if facts and data is not None and facts.data is data else None
        self._facts_task.ask(partial(relation_facts, model, data, known, has_all))

    def _on_failed(self, error: BaseException) -> None:
        if isinstance(error, PgmStudioError):
            self.note.show_text(str(error), "warning")
        else:
            self._app.errors.report(error)

    # -- showing

    def _on_facts(self, facts: RelationFacts) -> None:
        self.facts = facts
        relation, names = facts.relation, facts.relation.domain.names
        self.note.show_text(facts.note, "warning")
        self.drawing_view.show_relation(relation, facts.pairs)
        offer(self._variable, dict(enumerate(names)))
        extensions = {
            _pair_key((p.first, p.second)): f"Beams {names[p.first]} × {names[p.second]}"
            for p in facts.pairs
        }
        choices = {TUPLES: "Tuples + walls", GRAPH: "Beams of the graph"} | extensions
        self.shown.show_choices(choices, self.shown.currentData())
        self._show_choices()
        possible = 1
        for card in relation.domain.cardinalities:
            possible *= card
        part = f"{counted(len(relation), 'tuple')} of {whole(possible)} possible"
        own = "" if facts.data is not None else ", those of the model, as there are no data"
        self.summary.setText(f"{part}{own}{self._exactness(facts)}")
        chosen = self.pairs.current or 0
        self.pairs.show_rows(
            [
                (
                    f"{names[p.first]} × {names[p.second]}",
                    f"{p.counts[2]} of {p.occurs.size}",
                    p.relative,
                    p.gain_bits,
                )
                for p in facts.pairs
            ]
        )
        columns = [Column(name) for name in names]
        why = Column(
            "Never together",
            stretches=True,
            tip="Two states of it that no tuple of the relation has together.",
        )
        self.tuples.show_columns([*columns, why])
        self._show_graphs(facts)
        if self.views.current == "tests":
            self._show_tests()
        if facts.pairs:
            self.pairs.select(min(chosen, len(facts.pairs) - 1))

    @staticmethod
    def _exactness(facts: RelationFacts) -> str:
        if facts.own is None:
            return ""
        if facts.own.is_perfect:
            return " · perfect decomposition"
        return f" · the graph adds {grouped(facts.own.additional)}"

    def _show_graphs(self, facts: RelationFacts) -> None:
        names = facts.relation.domain.names
        perfect = [n for n, one in enumerate(facts.graphs, start=1) if one.is_perfect]
        self._sparsest = min(perfect, key=lambda n: facts.graphs[n - 1].rank, default=0)
        self.graphs.show_rows(
            [
                (number, graph_text(names, one.edges), one.tuples, one.additional)
                for number, one in enumerate(facts.graphs, start=1)
            ]
        )
        allow(self.use, "select a graph first.")
        self.select_graph(tuple(facts.model.structure.edges))

    def select_graph(self, edges: Sequence[Edge]) -> None:
        """Select the row of a graph, if it is listed."""
        if self.facts is None:
            return
        wanted = tuple(sorted(edges))
        for number, one in enumerate(self.facts.graphs):
            if one.edges == wanted:
                self.graphs.select(number)

    def show_view(self, key: str) -> None:
        """The tuples, the pairs of variables, or the tests."""
        self.views.choose(key)
        if key == "tests":
            self._show_tests()
        self._left.setCurrentIndex([view[0] for view in _VIEWS].index(key))
        self._show_choices()

    def _show_choices(self) -> None:
        """What can be chosen about the drawing of the relation."""
        is_drawn = self.facts is not None and self.views.current == "relation"
        is_cube = self.drawing_view.is_cube
        self.shown.setVisible(is_drawn and is_cube)
        is_page = self.facts is not None and len(self.facts.relation.domain) > 2
        self._variable.setVisible(is_drawn and is_page and not is_cube)

    def _show_tests(self) -> None:
        """With the threshold of the run that made the model, and all graphs beside them."""
        if self.facts is not None:
            epsilon = getattr(model_sources(self._app).params(self._id), "epsilon", 0.0)
            self.tests.show_relation(self.facts.relation, epsilon)
            self.show_all_graphs()

    def show_pair(self, first: int, second: int) -> None:
        """The grid of a pair with its arithmetic."""
        if self.facts is None:
            return
        pairs = [(p.first, p.second) for p in self.facts.pairs]
        self.show_view("pairs")
        self.pairs.select(pairs.index((first, second)))

    def show_all_graphs(self) -> None:
        """The decomposition test of all graphs, where there are not too many."""
        if self.scope.current != "all" and self.scope.button("all").isEnabled():
            self.scope.choose("all")
            self._ask()

    def _show_extensions(self, *_: object) -> None:
        """The beams of one pair, or of the edges of the selected graph."""
        key, graph = self.shown.currentData(), self.graph
        if key == GRAPH:
            self.drawing_view.show_extensions(() if graph is None else graph.edges)
        else:
            pairs = [(p.first, p.second) for p in (self.facts.pairs if self.facts else ())]
            self.drawing_view.show_extensions(pair for pair in pairs if _pair_key(pair) == key)

    def _on_variable(self) -> None:
        self.drawing_view.show_variable(self._variable.currentData())

    def _on_pair(self, number: int) -> None:
        if self.facts is not None:
            projection = self.facts.pairs[number]
            self.pair.show_pair(self.facts.relation, projection, self.spurious)
            if self.views.current == "pairs":  # chosen by a person
                self.drawing_view.show_pair((projection.first, projection.second))

    @property
    def graph(self) -> Decomposition | None:
        """The selected graph."""
        number = self.graphs.current
        return None if self.facts is None or number is None else self.facts.graphs[number]

    def _on_graph(self, _number: int) -> None:
        graph, facts = self.graph, self.facts
        if graph is None or facts is None:
            return
        is_own = frozenset(graph.edges) == facts.model.structure.edges
        reason = "the model has this graph." if is_own and facts.has_projections else None
        allow(self.use, reason)
        self._spurious_task.ask(partial(_spurious, facts, graph))

    def _on_spurious(self, result: tuple[Decomposition, list[Codes]]) -> None:
        graph, self.spurious = result
        facts = self.facts
        if facts is None:
            return
        variables = facts.relation.domain.variables

        def states(codes: Codes, chosen: Sequence[int]) -> tuple[str, ...]:
            return tuple(variables[v].states[codes[v]] for v in chosen)

        everything = range(len(variables))
        self.tuples.show_rows(
            [
                (
                    *states(codes, everything),
                    ", ".join(states(codes, absent_part(facts, codes))) or "every pair occurs",
                )
                for codes in self.spurious
            ]
        )
        self.gain_graph.show_graph(facts.relation, facts.pairs, graph.edges)
        total = sum(p.gain_bits for p in facts.pairs if (p.first, p.second) in graph.edges)
        self._graph_title.setText(f"Hartley gains; edges together {decimal(total, 2)} bits")
        self._graph_title.setVisible(self.gain_graph.isVisibleTo(self))
        self._show_extensions()
        text = graph_text(facts.relation.domain.names, graph.edges)
        cut = f", {MAX_SPURIOUS} listed" if graph.additional > MAX_SPURIOUS else ""
        if graph.is_perfect:
            self._spurious_text.setText("Joining the projections gives back exactly the relation.")
        else:
            count = counted(graph.additional, "additional tuple")
            self._spurious_text.setText(f"{count}{cut} of: {text}")
        self.tuples.setVisible(not graph.is_perfect)
        self.drawing_view.show_spurious(self.spurious)
        if self.pairs.current is not None:
            self._on_pair(self.pairs.current)

    def use_graph(self) -> None:
        """The selected graph becomes that of the model."""
        if self.graph is not None:
            self._use(self.graph.edges)

    def _use(self, edges: Sequence[Edge]) -> None:
        """In one undoable step."""
        if self.facts is None:
            return
        text = f"Use graph {graph_text(self.facts.relation.domain.names, edges)}"
        edit = partial(replace_model, model_id=self._id, model=self.facts.network(edges))
        if self._app.change(text, edit):
            self._app.notify(f"{text}.", undo=True)


def _spurious(
    facts: RelationFacts, graph: Decomposition, _cancel: CancelToken
) -> tuple[Decomposition, list[Codes]]:
    if graph.is_perfect:
        return graph, []
    return graph, spurious_tuples(facts.relation, facts.network(graph.edges), MAX_SPURIOUS)


def page_key(model_id: str) -> str:
    return f"relation:{model_id}"


def open_relation(app: AppContext, model_id: str) -> RelationPage:
    """Open the page of a model's relation and bring it to the front."""
    page = app.open_page(page_key(model_id), partial(RelationPage, app, model_id))
    assert isinstance(page, RelationPage)
    return page
